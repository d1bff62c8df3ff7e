public import Query
public import Rows

/// A place that data is read from or written to, parsed once from the text that the user wrote.
public struct Location: Sendable, Hashable {
  /// The text, which may have secrets; messages show `shown`.
  public let text: String
  /// The possible operations.
  public let place: any Place

  init(_ text: String, _ place: any Place) { (self.text, self.place) = (place.path ?? text, place) }

  /// The name in messages, history, summaries and metadata: without user, password, secrets and values of a query.
  public var shown: String { place.shown }
  /// Whether it is a table or a database of tables, rather than a file.
  public var isTable: Bool { place.isTable }
  /// The last step of its name, after which a table is called.
  public var title: String { place.title }

  /// The path of a file or directory of this machine.
  /// - Throws: `usage` for any other place.
  public func path() throws(Problem) -> String {
    guard let path = place.path else {
      throw Problem(.usage, "expected a path of this machine", at: shown, hint: "copy it to or from there afterwards")
    }
    return path
  }

  /// Whether the texts are equal.
  public static func == (a: Location, b: Location) -> Bool { a.text == b.text }
  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// What can be done at a location. A kind of place implements what it can; the rest is a usage error.
public protocol Place: Sendable {
  /// The name in messages, without secrets.
  var shown: String { get }
  /// The last step of its name, without secrets.
  var title: String { get }
  /// Whether it is a table or a database of tables, rather than a file.
  var isTable: Bool { get }
  /// The path of a file or directory of this machine; nil for another place.
  var path: String? { get }
  /// Whether it is reached over a network.
  var isRemote: Bool { get }
  /// Whether it is a table that has the records of a sync, while the outputs have its counts.
  var takesRecords: Bool { get }

  /// Opens it for reading.
  /// If it `isPartitioned`, its path has values of columns.
  func source(_ options: FileInputOptions, isPartitioned: Bool) async throws(Problem) -> any RecordSource
  /// The places that it stands for: the files of a directory, or those that match a pattern; nil for itself.
  func members() async throws(Problem) -> [String]?
  /// The number of bytes to read; 0 if that is not known without asking a web server.
  func size() async throws(Problem) -> Int

  /// The exporter of a table; nil for a file, whose format its name says.
  func exporter() throws(Problem) -> (any Exporter)?
  /// Opens a file that appears under its name when it is complete, or a device.
  /// If it `follows`, the user named the file, and a symbolic link stands for its target.
  /// - Throws: `cannotCreate`; also if the file exists and must not be replaced.
  func sink(replaces: Bool, follows: Bool) throws(Problem) -> any ByteSink
  /// Opens a file for rows after those that it has; nil if there is none.
  func appendingSink() throws(Problem) -> (any ByteSink)?
  /// Waits until no other process adds to the file: none does while the result exists.
  func appendingRight() async throws(Problem) -> (any Sendable)?
  /// Checks that `sink` would succeed, and returns the canonical name, the same for every name of the file.
  func check(replaces: Bool) throws(Problem) -> String
  /// Whether an output would replace a file.
  var isFile: Bool { get }
  /// Whether there is a file or an object.
  /// - Throws: the errors of its server.
  func exists() async throws(Problem) -> Bool
  /// Opens files in partitions, which appear together.
  /// - Throws: `cannotCreate` if files exist that may not.
  func files(existing: ExistingFiles) throws(Problem) -> any OutputFileSet
  /// Creates a directory for files if it does not exist; returns whether it was created.
  func makeDirectory() throws(Problem) -> Bool
  /// Removes a directory if it is empty.
  func removeDirectory()
  /// The location of a table in a directory of tables; nil if this is one table.
  /// - Throws: `badData` for a name that is not the name of a directory.
  func member(_ table: String) throws(Problem) -> String?

  func bucket() throws(Problem) -> (bucket: any ObjectBucket, prefix: String)
  func table() throws(Problem) -> any TableStorage
  func tableFiles() throws(Problem) -> any TableStorage
}

extension Place {
  /// The last step of what messages show.
  public var title: String { shown.split(at: "/").last.map(String.init) ?? shown }
  /// A file.
  public var isTable: Bool { false }
  /// None.
  public var path: String? { nil }
  /// A server.
  public var isRemote: Bool { true }
  /// Counts.
  public var takesRecords: Bool { false }
  /// No file.
  public var isFile: Bool { false }
  /// Whether an output would replace a file.
  public func exists() async throws(Problem) -> Bool { isFile }
  /// Itself.
  public func members() async throws(Problem) -> [String]? { nil }
  /// Not known.
  public func size() async throws(Problem) -> Int { 0 }
  /// The format of its name.
  public func exporter() throws(Problem) -> (any Exporter)? { nil }
  /// Refused.
  public func sink(replaces: Bool, follows: Bool) throws(Problem) -> any ByteSink {
    throw refused("cannot write a file here")
  }
  /// Refused.
  public func appendingSink() throws(Problem) -> (any ByteSink)? { throw refused("cannot append to a file here") }
  /// No right is needed.
  public func appendingRight() async throws(Problem) -> (any Sendable)? { nil }
  /// Opens a file that the user named.
  public func sink(replaces: Bool) throws(Problem) -> any ByteSink { try sink(replaces: replaces, follows: true) }
  /// Refused.
  public func check(replaces: Bool) throws(Problem) -> String { throw refused("cannot write a file here") }
  /// Refused.
  public func files(existing: ExistingFiles) throws(Problem) -> any OutputFileSet {
    throw refused("cannot write partitions here")
  }
  /// Refused.
  public func makeDirectory() throws(Problem) -> Bool { throw refused("cannot write a directory here") }
  /// Nothing is removed.
  public func removeDirectory() {}
  /// One table.
  public func member(_ table: String) throws(Problem) -> String? { nil }
  /// Refused.
  public func bucket() throws(Problem) -> (bucket: any ObjectBucket, prefix: String) {
    throw Problem(.usage, "not the URL of a bucket", at: shown, hint: "use s3://BUCKET/PREFIX")
  }
  /// Refused.
  public func table() throws(Problem) -> any TableStorage {
    throw Problem(.usage, "not the location of a Delta table", at: shown, hint: "use delta:DIR")
  }
  /// Refused.
  public func tableFiles() throws(Problem) -> any TableStorage {
    throw Problem(.usage, "Delta tables are supported only in directories and in S3", at: "delta:\(shown)")
  }

  private func refused(_ what: String) -> Problem {
    Problem(.usage, what, at: shown, hint: "use a file, s3://BUCKET/KEY, or a table")
  }
}

/// A kind of location.
public struct LocationKind: Sendable {
  /// The prefixes of its locations, in lower case: `s3://`, `postgres:`; a scheme may be written in any case.
  let beginnings: [String]
  /// The place that a text means.
  public let place: @Sendable (_ text: String) throws(Problem) -> any Place

  /// Creates a kind.
  public init(_ beginnings: String..., place: @escaping @Sendable (_ text: String) throws(Problem) -> any Place) {
    (self.beginnings, self.place) = (beginnings, place)
  }
}

/// The kinds of locations: the one place that compares schemes.
public struct LocationKinds: Sendable {
  /// The kinds; the first has the texts that none claims.
  public var all: [LocationKind]

  /// Creates a list of kinds.
  public init(_ all: [LocationKind]) { self.all = all }

  /// The location that a text means.
  /// - Throws: `usage` for an unknown scheme before `://`, for a text that two kinds claim, and as its kind does.
  public func location(_ text: String) throws(Problem) -> Location {
    let claims = all.flatMap { kind in
      kind.beginnings.filter { text.utf8.count >= $0.utf8.count && text.prefix($0.count).lowercased() == $0 }
        .map { (beginning: $0, kind: kind) }
    }
    if claims.count > 1 {
      throw Problem(
        .usage, "ambiguous location: it may be \(claims.map(\.beginning).joined(separator: " or "))", at: "location")
    }
    if let kind = claims.first?.kind { return Location(text, try kind.place(text)) }
    if let scheme = URLText.scheme(of: text), text.dropFirst(scheme.count).hasPrefix("://") {
      let known = all.flatMap(\.beginnings).map { String($0.prefix { $0 != ":" }) }
      throw Problem(.usage, "unknown scheme “\(scheme)://”", hint: .choose(scheme, from: known, "supported schemes"))
    }
    guard let paths = all.first else { throw Problem(.bug, "internal error: no kinds of locations") }
    return Location(text, try paths.place(text))
  }
}
