public import Rows

/// Files by name: those of a directory, of an archive, or one.
public protocol NamedFiles: Sendable {
  var name: String { get }
  /// The names, with `/` between directories.
  var names: [String] { get }
  /// The contents of a file.
  /// - Throws: `badData` for more bytes than `limit`.
  func bytes(of name: String, limit: Int) throws(Problem) -> [UInt8]
}
