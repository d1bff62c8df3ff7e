import Rows
import CommandLineKit

/// A command and what it does, or a group of commands: the program is a list of these.
struct Entry: Sendable {
  /// What a command does.
  typealias Action = @Sendable (_ desk: Desk) async throws(Problem) -> Void

  /// The description.
  let command: Command
  private let actions: [[String]: Action]

  /// A command.
  init(_ command: Command, _ action: @escaping Action) {
    self.command = command
    actions = [[command.name]: action]
  }

  /// A group of commands, chosen by a second word.
  init(_ name: String, _ overview: String, _ entries: [Entry], examples: [String] = []) {
    command = Command(name, overview, subcommands: entries.map(\.command), examples: examples)
    var actions: [[String]: Action] = [:]
    for entry in entries { for (path, action) in entry.actions { actions[[name] + path] = action } }
    self.actions = actions
  }

  /// What the command with these words does; nil when it is none of this entry's.
  func action(at path: [String]) -> Action? { actions[path] }
}
