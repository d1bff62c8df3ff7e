import AppShell
import CommandLineKit
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

  static func formats(_ context: CommandContext) async throws(Problem) {
    let rows = context.services.exporters.all.map(\.descriptor).map { format in
      [
        format.name, format.fileExtensions.map { ".\($0)" }.joined(separator: " "),
        format.isExact ? "exact" : "display", format.summary,
        format.options.map { "\($0.key)=\($0.values)" }.joined(separator: "; "), format.limits.description,
      ]
    }
    try await write(
      "formats", [:], ["format", "suffixes", "kind", "what", "options", "limits"], rows, context)
  }

  static func sources(_ context: CommandContext) async throws(Problem) {
    let words = context.arguments, services = context.services
    switch (words.first, words.count) {
    case (nil, _): break
    case ("check", 2):
      let source = try services.sources.definition(words[1])
      let names = source.datasets.map(\.schema.name).joined(separator: ", ")
      let key =
        source.authorization.variables.isEmpty
        ? ""
        : "; sends the value of \(source.authorization.variables.map { "$\($0)" }.joined(separator: ", ")) to \(source.baseURL)"
      return try services.terminal.write("\(words[1]): valid source definition \(source.name): \(names)\(key)\n")
    case ("draft", 2): return try await DraftCommand(context).run(words[1])
    case ("show", 2):
      return try print(services.sources.text(of: try APIDescription.named(words[1])), services)
    case ("schema", 1):
      let grammar = try context.invocation.integer(Options.grammar, in: 1...2) ?? 2
      return try print(services.sources.schema(grammar: grammar), services)
    default:
      throw Problem(
        .usage, "unknown subcommand “sources \(words.joined(separator: " "))”",
        hint: "use one of: sources check FILE, sources draft URL, sources show NAME, sources schema")
    }
    let rows =
      APIDescription.builtIn.map { [$0.name, $0.baseURL, $0.summary] } + [["snapshot", "", "built-in snapshot"]]
    try await write("sources", [:], ["source", "server", "what"], rows, context)
  }

  private static func print(_ text: [UInt8], _ services: AppServices) throws(Problem) {
    try services.terminal.write(String(decoding: text, as: UTF8.self))
  }

  static func config(_ context: CommandContext) async throws(Problem) {
    let services = context.services
    if let change = try ConfigurationCommand.change(context.arguments) {
      return try await services.configure(change.key, change.value)
    }
    let rows = try ConfigurationCommand.rows(context.invocation, services)
    try await write("config", [:], ["setting", "value", "from"], rows, context)
  }

  /// Writes rows of texts as a table; `types` names the columns that are not text. An empty text is null.
  private static func write(
    _ name: String, _ types: [String: ColumnType], _ columns: [String], _ rows: [[String]],
    _ context: CommandContext
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
    try await OutputPlan(context.invocation, context.services).write(
      BufferedRows(schema: schema, batches: [builder.takeBatch()]))
  }
}
