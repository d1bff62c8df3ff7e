public import Rows

/// Words that other programs use for something that has another name here.
///
/// They are not accepted: they make the hint of the error exact.
public struct Synonym: Sendable, Hashable {
  /// Words as they are typed: `--head`, `-n`, `rm`.
  let words: [String]
  /// The option (`--limit`) or command (`delete`) that the hint is about; without it there is no hint.
  public let target: String
  /// An imperative or a question.
  public let hint: String

  /// Creates a synonym.
  /// - Parameter hint: an imperative; if nil, the hint asks whether the target was meant.
  public init(_ words: String..., for target: String, hint: String? = nil) {
    self.words = words
    self.target = target
    self.hint = hint ?? "did you mean \(target)?"
  }
}

extension Program {
  /// The error for an unknown option, with the nearest one.
  func unknownOption(_ typed: String, among known: [Option], of command: String?) -> Problem {
    let names = known.map { "--\($0.name)" }
    // Dashes do not make two names alike.
    let near = SpellingSuggestion.word(to: String(typed.drop { $0 == "-" }), among: known.map(\.name))
    let isLong = typed.hasPrefix("--")
    let hint = synonym(typed, names)?.hint ?? (isLong ? near : nil).map { "did you mean --\($0)?" }
    return Problem(.usage, "unknown option \(typed)", hint: .advice(hint ?? helpHint(command)))
  }

  /// The error for an unknown command or subcommand, with the nearest one.
  func unknownCommand(_ words: [String], among names: [String]) -> Problem {
    let last = words.last ?? "", isCommand = words.count == 1
    let hint =
      synonym(last, names).map { .advice($0.hint) } ?? Remedy.nearest(last, among: names)
      ?? .advice(isCommand ? helpHint(nil) : "use one of: \(names.joined(separator: ", "))")
    return Problem(
      .usage, "unknown \(isCommand ? "command" : "subcommand") “\(words.joined(separator: " "))”", hint: hint)
  }

  /// The error for the name of a dataset that looks like a mistyped command; nil if it does not.
  public func unknownCommand(_ word: String) -> Problem? {
    let names = commands.map(\.name)
    guard synonym(word, names) != nil || SpellingSuggestion.word(to: word, among: names) != nil else { return nil }
    return unknownCommand([word], among: names)
  }

  private func synonym(_ word: String, _ known: [String]) -> Synonym? {
    synonyms.first { $0.words.contains(word) && known.contains($0.target) }
  }

  private func helpHint(_ command: String?) -> String {
    "run “\(name) \(command.map { $0 + " " } ?? "")--help” for usage"
  }
}
