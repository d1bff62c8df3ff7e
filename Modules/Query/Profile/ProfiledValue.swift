import Codecs
import CSearch

/// A value while its row is read.
enum ProfiledBytes {
  /// A number that its nearest Double identifies.
  case number(Double)
  case boolean(Bool)
  /// Any other value: its `KeyBuffer.Kind`, and its text.
  case text(UInt8, ValueBytes)

  /// A number by its literal; a text of another kind if that is not a number.
  @inline(__always) init(number literal: ValueBytes, otherwise kind: UInt8) {
    if literal.count <= 17, let number = literal.number, number.isWhole {
      self = .number(number.value)
    } else {
      self = .text(kind, literal)
    }
  }

  @inline(__always) init(key: ValueBytes) {
    switch key.byte(at: 0) {
    case KeyBuffer.Kind.number: self = .number(Double(bitPattern: key.word(at: 1)))
    case KeyBuffer.Kind.boolean: self = .boolean(key.byte(at: 1) != 0)
    default: self = .text(key.byte(at: 0), key.dropping(5))
    }
  }

  /// A hash that is the same in every process.
  @inline(__always) var hash: UInt64 {
    switch self {
    case .number(let value): Self.hash(value.bitPattern)
    case .boolean(let value): value ? Self.words.0 : Self.words.1
    case .text(let kind, let text): Self.hash(text, kind)
    }
  }

  private static let words: (UInt64, UInt64) = (0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB)

  @inline(__always) private static func hash(_ bits: UInt64) -> UInt64 {
    var hash = (bits ^ bits >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }

  @inline(__always) private static func hash(_ text: ValueBytes, _ kind: UInt8) -> UInt64 {
    let count = text.count
    var a: UInt64 = 0, b: UInt64 = 0, hash = UInt64(kind)
    if count >= 8 {
      var at = 0
      while count &- at > 16 {
        hash = bb_mix(text.word(at: at) ^ words.1, text.word(at: at &+ 8) ^ hash)
        at &+= 16
      }
      (a, b) = (text.word(at: max(count &- 16, 0)), text.word(at: count &- 8))
    } else {
      for at in 0..<count { a = a << 8 | UInt64(text.byte(at: at)) }
    }
    b ^= hash
    return bb_mix(words.0 ^ UInt64(count), bb_mix(a ^ words.1, b))
  }
}

/// A value of a column, for comparisons and results.
struct ProfiledValue: Comparable {
  private(set) var text: [UInt8]
  let number: Double?

  init(number: Double) {
    self.number = number.isNaN ? nil : number
    if number == number.rounded(), number.magnitude < 1e15 {
      text = Array(String(Int64(number)).utf8)
    } else {
      text = number.canonicalText
    }
  }

  private init(text: [UInt8], isNumber: Bool = false) {
    self.text = text
    // No Double is as large as some numbers.
    let beyond = text.first == UInt8(ascii: "-") ? -Double.infinity : .infinity
    number = isNumber ? Double(String(decoding: text, as: UTF8.self)) ?? beyond : nil
  }

  init(_ value: ProfiledBytes) {
    switch value {
    case .number(let number): self.init(number: number)
    case .boolean(let value): self.init(text: Array((value ? "yes" : "no").utf8))
    case .text(let kind, let bytes): self.init(text: bytes.array, isNumber: kind == KeyBuffer.Kind.longNumber)
    }
  }

  /// The number with as many digits after the point as a column has.
  func spelled(scale: Int) -> ProfiledValue {
    let point = text.firstIndex(of: UInt8(ascii: ".")), digits = point.map { text.count - $0 - 1 } ?? 0
    guard number != nil, digits < scale, !text.contains(UInt8(ascii: "e")) else { return self }
    var value = self
    value.text += (point == nil ? [UInt8(ascii: ".")] : []) + [UInt8](repeating: 48, count: scale - digits)
    return value
  }

  /// The timestamp whose beginning this is; see `TimeText`.
  var timestamp: ProfiledValue { ProfiledValue(text: text + [UInt8(ascii: "Z")]) }

  var length: Int { text.withValueBytes(\.length) }

  /// Numbers by their value, then other values by their text.
  static func < (left: ProfiledValue, right: ProfiledValue) -> Bool {
    switch (left.number, right.number) {
    case (let a?, let b?) where a != b: a < b
    case (_?, _?):
      // Numbers beyond the doubles, or between two of them.
      switch (DecimalNumber(left.text), DecimalNumber(right.text)) {
      case (let a?, let b?): a < b
      default: left.text.lexicographicallyPrecedes(right.text)
      }
    case (_?, nil): true
    case (nil, _?): false
    default: left.text.lexicographicallyPrecedes(right.text)
    }
  }
  static func == (left: ProfiledValue, right: ProfiledValue) -> Bool {
    left.text == right.text && left.number == right.number
  }
}
