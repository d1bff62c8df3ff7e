import Rows

extension DocumentFormat {
  /// vCards.
  public static let vcard = DocumentFormat("vcard", ["vcf"], VCardDocument.self)
}

/// The cards of an address book as rows, a property each column; of a property that a card has twice, the second is
/// `phone_2`.
struct VCardDocument: TableDocument {
  private var text: DocumentText, reader: VCardReader
  private var isBegun = false

  init(_ source: any ByteSource, limit: Int) throws(Problem) {
    text = try DocumentText(source, limit: limit)
    // As with CSV, a record may have twice the size of a value.
    reader = VCardReader(name: source.name, limit: 2 * limit)
  }

  mutating func nextTable() throws(Problem) -> String? {
    defer { isBegun = true }
    return isBegun ? nil : ""
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    while let line = try text.nextLine() {
      if let card = try reader.add(line[...]) { return Self.record(card) }
    }
    return try reader.finish().map(Self.record)
  }

  private static func record(_ card: [VCardReader.Property]) -> DocumentRecord {
    var fields: [(name: [UInt8], value: [UInt8])] = [], counts: [String: Int] = [:]
    let hasName = card.contains { $0.name == "FN" }
    for property in card where !["VERSION", "PRODID"].contains(property.name) {
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
