import Codecs
import Documents
import Rows

struct ActorCard {
  /// The record; of what the card does not have, null.
  private(set) var record = Record(Catalog.actors, [:])
  /// The properties that actors have no column for, or with another value.
  private(set) var foreign = ForeignMembers()
  /// Counts of properties that were omitted, by name: those of the file, and images that are none.
  private(set) var omitted: [String: Int] = [:]

  /// - Parameter name: how messages name the file.
  /// - Throws: `badData` for a card without a name.
  init(_ card: [VCardReader.Property], name: String) throws(Problem) {
    guard let called = Self.name(of: card) else {
      throw Problem(.badData, "the card has no name", at: "\(name):\(card.first?.line ?? 1)")
    }
    record[.name] = called
    for property in card where property.name != "VERSION" { read(property) }
  }

  /// The formatted name, else the given name and the family name.
  private static func name(of card: [VCardReader.Property]) -> String? {
    let formatted = card.first { $0.name == "FN" }?.text ?? ""
    if !formatted.utf8.allSatisfy({ $0 == 0x20 || $0 &- 9 < 5 }) { return formatted }
    let parts = card.first { $0.name == "N" }?.parts(UInt8(ascii: ";")) ?? []
    let name = (parts.dropFirst().prefix(1) + parts.prefix(1)).filter { !$0.isEmpty }.joined(separator: " ")
    return name.isEmpty ? nil : name
  }

  private mutating func read(_ property: VCardReader.Property) {
    let text = property.text
    if text.isEmpty { return }
    switch property.name {
    case "UID": put("id", text.lowercased().hasPrefix("urn:uuid:") ? String(text.dropFirst(9)) : text, of: property)
    case "FN": put("name", text, of: property)
    case "PRODID", "REV": omit(property)
    case "KIND" where text.lowercased() == "individual": break
    case "N": if !isOfName(property) { keep(property) }
    case "BDAY", "X-BB-BDAY":
      if let date = Self.date(text) { put("birth_date", date, of: property) } else { keep(property) }
    case "BIRTHPLACE", "X-BB-BIRTHPLACE": put("birth_city", text, of: property)
    case "TEL": put("phone", text.lowercased().hasPrefix("tel:") ? String(text.dropFirst(4)) : text, of: property)
    case "EMAIL": put("email", text.lowercased().hasPrefix("mailto:") ? String(text.dropFirst(7)) : text, of: property)
    case "URL", "X-BB-WEBSITE": put("website", text, of: property)
    case "NOTE": put("description", text, of: property)
    case "CATEGORIES":
      for part in property.parts(UInt8(ascii: ",")) where !part.isEmpty {
        if record[.category] ?? part == part { record[.category] = part } else { keep(property, Self.escaped(part)) }
      }
    case "PHOTO", "X-BB-IMAGES":
      let isEncoded = property.parameters.contains { $0.hasPrefix("ENCODING=") || $0 == "BASE64" }
      let embedded =
        text.lowercased().hasPrefix("data:")
        ? text.unicodeScalars.firstIndex(of: ",").map { text[$0...].dropFirst() } : nil
      guard isEncoded || embedded != nil else { return record[.images] = record[.images] + [text] }
      if let url = EmbeddedImages.url(base64: String(embedded ?? text[...])) {
        record[.images] = record[.images] + [url]
      } else {
        omit(property)
      }
    case "X-BB-AGE": if let age = Int64(text) { record[.age] = age } else { keep(property) }
    case "X-BB-FAVOURITE": if let truth = Bool(text) { record[.favourite] = truth } else { keep(property) }
    case "X-BB-FILMOGRAPHY": record[.filmography] = text.split(separator: "; ").map(String.init)
    case "X-BB-CREATED-AT", "X-BB-UPDATED-AT":
      let column = property.name == "X-BB-CREATED-AT" ? "created_at" : "updated_at"
      if Dates.isTimestamp(Array(text.utf8)) { record[column] = .text(text) } else { keep(property) }
    case "X-BB-EXTRA":
      if let others = ForeignMembers(Array(text.utf8)) { foreign.merge(others) } else { keep(property) }
    default: keep(property)
    }
  }

  /// Whether the parts of the name are those that the formatted name shows: the family name last, the others before.
  private func isOfName(_ property: VCardReader.Property) -> Bool {
    let parts = property.parts(UInt8(ascii: ";"))
    return (parts.dropFirst().prefix(1) + parts.prefix(1)).filter { !$0.isEmpty }.joined(separator: " ")
      == record[.name]
      && parts.dropFirst(2).allSatisfy(\.isEmpty)
  }

  private static func escaped(_ text: String) -> String {
    String(text.unicodeScalars.flatMap { "\\,;".unicodeScalars.contains($0) ? ["\\", $0] : [$0] }.map(Character.init))
  }

  private mutating func keep(_ property: VCardReader.Property, _ value: String? = nil) {
    // The value is decoded.
    let parameters = property.parameters.filter {
      !["ENCODING=", "CHARSET="].contains(where: $0.hasPrefix) && $0 != "QUOTED-PRINTABLE"
    }
    foreign.add(([property.name] + parameters).joined(separator: ";"), .string(value ?? property.value))
  }

  private mutating func omit(_ property: VCardReader.Property) { omitted[property.name, default: 0] += 1 }

  /// The first of several values counts.
  private mutating func put(_ column: String, _ text: String, of property: VCardReader.Property) {
    if record[column] == .null { record[column] = .text(text) } else if record[column] != .text(text) { keep(property) }
  }

  /// A date with or without hyphens, or the beginning of a time; nil for one without a year.
  private static func date(_ text: String) -> String? {
    let date = String(text.prefix { $0 != "T" })
    let bytes = Array(date.utf8)
    if Dates.isDate(bytes) { return date }
    guard bytes.count == 8 else { return nil }
    let dashed = bytes[..<4] + [45] + bytes[4..<6] + [45] + bytes[6...]
    return Dates.isDate(Array(dashed)) ? String(decoding: dashed, as: UTF8.self) : nil
  }
}
