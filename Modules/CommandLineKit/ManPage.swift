extension Program {
  /// The program's page for man(1), in the macros of man(7).
  public func manPage() -> String {
    var lines = [
      ".TH \(ManPage.escaped(name.uppercased())) 1 \"\" \"\(ManPage.escaped("\(name) \(version)"))\" \"User Commands\"",
      ".SH NAME",
      ManPage.line("\(name) - \(overview)"), ".SH SYNOPSIS",
    ]
    for command in [commands.first { $0.name == defaultCommand }].compactMap(\.self) {
      lines += [
        ".B \(ManPage.escaped(name))",
        ManPage.line((command.arguments.map(\.signature) + ["[OPTIONS]"]).joined(separator: " ")), ".br",
      ]
    }
    lines += [".B \(ManPage.escaped(name))", "COMMAND [ARGUMENTS] [OPTIONS]", ".SH COMMANDS"]
    for command in commands { lines += manLines(of: command, path: []) }
    lines.append(".SH OPTIONS OF EVERY COMMAND")
    for option in options + [Self.help, Self.versionOption] { lines += ManPage.option(option) }
    for topic in topics {
      lines += [".SH \(ManPage.escaped(topic.name.uppercased()))", ".nf", ManPage.block(topic.text), ".fi"]
    }
    lines += [".SH EXAMPLES", ".nf", ManPage.block(examples.map { "\(name) \($0)" }.joined(separator: "\n")), ".fi"]
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Program {
  /// A command, and those below it.
  private func manLines(of command: Command, path: [String]) -> [String] {
    let path = path + [command.name]
    var lines = [
      ".SS \(ManPage.escaped(usage(of: command, path: path)))", ManPage.line(sentence(command.overview)),
    ]
    if !command.discussion.isEmpty { lines += [".PP", ManPage.line(command.discussion)] }
    for argument in command.arguments { lines += ManPage.item(argument.placeholder, argument.summary) }
    for option in command.options { lines += ManPage.option(option) }
    return lines + command.subcommands.flatMap { manLines(of: $0, path: path) }
  }
}

/// Text made safe for roff.
private enum ManPage {
  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
  }
  /// A line of text: one that begins like a request is guarded.
  static func line(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { part in
      part.isEmpty ? ".PP" : guarded(escaped(String(part)))
    }.joined(separator: "\n")
  }
  static func block(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { guarded(escaped(String($0))) }.joined(
      separator: "\n")
  }
  static func option(_ option: Option) -> [String] {
    item(option.signature, option.summary + (option.words.map { ": " + $0.joined(separator: ", ") } ?? ""))
  }
  static func item(_ word: String, _ summary: String) -> [String] {
    [".TP", ".B \(escaped(word))", line(summary + ".")]
  }
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }
}
