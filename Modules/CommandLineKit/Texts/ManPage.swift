extension Program {
  /// The man pages by name (`bb-export`, `bb-export-sync`): one for the program and one for each command.
  package var manPages: [(name: String, text: String)] {
    [(name, manPage())] + commands.map { ("\(name)-\($0.name)", manPage(of: $0)) }
  }

  /// The man page of the program, in the macros of man(7).
  package func manPage() -> String {
    var page = ManPage(title: name, source: "\(name) \(version)", date: released)
    page.section("NAME", "\(name) - \(overview)")
    page.section("SYNOPSIS")
    if let command = commands.first(where: { $0.name == defaultCommand }) {
      page.synopsis(name, (command.arguments.map(\.signature) + ["[OPTIONS]"]).joined(separator: " "))
    }
    page.synopsis(name, "COMMAND [ARGUMENTS] [OPTIONS]")
    page.section("DESCRIPTION", discussion.isEmpty ? sentence(overview) : discussion)
    page.section("COMMANDS")
    for command in commands {
      page.item(ManPage.bold(command.name), sentence(command.overview) + " See \(name)-\(command.name)(1).")
    }
    page.section("OPTIONS", "Every command has these options.")
    for option in options + [Self.help, Self.versionOption] { page.item(option) }
    let assignments = assignments()
    if !assignments.isEmpty { page.section("FORMAT OPTIONS", "The option --option sets these.") }
    for assignment in assignments { page.item(ManPage.bold(assignment.signature), assignment.summary + ".") }
    for topic in topics where ManPage.sections[topic.name] == nil {
      page.section(topic.name.uppercased())
      page.verbatim(topic.text)
    }
    ending(&page, examples: examples, related: commands.map { "\(name)-\($0.name)" } + related)
    return page.text
  }

  /// The man page of a command: `bb-export-sync(1)`.
  package func manPage(of command: Command) -> String {
    var page = ManPage(title: "\(name)-\(command.name)", source: "\(name) \(version)", date: released)
    page.section("NAME", "\(name)-\(command.name) - \(command.overview)")
    page.section("SYNOPSIS")
    let commands = command.subcommands.isEmpty ? [(command, [command.name])] : leaves(of: command, path: [])
    for (command, path) in commands {
      page.synopsis(
        ([name] + path).joined(separator: " "),
        (command.arguments.map(\.signature) + ["[OPTIONS]"]).joined(separator: " "))
    }
    page.section("DESCRIPTION", sentence(command.overview))
    if !command.discussion.isEmpty { page.paragraph(command.discussion) }
    for (sub, path) in commands where sub != command {
      page.subsection(path.joined(separator: " "))
      page.prose(sentence(sub.overview) + (sub.discussion.isEmpty ? "" : "\n" + sub.discussion))
      for argument in sub.arguments { page.item(argument) }
      for option in sub.options { page.item(option) }
    }
    if !command.arguments.isEmpty { page.section("ARGUMENTS") }
    for argument in command.arguments { page.item(argument) }
    page.section("OPTIONS")
    var groups: [String] = []
    for option in options(of: command) where !groups.contains(option.group) { groups.append(option.group) }
    for group in groups {
      page.subsection(group)
      for option in options(of: command) where option.group == group { page.item(option) }
    }
    ending(
      &page, examples: command.examples + commands.dropFirst(0).filter { $0.0 != command }.flatMap { $0.0.examples },
      related: [name] + related)
    return page.text
  }

  /// Adds the sections at the end of every page.
  private func ending(_ page: inout ManPage, examples: [String], related: [String]) {
    for (topic, title) in [("exit-codes", "EXIT STATUS"), ("environment", "ENVIRONMENT")] {
      guard let topic = topics.first(where: { $0.name == topic }) else { continue }
      page.section(title)
      page.verbatim(topic.text)
    }
    if !files.isEmpty { page.section("FILES") }
    for file in files { page.item(ManPage.italic(file.path), sentence(file.summary)) }
    if !examples.isEmpty {
      page.section("EXAMPLES")
      page.verbatim(examples.map { "\(name) \($0)" }.joined(separator: "\n"))
    }
    page.section("SEE ALSO")
    page.references(related)
  }

  /// The commands below a command that have no subcommands, with their words.
  private func leaves(of command: Command, path: [String]) -> [(Command, [String])] {
    let path = path + [command.name]
    return command.subcommands.isEmpty ? [(command, path)] : command.subcommands.flatMap { leaves(of: $0, path: path) }
  }
}

/// A page in roff that is being written.
private struct ManPage {
  /// Topics that have a section with another title.
  static let sections = ["exit-codes": "EXIT STATUS", "environment": "ENVIRONMENT"]

  private(set) var text: String

  init(title: String, source: String, date: String) {
    text =
      ".TH \(Self.escaped(title.uppercased())) 1 \"\(date)\" \"\(Self.escaped(source))\" \"User Commands\"\n.nh\n.ad l\n"
  }

  mutating func section(_ title: String, _ body: String? = nil) {
    text += ".SH \(Self.escaped(title))\n"
    if let body { prose(body) }
  }
  mutating func subsection(_ title: String) { text += ".SS \(Self.escaped(title))\n" }
  mutating func paragraph(_ body: String) {
    text += ".PP\n"
    prose(body)
  }
  mutating func synopsis(_ words: String, _ arguments: String) {
    text += (text.hasSuffix("SYNOPSIS\n") ? "" : ".br\n") + "\(Self.bold(words)) \(Self.escaped(arguments))\n"
  }
  mutating func item(_ argument: Argument) { item(Self.italic(argument.placeholder), argument.summary + ".") }
  mutating func item(_ option: Option) {
    let names = (option.letter.map { Self.bold("-\($0)") + ", " } ?? "") + Self.bold("--\(option.name)")
    item(names + (option.placeholder.map { " " + Self.italic($0) } ?? ""), option.explanation + ".")
  }
  mutating func item(_ word: String, _ summary: String) {
    text += ".TP\n\(word)\n"
    prose(summary)
  }
  mutating func verbatim(_ block: String) {
    text += ".nf\n"
    for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
      text += Self.guarded(Self.escaped(String(line))) + "\n"
    }
    text += ".fi\n"
  }
  mutating func references(_ pages: [String]) {
    for (number, page) in pages.enumerated() {
      text += ".BR \(Self.escaped(page)) (1)\(number == pages.count - 1 ? "" : ",")\n"
    }
  }

  /// Paragraphs, in which `…` is code.
  mutating func prose(_ body: String) {
    for (number, paragraph) in body.split(separator: "\n").enumerated() {
      if number > 0 { text += ".PP\n" }
      var line = ""
      let parts = paragraph.split(separator: "`", omittingEmptySubsequences: false)
      for (number, part) in parts.enumerated() {
        let isCode = number % 2 == 1 && number < parts.count - 1
        line +=
          isCode ? Self.bold(String(part)) : (number > 0 && number % 2 == 1 ? "\\(ga" : "") + Self.escaped(String(part))
      }
      text += Self.guarded(line) + "\n"
    }
  }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }
  /// Characters that roff reads as commands or prints as another character.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "\"": escaped += "\\(dq"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
  /// A line that begins like a request is text.
  private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}
