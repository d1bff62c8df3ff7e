import AppShell
import CommandLineKit
import Rows

/// `bb-export explore`: a table to walk through on the terminal.
struct ExploreCommand {
  static let command = Command(
    "explore", "walk through a table on the terminal",
    discussion: """
      Keys: arrows, PgUp, PgDn, Home and End move; / searches; s sorts by the column; f keeps the rows with the value \
      under the cursor, x excludes them; F shows the values of the column with their numbers of rows; Enter shows the \
      record; - hides a column, + shows all; Escape undoes a step; y shows the command of the view, and copies it; ? \
      shows all keys; q quits. Commands that y showed are printed at the end.
      """,
    arguments: BBExport.table.arguments,
    options: BBExport.table.options.filter { option in
      option == OutputOptions.threads || option == OutputOptions.memory
        || !OutputOptions.exporting.contains { $0.name == option.name }
    }, examples: ["explore people.csv", "explore episodes --where 'season = 1'", "explore 'logs/*.csv' --sort at"])

  private let context: CommandContext
  /// The command line, with standard input as a file.
  private let invocation: Invocation

  init(_ context: CommandContext) {
    self.context = context
    let reads = { (word: String) in word == "-" ? "/dev/stdin" : word }
    let from = context.invocation.all(Options.from)
    invocation =
      from.isEmpty && !context.arguments.contains("-")
      ? context.invocation
      : context.invocation.replacing(
        arguments: context.arguments.map(reads), option: Options.from, values: from.map(reads))
  }

  func run() async throws(Problem) {
    let terminal: RawTerminal
    do throws(Problem) { terminal = try RawTerminal(context.services.variables) } catch {
      throw Problem(.usage, error.message, hint: "use bb-export TABLE -f table")
    }
    // Errors in the command line are reported as usual.
    _ = try SelectionOptions(invocation, context.services)
    if (context.arguments + context.invocation.all(Options.from)).contains("-") { try Terminal.keepInput() }
    context.services.progress.show(false)
    let style = context.services.terminal.style(invocation.color, ofErrors: false)
    let session = ExploreSession(terminal, ExplorerScreen(style), context.services.scratch) { query, window in
      Task { await load(query, into: window) }
    } command: { view in
      "bb-export " + Self.words(of: view, context.invocation).joined(separator: " ")
    } isGrouped: {
      [Options.sql, SharedOptions.group, SharedOptions.countBy].contains(where: invocation.has)
    }
    try await session.open()
    context.report.configure(style: .text, isQuiet: true)
    try terminal.enter()
    await RawTerminal.onThread { session.run() }
    RawTerminal.restore()
    context.report.configure(style: .text, isQuiet: false)
    for line in session.commands { context.report.line(line) }
    if session.isInterrupted { throw Problem(.cancelled, "interrupted") }
  }

  /// Reads the rows of a view: those of the command that it stands for.
  private func load(_ query: Explorer.Query, into window: RowWindow) async {
    do throws(Problem) {
      var own = Self.invocation(for: Explorer.View(query: query), invocation)
      if !own.has(OutputOptions.memory) {
        own = own.replacing(arguments: own.arguments, option: OutputOptions.memory, values: ["24M"])
      }
      try await TableCommand(own, context.services, into: WindowExporter(window)).run()
    } catch {
      window.finish(error)
    }
  }

  static func invocation(for view: Explorer.View, _ base: Invocation) -> Invocation {
    var result = base
    func set(_ option: Option, _ values: [String]) {
      result = result.replacing(arguments: base.arguments, option: option, values: values)
    }
    let query = view.query
    if !query.filters.isEmpty { set(SharedOptions.filter, base.all(SharedOptions.filter) + query.filters) }
    if let counted = query.counted {
      set(SharedOptions.countBy, [NameListParser.written(counted)])
      for option in [SharedOptions.columns, SharedOptions.sort] where base.has(option) { set(option, []) }
    }
    if let sort = query.sort {
      set(SharedOptions.sort, [NameListParser.written(sort) + (query.isDescending ? ":desc" : "")])
    }
    if let columns = view.columns {
      set(SharedOptions.columns, [columns.map(NameListParser.written).joined(separator: ",")])
    }
    return result
  }

  /// The words of the command that gives the rows of a view, quoted for a shell.
  static func words(of view: Explorer.View, _ base: Invocation) -> [String] {
    let own = invocation(for: view, base)
    return own.arguments.map(Self.quoted)
      + command.options.flatMap { option in
        option.placeholder != nil
          ? own.all(option).flatMap { ["--\(option.name)", quoted($0)] }
          : own.has(option) ? ["--\(option.name)"] : []
      }
  }

  /// A word for a shell; one with characters that drive a terminal for bash, zsh and ksh.
  private static func quoted(_ word: String) -> String {
    guard Terminal.safe(word) != word || word.utf8.contains(where: { $0 < 32 }) else { return Remedy.shellWord(word) }
    let digits = Array("0123456789abcdef")
    return word.unicodeScalars.reduce("$'") { text, scalar in
      let one = String(scalar)
      if scalar == "'" || scalar == "\\" { return "\(text)\\\(one)" }
      guard scalar.value < 32 || Terminal.safe(one) != one else { return text + one }
      return one.utf8.reduce(text) { "\($0)\\x\(digits[Int($1) / 16])\(digits[Int($1) % 16])" }
    } + "'"
  }
}
