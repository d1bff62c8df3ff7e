import Rows

extension DocumentFormat {
  /// Tables of an HTML page.
  public static let html = DocumentFormat("html", ["html", "htm"], HTMLDocument.self)
}

/// The tables of an HTML page, titled by their captions, else by the heading before them, else by their ids. Markup of
/// any quality is read as browsers read it, as far as tables go; nothing is executed or fetched.
struct HTMLDocument: TableDocument {
  private(set) var columns: [[UInt8]] = []
  private var tags: HTMLTags
  private var heading = "", title = ""
  private var isInTable = false
  /// Whether bb wrote the table: then white space counts, and Booleans are `yes` and `no`.
  private var isOwn = false
  private var areBooleans: [Bool] = []
  /// The first row of the table, if it is not its header.
  private var pending: Row?
  /// The texts of cells that span rows, by column, and how many rows are left.
  private var spanning: [Int: (text: [UInt8], rows: Int)] = [:]

  /// A row: its cells, and whether it is one of headers.
  private struct Row {
    var cells: [[UInt8]] = []
    var isHeader = true
  }

  /// The most columns that a cell spans, as in browsers.
  private static let widest = 1000

  init(_ source: any ByteSource, limit: Int) throws(Problem) {
    tags = HTMLTags(try DocumentText(source, limit: limit))
  }

  mutating func nextTable() throws(Problem) -> String? {
    while try nextRecord() != nil {}
    while let token = try tags.next() {
      guard case .open(let tag) = token else { continue }
      if tag.isHeading {
        heading = String(decoding: try text(until: tag.name), as: UTF8.self)
      } else if tag.name == "table" {
        return try begin(tag)
      }
    }
    return nil
  }

  /// Reads the caption and the header of a table.
  private mutating func begin(_ tag: HTMLTags.Tag) throws(Problem) -> String {
    title = heading.isEmpty ? tag["id"] ?? "" : heading
    (isInTable, isOwn, spanning, pending, columns, areBooleans) = (true, false, [:], nil, [], [])
    var header: [Row] = []
    while let row = try nextRow() {
      if header.isEmpty || row.isHeader { header.append(row) } else { pending = row }
      if pending != nil || isOwn { break }
    }
    for column in 0..<(header.map(\.cells.count).max() ?? 0) {
      var names: [[UInt8]] = []
      for row in header where column < row.cells.count {
        if !row.cells[column].isEmpty, names.last != row.cells[column] { names.append(row.cells[column]) }
      }
      columns.append(Array(names.joined(separator: [0x20])))
    }
    return title
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    guard isInTable else { return nil }
    var next = pending
    pending = nil
    if next == nil { next = try nextRow() }
    guard let row = next else { return nil }
    guard row.cells.count <= columns.count else {
      throw tags.text.problem("expected \(columns.count) cells, found \(row.cells.count)")
    }
    var fields: [[UInt8]?] = []
    for column in columns.indices {
      let text = column < row.cells.count ? row.cells[column] : []
      let isBoolean = areBooleans.indices.contains(column) && areBooleans[column]
      fields.append(text.isEmpty ? nil : isBoolean ? Self.boolean(text) : text)
    }
    return .fields(fields)
  }

  private static func boolean(_ text: [UInt8]) -> [UInt8] {
    text.elementsEqual("yes".utf8) ? Array("true".utf8) : text.elementsEqual("no".utf8) ? Array("false".utf8) : text
  }

  /// The next row that has cells; nil at the end of the table.
  private mutating func nextRow() throws(Problem) -> Row? {
    while let token = try tags.next() {
      switch token {
      case .open(let tag) where tag.name == "caption":
        title = String(decoding: try text(until: "caption"), as: UTF8.self)
      case .open(let tag) where ["tr", "td", "th"].contains(tag.name):
        // A cell outside of a row begins one.
        if tag.name != "tr" { tags.put(back: token) }
        let row = try self.row()
        if !row.cells.isEmpty { return row }
      case .close("table"):
        if isOwn, try continues() { continue }
        isInTable = false
        return nil
      default: break
      }
    }
    isInTable = false
    return nil
  }

  /// Whether the rows of a large page of bb follow its header in a table of their own.
  private mutating func continues() throws(Problem) -> Bool {
    while let token = try tags.next() {
      if case .text(let text) = token, text.trimmed.isEmpty { continue }
      if case .open(let tag) = token, tag.name == "noscript" || tag.name == "table" {
        guard tag.name == "table" else { continue }
        // Its header is there again.
        guard let next = try tags.next() else { return true }
        tags.put(back: next)
        if case .open(let tag) = next, tag.name == "thead" {
          while let token = try tags.next(), token != .close("thead") {}
        }
        return true
      }
      tags.put(back: token)
      return false
    }
    return false
  }

  /// The cells up to the end of the row.
  private mutating func row() throws(Problem) -> Row {
    var row = Row()
    while let token = try tags.next() {
      switch token {
      case .open(let tag) where tag.name == "td" || tag.name == "th":
        while let (text, rows) = spanning[row.cells.count], rows > 0 {
          spanning[row.cells.count] = (text, rows - 1)
          row.cells.append(text)
        }
        let isHeader = tag.name == "th" && tag["scope"] != "row"
        if !isHeader { row.isHeader = false }
        if tag.name == "th", let type = tag["data-t"] {
          isOwn = true
          areBooleans.append(type == "b")
        }
        let text = isHeader ? Self.collapsed(try cell()) : try cell()
        for _ in 0..<min(max(tag["colspan"].flatMap { Int($0) } ?? 1, 1), Self.widest) {
          if let rows = tag["rowspan"].flatMap({ Int($0) }), rows > 1 { spanning[row.cells.count] = (text, rows - 1) }
          row.cells.append(text)
        }
        guard row.cells.count <= Schema.mostDocumentColumns else {
          throw tags.text.problem("a row has more than \(Schema.mostDocumentColumns) cells")
        }
      case .open(let tag) where ["tr", "tbody", "tfoot", "thead", "table"].contains(tag.name):
        tags.put(back: token)
        return row
      case .close("tr"), .close("table"), .close("tbody"), .close("thead"), .close("tfoot"):
        if token != .close("tr") { tags.put(back: token) }
        return row
      default: break
      }
    }
    return row
  }

  /// The text of a cell, up to its end.
  private mutating func cell() throws(Problem) -> [UInt8] {
    var out: [UInt8] = [], nested = 0, link: (address: [UInt8], start: Int)?
    while let token = try tags.next() {
      switch token {
      case .text(let text): out += text
      case .open(let tag):
        if tag.name == "table" { nested += 1 }
        if nested == 0, ["td", "th", "tr", "tbody", "tfoot"].contains(tag.name) {
          tags.put(back: token)
          // The source ends each row of bb's with a line end.
          if isOwn, out.last == 0x0A { out.removeLast() }
          return cleaned(out)
        }
        if isOwn, tag.name == "a" { link = tag["href"].map { (Array($0.utf8), out.count) } }
        // A line feed in the source is white space; one of a tag is kept.
        if ["br", "p", "div", "li"].contains(tag.name), !out.isEmpty { out.append(isOwn ? 0x0A : 0) }
        if nested > 0, tag.name == "td" || tag.name == "th" { out.append(0x20) }
      case .close(let name):
        if nested == 0, ["td", "th", "tr", "table", "tbody", "thead", "tfoot"].contains(name) {
          if name != "td", name != "th" { tags.put(back: token) }
          if isOwn, name == "table", out.last == 0x0A { out.removeLast() }
          return cleaned(out)
        }
        if name == "table" {
          nested -= 1
          out.append(0x20)
        }
        // bb shows addresses without what they have in common.
        if name == "a", let (address, start) = link, start < out.count,
          address.suffix(out.count - start).elementsEqual(out[start...]),
          [":", "://", "://www."].contains(
            String(decoding: address.dropLast(out.count - start).drop { $0 != 0x3A }, as: UTF8.self))
        {
          out.replaceSubrange(start..., with: address)
        }
      }
      guard out.count <= tags.text.mostBytes else { throw tags.text.tooLarge }
    }
    return cleaned(out)
  }

  /// The text up to the end of an element.
  private mutating func text(until name: String) throws(Problem) -> [UInt8] {
    var out: [UInt8] = []
    while let token = try tags.next() {
      if case .text(let text) = token, out.count < 4096 { out += text }
      if case .close(let closed) = token, closed == name { break }
      if case .open(let tag) = token, tag.name == "table" || tag.name == "tr" {
        tags.put(back: token)
        break
      }
    }
    return Self.collapsed(out)
  }

  private func cleaned(_ text: [UInt8]) -> [UInt8] { isOwn ? text : Self.collapsed(text) }

  /// Runs of white space become one space; there is none at the edges. NUL marks a line end.
  private static func collapsed(_ text: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [], space: UInt8 = 0
    for byte in text {
      switch byte {
      case 0: space = 0x0A
      case 0x20, 9, 10, 12, 13: if space == 0 { space = 0x20 }
      default:
        if space != 0, !out.isEmpty { out.append(space) }
        space = 0
        out.append(byte)
      }
    }
    return out
  }
}

extension Schema {
  static let mostDocumentColumns = 10_000
}

/// The tags and texts of an HTML page.
struct HTMLTags {
  private(set) var text: DocumentText
  private var pending: Token?

  struct Tag: Equatable {
    /// In lower case.
    let name: String
    private let attributes: [UInt8]

    init(_ source: [UInt8]) {
      let end = source.firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: "/") } ?? source.count
      name = String(decoding: source[..<end], as: UTF8.self).lowercased()
      attributes = Array(source[end...])
    }

    var isHeading: Bool { name.utf8.count == 2 && name.hasPrefix("h") && "123456".contains(name.dropFirst()) }

    /// The value of an attribute; nil if there is none.
    subscript(_ wanted: String) -> String? {
      var rest = attributes[...]
      while !rest.isEmpty {
        rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
        let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/") }
        rest = rest.dropFirst(max(name.count, 1)).drop { $0 <= 0x20 }
        var value: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: "=") {
          rest = rest.dropFirst().drop { $0 <= 0x20 }
          if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            value = rest.dropFirst().prefix { $0 != quote }
            rest = rest.dropFirst(value.count + 2)
          } else {
            value = rest.prefix { $0 > 0x20 }
            rest = rest.dropFirst(value.count)
          }
        }
        if String(decoding: name, as: UTF8.self).lowercased() == wanted {
          return String(decoding: HTMLTags.decoded(Array(value)), as: UTF8.self)
        }
      }
      return nil
    }
  }

  enum Token: Equatable { case text([UInt8]), open(Tag), close(String) }

  init(_ text: DocumentText) { self.text = text }

  mutating func put(back token: Token) { pending = token }

  /// The next token; nil at the end. Comments, scripts and styles are passed over.
  mutating func next() throws(Problem) -> Token? {
    if let token = pending {
      pending = nil
      return token
    }
    while let byte = try text.peek() {
      guard byte == UInt8(ascii: "<") else {
        return .text(Self.decoded(try text.prefix { $0 == UInt8(ascii: "<") }))
      }
      if try text.comes("<!--") {
        try pass("-->")
        continue
      }
      try text.skip(1)
      guard let first = try text.peek(), "/!?".utf8.contains(first) || (first | 0x20) &- 97 < 26 else {
        return .text([byte])
      }
      let source = try tag()
      if first == UInt8(ascii: "!") || first == UInt8(ascii: "?") { continue }
      if first == UInt8(ascii: "/") { return .close(Tag(Array(source.dropFirst())).name) }
      let tag = Tag(source)
      if tag.name == "script" || tag.name == "style" {
        try pass("</\(tag.name)")
        continue
      }
      return .open(tag)
    }
    return nil
  }

  /// The inside of a tag; a `>` in quotes does not end it.
  private mutating func tag() throws(Problem) -> [UInt8] {
    var out: [UInt8] = []
    while true {
      out += try text.prefix { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
      guard let mark = try text.next(), mark != UInt8(ascii: ">") else { return out }
      guard out.last == UInt8(ascii: "=") else {
        out.append(mark)
        continue
      }
      out.append(mark)
      out += try text.prefix { $0 == mark }
      if let end = try text.next() { out.append(end) }
    }
  }

  /// Passes everything up to `mark`, and the mark.
  private mutating func pass(_ mark: String) throws(Problem) {
    while try text.peek() != nil {
      if try text.comes(mark) { return try text.skip(mark.utf8.count) }
      _ = try text.next()
    }
  }

  /// Text with its character references replaced.
  static func decoded(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(UInt8(ascii: "&")) else { return text }
    var out: [UInt8] = [], at = 0
    while at < text.count {
      if text[at] == UInt8(ascii: "&"), let (character, count) = CharacterReference.decoded(text[at...]) {
        out += character
        at += count
      } else {
        out.append(text[at])
        at += 1
      }
    }
    return out
  }
}
