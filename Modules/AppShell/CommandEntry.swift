package import CommandLineKit
import Rows

/// A command and its action, or a group of commands.
package struct CommandEntry: Sendable {
  package let command: Command
  private let actions: [[String]: Action]

  package init(_ command: Command, _ action: @escaping Action) {
    self.command = command
    actions = [[command.name]: action]
  }

  /// Creates a group of commands, chosen by a second word.
  package init(
    _ name: String, aliases: [String] = [], _ overview: String, _ entries: [CommandEntry], examples: [String] = []
  ) {
    command = Command(name, aliases: aliases, overview, subcommands: entries.map(\.command), examples: examples)
    var actions: [[String]: Action] = [:]
    for entry in entries { for (path, action) in entry.actions { actions[[name] + path] = action } }
    self.actions = actions
  }

  /// The action of the command at a path; nil if it does not belong to this entry.
  func action(at path: [String]) -> Action? { actions[path] }
}
