package import CommandLineKit
import Domain
import Rows

/// A program: its description, and the actions of its commands.
package struct Application: Sendable {
  /// The description, of which help, completions, man page and parser are made.
  let program: Program
  private let entries: [CommandEntry]

  /// Creates a program. The commands of `program` are those of `entries`.
  package init(_ program: Program, _ entries: [CommandEntry]) {
    self.program = program
    self.entries = entries
  }

  /// The action of the command at a path; nil if there is none.
  package func action(at path: [String]) -> CommandEntry.Action? {
    entries.lazy.compactMap { $0.action(at: path) }.first
  }

  /// Parses the arguments, runs the command, and reports errors.
  /// - Returns: the exit code.
  package func run(_ arguments: [String], in services: AppServices) async -> Int32 {
    var services = services
    let report = services.report
    let progress = services.progress
    var parsed: Invocation?
    defer { progress.finish() }
    do throws(Problem) {
      // Errors of the command line itself use the requested format, too.
      if arguments.contains("--errors=json")
        || zip(arguments, arguments.dropFirst()).contains(where: { $0 == ("--errors", "json") })
      {
        report.configure(style: .json, isQuiet: false)
      }
      // Messages about the command line repeat its words.
      for word in arguments {
        report.secrets.add(in: word.hasPrefix("--") ? String(word.drop { $0 != "=" }.dropFirst()) : word)
      }
      guard !arguments.isEmpty else { throw nothing(services) }
      var invocation = try program.parse(arguments)
      parsed = invocation
      var clock = services.clock
      if case .run = invocation.action, !SharedCommands.names.contains(invocation.path.first ?? "") {
        invocation.configuration = try services.configuration()
        clock = try services.writtenTime()
        services.registerSecrets(of: invocation)
        services.connect(&services, try APIOptions(connecting: invocation))
        invocation.locations = services.locations
      }
      var presenter: ErrorPresenter?
      if case .run(let command) = invocation.action {
        presenter = ErrorPresenter(program, command, actions: ActionLines.line)
      }
      report.configure(
        style: invocation.setting(SharedOptions.errors).flatMap(Report.Style.init) ?? .text,
        isQuiet: invocation.isOn(SharedOptions.quiet), isVerbose: invocation.isOn(SharedOptions.verbose),
        isColored: invocation.hasColoredErrors(services.terminal),
        presenter: presenter)
      if presenter != nil, !SharedCommands.names.contains(invocation.path.first ?? "") {
        for warning in ConfigurationKey.misspeltVariables(among: services.variables.keys) { report.warning(warning) }
      }
      services.progress.show(invocation.showsProgress)
      switch invocation.action {
      case .version: try services.terminal.write("\(program.name) \(program.version)\n")
      case .help(let command):
        let text = program.help(
          for: command, path: invocation.path, width: services.terminal.width ?? 80,
          isComplete: invocation.arguments.last == "all")
        guard services.terminal.width != nil else {
          try services.terminal.write(text)
          break
        }
        var bytes = ByteBuffer(capacity: text.utf8.count)
        bytes.append(bytes: Array(text.utf8))
        let pager = try services.terminal.output(TerminalUse(isPaged: true))
        try await pager.write(bytes)
        try await pager.commit()
      case .run(let command):
        // The default command can be implied.
        let path = invocation.path.isEmpty ? [command.name] : invocation.path
        guard let action = action(at: path) else {
          throw Problem(.bug, "internal error: no handler for command “\(command.name)”")
        }
        try await action(
          CommandContext(invocation: invocation, services: services, program: program, clock: clock))
        // The warnings name the requests; the status says that running again may give more.
        if !services.provenance.failures.isEmpty { return Problem.Kind.busy.exitCode }
      }
      return services.exitCode.value
    } catch {
      progress.finish()
      if error.kind != .endOfPipe { report.problem(parsed?.explaining(error) ?? error) }
      return error.kind.exitCode
    }
  }

  /// Writes the short help; the problem of a command line without words.
  private func nothing(_ services: AppServices) -> Problem {
    var problem = Problem(.usage, "no command given", hint: "run “\(program.name) --help” for usage")
    if program.defaultCommand != nil, Terminal.hasInput {
      problem.hint = "to read standard input, use: \(program.name) -"
    } else {
      services.report.line(program.shortHelp(width: services.terminal.width ?? 80))
    }
    return problem
  }
}
