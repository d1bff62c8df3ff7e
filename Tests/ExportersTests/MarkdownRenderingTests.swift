import Conformance
import Exporters
import Rows
import Testing

/// Markdown as a real renderer shows it. Skipped where cmark-gfm is not installed.
@Suite("Markdown, rendered", .enabled(if: Shell.has("cmark-gfm"), "cmark-gfm is not installed"))
struct MarkdownRenderingTests {
  private static let command = "cmark-gfm -e table -e strikethrough -e autolink -e tagfilter --unsafe"

  /// What cells are made of: signs of Markdown and HTML, line ends, control characters, links, letters.
  private static let pieces = [
    "|", "\\", "`", "*", "_", "[", "]", "(", ")", "<", ">", "&", "~", "!", "#", "$", "-", "+", ":", "\"", "'", "a", "b",
    " ", "\n",
    "\r", "\t", "\0", "&amp;", "<br>", "http://x.y", "www.a.bc", "x@y.zz", "é", "漢", "\u{2028}", "\u{85}", "{", "}",
    "=", "^", "@",
    ";", "&#124;", "\\|", "``", "**", "https://e.org/a?b=1&c=2", "WWW.", "ftp://", "/", ".", "mailto:a@b.c",
    "xmpp:a@b.c", "\u{9B}",
    "&copy;", "&copy", "& ", ":smile:", ":", "%7C", "<http://e.org>", "://", "\u{7F}", "1.", "🎉",
  ]

  private func rendered(_ values: [String], _ type: ColumnType = .text) async throws -> [[HTMLTable.Cell]] {
    let schema = Schema("t", columns: [ColumnDescription("a", type), ColumnDescription("b", .text)])
    let table = SampleTable("cells", schema, values.map { [.text($0), .text("END")] })
    let document = try await ExporterFixture("", WriterFormat.markdown).document(table, batchesOf: 100)
    let html = try #require(Shell.run(Self.command, input: document))
    let rows = HTMLTable.rows(html)
    return Array(try #require(rows).dropFirst())
  }

  @Test("random cells show the source text", arguments: [ColumnType.text, .url])
  func randomCells(_ type: ColumnType) async throws {
    // Tools/check-markdown asks for more cells, other ones each time.
    let count = Shell.environment("BB_MARKDOWN_CELLS").flatMap(Int.init) ?? 60_000
    let seed = Shell.environment("BB_MARKDOWN_SEED").flatMap(UInt64.init) ?? 11
    var numbers = SplitMix64(seed: type == .text ? seed : seed &+ 1)
    let values = (0..<count / 2).map { position -> String in
      let count = Int.random(in: 0...9, using: &numbers)
      let text = (0..<count).map { _ in Self.pieces.randomElement(using: &numbers) ?? "" }.joined()
      return position % 3 == 0 ? "https://e.org/" + text : text
    }
    let rows = try await rendered(values, type)
    try #require(rows.count == values.count)
    var wrong = 0
    for (value, row) in zip(values, rows) where row.map(\.text) != [value.shownByDisplayFormats, "END"] {
      wrong += 1
      if wrong <= 5 { Issue.record("\(value.debugDescription) is shown as \(row.map(\.text.debugDescription))") }
    }
    #expect(wrong == 0)
  }

  @Test("addresses are links, scripts are not") func links() async throws {
    let addresses = [
      "https://e.org/", "http://e.org/a?b=1&c=2", "https://e.org/a|b", "https://e.org/<x>", "https://e.org/&copy;",
      "HTTPS://E.ORG/_x_", "https://e.org/\\a`b`", "https://e.org/ü", "https://e.org/(a)[b]",
    ]
    let others = [
      "javascript:alert(1)", "data:text/html,x", "https://e.org/ x", "www.e.org", "ftp://e.org", "https://",
    ]
    let rows = try await rendered(addresses + others)
    for (value, row) in zip(addresses + others, rows) {
      #expect(row[0].isLink == addresses.contains(value), "\(value)")
      #expect(row[0].text == value)
    }
  }
}

/// Just enough HTML to read the tables that renderers write.
enum HTMLTable {
  /// One cell: its text as a browser shows it, and whether there is a link in it.
  struct Cell { var text = "", isLink = false }

  private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\""]

  /// The rows of cells; nil when there is a tag that the cells' text should not have made.
  static func rows(_ html: [UInt8]) -> [[Cell]]? {
    var rows: [[Cell]] = [], cell: Cell?
    var rest = html[...]
    func take(through end: Character) -> String? {
      guard let stop = rest.firstIndex(of: end.asciiValue ?? 0) else { return nil }
      defer { rest = rest[(stop + 1)...] }
      return String(decoding: rest[rest.startIndex..<stop], as: UTF8.self)
    }
    while let byte = rest.first {
      if byte == UInt8(ascii: "<") {
        guard let tag = take(through: ">")?.dropFirst() else { return nil }
        switch tag.split(separator: " ").first ?? "" {
        case "tr": rows.append([])
        case "td", "th": cell = Cell()
        case "/td", "/th":
          if let cell { rows[rows.count - 1].append(cell) }
          cell = nil
        case "br": cell?.text += "\n"
        case "a": cell?.isLink = true
        case "/a", "table", "/table", "thead", "/thead", "tbody", "/tbody", "/tr": break
        default: return nil
        }
      } else if byte == UInt8(ascii: "&") {
        guard let name = take(through: ";")?.dropFirst(), let text = entities[String(name)] else { return nil }
        cell?.text += text
      } else {
        let stop = rest.firstIndex { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") } ?? rest.endIndex
        cell?.text += String(decoding: rest[..<stop], as: UTF8.self)
        rest = rest[stop...]
      }
    }
    return rows
  }
}

extension String {
  /// The text that Markdown and HTML show: line ends as such, other control characters as U+FFFD.
  var shownByDisplayFormats: String {
    let lines = unicodeScalars.split(separator: "\r", omittingEmptySubsequences: false).map(String.init)
    var text = lines[0]
    for line in lines.dropFirst() { text += line.unicodeScalars.first == "\n" ? line : "\n" + line }
    var seen = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isShown =
        scalar == "\n" || scalar == "\t" || scalar == "\u{85}" || scalar.properties.generalCategory != .control
      seen.append(isShown ? scalar : "\u{FFFD}")
    }
    return String(seen)
  }
}
