import Codecs
import Conformance
import Documents
import Domain
import Exporters
import Rows
import Synchronization
import Testing

@Suite("Pages of tables") struct TablePageTests {
  private let schema = Schema(
    "t",
    columns: [ColumnDescription("n", .integer), ColumnDescription("late", .text), ColumnDescription("never", .text)])

  /// A table in which a column has its only value in the last row.
  private func table(_ rows: Int) -> SampleTable {
    SampleTable(
      "\(rows) rows", schema, (1...rows).map { [.integer(Int64($0)), $0 == rows ? .text("x") : .null, .null] })
  }
  private func page(_ table: SampleTable, batchesOf size: Int) async throws -> String {
    String(decoding: try await ExporterFixture("html", HTMLExporter()).document(table, batchesOf: size), as: UTF8.self)
  }

  @Test("batches below, at and above the head give the same page", arguments: [499, 500, 501, 1200])
  func batching(_ rows: Int) async throws {
    let whole = try await page(table(rows), batchesOf: .max / 2)
    for size in [1, 7, 499, 500, 501] { #expect(try await page(table(rows), batchesOf: size) == whole) }
    #expect(whole.contains("<noscript class=\"rows\">") == (rows >= 500))
  }

  @Test("a column with its only value in the last row is shown", arguments: [3, 501, 1200]) func late(_ rows: Int)
    async throws
  {
    let text = try await page(table(rows), batchesOf: 100)
    #expect(text.contains("<i id=\"e3\" hidden></i>\(rows) rows</footer>"))
    #expect(!text.contains("<i id=\"e2\"") && !text.contains("<i id=\"e1\""))
    #expect(text.contains("body:has(#e3)"))
  }

  @Test("an export in threads gives the page of one thread") func threads() async throws {
    let table = table(3000), exporter = HTMLExporter()
    var pages: Set<[UInt8]> = []
    for (threads, size) in [(1, 300), (4, 400), (4, 499), (2, 3000)] {
      let sink = MemorySink()
      let output = Export.Output(exporter, ExportOptions()) { () throws(Problem) in sink }
      _ = try await Export(to: [output], threads: threads, scratch: NoScratch()).run(
        BufferedRows(schema: schema, batches: table.batches(of: size))
      ) { (rows) throws(Problem) in rows }
      pages.insert(sink.bytes)
    }
    #expect(pages.count == 1)
    let expected = try await ExporterFixture("html", exporter).document(table, batchesOf: 100)
    #expect(pages.first == expected)
  }

  @Test("the policy allows the style and the script of the page, and nothing else") func policy() async throws {
    let text = try await page(.hostile, batchesOf: 7)
    let style = try #require(text.firstMatch(of: /<style>([^<]*)<\/style>/)).output.1
    let script = try #require(text.firstMatch(of: /<script>([\s\S]*?)<\/script>/)).output.1
    for part in [style, script] {
      var digest = SHA256()
      digest.update(Array(part.utf8))
      let source = String(decoding: Base64.encoded(digest.digest()), as: UTF8.self)
      #expect(text.contains("'sha256-\(source)'"))
    }
    #expect(text.contains("default-src 'none'") && text.contains("img-src 'none'"))
    #expect(!text.contains(" style=") && !text.contains(" onclick=") && text.matches(of: /<script/).count == 1)
  }

  @Test("on paper numbers and dates have the room of the widest value; a page without scripts has the header again")
  func paper() async throws {
    let schema = Schema(
      "t",
      columns: [
        ColumnDescription("birth_day", .date), ColumnDescription("n", .integer), ColumnDescription("text", .text),
      ])
    func document(_ rows: Int) async throws -> String {
      let values: [[Value]] = (1...rows).map { row in
        [.text("2024-01-31"), .integer(123_456_789), .text("word \(row)")]
      }
      return try await page(SampleTable("", schema, values), batchesOf: 100)
    }
    let small = try await document(3), large = try await document(600)
    for text in [small, large] {
      let print = try #require(text.split(separator: "@media print {").last)
      #expect(print.contains("thead th:nth-child(2) { width: 11.6ch }"), "\(print.prefix(400))")
      #expect(print.contains("thead th:nth-child(3) { width: 10.6ch }"), "\(print.prefix(400))")
      #expect(print.contains(":is(td, th):nth-child(3) { white-space: normal; overflow: visible"))
      #expect(text.contains("<th scope=\"col\" data-t=\"d\" data-c=\"birth_day\">birth day"))
    }
    #expect(small.matches(of: /<thead>/).count == 1 && !small.contains("<noscript"))
    #expect(large.contains("<noscript class=\"rows\"><table class=\"one\"><thead><tr><th scope=\"col\""))
  }

  @Test("chosen columns stay in order") func order() async throws {
    let schema = Schema(
      "t", key: ["id"],
      columns: [
        ColumnDescription("id", .text), ColumnDescription("first name", .text), ColumnDescription("name", .text),
        ColumnDescription("photo", .url),
      ])
    let rows: [[Value]] = [[.text("7"), .text("a"), .text("b"), .text("https://e.org/1.jpg")]]
    func heads(_ options: ExportOptions) async throws -> [String] {
      let document = try await ExporterFixture("html", HTMLExporter(), options: options).document(
        SampleTable("", schema, rows))
      return String(decoding: document, as: UTF8.self).matches(of: /<th scope="col"[^>]*>(?:<span>)?([^<\n]*)/).map {
        String($0.output.1)
      }
    }
    #expect(try await heads(ExportOptions()) == ["photo", "name", "first name", "id"])
    #expect(try await heads(ExportOptions(hasChosenColumns: true)) == ["id", "first name", "name", "photo"])
  }

  @Test("columns that do not fit are folded, unless they were chosen") func fit() async throws {
    let schema = Schema(
      "t", columns: (0..<30).map { ColumnDescription("column_\($0)", $0 == 3 ? .date : .text) })
    let table = SampleTable("wide", schema, [(0..<30).map { .text($0 == 3 ? "2024-01-31" : "some words \($0)") }])
    func ticked(_ options: ExportOptions) async throws -> (words: String, count: Int) {
      let text = String(
        decoding: try await ExporterFixture("html", HTMLExporter(), options: options).document(table), as: UTF8.self)
      let words = try #require(text.firstMatch(of: /<summary>Columns<span> ([^<]*)/)).output.1
      return (String(words), text.matches(of: /id="k\d+" checked/).count)
    }
    let some = try await ticked(ExportOptions())
    #expect(some.count >= 5 && some.count <= 12 && some.words == "(\(some.count) of 30)", "\(some)")
    let all = try await ticked(ExportOptions(hasChosenColumns: true))
    #expect(all.count == 30 && all.words == "(30 of 30)")
  }

  @Test("rows have one line in tables of more than 50", arguments: [50, 51, 600]) func lines(_ rows: Int) async throws {
    #expect(try await page(table(rows), batchesOf: 20).contains("class=\"one\"") == (rows > 50))
  }

  @Test("a table of places has a map") func map() async throws {
    let text = try await page(.places, batchesOf: 7)
    #expect(text.contains("<svg class=\"map\" role=\"group\" aria-label=\"Map of the places\" viewBox=\""))
    #expect(text.matches(of: /<a rel="noopener" href="[^"]*" data-at="/).count == SampleTable.places.rows.count)
    let other = try await page(table(3), batchesOf: 1)
    #expect(!other.contains("<figure>"))
  }
}

/// An output in memory.
final class MemorySink: ByteSink {
  let name = "memory"
  private let written = Mutex<[UInt8]>([])
  var bytes: [UInt8] { written.withLock { $0 } }
  func write(_ buffer: borrowing ByteBuffer) async {
    let piece = buffer.bytes()
    written.withLock { $0 += piece }
  }
  func commit() async {}
  func abandon() async {}
}

private struct NoScratch: ScratchSpace {
  func makeFile() throws(Problem) -> any ScratchFile { throw Problem(.bug, "no temporary files") }
}
