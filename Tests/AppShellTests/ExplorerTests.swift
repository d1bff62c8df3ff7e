@testable import AppShell
import CommandLineKit
import Query
import Rows
import Testing

@Suite("Tables to walk through") struct ExplorerTests {
  private let schema = Schema(
    "t",
    columns: [ColumnDescription("n", .integer), ColumnDescription("na\"me", .text), ColumnDescription("tags", .json)])

  private func facts(rows: Int = 100, lines: Int = 10, _ value: Value = .text("it's")) -> Explorer.Facts {
    Explorer.Facts(schema: schema, count: rows, lines: lines, fitting: 2) { _, column in column == 2 ? .json([]) : value
    }
  }

  private func press(_ explorer: inout Explorer, _ keys: TerminalKey...) -> Explorer.Effect {
    keys.reduce(.none) { _, key in explorer.press(key, facts()) }
  }

  @Test("the cursor stays within the rows and on the screen") func moving() {
    var explorer = Explorer()
    for key in [TerminalKey.up, .pageUp, .home] {
      #expect(press(&explorer, key) == .none && explorer.view.row == 0)
    }
    _ = press(&explorer, .end)
    #expect(explorer.view.row == 99 && explorer.view.top == 90)
    _ = press(&explorer, .down, .pageDown)
    #expect(explorer.view.row == 99)
    _ = press(&explorer, .character("g"))
    #expect(explorer.view.row == 0 && explorer.view.top == 0)
  }

  @Test("a screen of another size is full, and has the cursor") func resizing() {
    var explorer = Explorer()
    _ = press(&explorer, .end)
    for (lines, top) in [(30, 70), (200, 0), (5, 95), (1, 99), (10, 90)] {
      explorer.fit(facts(lines: lines))
      #expect(explorer.view.row == 99 && explorer.view.top == top)
    }
  }

  @Test("a filter is a condition that finds the value, and Escape undoes it") func filters() throws {
    var explorer = Explorer()
    #expect(press(&explorer, .character("f")) == .load)
    #expect(explorer.view.query.filters == ["\"na\"\"me\" = 'it''s'"])
    #expect(press(&explorer, .character("x")) == .load)
    #expect(explorer.view.query.filters.last == "\"na\"\"me\" != 'it''s' or \"na\"\"me\" is null")
    for filter in explorer.view.query.filters { #expect(try Predicate(parsing: filter).columns.first == "na\"me") }
    #expect(press(&explorer, .escape) == .back && explorer.view.query.filters.count == 1)
    #expect(press(&explorer, .escape, .escape) == .none && explorer.views.count == 1)
    #expect(Explorer.condition("a", .null, isExcluding: false) == "\"a\" is null")
    #expect(Explorer.condition("a", .null, isExcluding: true) == "\"a\" is not null")
    #expect(press(&explorer, .right, .right, .character("f")) == .none && explorer.message.contains("json"))
  }

  @Test("a column is sorted up, down, and not") func sorting() {
    var explorer = Explorer()
    #expect(press(&explorer, .character("s")) == .load)
    #expect(explorer.view.query.sort == "na\"me" && !explorer.view.query.isDescending)
    _ = press(&explorer, .character("s"))
    #expect(explorer.view.query.isDescending)
    _ = press(&explorer, .character("s"))
    #expect(explorer.view.query == Explorer.Query())
  }

  @Test("a value of a frequency sheet filters the rows that it counts") func counting() {
    var explorer = Explorer()
    #expect(press(&explorer, .character("F")) == .load && explorer.view.query.counted == "na\"me")
    let counts = Schema("t", columns: [ColumnDescription("na\"me", .text), ColumnDescription("rows", .integer)])
    let facts = Explorer.Facts(schema: counts, count: 3, lines: 10, fitting: 1) { row, _ in .text("v\(row)") }
    _ = explorer.press(.down, facts)
    #expect(explorer.press(.enter, facts) == .load)
    #expect(explorer.view.query.counted == nil && explorer.view.query.filters == ["\"na\"\"me\" = 'v1'"])
  }

  @Test("columns are hidden and shown again; the last one stays") func columns() {
    var explorer = Explorer()
    #expect(press(&explorer, .character("-")) == .load && explorer.view.columns == ["n", "tags"])
    _ = press(&explorer, .character("-"))
    #expect(press(&explorer, .character("-")) == .none && explorer.view.columns?.count == 1)
    #expect(press(&explorer, .character("+")) == .load && explorer.view.columns == nil)
  }

  @Test("searches, commands and ways out") func others() {
    var explorer = Explorer()
    #expect(press(&explorer, .character("n")) == .none)
    #expect(
      press(&explorer, .character("/"), .character("q"), .character("x"), .backspace, .enter) == .find(isForward: true))
    #expect(explorer.words == "q")
    #expect(press(&explorer, .character("N")) == .find(isForward: false))
    #expect(press(&explorer, .character("y")) == .copy && press(&explorer, .control("C")) == .interrupt)
    #expect(press(&explorer, .character("?"), .character("q")) == .none && press(&explorer, .closed) == .quit)
  }

  @Test("keys are taken from what a terminal sends, whole or in parts") func keys() {
    let sent: [(String, TerminalKey)] = [
      ("a", .character("a")), ("é", .character("é")), ("日", .character("日")), ("\u{1B}[A", .up), ("\u{1B}OB", .down),
      ("\u{1B}[1;5C", .right), ("\u{1B}[5~", .pageUp), ("\u{1B}[3~", .other), ("\r", .enter), ("\u{3}", .control("C")),
      ("\u{7F}", .backspace), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
    ]
    var all: [UInt8] = []
    for (text, key) in sent {
      var bytes = Array(text.utf8), part: [UInt8] = []
      #expect(TerminalKey.take(from: &bytes, isComplete: false) == key && bytes.isEmpty, "\(text)")
      for byte in text.utf8.dropLast() {
        part.append(byte)
        #expect(TerminalKey.take(from: &part, isComplete: false) == nil)
      }
      all += text.utf8
    }
    for (_, key) in sent { #expect(TerminalKey.take(from: &all, isComplete: false) == key) }
    var escape: [UInt8] = [0x1B], invalid: [UInt8] = [0xFF, 0x61]
    #expect(TerminalKey.take(from: &escape, isComplete: false) == nil)
    #expect(TerminalKey.take(from: &escape, isComplete: true) == .escape)
    #expect(TerminalKey.take(from: &invalid, isComplete: true) == .other)
    #expect(TerminalKey.take(from: &invalid, isComplete: true) == .character("a"))
  }
}
