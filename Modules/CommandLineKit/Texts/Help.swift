extension Program {
  /// `bb-export table DATASET [OPTIONS]`.
  package func usage(of command: Command, path: [String]) -> String {
    let words = [name] + (path.isEmpty ? [command.name] : path) + command.arguments.map(\.signature)
    return (words + (command.subcommands.isEmpty ? [] : ["COMMAND"]) + ["[OPTIONS]"]).joined(separator: " ")
  }

  /// The lines on how to call the program.
  private var usages: [String] {
    let start = defaultCommand.flatMap { name in commands.first { $0.name == name } }
    return (start.map { [([self.name] + $0.arguments.map(\.signature) + ["[OPTIONS]"]).joined(separator: " ")] } ?? [])
      + ["\(name) COMMAND [ARGUMENTS] [OPTIONS]"]
  }

  /// The help for a command line without any word: what the program is for, how to call it, and examples.
  package func shortHelp(width: Int = 80) -> String {
    var page = Page(width: max(40, min(width, 120)))
    page.section("USAGE", lines: usages)
    page.section("EXAMPLES", lines: examples.map { "\(name) \($0)" })
    if !datasets.isEmpty { page.section("DATASETS", text: datasets.joined(separator: ", ")) }
    page.section("SUBCOMMANDS", text: commands.map(\.name).joined(separator: ", "))
    return "\(sentence(overview))\n\n\(page.text)"
  }

  /// The help of a command, or of the program, in lines of at most `width` columns.
  /// - Parameter isComplete: whether rarely used options are shown, too.
  package func help(for command: Command?, path: [String] = [], width: Int = 80, isComplete: Bool = false) -> String {
    var page = Page(width: max(40, min(width, 120)))
    guard let command else {
      page.section("OVERVIEW", text: sentence(overview))
      let start = defaultCommand.flatMap { name in commands.first { $0.name == name } }
      page.section("USAGE", lines: usages)
      page.section("EXAMPLES", lines: examples.map { "\(name) \($0)" })
      if !datasets.isEmpty { page.section("DATASETS", text: datasets.joined(separator: ", ")) }
      page.section("SUBCOMMANDS", pairs: commands.map { ($0.name, $0.overview) })
      page.section(
        "OPTIONS",
        lines: ["Run “\(name) COMMAND --help” for the options of a command."]
          + (start.map {
            [
              "Run “\(name) \($0.name) --help” for the options of \(name) "
                + "\($0.arguments.map(\.placeholder).joined(separator: " "))."
            ]
          } ?? []))
      page.groups(options + [Self.help, Self.versionOption])
      page.section("HELP TOPICS", pairs: topics.map { ("help \($0.name)", $0.summary) })
      return page.text
    }
    page.section(
      "OVERVIEW", text: sentence(command.overview) + (command.discussion.isEmpty ? "" : "\n\n" + command.discussion))
    page.section("USAGE", lines: [usage(of: command, path: path)])
    page.section("ARGUMENTS", pairs: command.arguments.map { ($0.placeholder, $0.summary) })
    page.section("SUBCOMMANDS", pairs: command.subcommands.map { ($0.name, $0.overview) })
    let all = options(of: command)
    if command.common.isEmpty || isComplete {
      page.groups(all)
      let takesAll = isComplete && all.contains { $0.name == "option" }
      page.assignments(assignments().filter { takesAll || $0.format == command.name })
    } else {
      let common = command.common.compactMap { name in all.first { $0.name == name } }
      page.section("OPTIONS", pairs: common.map { ($0.signature, $0.explanation) })
      page.section("MORE", lines: ["Run “\(name) \(command.name) --help all” for all \(all.count) options."])
    }
    page.section("EXAMPLES", lines: command.examples.map { "\(name) \($0)" })
    return page.text
  }
}

extension Program {
  /// What `--option` can set of a format or a place; empty for other words.
  func assignments(of format: String, width: Int) -> String {
    var page = Page(width: max(40, min(width, 120)))
    page.assignments(assignments().filter { $0.format == format })
    return page.text
  }
}

func sentence(_ summary: String) -> String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

/// A help text that is being put together.
private struct Page {
  let width: Int
  var text = ""
  init(width: Int) { self.width = width }

  mutating func section(_ title: String, lines: [String]) {
    guard !lines.isEmpty else { return }
    text += (text.isEmpty ? "" : "\n") + "\(title)\n" + lines.map { "  \($0)\n" }.joined()
  }
  mutating func section(_ title: String, text body: String) {
    let paragraphs = body.split(separator: "\n", omittingEmptySubsequences: false)
    section(title, lines: paragraphs.flatMap { wrapped(String($0), width - 2) })
    text = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0 == "  " ? "" : String($0) }.joined(
      separator: "\n")
  }
  mutating func section(_ title: String, pairs: [(String, String)]) {
    guard !pairs.isEmpty else { return }
    let column = min(max(12, (pairs.map(\.0.count).max() ?? 0) + 2), 30)
    var lines: [String] = []
    for (word, summary) in pairs {
      let explained = wrapped(summary, width - 2 - column)
      if word.count + 2 > column {
        lines.append(word)
        lines += explained.map { String(repeating: " ", count: column) + $0 }
      } else {
        lines.append(word + String(repeating: " ", count: column - word.count) + (explained.first ?? ""))
        lines += explained.dropFirst().map { String(repeating: " ", count: column) + $0 }
      }
    }
    section(title, lines: lines)
  }
  mutating func groups(_ options: [Option]) {
    var order: [String] = []
    for option in options where !order.contains(option.group) { order.append(option.group) }
    // Those of the built-in data come last.
    order = order.filter { $0 != Option.lastGroup } + order.filter { $0 == Option.lastGroup }
    for group in order {
      let pairs = options.filter { $0.group == group }.map { option in
        (option.signature, option.explanation)
      }
      section("\(group.uppercased()) OPTIONS", pairs: pairs)
    }
  }

  mutating func assignments(_ assignments: [Program.Assignment]) {
    section("VALUES OF --OPTION", pairs: assignments.map { ($0.signature, $0.summary) })
  }

  private func wrapped(_ paragraph: String, _ width: Int) -> [String] {
    var lines: [String] = [], line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
