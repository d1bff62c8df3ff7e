/// Adapts errors and warnings of the libraries to the running command: advice that names an option which the command
/// does not have is omitted.
public struct ErrorPresenter: Sendable {
  /// The options of the command, with their dashes.
  private let options: Set<String>

  /// Creates the presenter of a command.
  public init(_ program: Program, _ command: Command) {
    let names = program.options(of: command).flatMap { option in
      ([option.name] + option.aliases).map { "--\($0)" } + (option.letter.map { ["-\($0)"] } ?? [])
    }
    options = Set(names)
  }

  /// A hint without the alternatives that the command does not have; empty if there is none left.
  public func hint(_ text: String) -> String { Self.joined(Self.clauses(text).filter { isUsable($0.text) }) }

  /// A warning without advice that the command cannot follow.
  public func warning(_ text: String) -> String {
    let clauses = Self.clauses(text)
    return Self.joined([clauses[0]] + clauses.dropFirst().filter { isUsable($0.text) })
  }

  private typealias Clause = (mark: String, text: String)

  private static func joined(_ clauses: [Clause]) -> String {
    clauses.enumerated().map { $0.offset == 0 ? $0.element.text : $0.element.mark + $0.element.text }.joined()
  }

  /// The parts of a text between `, or` and semicolons, each with the mark before it.
  private static func clauses(_ text: String) -> [Clause] {
    var clauses: [Clause] = [], mark = "", rest = text[...]
    while true {
      let marks = ["; ", ", or "].compactMap { mark in rest.firstRange(of: mark).map { (mark, $0) } }
      guard let (next, range) = marks.min(by: { $0.1.lowerBound < $1.1.lowerBound }) else { break }
      clauses.append((mark, String(rest[..<range.lowerBound])))
      (mark, rest) = (next, rest[range.upperBound...])
    }
    return clauses + [(mark, String(rest))]
  }

  /// Whether the command has every option that a clause names. A command line of a program is usable anywhere.
  private func isUsable(_ clause: String) -> Bool {
    if clause.contains("bb-") { return true }
    var isQuoted = false, last: Substring = ""
    for word in clause.split(separator: " ") {
      if word.hasPrefix("“") { isQuoted = true }
      defer {
        if word.contains("”") { isQuoted = false }
        last = word
      }
      // Text after a colon is a command line of another program: `convert it: soffice --headless`.
      if !isQuoted, last.hasSuffix(":"), !word.hasPrefix("-"), word.first?.isLowercase == true { return true }
      guard !isQuoted, word.hasPrefix("-") else { continue }
      let name = word.prefix { $0 == "-" || $0.isLowercase }
      // A letter after another word is an option of another program: `iconv -f UTF-16LE`.
      let isOwn = ["use", "add", "or", "with", "remove"].contains(last)
      let isOption = name.hasPrefix("--") ? name.count > 3 : name.count == 2 && isOwn
      if isOption, !options.contains(String(name)) { return false }
    }
    return true
  }
}
