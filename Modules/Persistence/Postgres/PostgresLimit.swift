import Codecs
import Rows

/// The values that a type of PostgreSQL keeps as they are. Others it would round, cut or pad without an error.
enum PostgresLimit: Sendable, Hashable {
  /// At most so many digits after the decimal point.
  case scale(Int)
  /// The value of a literal of four bytes, or of eight.
  case single, double
  /// Exactly so many characters, or at most.
  case characters(Int, isExact: Bool)
  /// At most so many bytes.
  case bytes(Int)
  /// A time with at most so many digits of a second, and whether its offset from UTC is dropped.
  case fraction(Int, isLocal: Bool)
  /// A date without a time.
  case date
  /// JSON of which only the last of equal keys is kept.
  case document

  /// The limit of a type as SQL writes it, without the brackets of an array: `numeric(12,2)`; nil for none.
  init?(_ declared: String) {
    var name = declared, numbers: [Int] = []
    if let open = declared.firstRange(of: "("), let close = declared.firstRange(of: ")") {
      numbers = declared[open.upperBound..<close.lowerBound].split(at: ",").compactMap { Int($0) }
      name = String(declared[..<open.lowerBound]) + declared[close.upperBound...]
    }
    if name.hasSuffix("[]") { name.removeLast(2) }
    switch name {
    case "numeric":
      guard numbers.count == 2 else { return nil }
      self = .scale(numbers[1])
    case "money": self = .scale(2)
    case "real": self = .single
    case "double precision": self = .double
    case "character": self = .characters(numbers.first ?? 1, isExact: true)
    case "character varying":
      guard let count = numbers.first else { return nil }
      self = .characters(count, isExact: false)
    case "name": self = .bytes(63)
    case "\"char\"": self = .bytes(1)
    case "timestamp without time zone", "time without time zone": self = .fraction(numbers.first ?? 6, isLocal: true)
    case "timestamp with time zone", "time with time zone": self = .fraction(numbers.first ?? 6, isLocal: false)
    case "interval": self = .fraction(numbers.first ?? 6, isLocal: false)
    case "date": self = .date
    case "jsonb": self = .document
    default: return nil
    }
  }

  /// Whether a value stays as it is; the server refuses text that is not a value of the type.
  func keeps(_ text: [UInt8]) -> Bool {
    switch self {
    case .scale(let most):
      guard let point = text.firstIndex(of: UInt8(ascii: ".")), most >= 0, !text.contains(where: { $0 | 32 == 101 })
      else {
        guard most < 0 || text.contains(where: { $0 | 32 == 101 }), let number = DecimalNumber(text) else {
          return true
        }
        return number.isMultiple(ofPowerOfTen: -most)
      }
      return text[(point + 1)...].reversed().drop { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: " ") }.count <= most
    case .single: return DecimalNumber(text).map { $0.float != nil } ?? true
    case .double:
      guard let number = DecimalNumber(text), let near = Double(String(decoding: text, as: UTF8.self)) else {
        return true
      }
      return DecimalNumber(near) == number
    case .characters(let count, let isExact):
      let found = text.count { $0 & 0xC0 != 0x80 }
      return isExact ? found == count : found <= count
    case .bytes(let most): return text.count <= most
    case .fraction(let most, let isLocal):
      let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
      let digits = text[point...].dropFirst().prefix { $0 &- 48 < 10 }
      if digits.reversed().drop(while: { $0 == UInt8(ascii: "0") }).count > most { return false }
      guard isLocal, let time = text.firstIndex(of: UInt8(ascii: ":")) else { return true }
      guard let sign = text[time...].lastIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }) else {
        return true
      }
      return text[sign...].allSatisfy { !(49...57).contains($0) }
    case .date: return !text.contains(UInt8(ascii: ":"))
    case .document:
      return (try? JSON.parse(text, name: "", duplicateKeys: .refused)) != nil
        || (try? JSON.parse(text, name: "", duplicateKeys: .kept)) == nil
    }
  }

  /// The values of a cell, as the server reads them: of an array each element.
  static func texts(of cell: Cell, _ arena: Arena, isArray: Bool) -> [[UInt8]] {
    switch cell {
    case .null, .boolean, .bytes: return []
    case .integer(let value): return [Array(String(value).utf8)]
    case .real(let value): return value.isFinite ? [value.canonicalText] : []
    case .number(let start, let length), .text(let start, let length), .json(let start, let length):
      let text = arena.bytes(start, length)
      if !isArray { return [text] }
      // The server's own notation.
      if text.first == UInt8(ascii: "{") { return text.split { "{},\"".utf8.contains($0) }.map(Array.init) }
      return elements((try? JSON.parse(text, name: "", duplicateKeys: .kept)) ?? .null)
    }
  }

  private static func elements(_ value: JSON) -> [[UInt8]] {
    if let list = value.arrayValue { return list.flatMap(elements) }
    return value.isNull ? [] : [value.stringBytes ?? value.canonicalBytes]
  }
}
