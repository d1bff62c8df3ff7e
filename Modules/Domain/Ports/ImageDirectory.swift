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
  /// Writes an image into the store, as `add(_:to:record:)` does.
  /// - Parameters:
  ///   - bytes: the image.
  ///   - place: its origin, for messages.
  ///   - dataset: the dataset of the record.
  ///   - record: the record's identifier.
  func add(_ bytes: [UInt8], from place: String, to dataset: String, record: String) async throws(Problem) -> String
  /// Notes the directory to which the images of the records were downloaded, if it is not this one.
  /// - Throws: `permission`, `io`.
  func note(synced path: String) async throws(Problem)
  /// The bytes of an image by its name in the store; nil if there is none.
  /// - Throws: `permission`, `io`.
  func bytes(of name: String) throws(Problem) -> [UInt8]?
  /// The path of an image by its name in the store; nil for another kind of address, and for a name that points outside
  /// the store.
  func path(of name: String) -> String?
}
