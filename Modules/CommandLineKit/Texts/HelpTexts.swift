package import Rows

extension Program {
  /// The words that can follow `help`: topics, commands, `man`.
  package var helpWords: [String] {
    ownWords + Set(assignments().map(\.format)).subtracting(ownWords).sorted()
  }
  /// Topics, commands and `man`.
  private var ownWords: [String] { topics.map(\.name) + commands.map(\.name) + ["man"] }

  /// Returns the text that `help WORD…` shows: the help of the program, a topic, or a command and its subcommand.
  ///
  /// `man` is the man page of the program, `man COMMAND` that of a command, and `man all` is all of them.
  /// - Throws: `usage` for what there is no help on, with the nearest word.
  package func help(on words: [String], width: Int = 80) throws(Problem) -> String {
    if words.count > 1, words.last == "all", words[0] != "man" {
      let path = Array(words.dropLast())
      if let command = commands.first(where: { $0.isNamed(path[0]) }), path.count == 1 {
        return help(for: command, path: path, width: width, isComplete: true)
      }
    }
    guard let first = words.first else { return help(for: nil, width: width) }
    if first == "man", words.count <= 2 {
      guard let word = words.dropFirst().first else { return manPage() }
      if word == "all" { return manPages.map(\.text).joined() }
      if let command = commands.first(where: { $0.name == word }) { return manPage(of: command) }
    }
    if let topic = topics.first(where: { $0.name == first }) {
      if !topic.tasks.isEmpty { return try topic.help(with: Array(words.dropFirst())) }
      let values = assignments(of: first, width: width)
      if words.count == 1 { return topic.text + "\n" + (values.isEmpty ? "" : "\n" + values) }
    }
    var command: Command?, below = commands
    for (depth, word) in words.enumerated() {
      guard let named = below.first(where: { $0.isNamed(word) }) else {
        let values = assignments(of: word, width: width)
        if words.count == 1, !values.isEmpty { return values }
        // An action of a command is described by the help of the command.
        if let command, case .words(let actions) = command.arguments.first?.values, actions.contains(word) {
          return help(for: command, path: Array(words[..<depth]), width: width)
        }
        let known = depth == 0 ? helpWords : below.map(\.name)
        let all =
          known.isEmpty
          ? "run “\(name) help \(words[..<depth].joined(separator: " "))”"
          : "available: \((depth == 0 ? ownWords : known).joined(separator: ", "))"
        throw Problem(
          .usage, "unknown help topic or command “\(words.joined(separator: " "))”",
          hint: .nearest(word, among: known) ?? .advice(all))
      }
      command = named
      below = named.subcommands
    }
    return help(for: command, path: words, width: width)
  }
}
