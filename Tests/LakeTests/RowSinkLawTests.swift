import Conformance
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
  /// - Parameter isContainer: whether the table is written as one of several of a file.
  private static func file(
    _ exporter: any Exporter, refused: Value? = nil, isContainer: Bool = false
  ) -> RowSinkFixture {
    let directory = TemporaryDirectory().path, name = exporter.descriptor.name
    let suffix = exporter.descriptor.fileExtensions.first ?? name
    @Sendable func path(_ place: Int) -> String { "\(directory)/\(place).\(suffix)" }
    return RowSinkFixture(isContainer ? "a table of \(name)" : name, refused: refused) {
      (place, schema) throws(Problem) in
      if isContainer {
        let container = try exporter.container(
          of: [schema.name], in: try FileSink(path: path(place)), scratch: TemporaryScratch(directory: directory),
          existing: .replace)
        guard let container else { throw Problem(.bug, "a file of one table") }
        return OnlyTable(container, try await container.sink(for: schema, options: ExportOptions()))
      }
      return try await exporter.sink(for: schema, options: ExportOptions()) { () throws(Problem) in
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

  /// Tables of the server that BB_TEST_POSTGRES names, which are thrown away with its database.
  private static func postgres(_ server: String) -> RowSinkFixture {
    let prefix = "\(server)\(server.contains("?") ? "&" : "?")table=rows_\(getpid())_"
    return RowSinkFixture("postgres") { (place, schema) throws(Problem) in
      try await PostgresExporter(try PostgresLocation("\(prefix)\(place)")).sink(
        for: schema, options: ExportOptions()
      ) { () throws(Problem) in Nowhere() }
    } read: { place, schema in
      let location = try PostgresLocation("\(prefix)\(place)")
      guard try await PostgresExporter(location).exists("t") else { return nil }
      let source = PostgresSource(location)
      return try await source.rows(of: try await source.tables()[0].name, RowRequest())
    }
  }
  private static let server = unsafe getenv("BB_TEST_POSTGRES").map { unsafe String(cString: $0) }

  private static let database = SQLiteExporter(temporaryDirectory: TemporaryDirectory().path)
  /// Formats that require columns of their own, which no law of rows has.
  private static let ofRecords = ["geojson", "gpx", "kml", "vcard"]
  /// Every other format of the registry whose files bb reads, the tables of a file, and what has no file.
  static let fixtures =
    ExporterRegistry(adding: database, before: "sql").exporters.filter { exporter in
      let name = exporter.descriptor.name
      return !ofRecords.contains(name) && FileFormat.all.contains { $0.name == name }
    }.map { file($0, refused: ["sqlite", "json"].contains($0.descriptor.name) ? .real(.nan) : nil) } + [
      file(database, refused: .real(.nan), isContainer: true), file(XLSXExporter(), isContainer: true), delta(),
      partitions(),
    ] + (server.map { [postgres($0)] } ?? [])

  @Test("PostgreSQL is among the outputs", .enabled(if: server != nil, "BB_TEST_POSTGRES names no server"))
  func hasServer() { #expect(Self.fixtures.contains { $0.description == "postgres" }) }

  @Test("holds", arguments: fixtures, RowSinkLaw.all)
  func holds(_ fixture: RowSinkFixture, _ law: RowSinkLaw) async throws { try await law.check(fixture) }

  enum Damage: CaseIterable { case losesRows, publishesEarly, keepsAbandoned, losesRecord, mixes }

  @Test("is broken by a mutant", arguments: zip(RowSinkLaw.all, Damage.allCases))
  func isBroken(_ law: RowSinkLaw, _ damage: Damage) async throws {
    let inner = Self.file(Self.database, refused: .real(.nan))
    await #expect(throws: (any Error).self, "\(law) holds for \(damage)") {
      try await law.check(inner.damaged({ MutantSink($0, damage) }, at: { damage == .mixes ? 4 : $0 }))
    }
  }
}

/// The only table of a file of several.
private struct OnlyTable: RowSink {
  let container: any TableContainer
  let inner: any RowSink

  init(_ container: any TableContainer, _ inner: any RowSink) { (self.container, self.inner) = (container, inner) }

  var measuring: ExporterDescriptor.Measuring { inner.measuring }
  var groupBytes: Int { inner.groupBytes }
  func measure(_ batch: RowBatch, into metrics: inout ColumnMetrics) { inner.measure(batch, into: &metrics) }
  func begin(_ metrics: ColumnMetrics) async throws(Problem) { try await inner.begin(metrics) }
  func open() async throws(Problem) { try await inner.open() }
  func prepare(_ rows: PreparedRows) throws(Problem) { try inner.prepare(rows) }
  func write(_ rows: PreparedRows) async throws(Problem) { try await inner.write(rows) }
  func finish() async throws(Problem) { try await inner.finish() }
  func commit() async throws(Problem) -> WrittenRows {
    let written = try await inner.commit()
    try await container.commit()
    return written
  }
  func abandon() async {
    await inner.abandon()
    await container.abandon()
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
