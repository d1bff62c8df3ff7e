import AppShell
import CommandLineKit
import Domain
import Rows

/// Commands about the program itself.
enum GeneralCommands {
  static var entries: [Entry] {
    [Entry(completions, complete), Entry(help, showHelp)]
  }

  private static let completions = Command(
    "completions", "print a shell completion script",
    discussion: Completions.instructions(for: "bb-notes"),
    arguments: [Argument("SHELL", values: .words(Completions.Shell.allCases.map(\.rawValue)), "bash, zsh or fish")])
  private static let help = Command(
    "help", "show help for a command or topic, or the manual page",
    arguments: [
      Argument("TOPIC", values: .dynamic("topic"), count: .any, "command, topic, or man (the manual page)")
    ], examples: ["help places add"])

  private static func complete(_ desk: Desk) throws(Problem) {
    guard let shell = Completions.Shell(rawValue: desk.arguments[0]) else {
      let known = Completions.Shell.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.usage, "unsupported shell “\(desk.arguments[0])”", hint: "supported shells: \(known)")
    }
    let words = [
      "production": Shorthand.productions.map(\.short), "format": desk.environment.exporters.all.map(\.descriptor.name),
      "dataset": Catalog.all.map(\.name), "topic": BBNotes.program.helpWords,
      "column": Catalog.notes.columns.map(\.name),
    ]
    // What names no other dataset is about notes.
    let columns = Catalog.all.map { (word: $0.name, words: $0.columns.map(\.name)) }
    let completions = Completions(BBNotes.program, words: words, narrowed: [(kind: "column", behind: columns)])
    try desk.environment.terminal.write(completions.script(for: shell))
  }

  private static func showHelp(_ desk: Desk) throws(Problem) {
    try Terminal.write(BBNotes.program.help(on: desk.arguments, width: desk.environment.terminal.width ?? 80), to: 1)
  }
}
