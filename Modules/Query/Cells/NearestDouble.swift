import Codecs
import Rows

/// A number as far as a Double goes.
///
/// Rounding keeps the order: when two of these differ, the numbers differ the same way. When they are equal, the
/// numbers are equal if both are `isWhole`; else only the literals can tell.
struct NearestDouble {
  /// The nearest Double; infinite beyond its range.
  let value: Double
  /// Whether the number is the Double itself, or has so few digits that no other such number has the same nearest
  /// Double.
  let isWhole: Bool

  /// Below zero, zero or above as `self` is less than, equal to or greater than `other`; nil when this cannot tell.
  @inline(__always) func order(to other: NearestDouble) -> Int? {
    if value < other.value { return -1 }
    if value > other.value { return 1 }
    // NaN is neither.
    if value != other.value {
      let (bits, others) = (orderedBits, other.orderedBits)
      if bits != others { return bits < others ? -1 : 1 }
    }
    if isWhole && other.isWhole { return 0 }
    // Beyond all finite numbers; a literal that is nearest to Infinity is one of those.
    return value.isInfinite && isWhole != other.isWhole ? (isWhole == (value > 0) ? 1 : -1) : nil
  }
}

extension NearestDouble {
  /// Parses a literal; nil if it is not a number. Up to 15 digits need one exact operation; the standard library
  /// handles the rest.
  @inline(__always) init?(_ literal: UnsafeRawBufferPointer) {
    if let digits = unsafe DecimalDigits(literal), digits.count <= 15 {
      let value = Double(Int64(truncatingIfNeeded: digits.value)) / Self.powersOfTen[digits.scale]
      self.init(value: digits.isNegative ? -value : value, isWhole: true)
    } else {
      let bytes = unsafe literal.assumingMemoryBound(to: UInt8.self)
      guard let start = bytes.baseAddress, let value = unsafe NumberSpelling.value(start, literal.count) else {
        return nil
      }
      self.init(value: value, isWhole: false)
    }
  }

  static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]
}

extension Double {
  /// The one Double of several that are equal: there is one NaN, and one zero.
  @inline(__always) var ordered: Double { self == 0 ? 0 : isNaN ? .nan : self }
}

extension CellReader {
  /// The cell rounded to the nearest `Double`; nil if it is not a number.
  @inline(__always) func nearestDouble(of cell: Cell) -> NearestDouble? {
    switch cell {
    case .integer(let value): NearestDouble(value: Double(value), isWhole: value.magnitude < 1 << 53)
    case .real(let value): NearestDouble(value: value, isWhole: true)
    case .number(let start, let length): unsafe NearestDouble(bytes(start, length))
    case .null, .text, .json, .bytes, .boolean: nil
    }
  }
}
