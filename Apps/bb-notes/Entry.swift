import Rows
import CommandLineKit

/// A command and what it does, or a group of commands: the program is a list of these.
struct Entry: Sendable {
  /// The action of a command.
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
  init(_ name: String, aliases: [String] = [], _ overview: String, _ entries: [Entry], examples: [String] = []) {
    command = Command(name, aliases: aliases, overview, subcommands: entries.map(\.command), examples: examples)
    var actions: [[String]: Action] = [:]
    for entry in entries { for (path, action) in entry.actions { actions[[name] + path] = action } }
    self.actions = actions
  }

  /// The action of the command at a path; nil if it does not belong to this entry.
  func action(at path: [String]) -> Action? { actions[path] }
}
