/// The least and the greatest value of a page or a column chunk, as readers use them to skip data.
struct ParquetBounds: Sendable, Hashable {
  /// A bound in the order of its type.
  enum Bound: Sendable, Hashable {
    case integer(Int64)
    case real(Double)
    /// Bytes in unsigned order, cut to `longest`; `isExact` if they are a value.
    case bytes([UInt8], isExact: Bool)
  }

  private static let longest = 64

  /// Nil if there is no value, or no bound.
  private(set) var least: Bound?, greatest: Bound?
  /// Whether a long value has no short bound above it.
  private(set) var isUnbounded = false

  init() {}

  init(_ least: Int64, _ greatest: Int64) {
    self.least = .integer(least)
    self.greatest = .integer(greatest)
  }

  /// Bounds of reals. Zeros have the sign that includes both.
  init(_ least: Double, _ greatest: Double) {
    self.least = .real(least == 0 ? -0.0 : least)
    self.greatest = .real(greatest == 0 ? 0.0 : greatest)
  }

  /// Bounds of byte strings.
  /// - Parameter isText: whether they are UTF-8, so that a bound is cut between characters.
  init(_ least: UnsafeBufferPointer<UInt8>, _ greatest: UnsafeBufferPointer<UInt8>, isText: Bool) {
    self.least = .bytes(
      unsafe Array(least[..<Self.cut(least, isText: isText)]), isExact: least.count <= Self.longest)
    if greatest.count <= Self.longest {
      self.greatest = .bytes(unsafe Array(greatest), isExact: true)
    } else if let above = unsafe Self.above(Array(greatest[..<Self.cut(greatest, isText: isText)]), isText: isText) {
      self.greatest = .bytes(above, isExact: false)
    } else {
      isUnbounded = true
    }
  }

  /// Extends the bounds to those of further values.
  mutating func merge(_ next: ParquetBounds) {
    isUnbounded = isUnbounded || next.isUnbounded
    guard let low = next.least else { return }
    guard let mine = least else {
      least = next.least
      greatest = next.greatest
      return
    }
    if Self.isLess(low, mine) { least = low }
    // A bound that is cut is above every value that it was made for.
    if let high = next.greatest, let mine = greatest, Self.isLess(mine, high) { greatest = high }
  }

  /// Whether `a` is less than `b`, in the order of their type.
  static func isLess(_ a: Bound, _ b: Bound) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b || (a == 0 && b == 0 && a.sign == .minus && b.sign == .plus)
    case (.bytes(let a, _), .bytes(let b, _)): a.lexicographicallyPrecedes(b)
    default: false
    }
  }

  /// The length of the beginning of `bytes` that is at most `longest`, and ends between characters.
  private static func cut(_ bytes: UnsafeBufferPointer<UInt8>, isText: Bool) -> Int {
    guard bytes.count > longest else { return bytes.count }
    var end = longest
    if isText { while end > 0, unsafe bytes[end] & 0xC0 == 0x80 { end -= 1 } }
    return end
  }

  /// The shortest byte string, of the same kind, above everything that begins with `bytes`; nil if there is none.
  private static func above(_ bytes: [UInt8], isText: Bool) -> [UInt8]? {
    guard isText else {
      guard let last = bytes.lastIndex(where: { $0 != 0xFF }) else { return nil }
      return Array(bytes[..<last]) + [bytes[last] + 1]
    }
    var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    while let last = scalars.popLast() {
      guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
      var text = ""
      for scalar in scalars + [next] { text.unicodeScalars.append(scalar) }
      return Array(text.utf8)
    }
    return nil
  }
}

extension ParquetBounds.Bound {
  /// Whether it is a value of the column.
  var isExact: Bool { if case .bytes(_, let isExact) = self { isExact } else { true } }

  /// The plain encoding of the value in a column of `kind`, without a length.
  func encoded(for kind: ParquetColumn.Kind) -> [UInt8] {
    switch self {
    case .bytes(let bytes, _): bytes
    case .real(let value):
      kind == .float
        ? Array(UInt64(Float(value).bitPattern).littleEndianBytes[..<4]) : value.bitPattern.littleEndianBytes
    case .integer(let value):
      switch kind {
      case .boolean: [UInt8(truncatingIfNeeded: value)]
      case .date, .narrow: Array(UInt64(bitPattern: value).littleEndianBytes[..<4])
      default: UInt64(bitPattern: value).littleEndianBytes
      }
    }
  }
}

extension UInt64 {
  /// The eight bytes, the lowest first.
  var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64($0 * 8)) } }
}
