import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// The whole program, without the process: parses the arguments, runs a command, reports errors.
/// - Returns: the exit code.
func run(_ arguments: [String], in environment: Environment, report: Report) async -> Int32 {
  do throws(Problem) {
    // Errors of the command line itself use the requested format, too.
    if arguments.contains("--errors=json")
      || zip(arguments, arguments.dropFirst()).contains(where: { $0 == ("--errors", "json") })
    {
      report.configure(style: .json, isQuiet: false)
    }
    var invocation = try BBExport.program.parse(arguments)
    switch invocation.action {
    case .version: try Terminal.write("bb-export \(BBExport.version)\n", to: 1)
    case .help(let command):
      try Terminal.write(
        BBExport.program.help(for: command, path: invocation.path, width: environment.terminal.width ?? 80), to: 1)
    case .run(let command):
      if command != BBExport.help, command != BBExport.completions {
        invocation.configuration = try environment.configuration()
      }
      report.configure(
        style: invocation.setting(SharedOptions.errors).flatMap(Report.Style.init) ?? .text,
        isQuiet: invocation.has(SharedOptions.quiet), isVerbose: invocation.has(SharedOptions.verbose))
      try await run(command, invocation, environment)
    }
    return 0
  } catch {
    report.clear()
    if error.kind != .endOfPipe { report.problem(error) }
    return error.kind.exitCode
  }
}

private func run(_ command: Command, _ invocation: Invocation, _ environment: Environment) async throws(Problem) {
  switch command {
  case BBExport.table: try await TableCommand(invocation, environment).run()
  case BBExport.sync: try await SyncCommand(invocation, environment).run()
  case BBExport.datasets: try await Listings.datasets(invocation, environment)
  case BBExport.formats: try await Listings.formats(invocation, environment)
  case BBExport.sources: try await Listings.sources(invocation, environment)
  case BBExport.config: try await Listings.config(invocation, environment)
  case BBExport.check: try await CheckCommand(invocation, environment).run()
  case BBExport.comment: try await CommentCommand(invocation, environment).run()
  case BBExport.plugins: try await PluginsCommand(invocation, environment).run()
  case BBExport.tap: try await TapCommand(invocation, environment).run()
  case BBExport.images: try await ImagesCommand(invocation, environment).run()
  case BBExport.open: try await OpenCommand(invocation, environment).run()
  case BBExport.completions: try complete(invocation, environment)
  case BBExport.help:
    try Terminal.write(BBExport.program.help(on: invocation.arguments, width: environment.terminal.width ?? 80), to: 1)
  default: throw Problem(.bug, "internal error: no handler for command “\(command.name)”")
  }
}

private func complete(_ invocation: Invocation, _ environment: Environment) throws(Problem) {
  guard let shell = Completions.Shell(rawValue: invocation.arguments[0]) else {
    let known = Completions.Shell.allCases.map(\.rawValue)
    throw Problem(
      .usage, "unsupported shell “\(invocation.arguments[0])”",
      hint: "supported shells: \(known.joined(separator: ", "))")
  }
  let words = [
    "dataset": Catalog.all.map(\.name), "format": environment.exporters.all.map(\.descriptor.name),
    "column": Set(Catalog.all.flatMap { $0.columns.map(\.name) }).sorted(),
    "source": environment.sources.map(\.name) + ["snapshot"],
    "topic": BBExport.program.helpWords,
    "relation": Set(Catalog.relations.map(\.name)).sorted(), "production": Shorthand.productions.map(\.short),
  ]
  let columns = Catalog.all.map { (word: $0.name, words: $0.columns.map(\.name)) }
  let completions = Completions(BBExport.program, words: words, narrowed: [(kind: "column", behind: columns)])
  try Terminal.write(completions.script(for: shell), to: 1)
}
