import Codecs
import Rows

/// A number of at most 18 digits: `mantissa` × 10^-`scale`. That of a Double is the one of its canonical text.
struct ShortDecimal {
  let mantissa: Int64
  let scale: Int

  /// The number of a cell; nil if it has more digits, or an exponent, or is not a number.
  @inline(__always) init?(_ cell: Cell, _ reader: CellReader) {
    switch cell {
    case .integer(let value): (mantissa, scale) = (value, 0)
    case .number(let start, let length):
      guard let digits = unsafe DecimalDigits(reader.bytes(start, length)) else { return nil }
      mantissa = digits.isNegative ? -Int64(digits.value) : Int64(digits.value)
      scale = digits.scale
    case .real(let value):
      // At most 15 digits: then the shortest literal of the Double is this one.
      guard value.isFinite else { return nil }
      for scale in 0..<10 {
        let scaled = value * NearestDouble.powersOfTen[scale]
        guard scaled.magnitude < 1e15 else { break }
        let rounded = scaled.rounded()
        if rounded / NearestDouble.powersOfTen[scale] == value {
          (mantissa, self.scale) = (Int64(rounded), scale)
          return
        }
      }
      guard let digits = unsafe value.canonicalText.withUnsafeBytes({ unsafe DecimalDigits($0) }) else { return nil }
      mantissa = digits.isNegative ? -Int64(digits.value) : Int64(digits.value)
      scale = digits.scale
    case .null, .text, .json, .bytes, .boolean: return nil
    }
  }
}

/// The digits of a literal that has at most 18 of them, an optional minus, and at most one point with digits on both
/// sides of it: `value` × 10^-`scale`.
struct DecimalDigits {
  let value: UInt64
  let isNegative: Bool
  /// The number of digits, with zeros at the front, and how many of them are after the point.
  let count: Int, scale: Int

  /// Parses a literal; nil if it is anything else. Up to eight digits on each side of the point are parsed together.
  @inline(__always) init?(_ literal: UnsafeRawBufferPointer) {
    let all = unsafe RawSpan(_unsafeBytes: literal)
    guard literal.count > 0 else { return nil }
    if literal.count == 1 {
      let digit = all.byte(0) &- 48
      guard digit < 10 else { return nil }
      (value, isNegative, count, scale) = (digit, false, 1, 0)
      return
    }
    isNegative = all.byte(0) == 45
    let text = all.extracting((isNegative ? 1 : 0)...), length = text.byteCount
    guard length > 0, length <= 19 else { return nil }
    let (head, tail) = Self.ends(text)
    let point = Self.firstPoint(in: head)
    if point >= length {
      guard length <= 8, let whole = Self.number(head, length) else { return nil }
      (value, count, scale) = (whole, length, 0)
      return
    }
    let scale = length &- point &- 1
    if point > 0, scale > 0, scale <= 8, point < 8 || text.byte(8) == 46 {
      let last = tail &>> UInt64(truncatingIfNeeded: 64 &- scale &* 8)
      guard let whole = Self.number(head, point), let part = Self.number(last, scale) else { return nil }
      value = whole &* Self.powers[scale] &+ part
      (count, self.scale) = (length &- 1, scale)
      return
    }
    guard let (value, count, scale) = Self.parse(text) else { return nil }
    (self.value, self.count, self.scale) = (value, count, scale)
  }

  /// The first eight bytes and the last eight; of a shorter text, zeros after and before it.
  @inline(__always) private static func ends(_ text: RawSpan) -> (UInt64, UInt64) {
    let length = text.byteCount
    if length >= 8 { return (text.word(0), text.word(length &- 8)) }
    var head: UInt64
    if length >= 4 {
      head = text.halfWord(0) | text.halfWord(length &- 4) &<< UInt64(truncatingIfNeeded: (length &- 4) &* 8)
    } else {
      let middle = length &>> 1, last = length &- 1
      head = text.byte(0) | text.byte(middle) &<< UInt64(middle &* 8) | text.byte(last) &<< UInt64(last &* 8)
    }
    return (head, head &<< UInt64(truncatingIfNeeded: (8 &- length) &* 8))
  }

  /// The place of the first point in eight bytes, the first one lowest; 8 if there is none.
  @inline(__always) private static func firstPoint(in word: UInt64) -> Int {
    let others = word ^ 0x2E2E_2E2E_2E2E_2E2E
    return ((others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3
  }

  /// The number in the first 1 to 8 bytes of a word, the first one lowest; nil if they are not all digits.
  @inline(__always) private static func number(_ word: UInt64, _ count: Int) -> UInt64? {
    let empty = UInt64(truncatingIfNeeded: 64 &- count &* 8), digits = word &<< empty
    let filled = digits | (0x3030_3030_3030_3030 &>> 1) &>> (63 &- empty)
    let carried = (filled &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    guard (filled & 0xF0F0_F0F0_F0F0_F0F0) | carried &>> 4 == 0x3333_3333_3333_3333 else { return nil }
    var value = ((digits & 0x0F0F_0F0F_0F0F_0F0F) &* 2561) &>> 8
    value = ((value & 0x00FF_00FF_00FF_00FF) &* 6_553_601) &>> 16
    return ((value & 0x0000_FFFF_0000_FFFF) &* 42_949_672_960_001) &>> 32
  }

  /// The same digit by digit.
  @inline(never)
  private static func parse(_ text: RawSpan) -> (value: UInt64, count: Int, scale: Int)? {
    var value: UInt64 = 0, count = 0, scale = 0, hasPoint = false
    for at in 0..<text.byteCount {
      let byte = text.byte(at)
      if byte &- 48 < 10 {
        value = value &* 10 &+ (byte &- 48)
        count += 1
        if hasPoint { scale += 1 }
      } else if byte == 46, !hasPoint, at > 0, at + 1 < text.byteCount {
        hasPoint = true
      } else {
        return nil
      }
    }
    return count > 0 && count <= 18 ? (value, count, scale) : nil
  }

  private static let powers: [UInt64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
}

extension RawSpan {
  /// The byte at a place, the four bytes, or the eight, the first one lowest.
  @inline(__always) fileprivate func byte(_ at: Int) -> UInt64 {
    UInt64(unsafe unsafeLoad(fromByteOffset: at, as: UInt8.self))
  }
  @inline(__always) fileprivate func halfWord(_ at: Int) -> UInt64 {
    UInt64(UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: at, as: UInt32.self)))
  }
  @inline(__always) fileprivate func word(_ at: Int) -> UInt64 {
    UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
  }
}
