import AppShell
import Domain
import Rows

/// Lists the program makes itself. They are tables like any other: every format and output works on them.
enum Listings {
  static func datasets(_ context: CommandContext) async throws(Problem) {
    guard let name = context.arguments.first else {
      let rows = Catalog.all.map { dataset in
        [
          dataset.name, dataset.summary, dataset.key.map { dataset.columns[$0].name }.joined(separator: ", "),
          String(dataset.width),
        ]
      }
      return try await write(
        "datasets", ["dataset": .text, "what": .text, "key": .text, "columns": .integer],
        ["dataset", "what", "key", "columns"], rows, context)
    }
    if isFile(name) {
      throw Problem(
        .usage, "\(name) is a file, not a dataset", hint: "use bb-export profile \(Remedy.shellWord(name))")
    }
    let dataset = try Catalog.dataset(named: name)
    let rows = dataset.columns.enumerated().map { position, column in
      [
        column.name, column.type.name, dataset.key.contains(position) ? "yes" : "no", column.isNullable ? "yes" : "no",
        column.unit, column.summary,
      ]
    }
    let names = ["column", "type", "key", "nullable", "unit", "what"]
    try await write(dataset.name, [:], names, rows, context)
  }

  /// Whether a word is a file rather than the name of a dataset.
  static func isFile(_ word: String) -> Bool { word.contains { "./".contains($0) } }

  static func formats(_ context: CommandContext) async throws(Problem) {
    let descriptors = context.services.exporters.all.map(\.descriptor)
    let written = descriptors.map { format in
      [
        format.name, format.fileExtensions.map { ".\($0)" }.joined(separator: " "),
        format.isExact ? "exact" : "display", readers(of: format.name), format.summary,
        options(format.options), format.limits.description,
      ]
    }
    let places = context.services.exporters.places.map { place in
      [place.name, place.location, "place", "", place.summary, options(place.options), ""]
    }
    let read = FileFormat.all.filter { format in !descriptors.contains { $0.name == format.name } }.map { format in
      [
        format.name, format.extensions.map { ".\($0)" }.joined(separator: " "), "input", readers(of: format.name),
        "A format that is only read", "", "",
      ]
    }
    let rows = written + places + read
    try await write(
      "formats", [:], ["format", "suffixes", "kind", "read_by", "what", "options", "limits"], rows, context,
      user: ["format", "what"])
  }

  private static func options(_ options: [ExporterDescriptor.Option]) -> String {
    options.map { "\($0.key)=\($0.values)" }.joined(separator: "; ")
  }

  private static func readers(of format: String) -> String {
    var programs = FileFormat.all.contains { $0.name == format } ? ["bb-export"] : []
    if ["csv", "tsv", "json", "ndjson", "sqlite", "geojson", "gpx", "kml", "vcard"].contains(format) {
      programs.append("bb-notes")
    }
    return programs.joined(separator: ", ")
  }

  static func config(_ context: CommandContext) async throws(Problem) {
    let services = context.services
    if let change = try ConfigurationCommand.change(context.arguments) {
      return try await ConfigurationCommand.make(change, services)
    }
    let rows = try ConfigurationCommand.rows(context.invocation, services)
    try await write("config", [:], ["setting", "value", "from"], rows, context)
  }

  /// Writes rows of texts as a table; `types` names the columns that are not text. An empty text is null.
  static func write(
    _ name: String, _ types: [String: ColumnType], _ columns: [String], _ rows: [[String]],
    _ context: CommandContext, user userColumns: [String]? = nil
  ) async throws(Problem) {
    let schema = Schema(name, columns: columns.map { ColumnDescription($0, types[$0] ?? .text) })
    var builder = RowBatchBuilder(width: columns.count)
    for row in rows {
      for (column, value) in zip(schema.columns, row) {
        if value.isEmpty {
          builder.appendNull()
        } else if column.type == .integer, let number = Int64(value) {
          builder.append(integer: number)
        } else {
          builder.append(text: value)
        }
      }
    }
    var policy = OutputPolicy.report
    if let userColumns, context.services.terminal.width != nil { policy.columns[.user] = userColumns }
    try await OutputPlan(context.invocation, context.services, policy).write(
      BufferedRows(schema: schema, batches: [builder.takeBatch()]))
  }
}
