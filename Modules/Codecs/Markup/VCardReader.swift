public import Rows

/// Reads vCards (RFC 6350, and the versions 2.1 and 3.0 before it): the properties of each card, in order.
public enum VCardReader {
  /// One property.
  public struct Property: Sendable, Hashable {
    /// Its name in upper case, without the group: `TEL`.
    public let name: String
    /// The parameters in upper case, as they are written: `TYPE=HOME`.
    public let parameters: [String]
    /// Its value, still escaped.
    public let value: String
    /// The line on which it begins, from 1.
    public let line: Int

    /// The value as one text, its escapes decoded.
    public var text: String { VCardReader.unescaped(value) }
    /// The parts of a value that has several, separated by `separator`, their escapes decoded.
    public func parts(_ separator: Character) -> [String] {
      var parts = [""], isEscaped = false
      for character in value {
        if character == separator, !isEscaped {
          parts.append("")
        } else {
          parts[parts.count - 1].append(character)
        }
        isEscaped = character == "\\" && !isEscaped
      }
      return parts.map(VCardReader.unescaped)
    }
  }

  /// The cards of a file.
  /// - Throws: `badData` with `name:line` for bytes that are not UTF-8, a line that is not a property, and a card that
  /// does not end.
  public static func cards(_ bytes: [UInt8], name: String) throws(Problem) -> [[Property]] {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw Problem(.badData, "invalid UTF-8", at: name) }
    var cards: [[Property]] = [], card: [Property]?, begin = 0
    for (line, number) in unfolded(bytes) {
      let text = String(decoding: line, as: UTF8.self)
      if text.allSatisfy(\.isWhitespace) { continue }
      guard let property = property(text, line: number) else {
        throw Problem(.badData, "expected a property, NAME:VALUE", at: "\(name):\(number)")
      }
      let isCard = property.value.uppercased() == "VCARD"
      switch property.name {
      case "BEGIN" where isCard && card == nil: (card, begin) = ([], number)
      case "END" where isCard && card != nil:
        if let card { cards.append(card) }
        card = nil
      default:
        guard card != nil else { throw Problem(.badData, "expected BEGIN:VCARD", at: "\(name):\(number)") }
        card?.append(property)
      }
    }
    guard card == nil else { throw Problem(.badData, "the card has no END:VCARD", at: "\(name):\(begin)") }
    return cards
  }

  /// Logical lines with the numbers of their first lines: a line that begins with a space continues the one before.
  private static func unfolded(_ bytes: [UInt8]) -> [(line: [UInt8], number: Int)] {
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    var lines: [(line: [UInt8], number: Int)] = []
    for (position, part) in body.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let line = part.last == 0x0D ? part.dropLast() : part
      let isSoft = lines.last.map { isQuoted($0.line) && $0.line.last == UInt8(ascii: "=") } ?? false
      if isSoft {
        lines[lines.count - 1].line.removeLast()
        lines[lines.count - 1].line += line
      } else if let first = line.first, first == 0x20 || first == 0x09, !lines.isEmpty {
        lines[lines.count - 1].line += line.dropFirst()
      } else {
        lines.append((Array(line), position + 1))
      }
    }
    return lines
  }

  private static let quotedPrintable = "QUOTED-PRINTABLE"

  private static func isQuoted(_ line: [UInt8]) -> Bool {
    String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).uppercased().contains(quotedPrintable)
  }

  private static func property(_ text: String, line: Int) -> Property? {
    var isInQuotes = false
    guard
      let colon = text.firstIndex(where: { character in
        if character == "\"" { isInQuotes.toggle() }
        return character == ":" && !isInQuotes
      })
    else { return nil }
    let words = text[..<colon].split(separator: ";", omittingEmptySubsequences: false).map { $0.uppercased() }
    guard let name = words.first?.split(separator: ".").last, !name.isEmpty else { return nil }
    var value = String(text[text.index(after: colon)...])
    if words.dropFirst().contains(where: { $0.hasSuffix(quotedPrintable) }) { value = decoded(value) }
    return Property(name: String(name), parameters: Array(words.dropFirst()), value: value, line: line)
  }

  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = [], rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "="), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescaped(_ text: String) -> String {
    var result = "", isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "n" || character == "N" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
