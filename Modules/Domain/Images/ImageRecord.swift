/// The record of a stored image: a line of the manifest.
public struct ImageRecord: Sendable, Hashable {
  /// The record that the image belongs to, and its URL.
  public var reference: ImageReference
  /// The file name in its directory.
  public var file: String
  /// The file's size.
  public var bytes: Int
  /// The digest of the file, in hexadecimal digits.
  public var sha256: String
  /// The entity tag of this version of the image; nil if the server sent none.
  public var etag: String?
  /// When the server says it changed last, as it said it.
  public var lastModified: String?

  /// A line of the manifest.
  public init(
    _ reference: ImageReference, file: String, bytes: Int, sha256: String, etag: String?, lastModified: String?
  ) {
    self.reference = reference
    self.file = file
    self.bytes = bytes
    self.sha256 = sha256
    self.etag = etag
    self.lastModified = lastModified
  }
}
