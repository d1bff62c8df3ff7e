/// A property of the work that the user can change, by identity: a library knows the setting, the running program knows
/// whether it has an option for it, and its name.
public struct Setting: Sendable, Hashable {
  /// The stable name in JSON errors: `csv.invalidUTF8`.
  public let name: String

  /// Creates a setting; the names of all settings differ.
  public init(_ name: String) { self.name = name }
}

/// An operation of one of the programs, by identity; the programs know its command line.
public struct Action: Sendable, Hashable {
  /// The stable name in JSON errors: `createStore`.
  public let name: String
  /// The subject, such as a store; nil if there is none.
  public let subject: String?

  /// Creates an action.
  public init(_ name: String, on subject: String? = nil) {
    self.name = name
    self.subject = subject
  }
}

/// The ways to resolve a problem, as data: libraries state what can be changed, and the running program words it.
///
/// A string literal is advice that names no program and no option.
public struct Remedy: Sendable, Hashable {
  /// One way to resolve a problem.
  public enum Step: Sendable, Hashable {
    /// An imperative that names no program and no option: `save the file as UTF-8`.
    case advice(String)
    /// Choosing one of some words instead of one that is none of them. Without a near word the list is shown after its
    /// title: `available columns`.
    case choose(given: String, from: [String], title: String?)
    /// Changing a setting to one of some values, or to any if there are none; the purpose is an infinitive, no `to`.
    case set(Setting, to: [String], purpose: String?)
    /// Changing several settings at once.
    case together([Choice])
    /// Raising the limit that a setting states.
    case raise(Setting)
    /// Running the command again without a setting.
    case omit(Setting)
    /// Running a command; the purpose is an imperative.
    case run(Action, purpose: String)
  }

  /// A setting and its value; nil for a setting without one.
  public struct Choice: Sendable, Hashable {
    /// The setting.
    public var setting: Setting
    /// Its value.
    public var value: String?

    /// Creates a choice.
    public init(_ setting: Setting, _ value: String?) { (self.setting, self.value) = (setting, value) }
  }

  /// Facts that lead to the steps, as phrases.
  var facts: [String] = []
  /// The alternatives, the best first.
  public var steps: [Step] = []

  /// Phrases on the state of the work, after the steps.
  var outcomes: [String] = []

  /// Creates an empty remedy.
  public init() {}
  /// Creates a remedy from alternatives.
  public init(steps: [Step]) { self.steps = steps }
  private init(step: Step) { steps = [step] }

  /// Whether there is nothing to say.
  public var isEmpty: Bool { facts.isEmpty && outcomes.isEmpty && steps.allSatisfy { $0 == .advice("") } }

  /// Advice that names no program and no option.
  public static func advice(_ text: String) -> Remedy { Remedy(step: .advice(text)) }
  /// The choice of one of some words; see `Step.choose`.
  public static func choose(_ given: String, from words: some Sequence<String>, _ title: String? = nil) -> Remedy {
    Remedy(step: .choose(given: given, from: Array(words), title: title))
  }
  /// The nearest of some words; nil if none is near.
  public static func nearest(_ given: String, among words: some Sequence<String>) -> Remedy? {
    SpellingSuggestion.word(to: given, among: words).map { .choose(given, from: [$0]) }
  }
  /// Another value of a setting; see `Step.set`.
  public static func set(_ setting: Setting, to values: String..., for purpose: String? = nil) -> Remedy {
    Remedy(step: .set(setting, to: values, purpose: purpose))
  }
  /// Several settings at once.
  public static func together(_ choices: [Choice]) -> Remedy { Remedy(step: .together(choices)) }
  /// A higher value of a setting that is a limit.
  public static func raise(_ setting: Setting) -> Remedy { Remedy(step: .raise(setting)) }
  /// The same command without a setting.
  public static func omit(_ setting: Setting) -> Remedy { Remedy(step: .omit(setting)) }
  /// Another command; the purpose is an imperative.
  public static func run(_ action: Action, _ purpose: String) -> Remedy { Remedy(step: .run(action, purpose: purpose)) }

  /// This remedy, with another as alternative.
  public func or(_ other: Remedy) -> Remedy {
    var all = self
    all.facts += other.facts
    all.outcomes += other.outcomes
    all.steps += other.steps
    return all
  }
  /// This remedy after a fact.
  public func after(_ fact: String) -> Remedy {
    var all = self
    all.facts.insert(fact, at: 0)
    return all
  }
  /// This remedy, followed by a phrase on the state of the work.
  public func followed(by outcome: String) -> Remedy {
    var all = self
    all.outcomes.append(outcome)
    return all
  }
  /// The same remedy with each text replaced.
  public func mapTexts(_ transform: (String) -> String) -> Remedy {
    var copy = self
    copy.facts = facts.map(transform)
    copy.outcomes = outcomes.map(transform)
    copy.steps = steps.map { step in
      switch step {
      case .advice(let text): .advice(transform(text))
      case .choose(let given, let words, let title):
        .choose(given: transform(given), from: words.map(transform), title: title)
      case .set(let setting, let values, let purpose): .set(setting, to: values.map(transform), purpose: purpose)
      case .together(let choices): .together(choices.map { Choice($0.setting, $0.value.map(transform)) })
      case .raise, .omit: step
      case .run(let action, let purpose):
        .run(Action(action.name, on: action.subject.map(transform)), purpose: purpose)
      }
    }
    return copy
  }
}

extension Remedy: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral {
  /// Advice; none if the text is empty.
  public init(stringLiteral text: String) { self = text.isEmpty ? Remedy() : .advice(text) }
  /// Alternatives.
  public init(arrayLiteral remedies: Remedy...) { self = remedies.reduce(Remedy()) { $0.or($1) } }
}

extension Remedy: CustomStringConvertible {
  /// A setting as the running program has it.
  public struct Spelling: Sendable {
    /// The option, with dashes.
    public var name: String
    /// The prefix of a value: `--limit `, `--option sql.dialect=`.
    var prefix: String
    /// The placeholder of a value that is not known.
    var placeholder: String

    var takesValue: Bool

    /// Creates a spelling.
    public init(name: String, prefix: String, placeholder: String, takesValue: Bool) {
      (self.name, self.prefix, self.placeholder, self.takesValue) = (name, prefix, placeholder, takesValue)
    }
  }

  /// The text of the remedy. Steps that cannot be spelled are omitted; if none is left, the facts are omitted, too.
  /// - Parameters:
  ///   - option: the spelling of a setting; nil if the running command does not have it.
  ///   - action: the command line of an action; nil if there is none.
  public func text(option: (Setting) -> Spelling?, action: (Action) -> String?) -> String {
    let spelled = steps.compactMap { step -> String? in
      switch step {
      case .advice(let text): return text
      case .choose(let given, let words, let title):
        if let near = SpellingSuggestion.word(to: given, among: words) { return "did you mean \(near)?" }
        return words.isEmpty ? nil : title.map { "\($0): \(words.joined(separator: ", "))" }
      case .set(let setting, let values, let purpose):
        guard let option = option(setting) else { return nil }
        let value = Self.alternatives(values.map(Self.word)) ?? option.placeholder
        let text = option.takesValue && !value.isEmpty ? option.prefix + value : option.name
        return "use " + text + (purpose.map { " to \($0)" } ?? "")
      case .together(let choices):
        let words = choices.compactMap { choice in
          option(choice.setting).map { $0.takesValue ? $0.prefix + Self.word(choice.value ?? "") : $0.name }
        }
        return words.isEmpty ? nil : "use " + words.joined(separator: " ")
      case .raise(let setting): return option(setting).map { "raise the limit with \($0.name)" }
      case .omit(let setting): return option(setting).map { "omit \($0.name)" }
      case .run(let line, let purpose): return action(line).map { "\(purpose) with: \($0)" }
      }
    }.filter { !$0.isEmpty }
    let advice = spelled.joined(separator: ", or ")
    let before = spelled.isEmpty && !steps.isEmpty ? [] : facts + (advice.isEmpty ? [] : [advice])
    return (before + outcomes).reduce("") { text, part in
      text.isEmpty ? part : text + (text.hasSuffix("?") ? " " : "; ") + part
    }
  }

  /// The remedy with the names of settings and actions, for logs.
  public var description: String {
    text(
      option: { Spelling(name: $0.name, prefix: "\($0.name) ", placeholder: "", takesValue: true) },
      action: { $0.name + ($0.subject.map { " \($0)" } ?? "") })
  }

  private static func alternatives(_ values: [String]) -> String? {
    guard let last = values.last else { return nil }
    return values.count == 1 ? last : values.dropLast().joined(separator: ", ") + " or " + last
  }

  /// A value as a word of a shell command in a sentence.
  private static func word(_ text: String) -> String { text == "," ? "','" : shellWord(text) }

  /// A value as a word of a shell command; names from data may contain anything.
  public static func shellWord(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte | 32 >= 97 && byte | 32 <= 122 || byte &- 48 < 10 || "/._-+,:@%=".utf8.contains(byte)
        || byte >= 0x80
    }
    let isOption = text.hasPrefix("-") && text != "-"
    return isPlain && !text.isEmpty && !isOption ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}

/// A deviation that was accepted, and what the user can do about it.
public struct Warning: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// A phrase in lower case without a period.
  public var message: String
  /// The possible actions.
  public var hint: Remedy

  /// Creates a warning.
  public init(_ message: String, hint: Remedy = Remedy()) {
    self.message = message
    self.hint = hint
  }
  /// The warning about a place.
  public func located(at place: String) -> Warning { Warning("\(place): \(message)", hint: hint) }
  /// A warning without a remedy.
  public init(stringLiteral message: String) { self.init(message) }
}
