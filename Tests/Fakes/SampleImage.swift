package import Domain

/// Small images for tests: valid, of any size.
package struct SampleImage: Sendable, CustomStringConvertible {
  /// The kind they are.
  package let kind: ImageKind
  /// The file.
  package let bytes: [UInt8]
  /// The kind and size.
  package var description: String { "\(kind), \(bytes.count) bytes" }

  /// One of every kind.
  package static let all: [SampleImage] = [
    jpeg(of: 300), png(width: 5), gif, webp, boxes("avif", .avif), boxes("heic", .heif),
  ]

  /// A JPEG with a scan of `count` bytes, some of them stuffed or marks of restarts; `seed` makes it another.
  package static func jpeg(of count: Int, seed: UInt8 = 0) -> SampleImage {
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
    bytes += [0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
    bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
    for place in 0..<count {
      let byte = UInt8(truncatingIfNeeded: place &* 7 &+ Int(seed))
      bytes.append(byte)
      if byte == 0xFF { bytes.append(place % 2 == 0 ? 0 : 0xD3) }
    }
    return SampleImage(kind: .jpeg, bytes: bytes + [0xFF, 0xD9])
  }

  /// A PNG of grey pixels in a row. Its checksums are not those of its chunks.
  package static func png(width: UInt8) -> SampleImage {
    func chunk(_ type: StaticString, _ data: [UInt8]) -> [UInt8] {
      [0, 0, 0, UInt8(data.count)] + Array(type.description.utf8) + data + [1, 2, 3, 4]
    }
    let head: [UInt8] = [0, 0, 0, width, 0, 0, 0, 1, 8, 0, 0, 0, 0]
    return SampleImage(
      kind: .png,
      bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", head)
        + chunk("IDAT", Array(repeating: 9, count: Int(width))) + chunk("IEND", []))
  }

  /// A GIF of one pixel with a comment.
  package static let gif = SampleImage(
    kind: .gif,
    bytes: Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + [0x21, 0xFE, 3, 1, 2, 0x3B, 0]
      + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])

  /// A WebP whose content is nothing.
  package static let webp = SampleImage(
    kind: .webp,
    bytes: Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [10, 0, 0, 0]
      + Array(repeating: 3, count: 10))

  /// Boxes of ISO 14496-12 with this brand.
  package static func boxes(_ brand: StaticString, _ kind: ImageKind) -> SampleImage {
    func box(_ type: StaticString, _ data: [UInt8]) -> [UInt8] {
      [0, 0, 0, UInt8(data.count + 8)] + Array(type.description.utf8) + data
    }
    let brands = Array(brand.description.utf8) + [0, 0, 0, 0] + Array("mif1".utf8) + Array(brand.description.utf8)
    return SampleImage(
      kind: kind,
      bytes: box("ftyp", brands) + box("meta", [0, 0, 0, 0]) + box("mdat", Array(repeating: 5, count: 20)))
  }
}
