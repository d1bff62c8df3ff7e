package import Rows

/// Words that other programs use for something that has another name here.
///
/// They are not accepted: they make the hint of the error exact.
package struct Synonym: Sendable, Hashable {
  /// The form of the value after a word that several programs use differently.
  package enum Value: Sendable, Hashable {
    case any
    /// Names with commas; a text with spaces; one word; the name of a format.
    case list, statement, word, format
  }

  /// Words as they are typed: `--head`, `-n`, `rm`.
  let words: [String]
  /// The option (`--limit`) or command (`delete`) that the hint is about; without it there is no hint.
  package let target: String
  /// An imperative or a question. In that of an option, `VALUE` is the value, and a part in brackets is omitted without
  /// one. In that of a command, `FILE` and `OUT` are the files after it.
  package let hint: String
  private let value: Value
  /// The option whose value is meant; nil for the word after the synonym.
  private let source: String?

  /// Creates a synonym.
  /// - Parameters:
  ///   - hint: an imperative; if nil, the hint asks whether the target was meant.
  ///   - value: the form of the value for which it applies.
  ///   - source: the option whose value `VALUE` is; nil for the word after the synonym.
  package init(
    _ words: String..., for target: String, hint: String? = nil, before value: Value = .any,
    valueOf source: String? = nil
  ) {
    self.init(words, for: target, hint: hint, before: value, valueOf: source)
  }

  /// Creates a synonym of a list of words.
  package init(
    _ words: [String], for target: String, hint: String? = nil, before value: Value = .any,
    valueOf source: String? = nil
  ) {
    self.words = words
    self.target = target
    self.hint = hint ?? "did you mean \(target)?"
    (self.value, self.source) = (value, source)
  }

  func applies(to word: String, _ next: String?) -> Bool {
    guard words.contains(word) else { return false }
    switch value {
    case .any: return true
    case .list: return next?.contains(",") ?? false
    case .statement: return next?.contains(" ") ?? false
    case .word: return next.map { !$0.isEmpty && !$0.contains { "/. ".contains($0) } } ?? false
    case .format: return ["csv", "tsv", "json", "ndjson", "xlsx", "parquet", "html", "sql", "yaml"].contains(next)
    }
  }

  /// The hint for the word that follows, and the options before it.
  func hint(_ next: String?, _ given: [String: [String]]) -> String {
    let value = source.map { given[$0]?.last } ?? next
    var text = hint
    if let open = text.firstIndex(of: "["), let close = text.firstIndex(of: "]") {
      let inner = value == nil ? "" : String(text[text.index(after: open)..<close])
      text.replaceSubrange(open...close, with: inner)
    }
    guard let value else { return text.replacing("VALUE", with: "COLUMN") }
    return text.replacing("VALUE", with: text.contains("'") ? value : Remedy.shellWord(value))
  }

  /// The hint of a command for the files after it.
  func hint(_ files: [String]) -> String {
    let file = files.first ?? "people.csv"
    return hint.replacing("FILE", with: Remedy.shellWord(file))
      .replacing("OUT", with: Remedy.shellWord(files.dropFirst().first ?? "out.json"))
  }
}

extension Program {
  /// The error for an unknown option, with the nearest one.
  /// - Parameters:
  ///   - cluster: all letters after the dash of a short option.
  ///   - next: the word after it, if that may be its value.
  func unknownOption(
    _ typed: String, in cluster: String = "", before next: String?, given: [String: [String]] = [:],
    among known: [Option], of command: String?
  ) -> Problem {
    let names = known.map { "--\($0.name)" }
    // `-version` is a long option with one dash.
    let whole = cluster.count > 2 ? names.first { $0.dropFirst(2) == cluster } : nil
    // Dashes do not make two names alike.
    let near = SpellingSuggestion.word(to: String(typed.drop { $0 == "-" }), among: known.map(\.name))
    let isLong = typed.hasPrefix("--")
    let hint =
      whole.map { "did you mean \($0)?" } ?? synonym(typed, names, next)?.hint(next, given)
      ?? (isLong ? near : nil).map { "did you mean --\($0)?" }
    return Problem(
      .usage, "unknown option \(whole == nil ? typed : "-\(cluster)")", hint: .advice(hint ?? helpHint(command)))
  }

  /// The error for an unknown command or subcommand, with the nearest one.
  /// - Parameter files: the files that were named after it.
  func unknownCommand(_ words: [String], with files: [String] = [], among names: [String]) -> Problem {
    let last = words.last ?? "", isCommand = words.count == 1
    if isCommand, names.contains(last), !files.isEmpty {
      let line = ([name, last] + files.map(Remedy.shellWord)).joined(separator: " ")
      return Problem(
        .usage, "the command “\(last)” is not the first word", hint: "use \(last == "help" ? "\(name) --help" : line)")
    }
    let hint =
      (synonym(last, names) ?? (isCommand ? nearSynonym(last, names) : nil)).map { .advice($0.hint(files)) }
      ?? Remedy.nearest(last, among: names)
      ?? .advice(isCommand ? helpHint(nil) : "use one of: \(names.joined(separator: ", "))")
    return Problem(
      .usage, "unknown \(isCommand ? "command" : "subcommand") “\(words.joined(separator: " "))”", hint: hint)
  }

  /// The error for the name of a dataset that looks like a mistyped command; nil if it does not.
  /// - Parameter files: the files that were named after it.
  package func unknownCommand(_ word: String, with files: [String] = []) -> Problem? {
    let names = commands.map(\.name)
    guard
      synonym(word, names) ?? nearSynonym(word, names) != nil
        || SpellingSuggestion.word(to: word, among: names) != nil
    else { return nil }
    return unknownCommand([word], with: files, among: names)
  }

  private func synonym(_ word: String, _ known: [String], _ next: String? = nil) -> Synonym? {
    synonyms.first { $0.applies(to: word, next) && known.contains($0.target) }
  }

  /// The synonym of a command that a word of four letters or more misspells; nil if a command is as near.
  private func nearSynonym(_ word: String, _ known: [String]) -> Synonym? {
    let words = synonyms.filter { known.contains($0.target) }.flatMap(\.words)
    guard word.count > 3, SpellingSuggestion.word(to: word, among: known) == nil else { return nil }
    return SpellingSuggestion.word(to: word, among: words).flatMap { synonym($0, known) }
  }

  private func helpHint(_ command: String?) -> String {
    "run “\(name) \(command.map { $0 + " " } ?? "")--help” for usage"
  }
}
