/// The supported kinds of images: those that all browsers show and that cannot contain programs.
public enum ImageKind: String, Sendable, Hashable, CaseIterable {
  /// JPEG (ISO 10918), PNG (ISO 15948), GIF 87a and 89a, WebP, and the two that are boxes of ISO 14496-12.
  case jpeg, png, gif, webp, avif, heif

  /// The file name extension, without the period.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The kind of a file that begins with these bytes; nil if it is not supported. Sixteen bytes are sufficient, except
  /// for `heif` files with another major brand, which are recognised by their list of brands.
  public init?(beginning bytes: [UInt8]) {
    func has(_ text: StaticString, at place: Int = 0) -> Bool {
      let count = text.utf8CodeUnitCount
      guard bytes.count >= place + count else { return false }
      return (0..<count).allSatisfy { unsafe bytes[place + $0] == text.utf8Start[$0] }
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webp
    } else if has("ftyp", at: 4) {
      // The major brand, its version, then brands that the file is compatible with.
      let brands = stride(from: 8, to: bytes.count - 3, by: 4).filter { $0 != 12 }
      if brands.contains(where: { has("avif", at: $0) || has("avis", at: $0) }) {
        self = .avif
      } else if brands.contains(where: { has("hei", at: $0) || has("hev", at: $0) || has("mif1", at: $0) }) {
        self = .heif
      } else {
        return nil
      }
    } else {
      return nil
    }
  }
}
