internal import CMasks

/// Checks of text that comes from elsewhere.
public enum TextEncoding {
  /// The offset of the first byte that cannot be part of UTF-8; nil when all of it is UTF-8.
  public static func firstInvalidByte(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let text = unsafe base.assumingMemoryBound(to: UInt8.self)
    let offset = unsafe Int(bb_first_not_utf8(text, bytes.count))
    return offset < bytes.count ? offset : nil
  }
}
