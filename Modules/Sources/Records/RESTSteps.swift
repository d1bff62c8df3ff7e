import Domain
import Codecs
import Rows

extension SourceStep {
  /// The result of the step for a value.
  /// - Throws: `badData` for a value that the step cannot be applied to.
  func applied(to value: JSON, _ column: String, _ notes: inout RESTNotes) throws(Problem) -> JSON {
    switch self {
    case .trim: return value.stringBytes.map { .string(Self.trimmed($0)) } ?? value
    case .divide(let divisor): return .number(try quotient(of: value, by: divisor).quotient)
    case .remainder(let divisor): return .number(try quotient(of: value, by: divisor).remainder)
    case .split: return value.stringBytes.map { .array(Self.parts(of: $0).map { .string($0) }) } ?? value
    case .splitAt(let separator):
      guard let text = value.stringValue, !separator.isEmpty else { return value }
      let parts = text.split(separator: separator).map { Self.trimmed(Array($0.utf8)) }
      return .array(parts.filter { !$0.isEmpty }.map { .string($0) })
    case .filter(let sign): return .array((value.arrayValue ?? [value]).filter { sign.holds(in: $0) })
    case .first: return value.arrayValue.map { $0.first ?? .null } ?? value
    case .wrap:
      if case .array = value { return value }
      return .array([value])
    case .hasElements:
      guard let elements = value.arrayValue else {
        throw Problem(.badData, "invalid value \(RESTText.shown(value)): expected a list")
      }
      return .boolean(!elements.isEmpty)
    case .prefix(let text): return value.stringBytes.map { .string(Array(text.utf8) + $0) } ?? value
    case .suffix(let text): return value.stringBytes.map { .string($0 + Array(text.utf8)) } ?? value
    case .each(let pointer):
      let elements = value.arrayValue ?? [value], path = try JSONPointer(pointer)
      return .array(elements.map { ($0.value(at: path) ?? .null).elementText })
    case .join(let separator):
      guard let elements = value.arrayValue else { return value }
      var texts: [String] = []
      for element in elements {
        guard let text = element.parameterText else {
          throw Problem(.badData, "invalid value \(RESTText.shown(element)): expected text (list element)")
        }
        texts.append(text)
      }
      return .string(texts.joined(separator: separator))
    case .stripHTML: return value.stringBytes.map { .string(RESTMarkup.text($0)) } ?? value
    case .scale(let power):
      guard let literal = value.numberLiteral ?? RESTColumnReader.numberLiteral(value),
        let scaled = NumberPattern.scaled(literal, by: power)
      else { throw Problem(.badData, "invalid value \(RESTText.shown(value)): expected a number") }
      return .number(scaled)
    case .words(let words):
      guard let text = value.stringValue else { return value }
      let plain = String(decoding: Self.trimmed(Array(text.utf8)), as: UTF8.self).lowercased()
      if let word = words.first(where: { $0.name.lowercased() == plain }) { return .string(word.value) }
      notes.unknownWords[column, default: []].append(RESTText.firstWords(Array(text.utf8)))
      return value
    }
  }

  private func quotient(of value: JSON, by divisor: Int64) throws(Problem) -> (quotient: Int64, remainder: Int64) {
    guard let number = RESTColumnReader.integer(value), divisor > 0 else {
      throw Problem(.badData, "invalid value \(RESTText.shown(value)): expected an integer")
    }
    return number.quotientAndRemainder(dividingBy: divisor)
  }

  /// A text without blanks at its ends.
  static func trimmed(_ text: [UInt8]) -> [UInt8] {
    let rest = trimmed(text[...])
    return rest.count == text.count ? text : Array(rest)
  }

  /// The text without surrounding white space.
  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
    guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
    else {
      return []
    }
    return text[first...last]
  }

  /// The parts of a comma list, blanks removed. A comma inside brackets parts nothing.
  static func parts(of text: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = [[]]
    var depth = 0
    for byte in text {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth = max(0, depth - 1)
      case UInt8(ascii: ",") where depth == 0:
        parts.append([])
        continue
      default: break
      }
      parts[parts.count - 1].append(byte)
    }
    return parts.map { trimmed($0) }.filter { !$0.isEmpty }
  }
}
