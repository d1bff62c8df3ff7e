import Codecs
import Rows

/// The columns of a source definition: their grammar, and their values.
struct SourceFileColumn {
  private let node: SourceNode
  private let problems: SourceProblems

  init(_ node: SourceNode, _ problems: SourceProblems) {
    self.node = node
    self.problems = problems
  }

  // MARK: - Grammar

  /// Where a column's values come from.
  static let filling: [SourceMember] = [
    .required("name", .matching(.word), "column"),
    SourceMember(
      "from", .matching(.selector),
      newer: .either([.matching(.longSelector), .list(.matching(.longSelector), least: 1)]),
      "JSON Pointer to the value in a record [default: /NAME]; #place is the 1-based position in the list, #parent the "
        + "parent's value, #nothing always null; of several, the first that is not null"
    ),
    SourceMember("value", .any, "value of every record, in place of from", since: 2),
    SourceMember(
      "formats", .list(.choice(SourceFormat.first.map(\.rawValue)), least: 0),
      newer: .list(.matching(.line), least: 0), "date formats; number formats such as 1.234,5; Booleans such as Y/N"),
    SourceMember(
      "zone", .matching(.line), "time zone of times without an offset: UTC, +02:00, Europe/Vienna", since: 2),
    SourceMember(
      "language", .choice(CalendarLanguage.allCases.map(\.rawValue)), "language of month names [default: en]", since: 2),
    SourceMember("null", .list(.text, least: 0), newer: .list(.scalar, least: 0), "values treated as null"),
    SourceMember(
      "invalid", .list(.text, least: 0), newer: .list(.scalar, least: 0), "values treated as null, with a warning"),
    SourceMember("steps", .list(.wordOrMember(plainSteps, steps), least: 0), "transformations to apply, in order"),
    SourceMember("missing", .text, "text to use for a missing value"),
    SourceMember("optional", .truth, "true: no record need have the member; its absence is not reported"),
    SourceMember(
      "on_error", .choice(SourceColumn.OnError.allCases.map(\.rawValue)),
      "values that do not fit: stop, null with a warning, or skip the record [default: stop]", since: 2),
  ]

  /// Steps without a parameter.
  private static let plainSteps: [SourceWord] = [
    "trim", "split", "wrap", "has-elements", SourceWord("strip-html", since: 2),
  ]
  private static let steps = [
    SourceMember("divide", .integer(least: 1), "integer division"),
    SourceMember("remainder", .integer(least: 1), "remainder of the integer division"),
    SourceMember("prefix", .text, "prepend a text"),
    SourceMember("words", .pairs, "replace words"),
    SourceMember("each", .matching(.pointer), "list of the values at a JSON Pointer in each element", since: 2),
    SourceMember("join", .text, "join the elements of a list, with a text between them", since: 2),
    SourceMember("scale", .integer(least: -300), "multiply by a power of ten: -2 turns cents into units", since: 2),
    SourceMember("suffix", .text, "append a text", since: 2),
  ]

  static let form: SourceObject = {
    var members = filling
    members.insert(
      contentsOf: [
        SourceMember("type", .choice(ColumnType.allCases.map(\.name)), "column type [default: text]"),
        SourceMember("nullable", .truth, "whether the column can be null [default: true, except for key columns]"),
        SourceMember("summary", .text, "description of the column, in one sentence"),
        SourceMember("unit", .text, "unit of a number"),
        SourceMember(
          "role", .choice(ColumnRole.allCases.map(\.rawValue)), "role of the column in tables and on pages"),
      ], at: 2)
    return SourceObject(
      summary: "a column", members: members,
      conditions: [
        SourceCondition(
          key: "formats", other: "type", values: [ColumnType.date.name, ColumnType.timestamp.name], orAbsent: false,
          complaint: "“formats” applies only to date and timestamp columns", last: 1),
        SourceCondition(
          key: "missing", other: "type", values: [ColumnType.text.name], orAbsent: true,
          complaint: "applies only to text columns"),
      ])
  }()

  // MARK: - Values

  /// The place of the column's values.
  /// - Parameter type: the column's type.
  func column(of type: ColumnType) -> SourceColumn {
    let name = node["name"]?.text ?? ""
    let from = node["from"]?.oneOrMore.map(\.text) ?? []
    let nulls = node["null"]?.elements ?? [], invalid = node["invalid"]?.elements ?? []
    var column = SourceColumn(
      name, from: from.first ?? JSONPointer(steps: [name]).description,
      formats: node["formats"]?.texts.map(SourceFormat.init) ?? [], nulls: Self.texts(nulls),
      invalid: Self.texts(invalid), steps: node["steps"]?.elements.map(step) ?? [],
      missing: node["missing"]?.text, isOptional: node["optional"]?.json.booleanValue ?? false)
    column.alternatives = Array(from.dropFirst())
    column.constant = node["value"]?.json
    column.nullScalars = Self.scalars(nulls)
    column.invalidScalars = Self.scalars(invalid)
    column.zone = node["zone"]?.text
    column.language = node["language"]?.text
    column.onError = node["on_error"].flatMap { SourceColumn.OnError(rawValue: $0.text) } ?? .stop
    if problems.grammar > 1 { check(type) }
    return column
  }

  private static func texts(_ nodes: [SourceNode]) -> [String] { nodes.compactMap(\.json.stringValue) }
  private static func scalars(_ nodes: [SourceNode]) -> [JSON] {
    nodes.map(\.json).filter { $0.stringBytes == nil }
  }

  /// `"trim"`, `"split"`, … or an object with one of the keys of `steps`.
  private func step(_ node: SourceNode) -> SourceStep {
    if let divisor = node["divide"] { return .divide(by: Int64(divisor.integer)) }
    if let divisor = node["remainder"] { return .remainder(by: Int64(divisor.integer)) }
    if let prefix = node["prefix"] { return .prefix(prefix.text) }
    if let suffix = node["suffix"] { return .suffix(suffix.text) }
    if let words = node["words"] { return .words(words.pairs) }
    if let pointer = node["each"] { return .each(pointer.text) }
    if let separator = node["join"] { return .join(separator.text) }
    if let power = node["scale"] {
      if power.integer > 300 { problems.note(power.problem("expected an integer from -300 to 300")) }
      return .scale(power.integer)
    }
    switch node.text {
    case "trim": return .trim
    case "split": return .split
    case "wrap": return .wrap
    case "strip-html": return .stripHTML
    default: return .hasElements
    }
  }

  // MARK: - What one key says of another

  private func check(_ type: ColumnType) {
    if let value = node["value"], node["from"] != nil {
      problems.note(value.problem("“value” and “from” cannot be used together"))
    }
    let zone = node["zone"]
    for format in node["formats"]?.elements ?? [] { check(format, type, zone) }
    guard let zone else { return }
    guard type == .timestamp || type == .date else {
      return problems.note(zone.problem("applies only to date and timestamp columns"))
    }
    do throws(Problem) { _ = try TimeZoneRules.named(zone.text) } catch {
      problems.note(zone.problem(error.message, hint: error.hint))
    }
  }

  private func check(_ format: SourceNode, _ type: ColumnType, _ zone: SourceNode?) {
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
      known = NumberPattern.allCases.map(\.rawValue)
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
