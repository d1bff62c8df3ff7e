import Rows

extension DocumentFormat {
  /// vCards.
  public static let vcard = DocumentFormat("vcard", ["vcf"], VCardDocument.self)
}

/// The cards of an address book as rows, a property each column; of a property that a card has twice, the second is
/// `phone_2`.
struct VCardDocument: TableDocument {
  private var cards: [[VCardReader.Property]] = []
  private var next = 0
  private var isBegun = false

  /// The most bytes of a file, which is read as a whole.
  private static let largest = 64 << 20

  init(_ source: any ByteSource, limit: Int) throws(Problem) {
    var text = ArenaBuilder(capacity: 64 << 10)
    while try source.read(into: &text, limit: text.room > 0 ? text.room : text.count) > 0 {
      guard text.count <= Self.largest else {
        throw Problem(.badData, "the file is larger than \(Self.largest >> 20) MiB", at: source.name, hint: "split it")
      }
    }
    var cards: [[VCardReader.Property]] = []
    try VCardReader.read(text.bytes, name: source.name) { cards.append($0) }
    self.cards = cards
  }

  mutating func nextTable() throws(Problem) -> String? {
    defer { isBegun = true }
    return isBegun ? nil : ""
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    guard next < cards.count else { return nil }
    defer { next += 1 }
    var fields: [(name: [UInt8], value: [UInt8])] = [], counts: [String: Int] = [:]
    let hasName = cards[next].contains { $0.name == "FN" }
    for property in cards[next] where !["VERSION", "PRODID"].contains(property.name) {
      if property.name == "N", hasName { continue }
      let column = Self.columns[property.name] ?? Self.column(property.name)
      let count = counts[column, default: 0] + 1
      counts[column] = count
      let name = count == 1 ? column : "\(column)_\(count)"
      fields.append((Array(name.utf8), Array(Self.text(of: property).utf8)))
    }
    return .texts(fields)
  }

  private static let columns = [
    "FN": "name", "N": "name", "UID": "id", "BDAY": "birth_date", "BIRTHPLACE": "birth_city", "TEL": "phone",
    "URL": "website", "PHOTO": "image", "NOTE": "description", "CATEGORIES": "category", "TITLE": "occupation",
    "ADR": "address", "ORG": "organization",
  ]

  /// A name in small letters, without the mark of an extension.
  private static func column(_ property: String) -> String {
    let name =
      property.hasPrefix("X-BB-")
      ? property.dropFirst(5) : property.hasPrefix("X-") ? property.dropFirst(2) : property[...]
    return String(decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
      .lowercased()
  }

  private static func text(of property: VCardReader.Property) -> String {
    switch property.name {
    case "ADR", "ORG", "N": return property.parts(UInt8(ascii: ";")).filter { !$0.isEmpty }.joined(separator: ", ")
    case "BDAY" where property.text.utf8.count == 8 && property.text.utf8.allSatisfy { $0 &- 48 < 10 }:
      let digits = Array(property.text)
      return "\(String(digits[..<4]))-\(String(digits[4..<6]))-\(String(digits[6...]))"
    default: return property.text
    }
  }
}
