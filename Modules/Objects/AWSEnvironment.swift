public import Domain
public import Rows

/// The machine as the search for AWS credentials sees it.
public struct AWSEnvironment: Sendable {
  let variables: [String: String]
  let clock: any WallClock
  /// The bytes of a file of at most 1 MiB; nil if it does not exist.
  let file: @Sendable (_ path: String) throws(Problem) -> [UInt8]?
  /// The files in a directory; empty if it does not exist.
  let files: @Sendable (_ directory: String) -> [String]
  /// The output of a command that a shell runs.
  let output: @Sendable (_ command: String) throws(Problem) -> [UInt8]

  /// Receives the keys that are found.
  public var secrets = Secrets()

  /// Creates an environment.
  public init(
    variables: [String: String], clock: any WallClock,
    file: @escaping @Sendable (_ path: String) throws(Problem) -> [UInt8]?,
    files: @escaping @Sendable (_ directory: String) -> [String] = { (_) in [] },
    output: @escaping @Sendable (_ command: String) throws(Problem) -> [UInt8]
  ) {
    (self.variables, self.clock, self.file, self.files, self.output) = (variables, clock, file, files, output)
  }

  /// A variable that is set and not empty.
  subscript(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a variable means yes.
  func isTrue(_ name: String) -> Bool { self[name]?.lowercased() == "true" || self[name] == "1" }

  var profile: String { self["AWS_PROFILE"] ?? self["AWS_DEFAULT_PROFILE"] ?? "default" }

  /// The path of the file with the settings of profiles.
  var configurationFile: String { self["AWS_CONFIG_FILE"].map(expanded) ?? expanded("~/.aws/config") }
  /// The path of the file with the keys of profiles.
  var credentialsFile: String { self["AWS_SHARED_CREDENTIALS_FILE"].map(expanded) ?? expanded("~/.aws/credentials") }

  /// A path with `~` replaced by the home directory.
  func expanded(_ path: String) -> String {
    path.hasPrefix("~/") ? "\(self["HOME"] ?? "")\(path.dropFirst())" : path
  }

  /// The profiles of both files; those of the first have precedence.
  /// - Throws: `permission`, `io`, `badData`.
  func profiles() throws(Problem) -> AWSProfiles {
    var profiles = AWSProfiles()
    if let bytes = try file(configurationFile) { profiles.read(bytes, isConfiguration: true) }
    if let bytes = try file(credentialsFile) { profiles.read(bytes, isConfiguration: false) }
    return profiles
  }
}
