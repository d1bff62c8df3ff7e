import Codecs
import Conformance
import Dialects
import Domain
import Exporters
import Files
import Glibc
import Lake
import Persistence
import Query
import Rows
import Synchronization
import TestSupport
import Testing

/// Outputs that take rows, and a format of bytes.
@Suite("Laws of outputs of rows") struct RowSinkLawTests {
  private static func file(_ name: String, _ exporter: any Exporter, refused: Value? = nil) -> RowSinkFixture {
    let directory = TemporaryDirectory().path
    @Sendable func path(_ place: Int) -> String { "\(directory)/\(place).\(name)" }
    return RowSinkFixture(name, refused: refused) { (place, schema) throws(Problem) in
      try await exporter.sink(for: schema, options: ExportOptions()) { () throws(Problem) in
        try FileSink(path: path(place))
      }
    } read: { place, schema in
      guard unsafe access(path(place), F_OK) == 0 else { return nil }
      var reading = FileInputOptions()
      reading.types = ColumnTypes(schema.columns)
      let source = try FileSource(path: path(place), reading, scratch: TemporaryScratch(directory: directory)) { _ in }
      let table = try #require(try await source.mainTable())
      return try await source.rows(of: table, RowRequest())
    }
  }

  private static func delta() -> RowSinkFixture {
    let tables = Mutex<[Int: MemoryTable]>([:])
    @Sendable func table(_ place: Int) -> MemoryTable {
      tables.withLock { tables in
        let table = tables[place] ?? MemoryTable()
        tables[place] = table
        return table
      }
    }
    return RowSinkFixture("delta") { (place, schema) throws(Problem) in
      let exporter = DeltaExporter(
        try DeltaLocation("delta:memory?partition=part"), in: table(place), format: ParquetExporter(), threads: 2
      ) { 1_700_000_000_000 }
      return try await exporter.sink(for: schema, options: ExportOptions()) { () throws(Problem) in Nowhere() }
    } read: { place, schema in
      let source = try DeltaSource(try DeltaLocation("delta:memory"), in: table(place), FileInputOptions()) { _, _ in }
      guard let tables = try? await source.tables(), !tables.isEmpty else { return nil }
      return try await source.rows(of: "memory", RowRequest())
    }
  }

  private static func partitions() -> RowSinkFixture {
    let directory = TemporaryDirectory().path
    return RowSinkFixture("partitions") { (place, schema) throws(Problem) in
      guard let pattern = try PathPattern("\(directory)/\(place)/part={part}/{n}.csv") else {
        throw Problem(.bug, "no pattern")
      }
      let configuration = PartitionSink.Configuration(CSVExporter.csv, ExportOptions()) { () throws(Problem) in
        try StagedFiles(pattern, existing: .refuse)
      }
      return try await PartitionSink(schema, to: pattern, configuration)
    } read: { place, schema in
      var batches: [RowBatch] = []
      for part in ["p0", "p1", "p2"] {
        let path = "\(directory)/\(place)/part=\(part)/0.csv"
        guard unsafe access(path, F_OK) == 0 else { continue }
        var reading = FileInputOptions()
        reading.types = ColumnTypes(schema.columns.filter { $0.name != "part" })
        let source = try FileSource(path: path, reading, scratch: TemporaryScratch(directory: directory)) { _ in }
        let rows = try await source.rows(of: try #require(try await source.mainTable()), RowRequest())
        while let batch = try await rows.next()?.batch() {
          var builder = RowBatchBuilder(width: 3)
          for row in 0..<batch.count {
            builder.append(value: batch.value(row, 0))
            builder.append(text: part)
            builder.append(value: batch.value(row, 1))
          }
          batches.append(builder.finish())
        }
      }
      return batches.isEmpty ? nil : BufferedRows(schema: schema, batches: batches)
    }
  }

  static let fixtures = [
    file("csv", CSVExporter.csv), file("parquet", ParquetExporter()),
    file("sqlite", SQLiteExporter(temporaryDirectory: TemporaryDirectory().path), refused: .real(.nan)), delta(),
    partitions(),
  ]

  @Test("holds", arguments: fixtures, RowSinkLaw.all)
  func holds(_ fixture: RowSinkFixture, _ law: RowSinkLaw) async throws { try await law.check(fixture) }

  enum Damage: CaseIterable { case losesRows, publishesEarly, keepsAbandoned, losesRecord, mixes }

  @Test("is broken by a mutant", arguments: zip(RowSinkLaw.all, Damage.allCases))
  func isBroken(_ law: RowSinkLaw, _ damage: Damage) async throws {
    let inner = Self.file("sqlite", SQLiteExporter(temporaryDirectory: TemporaryDirectory().path), refused: .real(.nan))
    await #expect(throws: (any Error).self, "\(law) holds for \(damage)") {
      try await law.check(inner.damaged({ MutantSink($0, damage) }, at: { damage == .mixes ? 4 : $0 }))
    }
  }
}

/// A sink that is damaged on purpose.
private final class MutantSink: RowSink {
  private let inner: any RowSink
  private let damage: RowSinkLawTests.Damage
  private let written = Mutex<WrittenRows?>(nil)

  init(_ inner: any RowSink, _ damage: RowSinkLawTests.Damage) { (self.inner, self.damage) = (inner, damage) }

  func open() async throws(Problem) { try await inner.open() }
  func prepare(_ rows: PreparedRows) throws(Problem) {
    if damage == .losesRows { rows.batches.removeAll() }
    do throws(Problem) { try inner.prepare(rows) } catch {
      var problem = error
      if damage == .losesRecord { problem.record = nil }
      throw problem
    }
  }
  func write(_ rows: PreparedRows) async throws(Problem) { try await inner.write(rows) }
  func finish() async throws(Problem) {
    try await inner.finish()
    if damage == .publishesEarly { _ = try await inner.commit() }
  }
  func commit() async throws(Problem) -> WrittenRows {
    damage == .publishesEarly ? WrittenRows("") : try await inner.commit()
  }
  func abandon() async {
    if damage == .keepsAbandoned {
      do throws(Problem) {
        try await inner.finish()
        _ = try await inner.commit()
      } catch { await inner.abandon() }
    } else {
      await inner.abandon()
    }
  }
}
