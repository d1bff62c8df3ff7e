import Codecs
import Rows

enum ExpressionValue: Sendable {
  case null, boolean(Bool), number(ExactNumber), real(Double), text([UInt8]), json([UInt8]), bytes([UInt8])

  var isNull: Bool { if case .null = self { true } else { false } }
  var isTrue: Bool { if case .boolean(true) = self { true } else { false } }

  @inline(__always) init(_ cell: Cell, _ reader: CellReader) {
    switch cell {
    case .null: self = .null
    case .integer(let value): self = .number(ExactNumber(Int128(value)))
    case .real(let value): self = .real(value)
    case .boolean(let value): self = .boolean(value)
    case .number(let start, let length):
      let literal = unsafe reader.bytes(start, length)
      if let number = unsafe ExactNumber(literal) {
        self = .number(number)
      } else {
        // A number of too many digits to calculate with.
        self = .text(unsafe Array(literal))
      }
    case .text(let start, let length): self = .text(unsafe Array(reader.bytes(start, length)))
    case .json(let start, let length): self = .json(unsafe Array(reader.bytes(start, length)))
    case .bytes(let start, let length): self = .bytes(unsafe Array(reader.bytes(start, length)))
    }
  }

  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .number(ExactNumber(Int128(value)))
    case .real(let value): self = .real(value)
    case .number(let literal): self = ExactNumber(literal: literal).map { .number($0) } ?? .text(literal)
    case .text(let text): self = .text(text)
    case .json(let text): self = .json(text)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }

  init(_ value: JSON?) {
    switch value {
    case nil, .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .string(let text): self = .text(text)
    case .number(let literal): self = ExactNumber(literal: literal).map { .number($0) } ?? .json(literal)
    case let value?: self = .json(value.canonicalBytes)
    }
  }

  /// The value as text formats write it.
  var text: [UInt8] {
    switch self {
    case .null: []
    case .boolean(let value): Array(String(value).utf8)
    case .number(let number): number.literal
    case .real(let value): value.canonicalText
    case .text(let bytes), .json(let bytes), .bytes(let bytes): bytes
    }
  }
  var string: String { String(decoding: text, as: UTF8.self) }

  var double: Double? {
    switch self {
    case .number(let number): number.double
    case .real(let value): value
    case .null, .boolean, .text, .json, .bytes: nil
    }
  }

  var canonical: [UInt8] {
    switch self {
    case .null: Array("null".utf8)
    case .text(let text), .bytes(let text): JSON.string(text).canonicalBytes
    case .boolean, .number, .real, .json: text
    }
  }

  /// The elements of a list; nil for another value.
  var elements: [JSON]? {
    guard case .json(let text) = self else { return nil }
    return (try? JSON.parse(text, name: ""))?.arrayValue
  }

  /// Below zero, zero or above; nil if one of the values is null, or they have no order.
  static func order(_ a: ExpressionValue, _ b: ExpressionValue) -> Int? {
    switch (a, b) {
    case (.number(let x), .number(let y)): return ExactNumber.order(x, y)
    case (.boolean(let x), .boolean(let y)): return x == y ? 0 : y ? -1 : 1
    case (.null, _), (_, .null): return nil
    default: break
    }
    if let x = a.double, let y = b.double {
      // NaN is the greatest number, and equals itself.
      if x.isNaN || y.isNaN { return x.isNaN ? (y.isNaN ? 0 : 1) : -1 }
      return x < y ? -1 : x == y ? 0 : 1
    }
    if a.double != nil || b.double != nil { return nil }
    let x = a.orderedText, y = b.orderedText
    return x == y ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1
  }
  private var orderedText: [UInt8] {
    let text = self.text
    return text.count >= 16 && text[10] == UInt8(ascii: "T") && Dates.seconds(text) != nil
      ? TimeText.ordered(text) : text
  }

  func append(as type: ColumnType, to builder: inout RowBatchBuilder) {
    switch (type, self) {
    case (_, .null): builder.appendNull()
    case (.integer, .number(let number)):
      if let value = number.integer { builder.append(integer: value) } else { builder.append(number: number.literal) }
    case (.decimal, .number(let number)): builder.append(number: number.literal)
    case (.real, .number(let number)): builder.append(real: number.double)
    case (.real, .real(let value)), (.decimal, .real(let value)): builder.append(real: value)
    case (.boolean, .boolean(let value)): builder.append(boolean: value)
    case (.json, _), (.list, _): builder.append(json: canonical)
    case (.bytes, let value): builder.append(bytes: value.text)
    case (_, let value): builder.append(text: value.text)
    }
  }
}
