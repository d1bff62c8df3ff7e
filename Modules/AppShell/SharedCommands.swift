import CommandLineKit
import Domain
public import Rows
import Sources

/// The commands about a program itself, which both programs have.
public enum SharedCommands {
  /// Commands that need no configuration.
  static let names = ["completions", "help"]

  /// `completions SHELL`.
  /// - Parameters:
  ///   - program: the name of the program.
  ///   - datasets: the datasets.
  ///   - relations: the names of the relations between them.
  ///   - columns: the columns that are offered where the dataset is not known.
  public static func completions(
    of program: String, datasets: [Schema], relations: [String], columns: [String]
  ) -> CommandEntry {
    let shells = Completions.Shell.allCases.map(\.rawValue)
    let command = Command(
      "completions", "print a shell completion script", discussion: Completions.instructions(for: program),
      arguments: [Argument("SHELL", values: .words(shells), "bash, zsh or fish")])
    return CommandEntry(command) { (context) throws(Problem) in
      guard let shell = Completions.Shell(rawValue: context.arguments[0]) else {
        throw Problem(
          .usage, "unsupported shell “\(context.arguments[0])”",
          hint: "supported shells: \(shells.joined(separator: ", "))")
      }
      let words = [
        "dataset": datasets.map(\.name), "format": context.services.exporters.all.map(\.descriptor.name),
        "column": columns, "source": APIDescription.builtIn.map(\.name) + ["snapshot"],
        "topic": context.program.helpWords, "relation": relations,
        "production": TitleNames.builtIn.titles.compactMap(\.short),
      ]
      // The words after a dataset are its columns.
      let narrowed = datasets.map { (word: $0.name, words: $0.columns.map(\.name)) }
      let completions = Completions(context.program, words: words, narrowed: [(kind: "column", behind: narrowed)])
      try context.services.terminal.write(completions.script(for: shell))
    }
  }

  /// `help [TOPIC…]`.
  public static func help(examples: [String]) -> CommandEntry {
    let command = Command(
      "help", "show help for a command or topic",
      arguments: [
        Argument("TOPIC", values: .dynamic("topic"), count: .any, "command, topic, or man (the manual page)")
      ], examples: examples)
    return CommandEntry(command) { (context) throws(Problem) in
      let width = context.services.terminal.width ?? 80
      try context.services.terminal.write(context.program.help(on: context.arguments, width: width))
    }
  }
}
