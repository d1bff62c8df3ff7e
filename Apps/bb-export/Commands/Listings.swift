import AppShell
import CommandLineKit
import Domain
import Rows

/// Lists the program makes itself. They are tables like any other: every format and output works on them.
enum Listings {
  static func datasets(_ invocation: Invocation, _ environment: Environment) async throws(Problem) {
    guard let name = invocation.arguments.first else {
      let rows = Catalog.all.map { dataset in
        [
          dataset.name, dataset.summary, dataset.key.map { dataset.columns[$0].name }.joined(separator: ", "),
          String(dataset.width),
        ]
      }
      return try await write(
        "datasets", ["dataset": .text, "what": .text, "key": .text, "columns": .integer],
        ["dataset", "what", "key", "columns"], rows, invocation,
        environment)
    }
    let dataset = try Catalog.dataset(named: name)
    let rows = dataset.columns.enumerated().map { position, column in
      [
        column.name, column.type.name, dataset.key.contains(position) ? "yes" : "no", column.isNullable ? "yes" : "no",
        column.unit, column.summary,
      ]
    }
    let names = ["column", "type", "key", "nullable", "unit", "what"]
    try await write(dataset.name, [:], names, rows, invocation, environment)
  }

  static func formats(_ invocation: Invocation, _ environment: Environment) async throws(Problem) {
    let rows = environment.exporters.all.map(\.descriptor).map { format in
      [
        format.name, format.fileExtensions.map { ".\($0)" }.joined(separator: " "),
        format.isExact ? "exact" : "display", format.summary,
        format.options.map { "\($0.key)=\($0.values)" }.joined(separator: "; "), format.limits.description,
      ]
    }
    try await write(
      "formats", [:], ["format", "suffixes", "kind", "what", "options", "limits"], rows, invocation, environment)
  }

  static func sources(_ invocation: Invocation, _ environment: Environment) async throws(Problem) {
    let words = invocation.arguments
    switch (words.first, words.count) {
    case (nil, _): break
    case ("check", 2):
      let source = try environment.checkSource(words[1])
      let names = source.datasets.map(\.schema.name).joined(separator: ", ")
      let key = source.authorization.variable.map { "; sends the value of $\($0) to \(source.baseURL)" } ?? ""
      return try environment.terminal.write("\(words[1]): valid source definition \(source.name): \(names)\(key)\n")
    case ("show", 2):
      return try print(environment.sourceText(try APIDescription.named(words[1])), environment)
    case ("schema", 1): return try print(environment.sourceSchema(), environment)
    default:
      throw Problem(
        .usage, "unknown subcommand “sources \(words.joined(separator: " "))”",
        hint: "use one of: sources check FILE, sources show NAME, sources schema")
    }
    let rows =
      environment.sources.map { [$0.name, $0.server, $0.summary] } + [["snapshot", "", "built-in snapshot"]]
    try await write("sources", [:], ["source", "server", "what"], rows, invocation, environment)
  }

  private static func print(_ text: [UInt8], _ environment: Environment) throws(Problem) {
    try environment.terminal.write(String(decoding: text, as: UTF8.self))
  }

  static func config(_ invocation: Invocation, _ environment: Environment) async throws(Problem) {
    if let change = try ConfigurationCommand.change(invocation.arguments) {
      return try await environment.configure(change.key, change.value)
    }
    let rows = ConfigurationCommand.rows(
      invocation, storage: try environment.stores.defaultLocation(), directories: environment.directories,
      variables: environment.variables)
    try await write("config", [:], ["setting", "value", "from"], rows, invocation, environment)
  }

  /// Writes rows of texts as a table; `types` names the columns that are not text. An empty text is null.
  private static func write(
    _ name: String, _ types: [String: ColumnType], _ columns: [String], _ rows: [[String]], _ invocation: Invocation,
    _ environment: Environment
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
    try await OutputPlan(invocation, environment.services).write(
      BufferedRows(schema: schema, batches: [builder.finish()]))
  }
}
