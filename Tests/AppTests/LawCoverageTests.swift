import Access
import AppShell
import CommandLineKit
import Domain
import Exporters
import LiveServices
import Persistence
import TestSupport
import Testing

/// The conformance checks run over `ExporterRegistry.builtIn`, the database, and the tables below: what users can name
/// must be the same.
@Suite("what the laws run over") struct LawCoverageTests {
  /// The kinds of tables that RowSinkLawTests has.
  private static let tables = ["delta", "postgres"]

  /// The formats that are written.
  private static func listed() async throws -> [(name: String, suffixes: [String])] {
    let outcome = await Console().run("bb-export formats -f tsv")
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.out.split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return ["input", "place"].contains(cells[2]) ? nil : (cells[0], cells[1].split(separator: " ").map(String.init))
    }
  }

  @Test("the formats that are listed are those of the laws") func formats() async throws {
    let database = SQLiteExporter(temporaryDirectory: TemporaryDirectory().path)
    let lawful = ExporterRegistry(adding: database, before: "sql").exporters.map(\.descriptor.name)
    #expect(try await Self.listed().map(\.name) == lawful)
    // Charts draw numbers; ChartTests checks them.
    let charts = Set(lawful).subtracting(ExporterRegistry.builtIn.map(\.descriptor.name) + ["sqlite"])
    #expect(charts == ["bars", "line", "histogram", "matrix", "svg"])
  }

  @Test("an output takes the file name extensions that are listed, and no other") func suffixes() async throws {
    let listed = try await Self.listed()
    for suffix in listed.flatMap(\.suffixes) {
      let outcome = await Console(["t.csv": "name,latitude,longitude\nBern,46.9,7.4\n"])
        .run("bb-export --from t.csv -o out\(suffix)")
      #expect(!outcome.err.contains("unknown"), "\(suffix): \(outcome)")
    }
    let outcome = await Console(["t.csv": "a\n1\n"]).run("bb-export --from t.csv -o out.nosuchsuffix")
    #expect(outcome.status == 64, "\(outcome)")
  }

  @Test("a location that takes rows is a table of the laws") func kinds() throws {
    let services = LiveServices.export(
      Report(program: "test") { _ in }, version: "0", variables: ["HOME": TemporaryDirectory().path], network: .curl)
    var connected = services
    services.connect(&connected, APIOptions())
    let samples = [
      "x.csv", "file:///x.csv", "https://h.test/x.csv", "s3://bucket/x.csv", "postgres://h.test/d?table=t", "delta:x",
    ]
    #expect(connected.locations.all.count == samples.count)
    let names = try samples.compactMap { try connected.locations.location($0).place.exporter()?.descriptor.name }
    #expect(Set(names) == Set(Self.tables))
  }
}
