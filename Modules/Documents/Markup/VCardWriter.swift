import Codecs
public import Rows

/// People as vCards for address books, one card per row: version 4.0 (RFC 6350), or 3.0 (RFC 2426) for programs that
/// know no other.
///
/// Columns are known by their names (`name`, `birth_date`, `phone`, `email`, `website`, `images`, …); any other goes
/// along as `X-BB-COLUMN`.
public struct VCardWriter: Sendable {
  private let columns: [(column: Int, property: Property)]
  private let nameColumn: Int
  private let extra: Int?
  private let nameTitle: String
  private let version: Version
  private let images: PageImages

  /// The version of the standard.
  public enum Version: String, Sendable, Hashable, CaseIterable {
    /// RFC 2426.
    case three = "3.0"
    /// RFC 6350.
    case four = "4.0"
  }

  private enum Property: Sendable {
    case text(String), list(String), date(String), address(String)
  }

  private static let known: [String: Property] = [
    "id": .text("UID"), "nickname": .text("NICKNAME"), "aliases": .list("NICKNAME"), "birth_date": .date("BDAY"),
    "birthday": .date("BDAY"), "birth_city": .text("BIRTHPLACE"), "phone": .text("TEL"), "email": .text("EMAIL"),
    "website": .address("URL"), "image": .address("PHOTO"), "images": .address("PHOTO"), "description": .text("NOTE"),
    "category": .text("CATEGORIES"), "occupations": .list("TITLE"),
  ]

  /// A writer of rows of `schema`.
  /// - `images`: the photos that become part of the cards, by the address in the data.
  /// - Throws: `usage` for a table without names.
  public init(_ schema: Schema, version: Version = .four, images: PageImages = PageImages()) throws(Problem) {
    self.version = version
    self.images = images
    guard let nameColumn = schema.columns.firstIndex(where: { $0.name.lowercased() == "name" }) else {
      throw Problem(
        .usage, "vcard requires a name column, which \(schema.name) does not have", hint: "export actors or characters")
    }
    self.nameColumn = nameColumn
    nameTitle = schema.columns[nameColumn].name
    let extra = ForeignMembers.position(in: schema)
    self.extra = extra
    columns = schema.columns.enumerated().filter { $0.offset != nameColumn && $0.offset != extra }.map {
      position, column in
      (position, Self.known[column.name.lowercased()] ?? .text(Self.extensionName(column.name)))
    }
  }

  /// `X-BB-` and the column's name in the letters that properties may have.
  private static func extensionName(_ name: String) -> String {
    let letters = name.utf8.map { byte -> Character in
      byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 ? Character(UnicodeScalar(byte)) : "-"
    }
    return "X-BB-" + String(letters).uppercased()
  }

  /// The rows of a batch.
  ///
  /// - Returns: how many cells had control characters, which are shown as U+FFFD.
  /// - Throws: `badData` for a row without a name.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> Int {
    var noted = 0
    for row in 0..<batch.count {
      guard !batch[row, nameColumn].isNull else {
        throw Problem(
          .badData, "column \(nameTitle): a vCard must have a name", hint: .set(.conditions, for: "exclude it"),
          record: row)
      }
      out.append("BEGIN:VCARD\r\nVERSION:\(version.rawValue)\r\n")
      noted += append("FN", batch[row, nameColumn], batch.arena, &out)
      var foreign = ForeignMembers(batch, row, extra)
      if version == .three, foreign["N"] == nil { _ = appendParts(of: batch[row, nameColumn], batch.arena, &out) }
      var hasPhoto = false
      for (column, property) in columns {
        let cell = batch[row, column]
        if cell.isNull { continue }
        switch property {
        case .text(let name): noted += append(name, cell, batch.arena, &out)
        case .date(let name): noted += append(name, cell, batch.arena, isDate: true, &out)
        case .list(let name):
          var values: [[UInt8]] = []
          forEach(cell, batch.arena) { values.append(Array($0)) }
          for value in values { noted += line(name, value, isAddress: false, &out) }
        case .address(let name):
          var values: [[UInt8]] = []
          forEach(cell, batch.arena) { values.append(Array($0)) }
          if name == "PHOTO", values.count == 1 {
            let parts = ListText.parts(ofText: values[0])
            if !parts.isEmpty, parts.allSatisfy({ images[$0] != nil || Arena($0).isWebAddress }) { values = parts }
          }
          for value in values {
            if name == "PHOTO", let photo = images[value]?.address.embedded {
              // Address books show one.
              if !hasPhoto { appendPhoto(photo, &out) }
              hasPhoto = true
              continue
            }
            let isAddress = Arena(value).isWebAddress
            // The photo of version 3.0 is its bytes unless it says that it is an address.
            let property = name == "PHOTO" && version == .three ? "PHOTO;VALUE=uri" : name
            noted += line(isAddress ? property : Self.extensionName(name), value, isAddress: isAddress, &out)
          }
        }
      }
      foreign.takeAll { member in
        let values = (member.value.arrayValue ?? [member.value]).compactMap(\.stringBytes)
        guard Self.isProperty(member.name), values.count == member.value.arrayValue?.count ?? 1 else { return false }
        for value in values { _ = line(member.name, Self.inOneLine(value), isAddress: true, &out) }
        return true
      }
      if let rest = foreign.text { noted += line("X-BB-EXTRA", rest, isAddress: false, &out) }
      out.append("END:VCARD\r\n")
    }
    return noted
  }

  /// Whether a text is the name of a property and its parameters, as cards of other programs have them.
  private static func isProperty(_ text: String) -> Bool {
    let name = text.utf8.prefix { $0 != UInt8(ascii: ";") }, parameters = text.utf8.dropFirst(name.count)
    return !name.isEmpty && name.allSatisfy { $0 &- 65 < 26 || $0 &- 48 < 10 || $0 == UInt8(ascii: "-") }
      && !["BEGIN", "END", "VERSION", "FN"].contains(String(Substring(name)))
      && parameters.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).enumerated().allSatisfy {
        $0.offset % 2 == 1 || !$0.element.contains(UInt8(ascii: ":"))
      } && parameters.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// A value that is escaped already, without line ends and other control characters.
  private static func inOneLine(_ value: [UInt8]) -> [UInt8] {
    value.flatMap { byte -> [UInt8] in
      switch byte {
      case 0x09, 0x20..<0x7F, 0x80...: [byte]
      case 0x0A: Array("\\n".utf8)
      default: Array("\u{FFFD}".utf8)
      }
    }
  }

  /// Appends `N`, which version 3.0 requires: the last word as the family name, the others as given names.
  private func appendParts(of cell: Cell, _ arena: Arena, _ out: inout ByteBuffer) -> Int {
    var plain = ByteBuffer(capacity: 256)
    DisplayText.appendPlain(cell, arena, to: &plain)
    let words = plain.bytes().split(separator: UInt8(ascii: " ")).map(Array.init)
    let given = Self.escaped(Array(words.dropLast().joined(separator: [UInt8(ascii: " ")]))).text
    let family = Self.escaped(words.last ?? []).text
    return line("N", family + [UInt8(ascii: ";")] + given + Array(";;;".utf8), isAddress: true, &out)
  }

  private func appendPhoto(_ photo: (type: String, base64: [UInt8]), _ out: inout ByteBuffer) {
    let name = version == .three ? "PHOTO;ENCODING=b;TYPE=\(photo.type.uppercased())" : "PHOTO"
    let start = version == .three ? [] : Array("data:image/\(photo.type);base64,".utf8)
    _ = line(name, start + photo.base64, isAddress: true, &out)
  }

  /// The elements of a list, or the value itself.
  private func forEach(_ cell: Cell, _ arena: Arena, _ body: ([UInt8]) -> Void) {
    var plain = ByteBuffer(capacity: 256)
    guard case .json(let start, let length) = cell else {
      DisplayText.appendPlain(cell, arena, to: &plain)
      return body(plain.bytes())
    }
    var walk = NestedText(ByteRun(arena, start, length))
    guard walk.isArray else {
      NestedText.appendPlain(ByteRun(arena, start, length), to: &plain)
      return body(plain.bytes())
    }
    while let element = walk.next() {
      plain.removeAll()
      NestedText.appendPlain(element, to: &plain)
      body(plain.bytes())
    }
  }

  private func append(
    _ name: String, _ cell: Cell, _ arena: Arena, isDate: Bool = false, _ out: inout ByteBuffer
  ) -> Int {
    var plain = ByteBuffer(capacity: 256)
    DisplayText.appendPlain(cell, arena, to: &plain)
    var value = plain.bytes()
    // A whole date has no hyphens in version 4.0; a year and a month have. Version 3.0 has whole dates only.
    if isDate, version == .four, value.count == 10 { value.removeAll { $0 == UInt8(ascii: "-") } }
    let isKnown = version == .four || !(isDate && value.count != 10) && name != "BIRTHPLACE"
    return line(isKnown ? name : "X-BB-\(name)", value, isAddress: false, &out)
  }

  /// A property, its text escaped, folded after 75 bytes at a border of characters.
  private func line(_ name: String, _ value: [UInt8], isAddress: Bool, _ out: inout ByteBuffer) -> Int {
    var (text, noted) = isAddress ? (value, 0) : Self.escaped(value)
    text = Array("\(name):".utf8) + text
    var width = 0
    for (position, byte) in text.enumerated() {
      let isStart = byte & 0xC0 != 0x80
      let length = !isStart ? 0 : byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      if isStart, position > 0, width + length > 75 {
        out.append("\r\n ")
        width = 1
      }
      width += length
      out.append(byte: byte)
    }
    out.append("\r\n")
    if noted > 0 { noted = 1 }
    return noted
  }

  /// Text as a vCard has it: `\ , ;` with a backslash, line ends as `\n`, other control characters as U+FFFD; and how
  /// many those were.
  private static func escaped(_ text: [UInt8]) -> (text: [UInt8], noted: Int) {
    var escaped: [UInt8] = [], noted = 0, position = 0
    while position < text.count {
      let byte = text[position], next: UInt8? = position + 1 < text.count ? text[position + 1] : nil
      position += 1
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ";"): escaped += [UInt8(ascii: "\\"), byte]
      case 0x0A: escaped += Array("\\n".utf8)
      case 0x0D:
        noted += 1
        if next != 0x0A { escaped += Array("\\n".utf8) }
      case 0x09: escaped.append(byte)
      case 0..<0x20, 0x7F:
        noted += 1
        escaped += Array("\u{FFFD}".utf8)
      case 0xC2:
        if let next, next < 0xA0, next != 0x85 {
          noted += 1
          position += 1
          escaped += Array("\u{FFFD}".utf8)
        } else {
          escaped.append(byte)
        }
      default: escaped.append(byte)
      }
    }
    return (escaped, noted)
  }
}

extension Arena {
  /// Whether the bytes are an address on the web as a whole.
  fileprivate var isWebAddress: Bool { WebAddress.isOne(ByteRun(self, 0, UInt32(count))) }
}
