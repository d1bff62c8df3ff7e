import AppShell
import CommandLineKit
import Query
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
    let session = ExploreSession(terminal, ExplorerScreen(style), context.services.scratch) { query, window, first in
      Task { await load(query, into: window, first) }
    } command: { view, first in
      Self.text(of: view, context.invocation, first)
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
  /// - Parameters:
  ///   - first: the rows of the first view; nil for that one.
  ///   - faults: the errors so far, before which reading ends.
  private func load(
    _ query: Explorer.Query, into window: RowWindow, _ first: RowWindow?, faults: [Problem] = []
  ) async {
    do throws(Problem) {
      if let first, first.problem != nil || !faults.isEmpty || Self.isLater(invocation) {
        return try await select(query, from: first, into: window)
      }
      var own = Self.invocation(for: Explorer.View(query: query), invocation)
      if !own.has(OutputOptions.memory) {
        own = own.replacing(arguments: own.arguments, option: OutputOptions.memory, values: ["24M"])
      }
      own = own.replacing(arguments: own.arguments, option: Options.before, values: faults.map(\.place))
      try await TableCommand(own, context.services, into: WindowExporter(window, before: faults.first)).run()
    } catch {
      // A record that was cut has another error, in its first line.
      guard error.kind == .badData, faults.count < 3 else { return window.finish(faults.first ?? error) }
      await load(query, into: window, first, faults: faults + [error])
    }
  }

  /// Selects from the rows of the first view, as far as they can be read.
  private func select(
    _ query: Explorer.Query, from first: RowWindow, into window: RowWindow
  ) async throws(Problem) {
    while !first.isComplete {
      do { try await Task.sleep(for: .milliseconds(2)) } catch { throw Problem(.cancelled, "interrupted") }
    }
    guard let rows = first.rows else { return window.finish(first.problem) }
    let own = Self.invocation(for: Explorer.View(query: query), try Self.following(rows.schema))
    let chosen = try await SelectionOptions(own, context.services).read(for: rows.schema)
      .applied(to: rows, scratch: context.services.scratch, memory: 24 << 20)
    window.begin(chosen.schema)
    while let task = try await chosen.next() { try window.append(task.batch()) }
    window.finish(first.problem)
  }

  /// Whether an option comes after conditions, groups or the order of rows, or changes the names of columns: a view is
  /// then a selection from the rows of the whole command.
  private static func isLater(_ base: Invocation) -> Bool {
    let others = "where columns sort production search season episode name favourites with explode fill put".split(
      separator: " ")
    return base.has(Options.sql) || Options.selecting.contains { !others.contains($0.name[...]) && base.has($0) }
  }

  /// The command that selects from rows with these columns, which it reads from a pipe.
  private static func following(_ schema: Schema) throws(Problem) -> Invocation {
    let types = schema.columns.map { "\(NameListParser.written($0.name))=\($0.type.name)" }.joined(separator: ",")
    return try BBExport.program.parse([BBExport.table.name, "-", "--from-format", "csv", "--types", types])
  }

  /// The command that gives the rows of a view.
  /// - Parameter first: the columns of the first view, without its changes.
  static func text(of view: Explorer.View, _ base: Invocation, _ first: Schema?) -> String {
    guard isLater(base), let first, view.query != Explorer.Query() || view.columns != nil,
      let next = try? following(first)
    else { return "bb-export " + words(of: view, base).joined(separator: " ") }
    let commands = [words(of: Explorer.View(), base) + ["-f", "csv"], words(of: view, next)]
    return commands.map { "bb-export " + $0.joined(separator: " ") }.joined(separator: " | ")
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
  private static func words(of view: Explorer.View, _ base: Invocation) -> [String] {
    let own = invocation(for: view, base)
    return own.arguments.map(Terminal.shellWord)
      + command.options.flatMap { option in
        option.placeholder != nil
          ? own.all(option).flatMap { ["--\(option.name)", Terminal.shellWord($0)] }
          : own.has(option) ? ["--\(option.name)"] : []
      }
  }
}
