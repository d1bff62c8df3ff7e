import Conformance
import Domain
import Exporters
import Rows
import Testing

@Suite("The registry of formats") struct RegistryTests {
  private let registry = ExporterRegistry()

  private func problem(_ body: () throws -> Void) -> Problem? {
    do {
      try body()
      return nil
    } catch {
      return error as? Problem
    }
  }

  @Test(
    "by name, with the nearest word",
    arguments: [("jsn", "json"), ("CSV", "csv"), ("md", "markdown"), ("jsonl", "ndjson")])
  func nearestName(_ typed: String, _ meant: String) {
    let problem = problem { _ = try registry.exporter(named: typed) }
    #expect(problem?.kind == .usage)
    #expect(problem?.hint.description.contains("did you mean \(meant)?") == true)
  }

  @Test(
    "by suffix",
    arguments: [
      ("a.csv", "csv"), ("/x.y/a.JSON", "json"), ("a.b.jsonl", "ndjson"), ("a.md", "markdown"), ("a.html", "html"),
      ("a.tab", "tsv"),
    ])
  func suffix(_ path: String, _ name: String) { #expect(registry.exporter(forPath: path)?.descriptor.name == name) }

  @Test("no suffix, no format", arguments: ["csv", "/a.csv/b", "a.", "a.unknown", ""])
  func noSuffix(_ path: String) { #expect(registry.exporter(forPath: path) == nil) }

  @Test("the default comes first, and everything is described") func described() {
    #expect(registry.exporters.first?.descriptor.name == "markdown")
    for descriptor in registry.exporters.map(\.descriptor) {
      #expect(!descriptor.summary.isEmpty && !descriptor.summary.hasSuffix("."))
      #expect(!descriptor.mediaType.isEmpty && !descriptor.fileExtensions.isEmpty)
      for option in descriptor.options { #expect(!option.summary.isEmpty && !option.summary.hasSuffix(".")) }
    }
  }

  @Test("options go to the formats that know them") func options() throws {
    let chosen = [try registry.exporter(named: "csv"), try registry.exporter(named: "json")]
    let options = try registry.options(["nonfinite=null", "csv.delimiter=;", "json.nonfinite=string"], for: chosen)
    #expect(options["csv"]?.values == ["nonfinite": "null", "delimiter": ";"])
    #expect(options["json"]?.values == ["nonfinite": "string"])
  }

  @Test(
    "what is not an option is refused, with what is",
    arguments: [
      ("line-endng=crlf", "line-ending"), ("csv.nul=x", "null"), ("line-ending=crl", "crlf"), ("cvs.null=x", "csv"),
      ("null", "KEY=VALUE"),
      ("=x", "KEY=VALUE"),
    ])
  func wrongOptions(_ text: String, _ hint: String) throws {
    let csv = try registry.exporter(named: "csv")
    let problem = problem { _ = try registry.options([text], for: [csv]) }
    #expect(problem?.kind == .usage)
    #expect(problem?.hint.description.contains(hint) == true)
  }

  @Test(
    "values that csv cannot use are refused",
    arguments: [
      ["delimiter": "ab"], ["delimiter": "\""], ["delimiter": "1"], ["delimiter": "é"], ["null": "a,b"], ["null": "-5"],
      ["null": "true"],
      ["excel": "maybe"], ["formulas": "run"],
    ])
  func wrongValues(_ values: [String: String]) async throws {
    let csv = try registry.exporter(named: "csv")
    let problem = await #expect(throws: Problem.self) {
      let sink = try await csv.sink(for: SampleTable.lone.schema, options: ExportOptions(values)) { MemorySink() }
      _ = try await sink.write(all: [])
    }
    #expect(problem?.kind == .usage)
  }

  @Test("warnings for the user") func warnings() async throws {
    let schema = Schema("t", columns: [ColumnDescription("a", .text)])
    let table = SampleTable("", schema, [[.text("=1+1")], [.text("\01")], [.text("plain")], [.text("a\nb")]])
    func warning(_ name: String, _ values: [String: String] = [:]) async throws -> Warning? {
      let exporter = try registry.exporter(named: name)
      let sink = try await exporter.sink(for: schema, options: ExportOptions(values)) { MemorySink() }
      return try await sink.write(all: table.batches(of: 2)).warning
    }
    #expect(
      try await warning("csv")?.message.hasPrefix("2 cells a spreadsheet would treat as a formula, written unchanged")
        == true
    )
    #expect(try await warning("csv", ["formulas": "escape"])?.message.hasSuffix(": prefixed with '") == true)
    #expect(try await warning("markdown")?.message.hasPrefix("1 cell with control characters") == true)
    #expect(try await warning("table")?.message.hasPrefix("1 cell with control characters") == true)
    #expect(try await warning("json") == nil)
    let binary = SampleTable("", Schema("t", columns: [ColumnDescription("b", .bytes)]), [[.bytes([0])], [.null]])
    for name in ["json", "ndjson", "csv", "tsv", "yaml", "html", "singer", "xlsx", "parquet", "sql"] {
      let sink = try await registry.exporter(named: name).sink(for: binary.schema, options: ExportOptions()) {
        MemorySink()
      }
      let message = try await sink.write(all: binary.batches(of: 2)).warning?.message
      let isKept = ["parquet", "sql"].contains(name)
      #expect(message == (isKept ? nil : "1 binary value, written as Base64 text"), "\(name)")
    }
  }
}
