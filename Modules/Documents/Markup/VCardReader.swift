import Codecs
public import Rows

/// Reads vCards (RFC 6350, and the versions 2.1 and 3.0 before it) line by line: the properties of each card.
public struct VCardReader: Sendable {
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
    public var text: String { VCardReader.unescaped(value.utf8[...]) }
    /// The parts of a value that has several, separated by `separator`, which is ASCII; their escapes decoded.
    public func parts(_ separator: UInt8) -> [String] {
      var parts: [String] = [], start = value.utf8.startIndex, isEscaped = false
      for index in value.utf8.indices {
        let byte = value.utf8[index]
        if byte == separator, !isEscaped {
          parts.append(VCardReader.unescaped(value.utf8[start..<index]))
          start = value.utf8.index(after: index)
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      }
      return parts + [VCardReader.unescaped(value.utf8[start...])]
    }
  }

  private static let mostProperties = 1000
  private let name: String, limit: Int
  private var card: [Property]?, begin = 0, size = 0
  private var line = Line(number: 0), number = 0

  /// - Parameters:
  ///   - name: the name of the file.
  ///   - limit: the most bytes of a card.
  init(name: String, limit: Int = .max) { (self.name, self.limit) = (name, limit) }

  /// Reads a file card by card.
  /// A property is UTF-8, or as its parameter `CHARSET` says windows-1252 or ISO 8859-1.
  /// - Throws: `badData` with `name:line` for text in another encoding, a line that is not a property, a card that does
  ///   not end, and one with more than 1,000 properties.
  public static func read(
    _ bytes: [UInt8], name: String, body: ([Property]) throws(Problem) -> Void
  ) throws(Problem) {
    var reader = VCardReader(name: name), start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      if let card = try reader.add(bytes[start..<end]) { try body(card) }
      start = end + 1
    }
    if let card = try reader.finish() { try body(card) }
  }

  /// Reads the next physical line, without its line feed.
  /// - Returns: the card that ended before it.
  mutating func add(_ part: ArraySlice<UInt8>) throws(Problem) -> [Property]? {
    number += 1
    size += part.count
    guard size <= limit else {
      throw Problem(
        .badData, "the card is larger than \(limit >> 20) MiB", at: "\(name):\(number)", hint: .raise(.maximumField))
    }
    if line.continues(with: part) { return nil }
    let ended = try takeLine()
    line.begin(part, number)
    return ended
  }

  /// Ends the file.
  /// - Returns: the last card; nil if it was returned before.
  mutating func finish() throws(Problem) -> [Property]? {
    let ended = try takeLine()
    line = Line(number: 0)
    guard card == nil else { throw Problem(.badData, "the card has no END:VCARD", at: "\(name):\(begin)") }
    return ended
  }

  private mutating func takeLine() throws(Problem) -> [Property]? {
    if line.isBlank { return nil }
    guard let property = try line.property(in: name) else {
      throw Problem(.badData, "expected a property, NAME:VALUE", at: "\(name):\(line.number)")
    }
    let isCard = property.value.utf8.count == 5 && property.value.uppercased() == "VCARD"
    switch property.name {
    case "BEGIN" where isCard && card == nil: (card, begin) = ([], line.number)
    case "END" where isCard && card != nil:
      defer { (card, size) = (nil, 0) }
      return card
    default:
      guard let count = card?.count else {
        throw Problem(.badData, "expected BEGIN:VCARD", at: "\(name):\(line.number)")
      }
      guard count < Self.mostProperties else {
        throw Problem(.badData, "the card has more than \(Self.mostProperties) properties", at: "\(name):\(begin)")
      }
      card?.append(property)
    }
    return nil
  }

  /// A logical line: a physical line that begins with a space continues the one before.
  private struct Line: Sendable {
    private(set) var number: Int
    private var bytes: [UInt8] = []
    /// Where the value begins; nil while no colon outside of quotes was found before `searched`.
    private var colon: Int?
    private var searched = 0, isInQuotes = false
    /// Whether the value is in quoted-printable, where `=` at the end continues a line.
    private var isQuotedPrintable = false

    init(number: Int) { self.number = number }

    var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || $0 &- 9 < 5 } }

    mutating func begin(_ part: ArraySlice<UInt8>, _ number: Int) {
      self.number = number
      bytes.removeAll(keepingCapacity: true)
      (colon, searched, isInQuotes, isQuotedPrintable) = (nil, 0, false, false)
      append(part)
    }

    /// Appends a physical line if it continues this one.
    mutating func continues(with part: ArraySlice<UInt8>) -> Bool {
      if isQuotedPrintable, bytes.last == UInt8(ascii: "=") {
        bytes.removeLast()
        append(part)
        return true
      }
      guard let first = part.first, first == 0x20 || first == 0x09, number > 0 else { return false }
      append(part.dropFirst())
      return true
    }

    private mutating func append(_ part: ArraySlice<UInt8>) {
      bytes += part.last == 0x0D ? part.dropLast() : part
      guard colon == nil else { return }
      while searched < bytes.count {
        if bytes[searched] == UInt8(ascii: "\"") { isInQuotes.toggle() }
        if bytes[searched] == UInt8(ascii: ":"), !isInQuotes {
          colon = searched
          isQuotedPrintable = words(until: searched).dropFirst().contains { $0.hasSuffix("QUOTED-PRINTABLE") }
          return
        }
        searched += 1
      }
    }

    private func words(until end: Int) -> [String] {
      bytes[..<end].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self).uppercased()
      }
    }

    /// nil for a line without a name or a colon.
    /// - Throws: `badData` for text that is neither UTF-8 nor in the encoding that it states.
    func property(in file: String) throws(Problem) -> Property? {
      guard let colon else { return nil }
      let words = words(until: colon)
      guard let name = words.first?.split(separator: ".").last, !name.isEmpty else { return nil }
      let raw = bytes[(colon + 1)...]
      let value = isQuotedPrintable ? VCardReader.decoded(raw) : Array(raw)
      let text =
        switch words.first(where: { $0.hasPrefix("CHARSET=") })?.dropFirst(8) {
        case "ISO-8859-1": WesternText.decoded(value, isWindows: false)
        case "WINDOWS-1252": WesternText.decoded(value, isWindows: true)
        default: String(validating: value, as: UTF8.self)
        }
      guard let text else {
        throw Problem(
          .badData, "the text of \(name) is not UTF-8", at: "\(file):\(number)",
          hint: [
            .set(.inputEncoding, to: "windows-1252"), "state the encoding in the file: \(name);CHARSET=ISO-8859-1:…",
          ])
      }
      return Property(name: String(name), parameters: Array(words.dropFirst()), value: text, line: number)
    }
  }

  /// The bytes of text in quoted-printable. Its line breaks, CR LF, become LF.
  private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = [], at = text.startIndex
    while at < text.endIndex {
      if text[at] == UInt8(ascii: "="), at + 2 < text.endIndex,
        let value = UInt8(String(decoding: text[(at + 1)...(at + 2)], as: UTF8.self), radix: 16)
      {
        if value == 0x0A, bytes.last == 0x0D { bytes.removeLast() }
        bytes.append(value)
        at += 3
      } else {
        bytes.append(text[at])
        at += 1
      }
    }
    return bytes
  }

  private static func unescaped(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = [], isEscaped = false
    bytes.reserveCapacity(text.count)
    for byte in text {
      if isEscaped {
        bytes.append(byte | 0x20 == UInt8(ascii: "n") ? 0x0A : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
