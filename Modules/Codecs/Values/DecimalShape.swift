public import Rows

/// The digits of the numbers of a column, which decide how formats with types of their own store them.
public struct DecimalShape: Sendable, Hashable {
  /// The types that store decimals.
  public enum Storage: Sendable, Hashable {
    /// Doubles hold every number.
    case double
    case decimal(DecimalSize)
    case text
  }

  /// The most digits before and after the point.
  private var before = 0, after = 0
  /// Whether all numbers have as many digits after the point, and no exponent.
  private var isUniform = true
  private var hasExponent = false, areDoubles = true, isEmpty = true

  /// The shape of no numbers.
  public init() {}

  /// The shape of numbers with `scale` digits after the point that Doubles hold.
  package init(scale: Int) { (after, isEmpty) = (scale, false) }

  /// The same without a common number of digits after the point.
  var unscaled: DecimalShape {
    var shape = self
    shape.isUniform = false
    return shape
  }

  /// The type that stores the numbers without a change of value.
  public var storage: Storage {
    areDoubles ? .double : size.map { .decimal($0) } ?? .text
  }

  /// The size of decimals that hold the numbers; nil if there is none.
  public var size: DecimalSize? {
    hasExponent || before + after > 38 ? nil : DecimalSize(precision: 38, scale: after)
  }

  /// The number of digits after the point that all numbers have; nil if they differ, or if Doubles do not hold them.
  public var scale: Int? { isUniform && areDoubles && !isEmpty && after <= 15 ? after : nil }

  /// Adds the number of a cell; other cells are ignored.
  /// - Returns: the Double that holds the number; nil if there is none.
  @discardableResult
  @inline(__always) public mutating func add(_ cell: Cell, _ arena: Arena) -> Double? {
    switch cell {
    case .number(let start, let length):
      let literal = ByteRun(arena, start, length)
      guard let (value, fraction) = unsafe ShortLiteral.number(literal.start, literal.count) else {
        return addLong(literal)
      }
      let isNegative = literal[0] == UInt8(ascii: "-")
      add(before: literal.count - fraction - (fraction > 0 ? 1 : 0) - (isNegative ? 1 : 0), after: fraction)
      return value
    case .integer(let value): return addCopy(Array(String(value).utf8))
    case .real(let value):
      if value.isFinite { return addCopy(value.canonicalText) }
      isUniform = false
      return value
    default: return nil
    }
  }

  @inline(never) private mutating func addCopy(_ literal: [UInt8]) -> Double? {
    let copy = Arena(literal)
    return addLong(ByteRun(copy, 0, UInt32(copy.count)))
  }

  /// Adds the digits of a number that a Double holds.
  @inline(__always) private mutating func add(before: Int, after: Int) {
    if after != self.after {
      if !isEmpty { isUniform = false }
      self.after = max(self.after, after)
    }
    isEmpty = false
    if before > self.before { self.before = before }
  }

  @inline(never) private mutating func addLong(_ literal: ByteRun) -> Double? {
    let count = literal.count, point = literal.distance(to: UInt8(ascii: "."))
    if (0..<count).contains(where: { literal[$0] | 0x20 == UInt8(ascii: "e") }) {
      (hasExponent, isUniform, isEmpty) = (true, false, false)
    } else {
      let sign = literal.first == UInt8(ascii: "-") ? 1 : 0, whole = point - sign
      add(before: whole == 1 && literal[sign] == 48 ? 0 : whole, after: max(0, count - point - 1))
    }
    let value = unsafe NumberSpelling.held(literal.start, count)
    if value == nil { areDoubles = false }
    return value
  }

  /// Adds the numbers of another part of the column.
  public mutating func merge(_ other: DecimalShape) {
    if other.isEmpty { return }
    isUniform = isEmpty ? other.isUniform : isUniform && other.isUniform && after == other.after
    (before, after) = (max(before, other.before), max(after, other.after))
    hasExponent = hasExponent || other.hasExponent
    areDoubles = areDoubles && other.areDoubles
    isEmpty = false
  }

  /// The shapes of the columns of decimals among the first rows of a table, by position.
  public static func shapes(of schema: Schema, in batches: [RowBatch]) -> [Int: DecimalShape] {
    var shapes: [Int: DecimalShape] = [:]
    for column in schema.columns.indices where schema.columns[column].type == .decimal {
      var shape = DecimalShape()
      for batch in batches { for row in 0..<batch.count { shape.add(batch[row, column], batch.arena) } }
      shapes[column] = shape
    }
    return shapes
  }

  /// The literal of a Double with `scale` digits after the point, at most 15; nil if it is not the same number then.
  package static func literal(_ value: Double, scale: Int) -> [UInt8]? {
    digits(value, scale).map { text, start in (start..<text.count).map { text[$0] } }
  }

  /// Appends that literal.
  /// - Returns: the number of its bytes; nil if it is not the same number.
  package static func append(_ value: Double, scale: Int, to texts: inout ArenaBuilder) -> Int? {
    guard let (text, start) = digits(value, scale) else { return nil }
    unsafe texts.append(text.span.bytes.extracting(start..<text.count))
    return text.count - start
  }

  /// The literal from a position to the end.
  @inline(__always) private static func digits(_ value: Double, _ scale: Int) -> (InlineArray<20, UInt8>, Int)? {
    let scaled = value.magnitude * ShortLiteral.powers[scale]
    guard scaled < 1e15 else { return nil }
    let rounded = scaled.rounded()
    guard rounded / ShortLiteral.powers[scale] == value.magnitude else { return nil }
    var text = InlineArray<20, UInt8>(repeating: 0), at = 20, rest = UInt64(rounded)
    func put(_ byte: UInt8) {
      at -= 1
      text[at] = byte
    }
    for _ in 0..<scale {
      put(48 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    if scale > 0 { put(UInt8(ascii: ".")) }
    repeat {
      put(48 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    if value.sign == .minus { put(UInt8(ascii: "-")) }
    return (text, at)
  }
}
