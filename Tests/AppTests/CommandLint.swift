import CommandLineKit

/// Looks over a program's description for what would confuse a reader.
enum CommandLint {
  /// One sentence per problem; empty for a good description.
  static func findings(_ program: Program) -> [String] {
    var findings: [String] = []
    func sentence(_ text: String, _ what: String) {
      if text.isEmpty { findings.append("\(what) has no summary") }
      if text.hasSuffix(".") { findings.append("the summary of \(what) ends with a full stop") }
      if let first = text.first, first.isUppercase, !["CA ", "CSV", "JSON", "Singer"].contains(where: text.hasPrefix) {
        findings.append("the summary of \(what) begins with a capital")
      }
    }
    if let fallback = program.defaultCommand, !program.commands.contains(where: { $0.name == fallback }) {
      findings.append("no default command \(fallback)")
    }
    for (command, path) in program.commands.flatMap({ all($0, []) }) {
      sentence(command.overview, command.name)
      for argument in command.arguments { sentence(argument.summary, "\(command.name) \(argument.placeholder)") }
      for argument in command.arguments.dropLast() where argument.count != .one {
        findings.append("\(command.name): only the last argument can be optional")
      }
      let options = program.options(of: command)
      for option in options {
        sentence(option.summary, "--\(option.name)")
        if option.group.isEmpty { findings.append("--\(option.name) has no heading") }
        if options.filter({ $0.name == option.name }).count > 1 {
          findings.append("\(command.name): two options --\(option.name)")
        }
        if let letter = option.letter, options.filter({ $0.letter == letter }).count > 1 {
          findings.append("\(command.name): two options -\(letter)")
        }
      }
      let help = program.help(for: command, path: path)
      if help.contains("\\") { findings.append("\(command.name): a backslash in the help") }
      for line in help.split(separator: "\n") where line.count > 80 {
        if !line.contains(program.name) {
          findings.append("\(command.name): a help line of \(line.count) columns: \(line)")
        }
      }
    }
    for topic in program.topics {
      sentence(topic.summary, "help \(topic.name)")
      if program.commands.contains(where: { $0.name == topic.name }) {
        findings.append("help \(topic.name) is a command and a topic")
      }
      for line in topic.text.split(separator: "\n") where line.count > 80 {
        findings.append("help \(topic.name): a line of \(line.count) columns: \(line)")
      }
    }
    return findings
  }

  /// A command and those below it, each with the words that lead to it.
  private static func all(_ command: Command, _ path: [String]) -> [(Command, [String])] {
    let path = path + [command.name]
    return [(command, path)] + command.subcommands.flatMap { all($0, path) }
  }
}
