import CommandLineKit
import Domain

/// The whole program, minus the process: understands the arguments, runs a command, tells what went wrong.
/// - Returns: the exit code.
func run(_ arguments: [String], in environment: Environment) async -> Int32 {
  do throws(Problem) {
    let invocation = try BBNotes.program.parse(arguments)
    environment.report.configure(style: invocation[BBNotes.errors].flatMap(Report.Style.init) ?? .text, isQuiet: false)
    switch invocation.action {
    case .version: try Terminal.write("bb-notes \(BBNotes.version)\n", to: 1)
    case .help(let command): try help(command)
    case .run(BBNotes.episodes): try await episodes(invocation, environment)
    case .run(BBNotes.completions): try complete(invocation)
    case .run(BBNotes.help): try help(invocation.arguments.first)
    case .run(let command): throw Problem(.bug, "nobody runs “\(command.name)”")
    }
    return 0
  } catch {
    if error.kind != .endOfPipe { environment.report.problem(error) }
    return error.kind.exitCode
  }
}

private func episodes(_ invocation: Invocation, _ environment: Environment) async throws(Problem) {
  let exporter = try environment.exporter(invocation[BBNotes.format] ?? "markdown")
  let schema = Catalog.episodes
  var selection = Selection()
  selection.columns = ["production", "season", "episode", "title", "air_date"]
  if let name = invocation[BBNotes.production] {
    selection.conditions.append(try Shorthand.production(name, in: schema))
  }
  if let season = try invocation.integer(BBNotes.season, in: 0...Int(Int32.max)) {
    selection.alternatives.append(try Shorthand.season(season, in: schema, production: nil))
  }
  let wanted = selection
  let output = Export.Output(exporter, ExportOptions(terminalWidth: Terminal.width(1))) { () throws(Problem) in
    environment.standardOutput()
  }
  let rows = try await environment.episodes.rows(of: schema.name, RowRequest())
  _ = try await Export(to: [output], threads: 1, scratch: environment.scratch).run(rows) { (stream) throws(Problem) in
    try wanted.apply(to: stream, scratch: environment.scratch)
  }
}

private func complete(_ invocation: Invocation) throws(Problem) {
  guard let shell = Completions.Shell(rawValue: invocation.arguments[0]) else {
    let known = Completions.Shell.allCases.map(\.rawValue).joined(separator: ", ")
    throw Problem(.usage, "no completions for “\(invocation.arguments[0])”", hint: "there are: \(known)")
  }
  let words = ["production": Shorthand.productions.map(\.short)]
  try Terminal.write(Completions(BBNotes.program, words: words).script(for: shell), to: 1)
}

private func help(_ command: Command?) throws(Problem) {
  try Terminal.write(BBNotes.program.help(for: command, width: Terminal.width(1) ?? 80), to: 1)
}

private func help(_ topic: String?) throws(Problem) {
  guard let topic else { return try help(nil as Command?) }
  if topic == "man" { return try Terminal.write(BBNotes.program.manPage(), to: 1) }
  guard let command = BBNotes.program.commands.first(where: { $0.name == topic }) else {
    throw Problem(.usage, "no help on “\(topic)”", hint: "there are: episodes, completions, help, man")
  }
  try help(command)
}
