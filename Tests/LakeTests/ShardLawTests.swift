import Codecs
import Exporters
import Query
import Rows
import TestSupport
import Testing

@testable import Domain
@testable import Lake
@testable import Parquet
@testable import Persistence

/// Of every input the rows of all parts are its rows, in their order, and all parts have the same columns.
@Suite("parts of inputs") struct ShardLawTests {
  /// Numbers that are the same in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 29 ^ state) &* 0x9E37_79B9_7F4A_7C15
    }
  }

  private static func text(_ random: inout Numbers) -> String {
    let pieces = ["", "a", "ü", "\n", "\r\n", "\"\"", ",", " ", "1", "\n\n", "x\ny", "-7", "\t"]
    let text = (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
      .joined()
    return text.contains { "\n\r\n,\"".contains($0) } || Bool.random(using: &random) ? "\"\(text)\"" : text
  }

  /// A CSV file: with line breaks in fields unless `lines`.
  private static func csv(_ random: inout Numbers, lines: Bool = false) -> String {
    let width = Int.random(in: 1...3, using: &random), end = Bool.random(using: &random) ? "\n" : "\r\n"
    var text = Bool.random(using: &random) ? "\u{FEFF}" : ""
    text += (0..<width).map { lines || $0 > 0 ? "c\($0)" : "\"c\($0)\n\"" }.joined(separator: ",") + end
    let count = Int.random(in: 0...30, using: &random)
    for row in 0..<count {
      let fields = (0..<width).map { _ in
        let field = Self.text(&random)
        return lines ? field.replacing("\r\n", with: "").replacing("\n", with: "") : field
      }
      text += fields.joined(separator: ",")
      if row < count - 1 || Bool.random(using: &random) { text += end }
    }
    return text
  }

  private func values(_ rows: any RowStream) async throws(Problem) -> [[Value]] {
    var found: [[Value]] = []
    while let batch = try await rows.next()?.batch() {
      for row in 0..<batch.count { found.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    return found
  }

  /// The rows of all parts; the columns of each must be those of the whole.
  private func joined(
    _ count: Int, _ whole: Schema, _ part: (Shard) async throws -> (any RowStream)?
  ) async throws -> [[Value]] {
    var all: [[Value]] = []
    for index in 1...count {
      let rows = try #require(try await part(try Shard("\(index)/\(count)")))
      #expect(rows.schema.columns == whole.columns && !rows.mayWiden)
      all += try await values(rows)
    }
    return all
  }

  @Test("CSV with quotes, CRLF and line breaks at every border, also line by line", arguments: 0..<40)
  func csv(seed: Int) async throws {
    var random = Numbers(state: UInt64(seed))
    for _ in 0..<50 {
      let lines = Bool.random(using: &random), text = Self.csv(&random, lines: lines)
      var reading = CSVReading()
      reading.areLines = lines
      func open() throws(Problem) -> CSVRowStream {
        try CSVRowStream.inferring(MemoryByteSource(text, name: "t.csv"), table: "t", reading)
      }
      let whole = try open(), count = Int.random(in: 1...17, using: &random)
      let expected = try await values(whole)
      let found = try await joined(count, whole.schema) { try open().part($0.range) }
      #expect(found == expected, "\(count) parts of \(text.debugDescription)")
    }
  }

  @Test("CSV in several pieces, with a quote in an unquoted field", arguments: 1...17) func large(count: Int)
    async throws
  {
    var text = "id,t\n"
    for row in 0..<30_000 {
      text +=
        row % 7 == 0 ? "\(row),\"a\n,\"\"\(row)\"\n" : row == 20_000 ? "\(row),5\" disk\n" : "\(row),text \(row)\n"
    }
    func open() throws(Problem) -> CSVRowStream {
      try CSVRowStream.inferring(MemoryByteSource(text, name: "t.csv"), table: "t")
    }
    let found = try await joined(count, try open().schema) { try open().part($0.range) }
    #expect(found.count == 30_000 && found.enumerated().allSatisfy { $1[0].plainText == Array(String($0).utf8) })
  }

  @Test("a line break in a field of lines is refused with its line, by the part that has the quote")
  func brokenLines() async throws {
    var reading = CSVReading()
    reading.areLines = true
    let text = "a,b\n1,x\n2,\"y\nz\"\n3,w\n4,v\n"
    for count in 1...5 {
      var problems: [Problem] = []
      for index in 1...count {
        let shard = try Shard("\(index)/\(count)")
        do {
          let rows = try CSVRowStream.inferring(MemoryByteSource(text, name: "t.csv"), table: "t", reading)
          _ = try await values(try #require(try rows.part(shard.range)))
        } catch { problems.append(try #require(error as? Problem)) }
      }
      #expect(problems.contains { $0.kind == .badData && $0.place.hasPrefix("t.csv:3") }, "\(count): \(problems)")
    }
  }

  @Test("a value that does not fit the types of the beginning is refused by its part") func late() async throws {
    let text = "a\n" + String(repeating: "1\n", count: 700_000) + "x\n"
    let rows = try CSVRowStream.inferring(MemoryByteSource(text, name: "t.csv"), table: "t")
    let last = try #require(try rows.part(try Shard("3/3").range))
    await #expect { _ = try await values(last) } throws: { ($0 as? Problem)?.place == "t.csv:700002:1" }
  }

  @Test("JSON Lines", arguments: 0..<20) func lines(seed: Int) async throws {
    var random = Numbers(state: UInt64(seed))
    let end = seed % 2 == 0 ? "\n" : "\r\n"
    var text = ""
    for row in 0..<Int.random(in: 1...60, using: &random) {
      text += "{\"a\":\(row),\"t\":\"\(["", "\\n", "ü{", "\\\"}"].randomElement(using: &random) ?? "")\"}\(end)"
      if Int.random(in: 0...9, using: &random) == 0 { text += end }
    }
    if seed % 3 == 0 { text.removeLast(end.count) }
    func open() throws(Problem) -> JSONRowStream {
      try JSONRowStream.inferring(MemoryByteSource(text, name: "t"), table: "t", JSONReading(form: .lines))
    }
    let expected = try await values(try open())
    for count in 1...17 {
      let found = try await joined(count, try open().schema) { try open().part($0.range) }
      #expect(found == expected, "\(count) parts of \(text.debugDescription)")
    }
  }

  // MARK: - Files with row numbers

  private static func numbers(_ count: Int) -> BufferedRows {
    var builder = RowBatchBuilder(width: 2)
    for row in 0..<count {
      builder.append(integer: Int64(row))
      builder.append(text: row % 3 == 0 ? "x" : "text \(row)")
    }
    let columns = [ColumnDescription("id", .integer), ColumnDescription("t", .text)]
    return BufferedRows(schema: Schema("rows", columns: columns), batches: [builder.finish()])
  }

  @Test("Parquet, with pages and row groups", arguments: [1, 7, 5000, 20_011]) func parquet(rows count: Int)
    async throws
  {
    let rows = Self.numbers(count)
    var options = ParquetOptions()
    options.pageRows = 97
    let batches = try await rows.collect()
    let writer = ParquetWriter(rows.schema, options: options, head: batches)
    var out = ByteBuffer(), groups: [(offset: Int, group: ParquetWriter.RowGroup)] = []
    writer.begin(&out)
    for batch in batches {
      for start in stride(from: 0, to: batch.count, by: 1501) {
        let offset = out.count
        groups.append((offset, try writer.append([batch.selecting(start..<min(batch.count, start + 1501))], to: &out)))
      }
    }
    writer.finish(groups, at: out.count, &out)
    let file = try ParquetFile(MemoryByteSource(out.bytes(), name: "t.parquet"))
    let whole = try ParquetRowStream(file, table: "t"), expected = try await values(whole)
    #expect(expected.count == count)
    for parts in 1...17 {
      let found = try await joined(parts, whole.schema) { (shard) throws(Problem) in
        var reading = ParquetReading()
        reading.rows = shard.range(of: file.rowCount)
        return try ParquetRowStream(file, table: "t", reading)
      }
      #expect(found == expected, "\(parts) parts")
    }
  }

  @Test("Delta tables, with several files and with deleted rows") func delta() async throws {
    let table = MemoryTable()
    for count in [10, 4000, 3] {
      let exporter = DeltaExporter(
        try DeltaLocation("delta:memory"), in: table, format: ParquetExporter(), threads: 1
      ) { 0 }
      var options = ExportOptions()
      options.existing = .append
      let export = Export(to: [.init(exporter, options) { Nowhere() }], threads: 1, scratch: NoScratch())
      _ = try await export.run(Self.numbers(count)) { $0 }
    }
    func open() throws(Problem) -> DeltaSource {
      try DeltaSource(try DeltaLocation("delta:memory"), in: table, FileInputOptions())
    }
    let whole = try await open().rows(of: "memory", RowRequest())
    func key(_ row: [Value]) -> String { "\(row)" }
    let expected = try await values(whole).map(key).sorted()
    for parts in 1...17 {
      let found = try await joined(parts, whole.schema) {
        try await open().part($0, of: "memory", RowRequest())
      }
      #expect(found.map(key).sorted() == expected, "\(parts) parts")
    }
  }

  @Test("SQLite tables, with gaps between row ids and at their ends") func sqlite() async throws {
    let directory = TemporaryDirectory()
    let path = "\(directory.path)/t.sqlite"
    let connection = try SQLiteConnection.open(path: path, .writing)
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER, b);
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
      INSERT INTO t(rowid, a, b) SELECT x * x, x, 'text' || x FROM n;
      INSERT INTO t(rowid, a) VALUES(-9223372036854775808, 0), (9223372036854775807, 9);
      CREATE TABLE e(a); CREATE VIEW v AS SELECT * FROM t;
      """)
    func open() throws(Problem) -> FileSource {
      try FileSource(path: path, FileInputOptions(), scratch: NoScratch()) { _ in }
    }
    for table in ["t", "e"] {
      let whole = try await open().rows(of: table, RowRequest()), expected = try await values(whole)
      for parts in [1, 2, 3, 16, 17] {
        let found = try await joined(parts, whole.schema) { try await open().part($0, of: table, RowRequest()) }
        #expect(found == expected, "\(parts) parts of \(table)")
      }
    }
    #expect(try await open().part(try Shard("1/2"), of: "v", RowRequest()) == nil)
  }
}
