import Conformance
import Domain
import Exporters
import Rows
import Testing

/// Every exporter of the registry, and the options that change its bytes.
enum Fixtures {
  static let all: [ExporterFixture] =
    ExporterRegistry.builtIn.map {
      ExporterFixture(
        // With doubles, the numbers of the first batch would decide how those of the others are stored.
        $0.descriptor.name, $0.descriptor.name == "xlsx" ? Sheet() : $0,
        options: $0.descriptor.name == "parquet" ? ExportOptions(["decimals": "text"]) : ExportOptions(),
        reader: Readers.reader(of: $0),
        refusesValues: ["xlsx", "sql"].contains($0.descriptor.name), isText: $0.descriptor.name != "parquet",
        hasNonfinite: $0.descriptor.name == "parquet")
    } + [
      ExporterFixture(
        "xlsx, long numbers as text", Sheet(), options: ExportOptions(["numbers": "text"]),
        reader: Readers.reader(of: XLSXExporter()), refusesValues: true),
      ExporterFixture("sql for SQLite", WriterFormat.sql, options: ExportOptions(["dialect": "sqlite"])),
      fixture("csv, crlf and null text", .csv, ["line-ending": "crlf", "null": "NULL"]),
      fixture("csv, semicolons", .csv, ["delimiter": ";"]),
      ExporterFixture("csv, flattened", CSVExporter.csv, options: ExportOptions(["nested": "flatten"])),
      ExporterFixture("csv, joined", CSVExporter.csv, options: ExportOptions(["nested": "join"])),
      ExporterFixture("csv for Excel", CSVExporter.csv, options: ExportOptions(["excel": "yes"])),
      ExporterFixture("table in a terminal", TableExporter(), options: ExportOptions(terminalWidth: 60)),
    ]

  private static func fixture(_ name: String, _ exporter: CSVExporter, _ options: [String: String]) -> ExporterFixture {
    let options = ExportOptions(options)
    return ExporterFixture(name, exporter, options: options, reader: Readers.reader(of: exporter, options))
  }
}

/// The sheet of a workbook, which is text.
private struct Sheet: ByteFormat {
  let descriptor = XLSXExporter().descriptor
  func makeEncoder(for schema: Schema, options: ExportOptions, layout: ColumnMetrics) throws(Problem) -> any RowEncoder
  { try XLSXExporter().makeEncoder(for: schema, options: options, layout: layout) }
}

@Suite("Exporter laws") struct ExporterLawTests {
  @Test("holds", arguments: Fixtures.all, ExporterLaw.all)
  func holds(_ fixture: ExporterFixture, _ law: ExporterLaw) async throws {
    try await law.check(fixture)
  }

  /// Each law, an exporter, and the damage that breaks the law for it.
  static let broken: [(ExporterLaw, any ByteFormat, Mutant.Damage)] = [
    (.batchingDoesNotShow, WriterFormat.markdown, .addsLinePerBatch),
    (.literalsDoNotShow, WriterFormat.ndjson, .dropsLiterals),
    (.encodingIsPure, CSVExporter.csv, .remembersCalls),
    (.documentsAreText, WriterFormat.ndjson, .losesFinalLineEnd),
    (.documentsAreText, WriterFormat.json, .writesLatin1),
    (.emptyIsADocument, WriterFormat.json, .writesNothingWhenEmpty),
    (.readsBack, CSVExporter.csv, .cutsAtNUL),
    (.readsBack, CSVExporter.tsv, .mixesUpNullAndEmpty),
    (.readsBack, WriterFormat.json, .cutsAtNUL),
    (.readsBack, WriterFormat.ndjson, .mixesUpNullAndEmpty),
    (.nullIsNotEmpty, CSVExporter.csv, .mixesUpNullAndEmpty),
    (.nullIsNotEmpty, WriterFormat.json, .mixesUpNullAndEmpty),
    (.showsEveryCharacter, WriterFormat.markdown, .cutsAtNUL),
    (.showsEveryCharacter, WriterFormat.record, .cutsAtNUL),
    (.drivesNoTerminal, TableExporter(), .passesEscapes),
    (.namesWhatItRefuses, WriterFormat.json, .swallowsNaN),
    (.namesWhatItRefuses, TableExporter(), .swallowsNaN),
    (.carriesLongCells, HTMLExporter(), .cutsLongCells),
    (.limitsHold, CSVExporter.csv, .overstatesLimit),
  ]

  @Test("is broken by a mutant", arguments: broken.indices)
  func isBroken(_ index: Int) async throws {
    let (law, exporter, damage) = Self.broken[index]
    let mutant = ExporterFixture(
      "\(damage)", Mutant(base: exporter, damage: damage), reader: Readers.reader(of: exporter))
    await #expect(throws: (any Error).self, "\(law) holds for \(damage)") { try await law.check(mutant) }
  }

  @Test("every law is broken by some mutant") func everyLawIsBroken() {
    let broken = Set(Self.broken.map(\.0.description))
    #expect(ExporterLaw.all.allSatisfy { broken.contains($0.description) })
  }
}
