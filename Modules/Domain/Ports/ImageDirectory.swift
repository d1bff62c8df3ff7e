public import Rows

/// Images that belong to the records of a store, kept as files next to them.
public protocol ImageDirectory: Sendable {
  /// The path of the directory, which may not exist.
  var directory: String { get }
  /// Copies an image into the store.
  ///
  /// - Parameters:
  ///   - path: the file; its name is not kept.
  ///   - dataset: the dataset of the record.
  ///   - record: the record's identifier.
  /// - Returns: its unique name in the store: `images/actors/KEY-1.jpg`, then `KEY-2.png`.
  /// - Throws: `badData` for a file that is not an image or is larger than 64 MiB, `noInput`, `permission`, `io`.
  func add(_ path: String, to dataset: String, record: String) async throws(Problem) -> String
  /// The path of an image by its name in the store; nil for another kind of address, and for a name that points outside
  /// the store.
  func path(of name: String) -> String?
}
