package import Domain
package import Query
package import Rows

package struct Invocation: Sendable {
  package enum Action: Sendable, Hashable {
    case run(Command)
    /// Show the help of a command; nil is the program.
    case help(Command?)
    case version
  }
  package let action: Action
  /// The names of the commands that were chosen, outermost first.
  package let path: [String]
  package let arguments: [String]
  /// The settings, which are the defaults of options.
  package var configuration = Configuration()
  /// The kinds of locations, with the connection of the command.
  package var locations = LocationKinds([])
  private let given: [String: [String]]
  /// The arguments after the values of options.
  private let trails: [Trail]

  /// The value of an option, and the arguments after it: parts of the value, if a list was written with spaces.
  struct Trail: Sendable {
    let option: Option, value: String
    var words: [String] = []

    /// The option with these words as parts of its value; nil if it takes no parts.
    func joined(_ words: [String]) -> String? {
      let placeholder = option.placeholder ?? "", parts = [value] + words
      let text: String
      if option.name == "fill", words.count == 1, !parts.contains(where: { $0.contains("=") }) {
        text = "\(words[0])=\(value)"
      } else if placeholder.contains(",") {
        let names = parts.map { $0.split { $0 == "," || $0 == " " }.joined(separator: ",") }.filter { !$0.isEmpty }
        let isOrder = names.count == 2 && ["asc", "desc"].contains(names[1].lowercased())
        text = names.joined(separator: isOrder && option.name == "sort" ? ":" : ",")
      } else if placeholder == "CONDITION" {
        text = parts.joined(separator: value.contains { "=<>~".contains($0) } ? " and " : " ")
      } else if ["NAME=EXPRESSION", "STATEMENT", "TEXT"].contains(placeholder) {
        let areAssignments = placeholder == "NAME=EXPRESSION" && words.allSatisfy { $0.contains("=") }
        text = parts.joined(separator: areAssignments ? ", " : " ")
      } else {
        return nil
      }
      return "use --\(option.name) \(Remedy.shellWord(text))"
    }
  }

  init(action: Action, path: [String], arguments: [String], given: [String: [String]], trails: [Trail] = []) {
    self.trails = trails
    self.action = action
    self.path = path
    self.arguments = arguments
    self.given = given
  }

  /// The same command line with other arguments and other values of an option.
  package func replacing(arguments: [String], option: Option, values: [String]) -> Invocation {
    var given = self.given
    given[option.name] = values
    var copy = Invocation(action: action, path: path, arguments: arguments, given: given, trails: trails)
    (copy.configuration, copy.locations) = (configuration, locations)
    return copy
  }

  /// A problem with an argument that is a part of the value of the option before it, with that as the hint:
  /// `--columns id name`.
  package func explaining(_ problem: Problem) -> Problem {
    guard [.usage, .noInput].contains(problem.kind) else { return problem }
    for trail in trails {
      let words = Array(trail.words.prefix { !$0.contains("/") && (!$0.contains(".") || $0.contains("=")) })
      let named = trail.value.hasSuffix(",") ? words + [trail.value] : words
      guard !words.isEmpty, named.contains(where: { problem.message.contains("“\($0)”") || problem.place == $0 }),
        let text = trail.joined(words)
      else { continue }
      var explained = problem
      explained.hint = .advice(text)
      return explained
    }
    return problem
  }

  package func has(_ option: Option) -> Bool { given[option.name] != nil }
  /// The value given; nil when the option was not.
  package subscript(option: Option) -> String? { given[option.name]?.last }
  package func value(of name: String) -> String? { given[name]?.last }
  /// The value given, else the setting with the name of the option.
  package func setting(_ option: Option) -> String? {
    self[option] ?? ConfigurationKey.all.first { $0.name == option.name }.flatMap { configuration[$0]?.value }
  }
  /// Whether a flag was given, or the setting with its name is `yes`.
  package func isOn(_ option: Option) -> Bool { has(option) || setting(option) == "yes" }
  /// The locations given, in order.
  /// - Throws: `usage`.
  package func locations(_ option: Option) throws(Problem) -> [Location] {
    try all(option).map { (text) throws(Problem) in try locations.location(text) }
  }
  /// Every value given, in order.
  package func all(_ option: Option) -> [String] { given[option.name] ?? [] }
  /// Every value given for the option with a name, in order.
  package func all(_ name: String) -> [String] { given[name] ?? [] }
  /// The arguments, and the options except some, in an order of their own: equal for equal command lines.
  package func text(without excluded: [Option]) -> String {
    let options = given.filter { name, _ in !excluded.contains { $0.name == name } }
    let texts = options.sorted { $0.key < $1.key }.map { ([$0.key] + $0.value).joined(separator: "\u{1}") }
    return (arguments + texts).joined(separator: "\u{2}")
  }
  /// The value as comma-separated names; nil if the option was not given.
  /// - Throws: `usage` if it is not such a list.
  package func names(_ option: Option) throws(Problem) -> [String]? {
    guard let text = self[option] else { return nil }
    return try NameListParser.list(text, of: option.name).map(\.name)
  }
  /// The value as columns to sort by; none when the option was not given.
  /// - Throws: `usage` when it is no such list.
  package func sortKeys(_ option: Option) throws(Problem) -> [Selection.SortKey] {
    guard let text = self[option] else { return [] }
    return try NameListParser.list(text, mark: ":", of: option.name).map { (key) throws(Problem) in
      try Selection.SortKey(key)
    }
  }
  /// The value as a whole number, given or set.
  /// - Throws: `usage` when it is none, or outside `range`.
  package func integer(_ option: Option, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = setting(option) else { return nil }
    let digits = text.first == "-" ? text.dropFirst() : Substring(text)
    if !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
      range.contains(number)
    {
      return number
    }
    let upper = range.upperBound == .max ? "" : " to \(range.upperBound)"
    throw Problem(
      .usage, "invalid value “\(text)” for --\(option.name)",
      hint: "expected an integer from \(range.lowerBound)\(upper)")
  }
}

extension Program {
  /// Understands a command line, without the program's name.
  /// - Throws: `usage`, with the nearest right word.
  package func parse(_ words: [String]) throws(Problem) -> Invocation {
    var scanner = Scanner(program: self)
    for (position, word) in words.enumerated() {
      scanner.next = words.dropFirst(position + 1).first.flatMap { $0.hasPrefix("-") ? nil : $0 }
      try scanner.take(word)
    }
    return try scanner.invocation()
  }
}

/// Reads words left to right; knows the command as soon as it is named.
private struct Scanner {
  let program: Program
  var command: Command?
  var path: [String] = []
  var arguments: [String] = []
  var given: [String: [String]] = [:]
  /// The options given, in order: those before the command's name were taken on trust.
  var named: [Option] = []
  /// Whether the command is the default one, without its name.
  var isImplied = false
  /// The option whose value comes next.
  var pending: Option?
  var onlyArguments = false
  /// The word after the one that is read, unless it is an option.
  var next: String?
  /// The arguments after the values of options, and whether the next one is another.
  var trails: [Invocation.Trail] = [], isTrailing = false
  /// Options named before the command; looked up when the command is known.
  var wantsHelp = false
  var wantsVersion = false

  init(program: Program) { self.program = program }

  mutating func take(_ word: String) throws(Problem) {
    if let option = pending {
      pending = nil
      try set(option, word)
    } else if onlyArguments || word == "-" || !word.hasPrefix("-") || isNumber(word) || isText(word) {
      try takeArgument(word)
    } else if word == "--" {
      onlyArguments = true
    } else if word.hasPrefix("--") {
      try takeLong(word.dropFirst(2))
    } else {
      try takeShort(word.dropFirst())
    }
  }

  private func isNumber(_ word: String) -> Bool {
    let bytes = Array(word.utf8)
    return bytes.count > 1 && bytes[0] == 45 && (48...57).contains(bytes[1])
  }

  /// Whether a word is text although it begins with a dash: it follows an argument of a command that takes text, and
  /// is not an option.
  private func isText(_ word: String) -> Bool {
    guard let command, !arguments.isEmpty, command.arguments.last?.placeholder.hasSuffix(" TEXT") == true,
      let letter = word.dropFirst().first, word.count > 2
    else { return false }
    if letter == "-" { return word.prefix { $0 != "=" }.contains(" ") }
    return !program.options(of: command).contains { $0.letter == letter }
  }

  private mutating func takeArgument(_ word: String) throws(Problem) {
    guard let current = command else {
      // After “--” a command's name is an argument, if the command takes one.
      if !onlyArguments || program.defaultCommand == nil,
        let named = program.commands.first(where: { $0.isNamed(word) })
      {
        command = named
        path = [named.name]
      } else if let fallback = program.defaultCommand,
        let named = program.commands.first(where: { $0.name == fallback })
      {
        command = named
        path = [fallback]
        isImplied = true
        append(word)
      } else {
        throw program.corrected([word] + (next.map { [$0] } ?? []))
          ?? program.unknownCommand([word], among: program.commands.map(\.name))
      }
      return
    }
    if arguments.isEmpty, !current.subcommands.isEmpty {
      if let named = current.subcommands.first(where: { $0.isNamed(word) }) {
        command = named
        path.append(named.name)
        return
      }
      if current.arguments.isEmpty {
        throw program.unknownCommand(path + [word], among: current.subcommands.map(\.name))
      }
    }
    append(word)
  }

  private mutating func append(_ argument: String) {
    arguments.append(argument)
    if isTrailing { trails[trails.count - 1].words.append(argument) }
  }

  private mutating func takeLong(_ text: Substring) throws(Problem) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let option = try find("--\(name)") { $0.isNamed(name) }
    if parts.count == 2 {
      guard option.placeholder != nil else { throw Problem(.usage, "--\(name) does not take a value") }
      try set(option, String(parts[1]))
    } else {
      try begin(option)
    }
  }

  private mutating func takeShort(_ letters: Substring) throws(Problem) {
    var rest = letters
    while let letter = rest.first {
      rest = rest.dropFirst()
      let option = try find("-\(letter)", in: String(letters)) { $0.letter == letter }
      guard option.placeholder != nil, !rest.isEmpty else {
        try begin(option)
        continue
      }
      try set(option, String(rest.first == "=" ? rest.dropFirst() : rest))
      return
    }
  }

  private mutating func begin(_ option: Option) throws(Problem) {
    named.append(option)
    if option == Program.help { wantsHelp = true } else if option == Program.versionOption { wantsVersion = true }
    isTrailing = false
    if option.placeholder == nil { given[option.name, default: []].append("") } else { pending = option }
  }

  private mutating func set(_ option: Option, _ value: String) throws(Problem) {
    if given[option.name] != nil, !option.isRepeatable {
      throw Problem(.usage, "--\(option.name) can be given only once")
    }
    if let words = option.words, !words.contains(value) {
      throw Problem(
        .usage, "invalid value “\(value)” for --\(option.name)",
        hint: .choose(value, from: words, "expected one of"))
    }
    named.append(option)
    given[option.name, default: []].append(value)
    trails.append(Invocation.Trail(option: option, value: value))
    isTrailing = true
  }

  private func find(_ typed: String, in cluster: String = "", _ matches: (Option) -> Bool) throws(Problem) -> Option {
    var known = command.map(program.options(of:)) ?? program.options + [Program.help, Program.versionOption]
    if command == nil, let fallback = program.defaultCommand,
      let named = program.commands.first(where: { $0.name == fallback })
    {
      known += named.options
    }
    if let option = known.first(where: matches) { return option }
    throw program.unknownOption(
      typed, in: cluster, before: next, given: given, among: known,
      of: path.isEmpty ? program.defaultCommand : path.joined(separator: " "))
  }

  /// Checks options that exclude or require each other.
  private func checkConstraints(_ options: [Option]) throws(Problem) {
    for option in options where given[option.name] != nil {
      if let other = option.exclusions.first(where: { given[$0.name] != nil }) {
        throw Problem(
          .usage, "--\(option.name) and --\(other.name) cannot be used together", hint: .advice(other.hint))
      }
      let required = options.filter { option.required.contains($0.name) }
      guard let first = required.first, !required.contains(where: { given[$0.name] != nil }) else { continue }
      let names = required.map { "--\($0.name)" }.joined(separator: " or ")
      let value = first.placeholder.map { " \($0)" } ?? ""
      throw Problem(.usage, "--\(option.name) requires \(names)", hint: .advice("add --\(first.name)\(value)"))
    }
  }

  func invocation() throws(Problem) -> Invocation {
    func made(_ action: Invocation.Action) -> Invocation {
      Invocation(action: action, path: path, arguments: arguments, given: given, trails: trails)
    }
    if wantsHelp { return made(.help(command)) }
    if wantsVersion { return made(.version) }
    if let option = pending {
      let all = (command?.examples ?? []) + program.examples + program.commands.flatMap(\.examples)
      // An example is one for the file of the command line.
      let examples =
        arguments.first { $0.contains(".") }.map { file in
          all.filter { $0.hasPrefix("people.csv ") }.map {
            $0.replacing("people.csv", with: file).replacing("FROM people", with: "FROM \(file.prefix { $0 != "." })")
          }
        } ?? all
      let value = option.words?.first ?? option.placeholder ?? ""
      let typed = "--\(option.name) \(value.contains { " ()".contains($0) } ? "'\(value)'" : value)"
      throw Problem(
        .usage, "missing value for --\(option.name): \(option.signature)",
        hint: .advice(
          examples.first { (line) in
            option.spellings.contains { " \(line) ".contains(" \($0) ") }
          }.map { "for example: \(program.name) \($0)" }
            ?? "use \(typed)"))
    }
    let fallback = given.isEmpty ? nil : program.commands.first { $0.name == program.defaultCommand }
    guard let command = command ?? fallback else {
      throw Problem(.usage, "no command given", hint: "run “\(program.name) --help” for usage")
    }
    if !command.subcommands.isEmpty, command.arguments.isEmpty {
      throw program.missingSubcommand(after: path.joined(separator: " "), among: command.subcommands.map(\.name))
    }
    let taken = program.options(of: command).map(\.name)
    if let stranger = named.first(where: { !taken.contains($0.name) }) {
      throw Problem(
        .usage, "\(path.joined(separator: " ")) has no option --\(stranger.name)",
        hint: "run “\(program.name) \(path.joined(separator: " ")) --help” for usage")
    }
    try checkConstraints(program.options(of: command))
    guard command.actions.isEmpty else {
      try program.checkAction(arguments, of: command)
      return made(.run(command))
    }
    let needed = command.arguments.filter { $0.count == .one }
    if arguments.count < needed.count {
      throw Problem(
        .usage, "missing argument \(needed[arguments.count].placeholder)",
        hint: "usage: \(program.usage(of: command, path: path))")
    }
    if arguments.count > command.arguments.count, command.arguments.last?.count != .any {
      // Of a mistyped command the first word counts, not the last.
      if isImplied, let problem = program.unknownCommand(arguments[0]) { throw problem }
      if let problem = program.corrected(path + arguments) { throw problem }
      throw made(.run(command)).explaining(
        Problem(
          .usage, "unexpected argument “\(arguments[command.arguments.count])”",
          hint: .advice(unexpectedHint(command))))
    }
    return made(.run(command))
  }

  /// What to do about too many arguments: quote the words of one, else see an example.
  private func unexpectedHint(_ command: Command) -> String {
    Program.quoting(arguments, for: command.arguments) ?? command.examples.first.map {
      "for example: \(program.name) \($0)"
    }
      ?? "usage: \(program.usage(of: command, path: path))"
  }
}
