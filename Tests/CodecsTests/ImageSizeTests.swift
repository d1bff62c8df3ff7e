import Codecs
import Testing

@Suite("image sizes") struct ImageSizeTests {
  private static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
  private static func little(_ number: Int, _ count: Int) -> [UInt8] { big(number, count).reversed() }

  @Test("headers of all kinds", arguments: [(1, 1), (640, 360), (255, 4096), (16_000, 9)])
  func sizes(_ width: Int, _ height: Int) {
    let png: [UInt8] =
      [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + Self.big(13, 4) + Array("IHDR".utf8) + Self.big(width, 4)
      + Self.big(height, 4)
    let gif = Array("GIF89a".utf8) + Self.little(width, 2) + Self.little(height, 2)
    let riff = Array("RIFF".utf8) + Self.little(99, 4) + Array("WEBP".utf8)
    let extended =
      riff + Array("VP8X".utf8) + Self.little(10, 4) + [0, 0, 0, 0] + Self.little(width - 1, 3)
      + Self.little(height - 1, 3)
    let bits = (width - 1) | (height - 1) << 14
    let lossless = riff + Array("VP8L".utf8) + Self.little(50, 4) + [0x2F] + Self.little(bits, 4)
    let lossy =
      riff + Array("VP8 ".utf8) + Self.little(50, 4) + [0, 0, 0, 0x9D, 0x01, 0x2A] + Self.little(width, 2)
      + Self.little(height, 2)
    // Two segments come before the frame; fill bytes may precede a mark.
    let jpeg: [UInt8] =
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xDB, 0, 3, 9, 0xFF, 0xC2, 0, 17, 8] + Self.big(height, 2)
      + Self.big(width, 2)
    for bytes in [png, gif, extended, lossless, lossy, jpeg] {
      let size = ImageSize(bytes)
      #expect(size?.width == width && size?.height == height, "\(bytes)")
      // A part of a header has no size.
      for count in 0..<bytes.count { #expect(ImageSize(Array(bytes.prefix(count))) == nil) }
    }
  }

  @Test("other bytes have no size") func others() {
    for bytes: [UInt8] in [[], [0xFF, 0xD8], Array(repeating: 0xFF, count: 4096), Array("<svg width=\"1\">".utf8)] {
      #expect(ImageSize(bytes) == nil)
    }
  }
}
