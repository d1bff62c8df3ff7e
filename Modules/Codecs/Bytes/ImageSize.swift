/// The size of an image in pixels, as the beginning of its file says it.
public struct ImageSize: Sendable, Hashable {
  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int

  /// The bytes in which the size of most images is.
  public static let usualBeginning = 128 << 10

  /// Nil unless the bytes begin a PNG, JPEG, GIF or WebP file whose size is among them.
  public init?(_ bytes: [UInt8]) {
    /// A number of some bytes; the highest first, unless they are little-endian.
    func number(_ place: Int, _ length: Int, isLittle: Bool = false) -> Int? {
      guard place + length <= bytes.count else { return nil }
      let digits = bytes[place..<place + length]
      return (isLittle ? Array(digits.reversed()) : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
    }
    func isAt(_ place: Int, _ word: String) -> Bool { bytes.dropFirst(place).starts(with: word.utf8) }
    var size: (Int?, Int?) = (nil, nil)
    if isAt(1, "PNG\r\n") {
      size = (number(16, 4), number(20, 4))
    } else if isAt(0, "GIF8") {
      size = (number(6, 2, isLittle: true), number(8, 2, isLittle: true))
    } else if isAt(0, "RIFF"), isAt(8, "WEBPVP8X") {
      size = (number(24, 3, isLittle: true).map { $0 + 1 }, number(27, 3, isLittle: true).map { $0 + 1 })
    } else if isAt(0, "RIFF"), isAt(8, "WEBPVP8L") {
      let bits = number(21, 4, isLittle: true)
      size = (bits.map { $0 & 0x3FFF + 1 }, bits.map { $0 >> 14 & 0x3FFF + 1 })
    } else if isAt(0, "RIFF"), isAt(8, "WEBPVP8 ") {
      size = (number(26, 2, isLittle: true).map { $0 & 0x3FFF }, number(28, 2, isLittle: true).map { $0 & 0x3FFF })
    } else if bytes.starts(with: [0xFF, 0xD8]) {
      var place = 2
      while let mark = number(place, 1), mark == 0xFF, let code = number(place + 1, 1) {
        // The header of a frame has the size; other segments are passed over.
        if (0xC0...0xCF).contains(code), ![0xC4, 0xC8, 0xCC].contains(code) {
          size = (number(place + 7, 2), number(place + 5, 2))
          break
        }
        guard code != 0xFF else {
          place += 1
          continue
        }
        guard let length = number(place + 2, 2), length >= 2 else { break }
        place += 2 + length
      }
    }
    guard let width = size.0, let height = size.1, (1...1_000_000).contains(width), (1...1_000_000).contains(height)
    else { return nil }
    (self.width, self.height) = (width, height)
  }

  /// The part of the image that is lost if it fills a box of this shape.
  public func cut(byBox width: Int, _ height: Int) -> Double {
    let own = Double(self.width) * Double(height), box = Double(self.height) * Double(width)
    return own > box ? 1 - box / own : 1 - own / box
  }
}
