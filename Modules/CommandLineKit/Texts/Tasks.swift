import Rows

extension Program.Topic {
  /// The text of the topic with the titles of its tasks; or, as plain text, the tasks that contain all words, whatever
  /// their case.
  /// - Throws: `usage` if no task contains the words.
  func help(with words: [String]) throws(Problem) -> String {
    // A task begins at a heading of level 3, and ends at the next heading.
    let found = tasks.split(separator: "\n### ").dropFirst().map { task in
      task.split(separator: "\n## ", maxSplits: 1).first ?? ""
    }
    if words.isEmpty { return text + "\n" + found.map { "  \($0.prefix { $0 != "\n" })\n" }.joined() }
    let chosen = found.filter { task in
      let task = task.lowercased()
      return words.allSatisfy { task.contains($0.lowercased()) }
    }
    guard !chosen.isEmpty else {
      throw Problem(
        .usage, "no task contains “\(words.joined(separator: " "))”", hint: "use another word, or none for all tasks")
    }
    return chosen.map(Self.plain).joined(separator: "\n")
  }

  /// A task without the marks of Markdown: its blocks of code are indented.
  private static func plain(_ task: Substring) -> String {
    var isCode = false, text = ""
    for line in task.split(separator: "\n") {
      if line.hasPrefix("```") { isCode.toggle() } else { text += (isCode ? "  " : "") + line + "\n" }
    }
    return text
  }
}
