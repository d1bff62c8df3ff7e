import Rows

extension DocumentFormat {
  /// Tables of GitHub Flavored Markdown.
  public static let markdown = DocumentFormat("markdown", ["md", "markdown"], MarkdownDocument.self)
}

/// The tables of GitHub Flavored Markdown, titled by the heading before them.
struct MarkdownDocument: TableDocument {
  private(set) var columns: [[UInt8]] = []
  private var text: DocumentText
  private var heading = ""
  /// A line that ended a table, and is still to be read.
  private var pending: [UInt8]?
  private var isInTable = false
  /// The mark of the code block that is open.
  private var fence: [UInt8]?

  init(_ source: any ByteSource, limit: Int) throws(Problem) { text = try DocumentText(source, limit: limit) }

  mutating func nextTable() throws(Problem) -> String? {
    // A row that cannot be read does not matter to the next table.
    while try nextRow() != nil {}
    var previous: [UInt8]?
    while let line = try takeLine() {
      if let previous, let width = Self.width(ofDelimiterRow: line) {
        let header = Self.cells(previous)
        if header.count == width {
          columns = header.map { MarkdownText.plain($0) }
          isInTable = true
          return heading
        }
      }
      previous = isOutsideCode(line) ? line : nil
    }
    return nil
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    guard let line = try nextRow() else { return nil }
    var cells: [[UInt8]?] = Self.cells(line).map { $0.isEmpty ? nil : MarkdownText.plain($0) }
    guard cells.count <= columns.count else {
      throw text.problem("expected \(columns.count) cells, found \(cells.count)", line: text.line - 1)
    }
    while cells.count < columns.count { cells.append(nil) }
    return .fields(cells)
  }

  private mutating func nextRow() throws(Problem) -> [UInt8]? {
    guard isInTable else { return nil }
    guard let line = try takeLine() else { return nil }
    let first = line.trimmed.first
    guard let first, first != UInt8(ascii: ">"), first != UInt8(ascii: "#"), Self.fence(line) == nil else {
      isInTable = false
      pending = line
      return nil
    }
    return line
  }

  private mutating func takeLine() throws(Problem) -> [UInt8]? {
    if let line = pending {
      pending = nil
      return line
    }
    return try text.nextLine()
  }

  /// Whether the line is not one of a code block. Keeps the text of headings.
  private mutating func isOutsideCode(_ line: [UInt8]) -> Bool {
    if let mark = Self.fence(line) {
      if fence == nil { fence = mark } else if let fence, mark.starts(with: fence) { self.fence = nil }
      return false
    }
    if fence != nil { return false }
    let marks = line.prefix { $0 == UInt8(ascii: "#") }.count
    if (1...6).contains(marks), line.count > marks, line[marks] == 0x20 {
      heading = String(decoding: MarkdownText.plain(line[marks...].trimmed), as: UTF8.self)
      return false
    }
    return true
  }

  /// The three or more marks that begin or end a code block.
  private static func fence(_ line: [UInt8]) -> [UInt8]? {
    let line = line.drop { $0 == 0x20 }
    guard let first = line.first, first == UInt8(ascii: "`") || first == UInt8(ascii: "~") else { return nil }
    let marks = line.prefix { $0 == first }
    return marks.count >= 3 ? Array(marks) : nil
  }

  /// Returns the number of columns of the line under a header; nil for any other line.
  private static func width(ofDelimiterRow line: [UInt8]) -> Int? {
    guard line.contains(UInt8(ascii: "|")) || line.contains(UInt8(ascii: ":")) else { return nil }
    let cells = cells(line)
    let isDelimiter = cells.allSatisfy { cell in
      var dashes = cell[...]
      if dashes.first == UInt8(ascii: ":") { dashes = dashes.dropFirst() }
      if dashes.last == UInt8(ascii: ":") { dashes = dashes.dropLast() }
      return !dashes.isEmpty && dashes.allSatisfy { $0 == UInt8(ascii: "-") }
    }
    return isDelimiter ? cells.count : nil
  }

  /// The source of the cells of a line, trimmed.
  private static func cells(_ line: [UInt8]) -> [[UInt8]] {
    let line = line.trimmed
    var cells: [[UInt8]] = [], start = line.first == UInt8(ascii: "|") ? 1 : 0, isEscaped = false
    for position in start..<max(start, line.count) {
      if line[position] == UInt8(ascii: "|"), !isEscaped {
        cells.append(line[start..<position].trimmed)
        start = position + 1
      }
      isEscaped = line[position] == UInt8(ascii: "\\") && !isEscaped
    }
    if start < line.count { cells.append(line[start...].trimmed) }
    return cells
  }
}

enum MarkdownText {
  /// Beyond, marks are not paired: the search for the other mark would take too long.
  private static let mostMarked = 16 << 10

  /// The text of a cell or a heading: escapes and entities replaced, marks of emphasis, code and links removed.
  static func plain(_ source: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(source.count)
    append(source[...], depth: source.count > mostMarked ? 16 : 0, to: &out)
    return out
  }

  private static func append(_ text: ArraySlice<UInt8>, depth: Int, to out: inout [UInt8]) {
    var at = text.startIndex
    while at < text.endIndex {
      let byte = text[at], rest = text[(at + 1)...]
      switch byte {
      case UInt8(ascii: "\\"):
        if let next = rest.first, isMark(next) { at += 1 }
        out.append(text[at])
        at += 1
        continue
      case UInt8(ascii: "&"):
        if let (character, count) = CharacterReference.decoded(text[at...]) {
          out += character
          at += count
          continue
        }
      case UInt8(ascii: "<"):
        if let end = rest.prefix(2048).firstIndex(of: UInt8(ascii: ">")) {
          let tag = rest[..<end]
          let name = tag.filter { $0 != UInt8(ascii: "/") && $0 != 0x20 }.map { $0 | 0x20 }
          let isLink = ["http://", "https://", "mailto:"].contains { tag.starts(with: $0.utf8) }
          if isLink || name.elementsEqual("br".utf8) {
            out += isLink ? Array(tag) : [0x0A]
            at = end + 1
            continue
          }
        }
      case UInt8(ascii: "`") where depth < 8:
        let count = text[at...].prefix { $0 == byte }.count
        if let (inside, end) = enclosed(text, at + count, byte, count, isCode: true) {
          let spaced = inside.count > 2 && inside.first == 0x20 && inside.last == 0x20
          var isEscape = false
          for byte in spaced ? inside.dropFirst().dropLast() : inside {
            // The one escape in code: a pipe, which would end the cell.
            if byte == UInt8(ascii: "|"), isEscape { out.removeLast() }
            out.append(byte)
            isEscape = byte == UInt8(ascii: "\\")
          }
          at = end
          continue
        }
        out += text[at..<at + count]
        at += count
        continue
      case UInt8(ascii: "[") where depth < 8:
        if let (label, end) = link(text, at) {
          if out.last == UInt8(ascii: "!") { out.removeLast() }
          append(label, depth: depth + 1, to: &out)
          at = end
          continue
        }
      case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        let count = text[at...].prefix { $0 == byte }.count
        let isWord = byte == UInt8(ascii: "_") && at > text.startIndex && isAlphanumeric(text[at - 1])
        if depth < 8, !isWord, count < 4, byte != UInt8(ascii: "~") || count == 2,
          let (inside, end) = enclosed(text, at + count, byte, count, isCode: false)
        {
          append(inside, depth: depth + 1, to: &out)
          at = end
        } else {
          out += text[at..<at + count]
          at += count
        }
        continue
      default: break
      }
      out.append(byte)
      at += 1
    }
  }

  /// The text up to the next run of exactly `count` marks, and the end of that run.
  private static func enclosed(
    _ text: ArraySlice<UInt8>, _ start: Int, _ mark: UInt8, _ count: Int, isCode: Bool
  ) -> (ArraySlice<UInt8>, Int)? {
    guard start < text.endIndex, isCode || text[start] != 0x20 else { return nil }
    var at = start
    while at < text.endIndex {
      guard text[at] == mark else {
        at += !isCode && text[at] == UInt8(ascii: "\\") ? 2 : 1
        continue
      }
      let run = text[at...].prefix { $0 == mark }.count, end = at + run
      let isWord = mark == UInt8(ascii: "_") && end < text.endIndex && isAlphanumeric(text[end])
      if run == count, at > start, isCode || text[at - 1] != 0x20 && !isWord { return (text[start..<at], end) }
      at = end
    }
    return nil
  }

  /// The label of the link whose `[` is at `start`, and the end of the link.
  private static func link(_ text: ArraySlice<UInt8>, _ start: Int) -> (ArraySlice<UInt8>, Int)? {
    var at = start + 1, depth = 1
    while at < text.endIndex {
      switch text[at] {
      case UInt8(ascii: "\\"): at += 1
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      default: break
      }
      if depth == 0 { break }
      at += 1
    }
    guard at + 1 < text.endIndex, text[at + 1] == UInt8(ascii: "(") else { return nil }
    let label = text[(start + 1)..<at]
    at += 2
    let isBracketed = at < text.endIndex && text[at] == UInt8(ascii: "<")
    if isBracketed {
      guard let close = text[at...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      at = close
    }
    guard let end = text[at...].firstIndex(of: UInt8(ascii: ")")) else { return nil }
    return (label, end + 1)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || byte >= 0x80
  }

  private static func isMark(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && !isAlphanumeric(byte) }
}
