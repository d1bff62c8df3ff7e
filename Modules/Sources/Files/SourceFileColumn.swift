import Codecs
import Rows

/// A column of a source definition: its description, and where its values come from.
struct SourceFileColumn: Sendable, Equatable {
  var source = SourceColumn("", from: "")
  var type = ColumnType.text
  var isNullable = true
  var summary = "", unit = ""
  var role: ColumnRole?

  static let table: SourceTable<SourceFileColumn> = {
    let filling = SourceColumn.keys.map { $0.of(\SourceFileColumn.source) }
    let own: [SourceKey<SourceFileColumn>] = [
      .key(
        "type", \.type,
        SourceKind(
          .choice(ColumnType.allCases.map(\.name)), read: { ColumnType(name: $0.text) }, write: { .string($0.name) }),
        "column type [default: text]"),
      .key("nullable", \.isNullable, .truth, "whether the column can be null [default: true, except for key columns]"),
      .key("summary", \.summary, .text, "description of the column, in one sentence"),
      .key("unit", \.unit, .text, "unit of a number"),
      .optional("role", \.role, .word, "role of the column in tables and on pages"),
    ]
    return SourceTable(
      SourceFileColumn(), "a column",
      conditions: [
        SourceCondition(
          key: "formats", other: "type", values: [ColumnType.date.name, ColumnType.timestamp.name], orAbsent: false,
          complaint: "“formats” applies only to date and timestamp columns", last: 1),
        SourceCondition(
          key: "missing", other: "type", values: [ColumnType.text.name], orAbsent: true,
          complaint: "applies only to text columns"),
      ], filling[..<2] + own + filling[2...])
  }()

  // MARK: - What one key says of another

  static func check(_ node: SourceNode, _ type: ColumnType, _ problems: SourceProblems) {
    for step in node["steps"]?.elements ?? [] {
      if let power = step["scale"], power.integer > 300 {
        problems.note(power.problem("expected an integer from -300 to 300"))
      }
    }
    guard problems.grammar > 1 else { return }
    if let value = node["value"], node["from"] != nil {
      problems.note(value.problem("“value” and “from” cannot be used together"))
    }
    let zone = node["zone"]
    for format in node["formats"]?.elements ?? [] { check(format, type, zone, problems) }
    guard let zone else { return }
    guard type == .timestamp || type == .date else {
      return problems.note(zone.problem("applies only to date and timestamp columns"))
    }
    do throws(Problem) { _ = try TimeZoneRules.named(zone.text) } catch {
      problems.note(zone.problem(error.message, hint: error.hint))
    }
  }

  private static func check(
    _ format: SourceNode, _ type: ColumnType, _ zone: SourceNode?, _ problems: SourceProblems
  ) {
    let known: [String]
    switch type {
    case .date, .timestamp:
      known = SourceFormat.named.map(\.rawValue)
      guard !known.contains(format.text) else { return }
      guard let pattern = DatePattern(format.text) else {
        return problems.note(
          format.problem(
            "unknown format \(RESTText.firstWords(Array(format.text.utf8)))",
            hint: .nearest(format.text, among: known)
              ?? "use a pattern such as dd.MM.yyyy HH:mm, or one of: \(known.joined(separator: ", "))"))
      }
      if type == .timestamp, !pattern.hasOffset, zone == nil {
        problems.note(format.problem("the format has no offset", hint: "add “zone”, for example \"zone\": \"UTC\""))
      }
      if type == .timestamp, !pattern.hasDay { problems.note(format.problem("the format of a timestamp needs a day")) }
    case .integer, .real, .decimal:
      known = NumberPattern.allCases.map(\.rawValue) + [SourceFormat.isoDuration.rawValue]
      if !known.contains(format.text) { problems.note(format.unknown(format.text, "number format", known)) }
    case .boolean:
      let words = format.text.split(separator: "/", omittingEmptySubsequences: false)
      if words.count != 2 || words[0].isEmpty || words[0] == words[1] {
        problems.note(
          format.problem("invalid format", hint: "use two words with a slash between them, for example Y/N"))
      }
    default:
      problems.note(format.problem("“formats” applies only to date, timestamp, number and boolean columns"))
    }
  }
}

extension SourceColumn {
  /// Where a column's values come from.
  static let keys: [SourceKey<SourceColumn>] = [
    .key("name", \.named, .matching(.word), "column").required(),
    .optional(
      "from", \.places, .oneOrMore(.matching(.selector, newer: .longSelector)),
      "JSON Pointer to the value in a record [default: /NAME]; #place is the 1-based position in the list, #parent the "
        + "parent's value, #nothing always null; of several, the first that is not null"
    ).written(before: "value"),
    .optional("value", \.constant, .any, "value of every record, in place of from", since: 2),
    .key(
      "formats", \.formats,
      .list(
        SourceKind(
          .choice(SourceFormat.first.map(\.rawValue)), newer: .matching(.line),
          read: { SourceFormat(rawValue: $0.text) }, write: { .string($0.rawValue) })),
      "date formats; number formats such as 1.234,5; Booleans such as Y/N"),
    .optional(
      "zone", \.zone, .matching(.line), "time zone of times without an offset: UTC, +02:00, Europe/Vienna", since: 2),
    .optional(
      "language", \.language, .choice(CalendarLanguage.allCases.map(\.rawValue)),
      "language of month names [default: en]", since: 2),
    .key("null", \.nulls, .list(scalar), "values treated as null"),
    .key("invalid", \.invalid, .list(scalar), "values treated as null, with a warning"),
    .key("steps", \.steps, .list(SourceStep.kind), "transformations to apply, in order"),
    .optional("missing", \.missing, .text, "text to use for a missing value"),
    .key("optional", \.isOptional, .truth, "true: no record need have the member; its absence is not reported"),
    .key(
      "on_error", \.onError, .word,
      "values that do not fit: stop, null with a warning, or skip the record [default: stop]", since: 2),
  ]
  private static let scalar = SourceKind<JSON>(.text, newer: .scalar, read: { $0.json }, write: { $0 })

  /// The name, which is also the usual place.
  private var named: String {
    get { name }
    set { (name, from) = (newValue, JSONPointer(steps: [newValue]).description) }
  }
  /// The places; nil for the usual one, and for a constant.
  private var places: [String]? {
    get {
      constant != nil || alternatives.isEmpty && from == JSONPointer(steps: [name]).description
        ? nil : [from] + alternatives
    }
    set { (from, alternatives) = (newValue?.first ?? from, Array(newValue?.dropFirst() ?? [])) }
  }
}

extension SourceStep {
  /// A step: a word, or an object with one member.
  private struct Case: Sendable {
    var name: String, since = 1
    /// The step of a word; nil for a member.
    var word: SourceStep?
    var member: SourceMember?
    var read: @Sendable (SourceNode) -> SourceStep? = { _ in nil }
    var write: @Sendable (SourceStep) -> JSON? = { _ in nil }
  }
  private static func word(_ name: String, _ step: SourceStep, since: Int = 1) -> Case {
    Case(name: name, since: since, word: step)
  }
  private static func member<Value>(
    _ name: String, _ kind: SourceKind<Value>, _ summary: String, since: Int = 1,
    _ step: @escaping @Sendable (Value) -> SourceStep, _ value: @escaping @Sendable (SourceStep) -> Value?
  ) -> Case {
    Case(
      name: name, since: since, member: SourceMember(name, kind.form, summary, since: since),
      read: { kind.read($0).map(step) }, write: { value($0).map(kind.write) })
  }
  private static let cases: [Case] = [
    word("trim", .trim), word("split", .split), word("wrap", .wrap), word("has-elements", .hasElements),
    word("strip-html", .stripHTML, since: 2), word("first", .first, since: 2),
    member("split", .text, "list of the parts of a text between separators", since: 2) {
      .splitAt($0)
    } _: {
      if case .splitAt(let separator) = $0 { separator } else { nil }
    },
    member("where", .object(SourceSign.table), "elements of a list that have a member with a value", since: 2) {
      .filter($0)
    } _: {
      if case .filter(let sign) = $0 { sign } else { nil }
    },
    member("divide", .integer(least: 1), "integer division") {
      .divide(by: Int64($0))
    } _: {
      if case .divide(let number) = $0 { Int(number) } else { nil }
    },
    member("remainder", .integer(least: 1), "remainder of the integer division") {
      .remainder(by: Int64($0))
    } _: {
      if case .remainder(let number) = $0 { Int(number) } else { nil }
    },
    member("prefix", .text, "prepend a text") {
      .prefix($0)
    } _: {
      if case .prefix(let text) = $0 { text } else { nil }
    },
    member("words", .pairs, "replace words") {
      .words($0)
    } _: {
      if case .words(let words) = $0 { words } else { nil }
    },
    member("each", .matching(.pointer), "list of the values at a JSON Pointer in each element", since: 2) {
      .each($0)
    } _: {
      if case .each(let pointer) = $0 { pointer } else { nil }
    },
    member("join", .text, "join the elements of a list, with a text between them", since: 2) {
      .join($0)
    } _: {
      if case .join(let text) = $0 { text } else { nil }
    },
    member("scale", .integer(least: -300), "multiply by a power of ten: -2 turns cents into units", since: 2) {
      .scale($0)
    } _: {
      if case .scale(let power) = $0 { power } else { nil }
    },
    member("suffix", .text, "append a text", since: 2) {
      .suffix($0)
    } _: {
      if case .suffix(let text) = $0 { text } else { nil }
    },
  ]

  static let kind = SourceKind<SourceStep>(
    .wordOrMember(
      cases.filter { $0.word != nil }.map { SourceWord($0.name, since: $0.since) }, cases.compactMap(\.member)),
    read: { node in
      cases.lazy.compactMap { known in known.word == nil ? node[known.name].flatMap(known.read) : nil }.first
        ?? cases.first { $0.word != nil && $0.name == node.text }?.word
    },
    write: { step in
      for known in cases {
        if known.word == step { return .string(known.name) }
        if let value = known.write(step) { return .object([JSON.Member(known.name, value)]) }
      }
      return .null
    })
}
