import Rows

/// A subcommand that shares the help and the options of its command: `sources check FILE [DATASET…]`.
package struct CommandAction: Sendable, Hashable {
  let name: String
  /// Its arguments, in order; only the last may be `optional` or `any`.
  let arguments: [Argument]

  package init(_ name: String, _ arguments: Argument...) {
    self.name = name
    self.arguments = arguments
  }
}

extension Program {
  /// Checks the words after a command that has actions.
  /// - Throws: `usage` for an unknown action, a missing argument, or one too many.
  func checkAction(_ words: [String], of command: Command) throws(Problem) {
    let names = command.actions.map(\.name)
    guard let word = words.first else {
      // Without an action, some commands list.
      guard command.arguments.first?.count == .one else { return }
      throw missingSubcommand(after: command.name, among: names)
    }
    guard let action = command.actions.first(where: { $0.name == word }) else {
      var problem = unknownCommand([command.name, word], among: names)
      if let action = command.actions.first(where: { $0.arguments.first?.words.contains(word) ?? false }) {
        // A value after the word is set.
        let chosen = words.count > 1 ? command.actions.first { $0.arguments.count > 1 } ?? action : action
        let rest = words.dropFirst().map(Remedy.shellWord)
        problem.hint = .advice("use \(name) \(([command.name, chosen.name, word] + rest).joined(separator: " "))")
      }
      throw problem
    }
    let rest = Array(words.dropFirst()), needed = action.arguments.filter { $0.count == .one }
    let usage = ([name, command.name, word] + action.arguments.map(\.signature) + ["[OPTIONS]"]).joined(separator: " ")
    if rest.count < needed.count {
      throw Problem(.usage, "missing argument \(needed[rest.count].placeholder)", hint: "usage: \(usage)")
    }
    if rest.count > action.arguments.count, action.arguments.last?.count != .any {
      throw Problem(
        .usage, "unexpected argument “\(rest[action.arguments.count])”",
        hint: .advice(Self.quoting(rest, for: action.arguments) ?? "usage: \(usage)"))
    }
  }

  /// The error for a command without the subcommand that it needs.
  func missingSubcommand(after path: String, among names: [String]) -> Problem {
    Problem(
      .usage, "missing subcommand after \(path)", hint: "use one of: \(names.joined(separator: ", "))")
  }

  /// The hint to quote the words of a text that were passed as arguments; nil if the last argument is not a text, or
  /// the words do not look like one.
  static func quoting(_ words: [String], for arguments: [Argument]) -> String? {
    guard let last = arguments.last, [.free, .dynamic("record")].contains(last.values), !last.takesFiles else {
      return nil
    }
    let text = words.dropFirst(arguments.count - 1)
    guard text.allSatisfy({ $0.unicodeScalars.allSatisfy(\.properties.isAlphabetic) }) else { return nil }
    return "quote several words: '\(text.joined(separator: " "))'"
  }
}
