import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export tap`: the datasets of a source as a Singer tap, for runners that pipe taps into targets.
struct TapCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  static let discussion =
    "Writes SCHEMA, RECORD and STATE messages to standard output. Every run is a full-table sync; STATE records the "
    + "row counts and is accepted for compatibility with Singer runners. CONFIG is a JSON object with any of source, "
    + "api_url, storage, datasets, max_age, offline."

  func run() async throws(Problem) {
    let (choice, datasets) = try settings()
    if let state = invocation[Options.tapState] { try services.tap.checkState(state) }
    let source = try await services.sources.open(choice)
    let tables = try await source.tables()
    let wanted =
      datasets.isEmpty ? tables : try datasets.map { (name) throws(Problem) in try find(name, tables, source) }
    if invocation.has(Options.discover) {
      return try services.terminal.write(String(decoding: services.tap.catalog(wanted), as: UTF8.self))
    }
    var streams = wanted.map { (schema: $0, without: [String]()) }
    if let catalog = invocation[Options.catalog] {
      streams = try services.tap.selected(catalog).map { (stream, without) throws(Problem) in
        (try find(stream, wanted, source), without)
      }
    }
    var earlier: [(stream: String, records: Int)] = []
    for (schema, without) in streams {
      earlier.append((schema.name, try await write(schema, without, of: source, after: earlier)))
    }
  }

  /// Writes one stream; returns how many records it has.
  private func write(
    _ schema: Schema, _ without: [String], of source: any RecordSource, after earlier: [(stream: String, records: Int)]
  ) async throws(Problem) -> Int {
    let key = schema.key.map { schema.columns[$0].name }
    let columns = schema.columns.map(\.name).filter { key.contains($0) || !without.contains($0) }
    var selection = Selection()
    if columns.count < schema.width { selection.columns = columns }
    let rows = try await source.rows(of: schema.name, RowRequest(columns: selection.columns))
    let services = self.services
    let output = Export.Output(services.tap.exporter(earlier), ExportOptions()) { () throws(Problem) in
      try services.terminal.output(TerminalUse())
    }
    let export = Export(to: [output], threads: services.cores, scratch: services.scratch)
    let summary = try await export.run(rows) { (stream) throws(Problem) in
      try selection.apply(to: stream, scratch: services.scratch)
    }
    for warning in summary.warnings { services.report.warning(warning) }
    return summary.rows
  }

  private func settings() throws(Problem) -> (SourceChoice, [String]) {
    guard let path = invocation[Options.tapConfig] else {
      return (try SourceOptions(invocation).choice(for: Catalog.all[0].name), [])
    }
    for option in Options.apiOptions + [Options.storage] where invocation.has(option) {
      throw Problem(.usage, "--\(option.name) conflicts with --config", hint: "set it in \(path) instead")
    }
    return try services.tap.settings(path)
  }

  private func find(_ name: String, _ tables: [Schema], _ source: any RecordSource) throws(Problem) -> Schema {
    if let schema = tables.first(where: { $0.name == name }) { return schema }
    let names = tables.map(\.name)
    throw Problem(
      .noInput, "\(source.name) has no dataset \(name)", hint: .choose(name, from: names, "available"))
  }
}
