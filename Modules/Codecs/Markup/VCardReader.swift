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

  /// The most properties of a card.
  private static let mostProperties = 10_000

  /// Calls `body` with the cards of a document, one by one.
  /// - Parameter maximumField: bytes of a property.
  /// - Throws: `badData` with `name:line:column` for bytes that are not UTF-8, a line that is not a property, and a
  ///   card that does not end; what `body` throws.
  public static func read(
    _ document: DocumentText, maximumField: Int, _ body: ([Property]) throws(Problem) -> Void
  ) throws(Problem) {
    try document.checkUTF8()
    var card: [Property]?, begin = 0
    var at = document.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, number = 1
    while at < document.count {
      let start = at, first = number
      let whole = logicalLine(document, &at, &number, limit: maximumField)
      func problem(_ message: String, hint: String = "") -> Problem {
        at == document.count && !document.isWhole
          ? document.tooLarge : document.problem(message, at: start, hint: hint)
      }
      guard let line = whole else {
        throw document.problem(
          "the property is larger than \(maximumField >> 20) MiB", at: start, hint: "raise the limit with --max-field")
      }
      let text = String(decoding: line, as: UTF8.self)
      if text.allSatisfy(\.isWhitespace) { continue }
      guard let property = property(text, line: first) else { throw problem("expected a property, NAME:VALUE") }
      let isCard = property.value.uppercased() == "VCARD"
      switch property.name {
      case "BEGIN" where isCard && card == nil: (card, begin) = ([], start)
      case "END" where isCard && card != nil:
        if let card { try body(card) }
        card = nil
      default:
        guard let count = card?.count else { throw problem("expected BEGIN:VCARD") }
        guard count < mostProperties else { throw problem("the card has more than \(mostProperties) properties") }
        card?.append(property)
      }
    }
    guard document.isWhole else { throw document.tooLarge }
    guard card == nil else { throw document.problem("the card has no END:VCARD", at: begin) }
  }

  /// The next line with those that continue it, which begin with a space or follow a `=` at the end of a quoted value;
  /// nil for more than `limit` bytes.
  private static func logicalLine(
    _ document: DocumentText, _ at: inout Int, _ number: inout Int, limit: Int
  ) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      let end = document.bytes[at..<document.count].firstIndex(of: 0x0A) ?? document.count
      let part = end > at && document.bytes[end - 1] == 0x0D ? document.bytes[at..<(end - 1)] : document.bytes[at..<end]
      guard line.count + part.count <= limit else { return nil }
      line += part
      at = min(end + 1, document.count)
      number += 1
      guard at < document.count else { return line }
      if line.last == UInt8(ascii: "="), isQuoted(line) {
        line.removeLast()
      } else if document.bytes[at] == 0x20 || document.bytes[at] == 0x09 {
        at += 1
      } else {
        return line
      }
    }
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
