import Domain
import Rows

/// Tests a plug-in with tables that are hard to write.
package struct PluginTest: Sendable {
  package struct Result: Sendable, Hashable {
    package let what: String
    /// The error; nil if there was none.
    package let fault: String?
  }

  private let exporter: ExternalExporter

  package init(_ exporter: ExternalExporter) { self.exporter = exporter }

  /// The results, in order. A plug-in may refuse a table by ending with 65; it must not hang, fall, or make another
  /// document of the same rows.
  package func run() async -> [Result] {
    let hostile = Self.hostile
    var results: [Result] = []
    results.append(
      await result("an empty table produces a document") { () async throws(Problem) in
        _ = try await document([], of: hostile.schema)
      })
    results.append(
      await result("ordinary rows produce a document that differs from the empty one") { () async throws(Problem) in
        if try await document(Self.plain(10)).isEmpty { throw Problem(.plugIn, "no output") }
      })
    results.append(
      await result("output does not depend on how the input is split into chunks") { () async throws(Problem) in
        let one = try await document(Self.plain(1000)), other = try await document(Self.plain(1000, batchesOf: 7))
        guard one == other else { throw Problem(.plugIn, "the documents differ") }
      })
    results.append(
      await result("a large table streams without stalling") { () async throws(Problem) in
        _ = try await document(Self.plain(50_000))
      })
    for (name, row) in hostile.rows {
      results.append(
        await result("\(name): written or refused") { () async throws(Problem) in
          do throws(Problem) {
            _ = try await document([Self.batch([row])], of: hostile.schema)
          } catch {
            guard error.kind == .badData else { throw error }
          }
        })
    }
    results.append(
      await result("a truncated stream does not hang") { () async throws(Problem) in
        let sink = try exporter.program(ExportOptions(), into: KeptBytes())
        var text = ByteBuffer(capacity: 64)
        text.append("{\"type\":\"SCHEMA\",\"stream\":\"t\"")
        try await sink.write(text)
        await sink.abandon()
      })
    return results
  }

  private func result(_ what: String, _ body: () async throws(Problem) -> Void) async -> Result {
    do throws(Problem) {
      try await body()
      return Result(what: what, fault: nil)
    } catch {
      return Result(what: what, fault: error.message)
    }
  }

  private func document(_ table: (Schema, [RowBatch])) async throws(Problem) -> [UInt8] {
    try await document(table.1, of: table.0)
  }

  /// The output of the plug-in for rows.
  private func document(_ batches: [RowBatch], of schema: Schema) async throws(Problem) -> [UInt8] {
    let kept = KeptBytes()
    let sink = try await exporter.sink(for: schema, options: ExportOptions()) { () throws(Problem) in kept }
    _ = try await sink.write(all: batches)
    return await kept.bytes
  }

  // MARK: - Tables

  private static func batch(_ rows: [[Value]]) -> RowBatch {
    var builder = RowBatchBuilder(width: rows[0].count)
    for value in rows.joined() { builder.append(value: value) }
    return builder.finish()
  }

  /// Rows with a number and a word.
  private static func plain(_ count: Int, batchesOf size: Int = 1000) -> (Schema, [RowBatch]) {
    let schema = Schema(
      "plain", key: ["id"],
      columns: [ColumnDescription("id", .integer, nullable: false), ColumnDescription("name", .text)])
    let batches = stride(from: 0, to: count, by: size).map { start in
      batch((start..<min(start + size, count)).map { [.integer(Int64($0)), .text("name \($0)")] })
    }
    return (schema, batches)
  }

  /// A column of every type, and rows with what tends to go wrong.
  private static let hostile: (schema: Schema, rows: [(name: String, row: [Value])]) = {
    let types = ColumnType.allCases
    let schema = Schema("hostile", columns: types.map { ColumnDescription($0.name, $0) })
    func row(text: String, integer: Int64 = 1, number: String = "1.10", list: String = "[]", json: String = "{}")
      -> [Value]
    {
      types.map { type in
        switch type {
        case .integer: .integer(integer)
        case .real: .real(-0.0)
        case .decimal: .number(Array(number.utf8))
        case .boolean: .boolean(true)
        case .text: .text(text)
        case .bytes: .bytes([0, 255])
        case .date: .text("1966-03")
        case .datetime: .text("1969-12-31T23:59")
        case .timestamp: .text("1969-12-31T23:59:59.999Z")
        case .url: .text("javascript:alert(1)")
        case .list(.integer): .json(Array("[9007199254740993]".utf8))
        case .list: .json(Array(list.utf8))
        case .json: .json(Array(json.utf8))
        }
      }
    }
    return (
      schema,
      [
        ("null in every column", types.map { _ in .null }), ("empty texts and lists", row(text: "")),
        ("quotes, pipes, tabs and newlines", row(text: "\"a\" | 'b'\t\r\nc\\")),
        ("control characters", row(text: "\u{0}\u{1B}[31m\u{7F}\u{FEFF}")),
        ("characters of every UTF-8 length", row(text: "Zoë é e\u{301} 신과함께 👩‍👩‍👧 \u{202E}x")),
        ("a formula", row(text: "=1+1")),
        ("a 5 MB text", row(text: String(repeating: "0123456789", count: 500_000))),
        (
          "30-digit numbers",
          row(text: "n", integer: .min, number: "123456789012345678901234567890.10")
        ),
        (
          "nested values",
          row(text: "n", list: #"["a,b","\"c\"",""]"#, json: #"{"a":[{"b":null}],"é":1e400}"#)
        ),
      ]
    )
  }()
}

private actor KeptBytes: ByteSink {
  nonisolated let name = "memory"
  private(set) var bytes: [UInt8] = []
  nonisolated func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { await keep(bytes.bytes()) }
  private func keep(_ more: [UInt8]) { bytes += more }
  func commit() async throws(Problem) {}
  func abandon() async {}
}
