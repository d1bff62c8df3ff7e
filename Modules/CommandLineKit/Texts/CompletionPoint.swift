import Rows

/// A word that can be typed at a place of a command line.
package struct Completion: Sendable, Hashable {
  /// The word.
  package let text: String
  /// What it means, in a few words; empty if the word says it.
  package let summary: String

  /// Creates a word.
  package init(_ text: String, _ summary: String = "") { (self.text, self.summary) = (text, summary) }
}

/// The last word of a command line, which is being typed.
package struct CompletionPoint: Sendable {
  /// The command line before the word.
  package private(set) var invocation: Invocation
  /// The option whose value is typed; nil for an argument or an option.
  package private(set) var option: Option?
  /// The word, or what of it a candidate replaces: of a list the part after the last comma.
  package private(set) var word: String
  /// The text of the word before that: `--columns=id,`.
  private var front = ""
  private let program: Program
  private var command: Command?
  private var areArguments = false

  /// Understands a command line, whose last word may be empty.
  init(_ words: [String], of program: Program) {
    self.program = program
    let fallback = program.commands.first { $0.name == program.defaultCommand }
    var path: [String] = [], arguments: [String] = [], given: [String: [String]] = [:]
    for word in words.dropLast() {
      if let option {
        given[option.name, default: []].append(word)
        self.option = nil
      } else if !areArguments, word == "--" {
        areArguments = true
      } else if !areArguments, word.hasPrefix("-"), word != "-" {
        let options = program.options(of: command ?? fallback)
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let named = options.first {
          word.hasPrefix("--") ? $0.isNamed(String(parts[0].dropFirst(2))) : $0.letter == word.dropFirst().first
        }
        guard let named else { continue }
        let isWhole = word.hasPrefix("--") ? parts.count == 1 : word.count == 2
        if named.placeholder != nil, isWhole {
          option = named
        } else {
          given[named.name, default: []].append(parts.last ?? "")
        }
      } else if command == nil, !areArguments, let named = program.commands.first(where: { $0.isNamed(word) }) {
        (command, path) = (named, [named.name])
      } else if arguments.isEmpty, let below = command?.subcommands.first(where: { $0.isNamed(word) }) {
        command = below
        path.append(below.name)
      } else {
        if command == nil { (command, path) = (fallback, fallback.map { [$0.name] } ?? []) }
        arguments.append(word)
      }
    }
    word = words.last ?? ""
    // A quote that is still open does not belong to the word.
    if let first = word.first, first == "'" || first == "\"" { word.removeFirst() }
    let action = (command ?? fallback).map(Invocation.Action.run) ?? .version
    invocation = Invocation(action: action, path: path, arguments: arguments, given: given)
    if option == nil, !areArguments, word.hasPrefix("--"), let mark = word.firstIndex(of: "=") {
      let name = String(word[..<mark].dropFirst(2))
      option = program.options(of: command ?? fallback).first { $0.isNamed(name) }
      split(after: mark)
    }
    if case .list = option?.values, let comma = word.lastIndex(of: ",") { split(after: comma) }
  }

  private mutating func split(after place: String.Index) {
    front += word[...place]
    word = String(word[word.index(after: place)...])
  }

  /// The lines for the scripts: the candidates with a tabulator before what each means, and what else can be typed
  /// after a tabulator.
  /// - Parameter values: the words of a kind that are known when the program runs: `column`.
  func lines(_ values: (_ kind: String, CompletionPoint) async -> [Completion]) async -> [String] {
    var found: [Completion] = [], more: [String] = []
    if let option {
      found = await words(option.values, &more, values)
    } else if !areArguments, word.hasPrefix("-") {
      let given = invocation
      found = program.options(of: command ?? program.commands.first { $0.name == program.defaultCommand }).filter {
        $0.isRepeatable || given.value(of: $0.name) == nil
      }.map { Completion("--\($0.name)", $0.completionSummary) }
    } else {
      found = (command?.subcommands ?? (command == nil && !areArguments ? program.commands : [])).map {
        Completion($0.name, $0.overview)
      }
      for argument in arguments { found += await words(argument.values, &more, values) }
      if arguments.contains(where: \.takesFiles), !more.contains("files") { more.append("files") }
    }
    var seen: Set<String> = []
    let mark = front.hasPrefix("--") ? front.unicodeScalars.firstIndex(of: "=") : nil
    seen.formUnion((mark.map { String(front[$0...].dropFirst()) } ?? front).split(at: ",").map(String.init))
    let lines = found.filter { $0.text.hasPrefix(word) && !$0.text.isEmpty && seen.insert($0.text).inserted }.map {
      (candidate) in
      let summary = candidate.summary.replacing(#/\s+/#, with: " ")
      return front + candidate.text + (summary.isEmpty ? "" : "\t\(summary)")
    }
    return lines + more.map { "\t\($0)" }
  }

  /// The arguments that the word can be.
  private var arguments: [Argument] {
    guard let command = command ?? program.commands.first(where: { $0.name == program.defaultCommand }) else {
      return []
    }
    var (known, position) = (command.arguments, invocation.arguments.count)
    if !command.actions.isEmpty, let word = invocation.arguments.first {
      known = command.actions.first { $0.name == word }?.arguments ?? []
      position -= 1
    }
    if position < known.count { return [known[position]] }
    return known.last.map { $0.count == .any ? [$0] : [] } ?? []
  }

  private func words(
    _ kinds: Option.Values, _ more: inout [String], _ values: (String, CompletionPoint) async -> [Completion]
  ) async -> [Completion] {
    switch kinds {
    case .words(let words): return words.map { Completion($0) }
    case .file: more.append("files")
    case .directory: more.append("directories")
    case .free: break
    case .list(let kind):
      more.append("open")
      return await values(kind, self)
    case .dynamic(let kind): return await values(kind, self)
    }
    return []
  }
}

extension Program {
  /// Completions of the last word of a command line, as lines for the scripts.
  /// - Parameter values: the words of a kind that are known when the program runs: `column`.
  package func candidates(
    for words: [String], _ values: (_ kind: String, CompletionPoint) async -> [Completion]
  ) async -> [String] {
    await CompletionPoint(words, of: self).lines(values)
  }

  /// The options that `command` takes, or the program without a command.
  fileprivate func options(of command: Command?) -> [Option] {
    guard let command else { return options + [Self.help, Self.versionOption] }
    return options(of: command) + (command.name == defaultCommand ? [Self.versionOption] : [])
  }
}
