import CommandLineKit
import Domain

/// Commands about the program itself.
enum GeneralCommands {
  static var entries: [Entry] {
    [Entry(completions, complete), Entry(help, showHelp)]
  }

  private static let completions = Command(
    "completions", "print a script that completes command lines",
    arguments: [Argument("SHELL", values: .words(Completions.Shell.allCases.map(\.rawValue)), "bash, zsh or fish")])
  private static let help = Command(
    "help", "show help for a command or a topic, or the manual page",
    arguments: [
      Argument("TOPIC", values: .dynamic("topic"), count: .optional, "a command, a topic, or man for the manual page")
    ])

  private static func complete(_ desk: Desk) throws(Problem) {
    guard let shell = Completions.Shell(rawValue: desk.arguments[0]) else {
      let known = Completions.Shell.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.usage, "no completions for “\(desk.arguments[0])”", hint: "there are: \(known)")
    }
    let words = [
      "production": Shorthand.productions.map(\.short), "format": desk.environment.exporters.map(\.descriptor.name),
      "dataset": Catalog.all.map(\.name), "topic": topics,
    ]
    try Terminal.write(Completions(BBNotes.program, words: words).script(for: shell), to: 1)
  }

  private static var topics: [String] {
    BBNotes.program.topics.map(\.name) + BBNotes.program.commands.map(\.name) + ["man"]
  }

  private static func showHelp(_ desk: Desk) throws(Problem) {
    let program = BBNotes.program
    let width = desk.environment.terminalWidth ?? 80
    guard let word = desk.arguments.first else {
      return try Terminal.write(program.help(for: nil, width: width), to: 1)
    }
    if word == "man" { return try Terminal.write(program.manPage(), to: 1) }
    if let topic = program.topics.first(where: { $0.name == word }) {
      return try Terminal.write(topic.text + "\n", to: 1)
    }
    guard let command = program.commands.first(where: { $0.name == word }) else {
      let near = Nearest.word(to: word, among: topics).map { "did you mean \($0)?" }
      throw Problem(.usage, "no help on “\(word)”", hint: near ?? "there are: \(topics.joined(separator: ", "))")
    }
    try Terminal.write(program.help(for: command, width: width), to: 1)
  }
}
