public import Rows

/// An object of an object storage.
public struct StoredObject: Sendable, Hashable {
  /// Its key.
  public let key: String
  /// The number of its bytes.
  public let size: Int

  /// Creates a description.
  public init(key: String, size: Int) {
    (self.key, self.size) = (key, size)
  }
}

/// Objects by key, such as those of an S3 bucket. An object is absent or complete: readers never see a part of one.
///
/// Errors are `noInput` for a bucket or an object that does not exist, `permission`, `unavailable` and `io`.
public protocol ObjectStorage: Sendable {
  /// The name of an object in messages.
  func place(of key: String) -> String
  /// The description of an object; nil if it does not exist.
  func object(_ key: String) async throws(Problem) -> StoredObject?
  /// The objects whose keys begin with `prefix`, in byte order of their keys.
  func objects(withPrefix prefix: String) async throws(Problem) -> [StoredObject]
  /// The bytes of an object, at most 256 MiB.
  /// - `range`: the part to read; nil for the whole object.
  func bytes(of key: String, in range: Range<Int>?) async throws(Problem) -> [UInt8]
  /// Writes a small object.
  /// - `replaces`: whether an existing object may be replaced.
  /// - Returns: false if the object exists and may not be replaced. Of several processes that create it at the same
  ///   time, one receives true.
  func put(_ bytes: [UInt8], at key: String, replaces: Bool) async throws(Problem) -> Bool
  /// Opens an object for writing. It appears when the sink is committed.
  func sink(_ key: String, replaces: Bool) -> any ByteSink
  /// Removes an object; nothing happens if it does not exist.
  func remove(_ key: String) async throws(Problem)
}
