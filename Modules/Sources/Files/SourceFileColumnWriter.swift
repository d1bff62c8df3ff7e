import Domain
import Codecs
import Rows

extension SourceFile {
  /// A column of a dataset as its file describes it.
  static func column(_ position: Int, of dataset: APIDataset) -> JSON {
    let described = dataset.schema.columns[position]
    var members: [JSON.Member] = [JSON.Member("name", .string(described.name))]
    if described.type != .text { members.add("type", described.type.name) }
    if !described.isNullable, !dataset.schema.key.contains(position) {
      members.append(JSON.Member("nullable", .boolean(false)))
    }
    members.add("summary", described.summary)
    members.add("unit", described.unit)
    members.add("role", described.role?.rawValue ?? "")
    let isElsewhere =
      described.name == dataset.occurrence
      || dataset.supplements.contains { $0.columns.contains { $0.name == described.name } }
    if let column = dataset.columns.first(where: { $0.name == described.name }) {
      members += filling(column)
    } else if !isElsewhere {
      members.add("from", nothing)
    }
    return .object(members)
  }

  /// Where a column's values come from.
  static func filling(_ column: SourceColumn) -> [JSON.Member] {
    var members: [JSON.Member] = []
    if let constant = column.constant {
      members.append(JSON.Member("value", constant))
    } else if !column.alternatives.isEmpty {
      members.append(JSON.Member("from", .array(([column.from] + column.alternatives).map { .string($0) })))
    } else if column.from != JSONPointer(steps: [column.name]).description {
      members.append(JSON.Member("from", .string(column.from)))
    }
    members.add("formats", column.formats.map(\.rawValue))
    members.add("zone", column.zone ?? "")
    members.add("language", column.language ?? "")
    add("null", column.nulls, column.nullScalars, to: &members)
    add("invalid", column.invalid, column.invalidScalars, to: &members)
    if !column.steps.isEmpty { members.append(JSON.Member("steps", .array(column.steps.map(step)))) }
    if let missing = column.missing { members.append(JSON.Member("missing", .string(missing))) }
    if column.isOptional { members.append(JSON.Member("optional", .boolean(true))) }
    if column.onError != .stop { members.add("on_error", column.onError.rawValue) }
    return members
  }

  private static func add(_ key: String, _ texts: [String], _ scalars: [JSON], to members: inout [JSON.Member]) {
    let all = texts.map { JSON.string($0) } + scalars
    if !all.isEmpty { members.append(JSON.Member(key, .array(all))) }
  }

  private static func step(_ step: SourceStep) -> JSON {
    func member(_ key: String, _ value: JSON) -> JSON { .object([JSON.Member(key, value)]) }
    switch step {
    case .trim: return .string("trim")
    case .split: return .string("split")
    case .wrap: return .string("wrap")
    case .hasElements: return .string("has-elements")
    case .stripHTML: return .string("strip-html")
    case .divide(let divisor): return member("divide", .number(divisor))
    case .remainder(let divisor): return member("remainder", .number(divisor))
    case .prefix(let text): return member("prefix", .string(text))
    case .suffix(let text): return member("suffix", .string(text))
    case .each(let pointer): return member("each", .string(pointer))
    case .join(let separator): return member("join", .string(separator))
    case .scale(let power): return member("scale", .number(Int64(power)))
    case .words(let words):
      return member("words", .object(words.map { JSON.Member($0.name, .string($0.value)) }))
    }
  }
}

extension [JSON.Member] {
  /// A text, when there is one.
  mutating func add(_ key: String, _ text: String) {
    if !text.isEmpty { append(JSON.Member(key, .string(text))) }
  }
  /// A list of texts, when there are some.
  mutating func add(_ key: String, _ texts: [String]) {
    if !texts.isEmpty { append(JSON.Member(key, .array(texts.map { .string($0) }))) }
  }
  /// A text for one, a list for more.
  mutating func addOneOrMore(_ key: String, _ texts: [String]) {
    if texts.count == 1 { append(JSON.Member(key, .string(texts[0]))) } else { add(key, texts) }
  }
  /// An object of texts, when there are some.
  mutating func add(_ key: String, _ pairs: [SourceParameter]) {
    if !pairs.isEmpty {
      append(JSON.Member(key, .object(pairs.map { JSON.Member($0.name, .string($0.value)) })))
    }
  }
  /// Members with texts.
  mutating func add(_ pairs: KeyValuePairs<String, String>) {
    for (key, value) in pairs { append(JSON.Member(key, .string(value))) }
  }
}
