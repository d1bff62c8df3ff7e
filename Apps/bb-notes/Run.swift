import AppShell
import CommandLineKit
import Rows
import Rows

/// The whole program, without the process: parses the arguments, runs a command, reports errors.
/// - Returns: the exit code.
func run(_ arguments: [String], in environment: Environment) async -> Int32 {
  let report = environment.report
  do throws(Problem) {
    // Errors of the command line itself use the requested format, too.
    if arguments.contains("--errors=json")
      || zip(arguments, arguments.dropFirst()).contains(where: { $0 == ("--errors", "json") })
    {
      report.configure(style: .json, isQuiet: false)
    }
    var invocation = try BBNotes.program.parse(arguments)
    if case .run = invocation.action, !["help", "completions"].contains(invocation.path.first) {
      invocation.configuration = try environment.configuration()
    }
    report.configure(
      style: invocation.setting(SharedOptions.errors).flatMap(Report.Style.init) ?? .text,
      isQuiet: invocation.has(SharedOptions.quiet), isVerbose: invocation.has(SharedOptions.verbose))
    switch invocation.action {
    case .version: try Terminal.write("bb-notes \(BBNotes.version)\n", to: 1)
    case .help(let command):
      let text = BBNotes.program.help(for: command, path: invocation.path, width: environment.terminal.width ?? 80)
      try Terminal.write(text, to: 1)
    case .run(let command):
      guard let action = BBNotes.action(at: invocation.path) else {
        throw Problem(.bug, "internal error: no handler for command “\(command.name)”")
      }
      try await action(try Desk(invocation, environment))
    }
    return 0
  } catch {
    if error.kind != .endOfPipe { report.problem(error) }
    return error.kind.exitCode
  }
}
