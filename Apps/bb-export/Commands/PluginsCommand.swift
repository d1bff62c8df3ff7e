import CommandLineKit
import Rows

/// `bb-export plugins`: the external exporters that are installed, what they say of themselves, and whether they do as they say.
struct PluginsCommand {
  private let invocation: Invocation
  private let environment: Environment

  init(_ invocation: Invocation, _ environment: Environment) {
    self.invocation = invocation
    self.environment = environment
  }

  static let discussion =
    "A plug-in is an executable bb-exporter-NAME in a folder of BB_PLUGIN_PATH, in bb/plugins of XDG_DATA_HOME, in /usr/local/lib/bb/plugins or "
    + "/usr/lib/bb/plugins; nobody but you and root may be able to write it. `bb-exporter-NAME --describe` answers with a JSON object: schemaVersion "
    + "(1), name, version, vendor, description, extensions, mediaType, options (key, values, description). `bb-exporter-NAME export [--option "
    + "KEY=VALUE]…` gets a Singer stream (as -f singer writes it) on standard input and writes the document to standard output; exit code 65 says that "
    + "it cannot represent a record. It has 5 s for --describe, and for a document 10 min and another 10 s for each MiB it is given. Then -f NAME is a format like any other. -f singer:PROGRAM --option config=FILE hands the stream to a Singer target, which "
    + "stores the records itself; it must acknowledge every one."

  func run() async throws(Problem) {
    let words = invocation.arguments
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1): try await list()
    case ("info", 2): try await info(words[1])
    case ("test", 2): try await test(words[1])
    default:
      throw Problem(
        .usage, "“plugins \(words.joined(separator: " "))” is nothing to do",
        hint: "write plugins list, plugins info NAME, or plugins test NAME")
    }
  }

  private func list() async throws(Problem) {
    let rows = try environment.plugins.all().map { [$0.name, $0.refusal.isEmpty ? "yes" : "no", $0.path, $0.refusal] }
    try await write("plugins", ["format", "runs", "path", "why not"], rows)
  }

  private func info(_ name: String) async throws(Problem) {
    try await write("plugin", ["what", "is"], try environment.plugins.describe(name))
  }

  /// One row for each thing that was tried; a failure ends the program with 76.
  private func test(_ name: String) async throws(Problem) {
    let results = try await environment.plugins.test(name)
    try await write(
      "test", ["what was tried", "came out", "why"],
      results.map { [$0.what, $0.fault == nil ? "well" : "badly", $0.fault ?? ""] })
    let failed = results.filter { $0.fault != nil }.count
    if failed > 0 { throw Problem(.plugIn, "\(failed) of \(results.count) came out badly", at: name) }
  }

  private func write(_ name: String, _ columns: [String], _ rows: [[String]]) async throws(Problem) {
    let schema = Schema(name, columns: columns.map { ColumnDescription($0, .text) })
    var builder = BatchBuilder(width: columns.count)
    for value in rows.joined() { if value.isEmpty { builder.appendNull() } else { builder.append(text: value) } }
    try await Outputs(invocation, environment).write(ReadyRows(schema: schema, batches: [builder.finish()]))
  }
}
