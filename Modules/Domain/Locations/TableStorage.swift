public import Rows

/// The place of a table that consists of files and a log of them: a directory, or a prefix of a bucket. Paths are
/// relative to it, with slashes.
public protocol TableStorage: Sendable {
  var name: String { get }
  /// The absolute URL of the table, decoded, with one slash after the scheme and none at the end: `file:/srv/lake`,
  /// `s3:/bucket/lake`. Files below it may be named by their URLs. Empty if they may not.
  var root: String { get }
  /// The names of the files in the log, without directories, in byte order; nil if there is no log.
  /// - Parameter first: names before this one may be omitted.
  /// - Throws: `permission`, `io`, `unavailable`.
  func logFiles(from first: String) async throws(Problem) -> [String]?
  /// Opens a file for reading; nil if it does not exist.
  /// - Throws: `permission`, `io`, `unavailable`.
  func open(_ path: String) async throws(Problem) -> (any RandomAccessSource)?
  /// Requests files that are opened next, if they are on a server. Their sizes are nil if they are not known.
  /// - Throws: `permission`, `io`, `unavailable`.
  func prepare(_ files: [(path: String, size: Int?)]) async throws(Problem)
  /// Creates a complete file, durable when this returns, unless one of that name exists. Its bytes are those of
  /// no other file.
  /// - Returns: false if the file exists, and was not changed.
  /// - Throws: `permission`, `io`, `unavailable`.
  func create(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool
  /// Creates a complete file, or replaces one, at once.
  /// - Throws: `permission`, `io`, `unavailable`.
  func replace(_ path: String, _ bytes: [UInt8]) async throws(Problem)
  /// The data files below the table, in no order, whether the log names them or not. Hidden ones, of whose path a part
  /// begins with `.` or `_`, are omitted.
  /// - Throws: `permission`, `io`, `unavailable`.
  func dataFiles() async throws(Problem) -> [StoredObject]
  /// Removes a data file; nothing happens if it does not exist.
  /// - Throws: `permission`, `io`, `unavailable`.
  func remove(_ path: String) async throws(Problem)
  func newFiles() throws(Problem) -> any TableDataFiles
}

extension TableStorage {
  /// Nothing: the files are near.
  public func prepare(_ files: [(path: String, size: Int?)]) {}
}

/// New data files of a table. No reader sees them until the log names them.
public protocol TableDataFiles: Sendable {
  /// Opens a file; its `commit` completes it.
  /// - Throws: `cannotCreate`, `permission`, `io`.
  func sink(_ path: String) throws(Problem) -> any ByteSink
  /// Makes all files durable under their names.
  func flush() async throws(Problem)
  /// Leaves the files, also if this process is interrupted: the log may name them from now on.
  func keep() async
  func abandon() async
}

extension TableStorage {
  /// None.
  public var root: String { "" }
}
