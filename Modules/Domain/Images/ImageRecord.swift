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

/// A validator that tells whether local bytes are a prefix of the current image (RFC 9110, 8.8 and 13.1.5).
public struct ImageValidator: Sendable, Hashable {
  /// A strong ETag with its quotes, or a date of last change.
  public let text: String

  /// Nil for text that is neither, or weak.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }), text.utf8.count <= 60 else { return nil }
    let isTag = text.hasPrefix("\"") && text.hasSuffix("\"") && text.utf8.count > 2
    guard isTag || text.hasSuffix(" GMT") else { return nil }
    self.text = text
  }

  /// The strongest validator of a response. A date is used only if it was sufficiently old when the response was sent,
  /// because the image may have changed more than once in a second.
  public init?(_ response: HTTPResponse) {
    if let tag = response.header("ETag") {
      guard let validator = ImageValidator(tag) else { return nil }
      self = validator
    } else {
      guard let changed = response.header("Last-Modified"), changed != response.header("Date"),
        let validator = ImageValidator(changed)
      else { return nil }
      self = validator
    }
  }
}
