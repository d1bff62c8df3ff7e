public import Rows

/// Pictures that belong to a storage's records, as files beside them.
public protocol PictureFolder: Sendable {
  /// Copies a picture.
  ///
  /// - Parameters:
  ///   - path: the file; its name is not kept.
  ///   - dataset: the dataset of the record.
  ///   - record: the record's identifier.
  /// - Returns: its name in the storage, which no picture had: `images/actors/KEY-1.jpg`, the next `KEY-2.png`.
  /// - Throws: `badData` for a file that is no picture or larger than 64 MiB, `noInput`, `permission`, `io`.
  func add(_ path: String, to dataset: String, record: String) async throws(Problem) -> String
  /// The path of a picture by its name in the storage; nil for an address of another kind, and for a name that leads out of the storage.
  func path(of name: String) -> String?
}
