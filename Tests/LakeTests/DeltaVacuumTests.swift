import Codecs
import Exporters
import Rows
import Synchronization
import Testing

@testable import Domain
@testable import Lake

@Suite("vacuum of Delta tables") struct DeltaVacuumTests {
  private let table = MemoryTable()
  /// After the data files were written and before any was removed from the table.
  private let between = Instant(seconds: 1_650_000_000)
  /// After the files were removed from the table.
  private let after = Instant(seconds: 1_700_000_001)

  /// Replaces the table by one row; files of earlier rows are removed from it at 1,700,000,000.
  private func write(_ number: Int64) async throws {
    var builder = RowBatchBuilder(width: 1)
    builder.append(integer: number)
    let rows = BufferedRows(
      schema: Schema("rows", columns: [ColumnDescription("id", .integer)]), batches: [builder.finish()])
    let exporter = DeltaExporter(
      try DeltaLocation("delta:memory"), in: table, format: ParquetExporter(), threads: 1
    ) { 1_700_000_000_000 }
    var options = ExportOptions([:])
    options.existing = .replace
    let export = Export(to: [.init(exporter, options) { Nowhere() }], threads: 1, scratch: NoScratch())
    _ = try await export.run(rows) { $0 }
  }

  private func unused(before limit: Instant) async throws(Problem) -> [String] {
    try await DeltaVacuum(table).unusedFiles(before: limit).map(\.key)
  }

  @Test("files of the latest version are kept, at any age") func current() async throws {
    try await write(1)
    #expect(try await unused(before: after) == [])
  }

  @Test("replaced files are unused once they have been removed for long enough") func replaced() async throws {
    try await write(1)
    let old = table.parquetFiles
    try await write(2)
    #expect(try await unused(before: between) == [])
    #expect(try await unused(before: after) == old)
    let vacuum = DeltaVacuum(table)
    for file in try await vacuum.unusedFiles(before: after) { try await vacuum.remove(file) }
    #expect(table.parquetFiles.count == 1)
    #expect(try await unused(before: after) == [])
  }

  @Test("a checkpoint remembers what was removed") func checkpoint() async throws {
    for number in 0...11 { try await write(Int64(number)) }
    #expect(table.files.withLock { $0.keys.contains { $0.hasSuffix("checkpoint.parquet") } })
    #expect(try await unused(before: between) == [])
    #expect(try await unused(before: after).count == 11)
  }

  @Test("files that no version names are unused if they are old enough") func orphans() async throws {
    try await write(1)
    table.files.withLock { $0["x/orphan.parquet"] = [1] }
    #expect(try await unused(before: between) == ["x/orphan.parquet"])
    #expect(try await unused(before: Instant(seconds: 1_600_000_000)) == [])
  }

  @Test("a file that was removed and added again is used") func restored() async throws {
    try await write(1)
    let path = try #require(table.parquetFiles.first)
    table.write(#"{"remove":{"path":"\#(path)","deletionTimestamp":1,"dataChange":true}}"#, as: 1)
    #expect(try await unused(before: between) == [path])
    table.write(#"{"add":{"path":"\#(path)","partitionValues":{},"size":1,"dataChange":true}}"#, as: 2)
    #expect(try await unused(before: after) == [])
  }

  @Test("a directory without a log, and features of other programs, are refused") func refused() async throws {
    table.files.withLock { $0["orphan.parquet"] = [1] }
    await #expect { try await unused(before: after) } throws: { ($0 as? Problem)?.kind == .noInput }
    try await write(1)
    table.write(
      #"{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"#
        + #""writerFeatures":["deletionVectors"]}}"#, as: 1)
    await #expect { try await unused(before: after) } throws: { error in
      (error as? Problem)?.kind == .badData && "\(error)".contains("deletionVectors")
    }
  }
}
