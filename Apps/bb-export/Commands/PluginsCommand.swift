import AppShell
import CommandLineKit
import Rows

/// `bb-export plugins`: the external exporters that are installed, what they say of themselves, and whether they do as
/// they say.
struct PluginsCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  static let actions = [CommandAction("list"), CommandAction("info", name), CommandAction("test", name)]
  private static let name = Argument("NAME", values: .dynamic("plugin"), "plug-in")

  static let discussion =
    "A plug-in is an executable named bb-exporter-NAME in $BB_PLUGIN_PATH, $XDG_DATA_HOME/bb/plugins, "
    + "/usr/local/lib/bb/plugins or /usr/lib/bb/plugins that only you or root can write to. `bb-exporter-NAME "
    + "--describe` must print a JSON object with schemaVersion (1), name, version, vendor, description, extensions, "
    + "mediaType and options (key, values, description). `bb-exporter-NAME export [--option KEY=VALUE]…` reads a "
    + "Singer stream (as written by -f singer) from standard input and writes the document to standard output; exit "
    + "code 65 means that a record cannot be represented. The timeout is 5 s for --describe, and for a document 10 min "
    + "plus 10 s per MiB of input. The plug-in is then available as -f NAME. -f singer:PROGRAM --option config=FILE "
    + "pipes the stream to a Singer target, which stores the records itself and must acknowledge all of them."

  func run() async throws(Problem) {
    let words = invocation.arguments
    switch words.first {
    case "info": try await info(words[1])
    case "test": try await test(words[1])
    default: try await list()
    }
  }

  private func list() async throws(Problem) {
    let rows = try services.plugins.all().map { [$0.name, $0.refusal.isEmpty ? "yes" : "no", $0.path, $0.refusal] }
    try await write("plugins", ["format", "runs", "path", "why it is disabled"], rows)
  }

  private func info(_ name: String) async throws(Problem) {
    try await write("plugin", ["what", "is"], try services.plugins.describe(name))
  }

  /// One row for each thing that was tried; a failure ends the program with 76.
  private func test(_ name: String) async throws(Problem) {
    let results = try await services.plugins.test(name)
    try await write(
      "test", ["test", "result", "why"],
      results.map { [$0.what, $0.fault == nil ? "passed" : "failed", $0.fault ?? ""] })
    let failed = results.filter { $0.fault != nil }.count
    if failed > 0 { throw Problem(.plugIn, "\(failed) of \(results.count) tests failed", at: name) }
  }

  private func write(_ name: String, _ columns: [String], _ rows: [[String]]) async throws(Problem) {
    let schema = Schema(name, columns: columns.map { ColumnDescription($0, .text) })
    var builder = RowBatchBuilder(width: columns.count)
    for value in rows.joined() { if value.isEmpty { builder.appendNull() } else { builder.append(text: value) } }
    try await OutputPlan(invocation, services, .report).write(
      BufferedRows(schema: schema, batches: [builder.takeBatch()]))
  }
}
