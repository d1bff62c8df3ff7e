import Query
import Rows
import Testing

@Suite("Profiles of tables") struct ProfileTests {
  private func table(rows count: Int) -> (Schema, [RowBatch]) {
    let schema = Schema(
      "t",
      columns: [
        ColumnDescription("id", .integer), ColumnDescription("name", .text), ColumnDescription("rate", .real),
        ColumnDescription("born", .date), ColumnDescription("tags", .list(.text)), ColumnDescription("on", .boolean),
        ColumnDescription("none", .text),
      ])
    var builder = RowBatchBuilder(width: schema.width), batches: [RowBatch] = []
    for row in 0..<count {
      builder.append(integer: Int64(row) * 7919 % 1_000_003)
      if row % 10 == 3 { builder.appendNull() } else { builder.append(text: "name \(row * 31 % 60_000)") }
      builder.append(real: Double(row % 1000) / 8)
      builder.append(text: "19\(10 + row % 80)-0\(1 + row % 9)")
      builder.append(json: Array((row % 3 == 0 ? "[\"a\",\"b\"]" : "[\"a\"]").utf8))
      builder.append(boolean: row % 4 == 0)
      builder.appendNull()
      if builder.count == 777 { batches.append(builder.takeBatch()) }
    }
    batches.append(builder.takeBatch())
    return (schema, batches)
  }

  private func profile(_ table: (Schema, [RowBatch]), threads: Int) async throws -> [[String: Value]] {
    let rows = try await Profile.rows(of: BufferedRows(schema: table.0, batches: table.1), threads: threads)
    var result: [[String: Value]] = []
    for batch in try await rows.collect() {
      for row in 0..<batch.count {
        result.append(
          Dictionary(uniqueKeysWithValues: rows.schema.columns.enumerated().map { ($1.name, batch.value(row, $0)) }))
      }
    }
    return result
  }

  @Test("few values are counted exactly") func exact() async throws {
    let columns = try await profile(table(rows: 1000), threads: 2)
    #expect(columns.map { $0["column"] } == ["id", "name", "rate", "born", "tags", "on", "none"].map { .text($0) })
    #expect(columns[0]["distinct"] == .text("1000=") && columns[0]["distinct_is_exact"] == .boolean(true))
    #expect(columns[1]["null"] == .text("10%") && columns[1]["nulls"] == .integer(100))
    #expect(columns[2]["min"] == .text("0") && columns[2]["max"] == .text("124.875"))
    #expect(columns[2]["p25"] == .text("31.125") && columns[2]["median"] == .text("62.375"))
    #expect(columns[3]["min"] == .text("1910-01") && columns[3]["max"] == .text("1989-09"))
    #expect(columns[4]["values"] == .text("a×1000 b×334") && columns[4]["type"] == .text("[text]"))
    #expect(columns[5]["top"] == .json(Array(#"[{"value":"no","count":750},{"value":"yes","count":250}]"#.utf8)))
    #expect(columns[6]["null"] == .text("all") && columns[6]["distinct"] == .null && columns[6]["values"] == .null)
  }

  @Test("the figures do not depend on threads and batches", arguments: [1000, 120_000]) func threads(
    _ count: Int
  ) async throws {
    let table = table(rows: count), one = try await profile(table, threads: 1)
    for threads in [2, 3, 8] { #expect(try await profile(table, threads: threads) == one) }
    let rows = table.1.flatMap { batch in (0..<batch.count).map { batch.selecting([$0]) } }
    let shuffled = stride(from: 0, to: 7, by: 1).flatMap { start in
      stride(from: start, to: rows.count, by: 7).map { rows[$0] }
    }
    #expect(try await profile((table.0, shuffled), threads: 2) == one)
  }

  @Test("many values are estimated, marked, and within 2 %") func estimates() async throws {
    let columns = try await profile(table(rows: 120_000), threads: 2)
    for (position, expected) in [(0, 120_000.0), (1, 54_000.0)] {
      guard case .integer(let count) = columns[position]["distinct_count"] else { throw Failure() }
      #expect(abs(Double(count) - expected) < expected * 0.02, "\(count) of \(expected)")
      #expect(columns[position]["distinct"] == .text("~\(count)") && columns[position]["top"] == .null)
    }
    guard case .text(let median) = columns[0]["median"], let value = Double(String(decoding: median, as: UTF8.self))
    else {
      throw Failure()
    }
    let all = (0..<120_000).map { $0 * 7919 % 1_000_003 }.sorted()
    #expect(abs(value - Double(all[60_000])) < 0.01 * Double(all[60_000]))
    #expect(columns[0]["min"] == .text("0") && columns[0]["max"] == .text(String(all.last ?? 0)))
  }

  @Test("lengths count characters, and extremes put numbers before texts", arguments: [10, 120_000]) func mixed(
    _ count: Int
  ) async throws {
    let schema = Schema("t", columns: [ColumnDescription("text", .text), ColumnDescription("any", .json)])
    let texts = ["äöü", "日本語日本語日本語", "plain ascii text", "🚗🚗", "é"]
    var builder = RowBatchBuilder(width: 2), batches: [RowBatch] = []
    for row in 0..<count {
      let text = texts[row % texts.count]
      builder.append(text: row < 10 ? text : "\(text)-\(row)")
      switch row % 4 {
      case 0: builder.append(integer: Int64(row) - 3)
      case 1: builder.append(text: "1\(row)a")
      case 2: builder.append(number: Array("-1000000000000000000.5".utf8))
      default: builder.append(boolean: true)
      }
      if builder.count == 500 { batches.append(builder.takeBatch()) }
    }
    batches.append(builder.takeBatch())
    for order in [batches, batches.reversed()] {
      let columns = try await profile((schema, order), threads: 2)
      #expect(columns[0]["min_length"] == .integer(1))
      #expect(columns[0]["max_length"] == .integer(count == 10 ? 16 : Int64("plain ascii text-119997".utf8.count)))
      #expect(columns[0]["min"] == .text("plain ascii text"))
      #expect(columns[1]["min"] == .text("-1000000000000000000.5") && columns[1]["max"] == .text("yes"))
      #expect(columns[1]["distinct_is_exact"] == .boolean(count == 10))
    }
  }

  private struct Failure: Error {}
}
