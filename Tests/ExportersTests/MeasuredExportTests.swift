import Conformance
import Domain
import Exporters
import Rows
import Synchronization
import Testing

@Suite("exports that measure all rows first") struct MeasuredExportTests {
  private static let schema = Schema(
    "t",
    columns: [
      ColumnDescription("n", .integer), ColumnDescription("text", .text), ColumnDescription("more", .json),
    ])

  /// Rows whose widths and members differ; each member appears first in another batch.
  private static let table = SampleTable("measured", schema, (0..<700).map(row))

  private static func row(_ number: Int) -> [Value] {
    let text = String(repeating: "wé", count: number * 7 % 41)
    let more = "{\"k\(number / 90)\":\(number),\"e\u{301}\":1,\"é\":2}"
    return [.integer(Int64(number * number)), .text(text), .json(Array(more.utf8))]
  }

  private static func bytes(_ exporter: any Exporter, _ values: [String: String], _ threads: Int, _ size: Int)
    async throws -> [UInt8]
  {
    let sink = MemorySink(), options = ExportOptions(values)
    let output = Export.Output(exporter, options) { () throws(Problem) in sink }
    _ = try await Export(to: [output], threads: threads, scratch: NoScratch()).run(
      BufferedRows(schema: schema, batches: table.batches(of: size))
    ) { (rows) throws(Problem) in rows }
    return sink.bytes
  }

  @Test("threads and batches do not change a byte", arguments: [true, false]) func threads(isTable: Bool) async throws {
    let exporter: any Exporter = isTable ? TableExporter() : CSVExporter.csv,
      values = isTable ? [:] : ["nested": "flatten"]
    let wanted = try await Self.bytes(exporter, values, 1, 700)
    #expect(!wanted.isEmpty)
    for (threads, size) in [(1, 70), (2, 70), (2, 300), (7, 25), (7, 33)] {
      #expect(try await Self.bytes(exporter, values, threads, size) == wanted, "\(threads) threads, \(size) rows")
    }
  }

  /// Batches, of which some cannot be made, and then an error of the stream.
  private final class FailingRows: ExactRowStream {
    let schema = MeasuredExportTests.schema
    private let failing: Set<Int>
    private let batches = MeasuredExportTests.table.batches(of: 10)
    private let next = Mutex(0)

    init(at failing: Set<Int>) { self.failing = failing }

    func next() async throws(Problem) -> BatchTask? {
      let index = next.withLock { next in
        defer { next += 1 }
        return next
      }
      if index == 30 { throw Problem(.badData, "batch 30") }
      if !failing.contains(index) { return BatchTask(ready: batches[index]) }
      return BatchTask { () throws(Problem) in throw Problem(.badData, "batch \(index)") }
    }
  }

  @Test("the first problem in input order is reported", arguments: [[21, 23], [29], []]) func problems(
    failing: [Int]
  ) async {
    for threads in [1, 2, 7] {
      let output = Export.Output(TableExporter(), ExportOptions()) { () throws(Problem) in MemorySink() }
      let problem = await #expect(throws: Problem.self) {
        _ = try await Export(to: [output], threads: threads, scratch: NoScratch()).run(
          FailingRows(at: Set(failing))
        ) { (rows) throws(Problem) in rows }
      }
      #expect(problem?.message == "batch \(failing.first ?? 30)")
    }
  }
}
