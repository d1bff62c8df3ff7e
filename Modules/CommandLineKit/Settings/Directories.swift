import Glibc
package import Rows

/// Where bb keeps things, by the XDG base directory specification.
package struct Directories: Sendable {
  private let variables: [String: String]

  package init(_ variables: [String: String]) { self.variables = variables }

  /// The cache: `$XDG_CACHE_HOME/bb`.
  package var cache: String { directory("XDG_CACHE_HOME", ".cache") }
  /// The directory of the default store: `$XDG_DATA_HOME/bb`.
  package var data: String { directory("XDG_DATA_HOME", ".local/share") }
  /// The default store: a database in the data directory.
  var database: String { "sqlite:\(data)/bb.db" }
  /// Drafts: `$XDG_STATE_HOME/bb`.
  package var state: String { directory("XDG_STATE_HOME", ".local/state") }
  /// Settings: `$XDG_CONFIG_HOME/bb`.
  package var configuration: String { directory("XDG_CONFIG_HOME", ".config") }
  /// Temporary files: `$TMPDIR`.
  package var temporary: String { variables["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp" }

  /// The configuration file: `$XDG_CONFIG_HOME/bb/config`.
  package var configurationFile: String { configuration + "/config" }

  /// Reads the settings of the environment and of the configuration file.
  /// - Throws: `configuration` with the line or the variable that is invalid.
  package func settings() throws(Problem) -> Configuration {
    try Configuration(variables: variables, file: try ConfigurationFile.read(configurationFile))
  }

  /// The store for commands without `--storage`: `BB_STORAGE`, otherwise the configured one, otherwise the database.
  /// - Returns: its location, and the origin of the setting: `BB_STORAGE`, `configuration` or `default`.
  package func defaultStorage() throws(Problem) -> (location: String, origin: String) {
    guard let setting = try settings()[.storage] else { return (database, "default") }
    return (setting.origin == "configuration" ? atHome(setting.value) : setting.value, setting.origin)
  }

  /// A location whose path begins with `~/`, which no shell has expanded, with the home directory.
  private func atHome(_ location: String) -> String {
    let mark = location.firstRange(of: "~/")
    guard let mark, mark.lowerBound == location.startIndex || location[..<mark.lowerBound].last == ":" else {
      return location
    }
    return location[..<mark.lowerBound] + home + location[location.index(after: mark.lowerBound)...]
  }

  /// `$HOME` without a trailing slash; if it is unset, as for some services, the user's home directory from the system.
  private var home: String {
    var path = variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.registeredHome
    while path.last == "/" { path.removeLast() }
    return path
  }

  private static var registeredHome: String {
    guard let entry = unsafe getpwuid(getuid()), let directory = unsafe entry.pointee.pw_dir else { return "" }
    return unsafe String(cString: directory)
  }

  /// A relative path in a variable is ignored, as the specification says.
  private func directory(_ variable: String, _ fallback: String) -> String {
    if let path = variables[variable], path.hasPrefix("/") { return path + "/bb" }
    return "\(home)/\(fallback)/bb"
  }
}
