public import Rows

/// Files that are written one after another and become visible together.
public protocol OutputFileSet: Sendable {
  /// Whether a path can be written: no earlier file is there that is kept.
  /// - Throws: `cannotCreate` if files exist that may not; `busy`, `io`, `unavailable`.
  func isFree(_ path: String) async throws(Problem) -> Bool
  /// Whether there are files that an earlier export may have written.
  /// - Throws: `busy`, `io`, `unavailable`.
  func hasEarlier() async throws(Problem) -> Bool
  /// Opens a file for writing. Its `commit` completes the file, which stays invisible.
  /// - Throws: `cannotCreate`, `permission`, `io`.
  func sink(_ path: String) throws(Problem) -> any ByteSink
  /// Notes a file that is complete.
  /// - `written`: what was written.
  /// - Throws: `badData` for rows that the files cannot have.
  func complete(_ file: PartitionFile, _ written: WrittenRows) throws(Problem)
  /// Makes all files visible, and removes those that they replace.
  /// - `schema`: the columns of the rows, those of the paths among them.
  /// - `numbered`: the path of a file of the same partition with another number; nil if paths have no number.
  /// - Returns: the files; one has another number if another process has written a file of its name since.
  /// - Throws: `busy` if another process does not end its publication; `io`.
  func publish(
    _ files: [PartitionFile], of schema: Schema,
    numbered: (_ file: PartitionFile, _ number: Int) throws(Problem) -> String?
  ) async throws(Problem) -> [PartitionFile]
  /// Removes what was written. Does nothing after `publish`.
  func abandon() async
}

extension OutputFileSet {
  /// Nothing.
  public func complete(_ file: PartitionFile, _ written: WrittenRows) {}
}

/// The earlier files that an output keeps.
public enum ExistingFiles: String, Sendable, Hashable, CaseIterable {
  /// None may exist.
  case refuse
  /// All are kept, and files are added.
  case append
  case replace
  /// Those of partitions that are not written.
  case replacePartitions = "replace-partitions"
}

/// A file of a partition.
public struct PartitionFile: Sendable, Hashable {
  /// Its path.
  public var path: String
  /// The columns of the path, and the text of their values, nil for null.
  public let values: [PartitionValue]
  /// The number of rows.
  public var rows = 0

  /// Creates the description of a file without rows.
  public init(path: String, values: [PartitionValue]) {
    self.path = path
    self.values = values
  }
}

/// The value of a column in a path.
public struct PartitionValue: Sendable, Hashable {
  /// The name of the column.
  public let column: String
  /// The text of the value; nil for null.
  public let text: [UInt8]?

  /// Creates a value.
  public init(column: String, text: [UInt8]?) {
    self.column = column
    self.text = text
  }
}
