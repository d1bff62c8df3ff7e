import CommandLineKit
import Rows

/// The commands about a program itself, which both programs have.
package enum SharedCommands {
  static let names = ["completions", "help"]

  /// `completions SHELL`, and `completions candidates -- WORD…` for the scripts.
  package static func completions(of program: String, _ values: CompletionValues) -> CommandEntry {
    let shells = Completions.Shell.allCases.map(\.rawValue)
    let command = Command(
      "completions", "print a shell completion script", discussion: Completions.instructions(for: program),
      arguments: [
        Argument("SHELL", values: .words(shells), "bash, zsh or fish"),
        Argument("WORD", count: .any, "for the scripts, after “candidates --”: a command line to complete"),
      ])
    return CommandEntry(command) { (context) async throws(Problem) in
      let word = context.arguments[0]
      if word == Completions.request {
        let words = Array(context.arguments.dropFirst())
        let lines = await context.program.candidates(for: words) { (kind, point) in
          await values.words(kind, point, context)
        }
        return try context.services.terminal.write(lines.map { $0 + "\n" }.joined())
      }
      guard let shell = Completions.Shell(rawValue: word), context.arguments.count == 1 else {
        throw Problem(
          .usage, "unsupported shell “\(word)”", hint: "supported shells: \(shells.joined(separator: ", "))")
      }
      try context.services.terminal.write(Completions.script(for: program, shell))
    }
  }

  /// `help [TOPIC…]`.
  package static func help(examples: [String]) -> CommandEntry {
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
