import Codecs

extension SourceFile {
  /// The JSON Schema (draft 2020-12) of a source definition, as text with a final line feed. The reader accepts
  /// whatever it accepts, except for references between places: keys that are columns, parents that precede their
  /// children, names that differ.
  /// - Parameter grammar: the version of the grammar, 1 or 2.
  public static func schema(grammar: Int = newestGrammar) -> [UInt8] {
    guard case .object(let members) = SourceForm.object(table.object).schema(grammar) else { return [] }
    let head: [JSON.Member] = [
      JSON.Member("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      JSON.Member("title", .string("bb source definition")),
    ]
    return JSON.object(head + members).indentedBytes()
  }
}

extension SourceObject {
  /// - Parameter tag: the member that chooses this object among others.
  fileprivate func schema(_ grammar: Int, tag: String? = nil) -> JSON {
    var properties: [JSON.Member] = []
    if let tag { properties.append(JSON.Member(tag, .object(["const": .string(name)]))) }
    let members = members.filter { $0.since <= grammar }
    for member in members {
      guard case .object(let form) = member.form(in: grammar).schema(grammar) else { continue }
      let described = form.filter { $0.name != "description" }
      properties.append(
        JSON.Member(member.key, .object([JSON.Member("description", .string(member.summary))] + described)))
    }
    let required = (tag.map { [$0] } ?? []) + members.filter { $0.isRequired(in: grammar) }.map(\.key)
    var schema: [JSON.Member] = [
      JSON.Member("description", .string(summary)), JSON.Member("type", .string("object")),
      JSON.Member("properties", .object(properties)), JSON.Member("additionalProperties", .boolean(false)),
    ]
    if !required.isEmpty { schema.insert(JSON.Member("required", .array(required.map { .string($0) })), at: 2) }
    let conditions = conditions.filter { $0.last >= grammar }
    if !conditions.isEmpty { schema.append(JSON.Member("allOf", .array(conditions.map(\.schema)))) }
    return .object(schema)
  }
}

extension SourceCondition {
  fileprivate var schema: JSON {
    var then: [JSON.Member] = []
    if !orAbsent { then.append(JSON.Member("required", .array([.string(other)]))) }
    let allowed = JSON.object(["enum": .array(values.map { .string($0) })])
    then.append(JSON.Member("properties", .object([JSON.Member(other, allowed)])))
    return .object(["if": .object(["required": .array([.string(key)])]), "then": .object(then)])
  }
}

extension SourceForm {
  fileprivate func schema(_ grammar: Int) -> JSON {
    switch self {
    case .version: return .object(["const": .number(Int64(grammar))])
    case .text: return .object(["type": .string("string")])
    case .matching(let pattern):
      return .object(["type": .string("string"), "pattern": .string(pattern.expression)])
    case .choice(let words): return .object(["enum": .array(words.map { .string($0) })])
    case .integer(let least):
      return .object([
        "type": .string("integer"), "minimum": .number(Int64(least)), "maximum": .number(Int64(Int32.max)),
      ])
    case .positive: return .object(["type": .string("number"), "exclusiveMinimum": .number(0)])
    case .null: return .object(["type": .string("null")])
    case .truth: return .object(["type": .string("boolean")])
    case .scalar:
      return .object(["type": .array([.string("string"), .string("number"), .string("boolean")])])
    case .any: return .object([])
    case .pairs:
      return .object([
        "type": .string("object"),
        "additionalProperties": .object(["type": .array([.string("string"), .string("number")])]),
      ])
    case .entries(let keys, let values):
      return .object([
        "type": .string("object"), "propertyNames": .object(["pattern": .string(keys.expression)]),
        "additionalProperties": values.schema(grammar),
      ])
    case .list(let element, let least):
      return .object([
        "type": .string("array"), "items": element.schema(grammar), "minItems": .number(Int64(least)),
      ])
    case .object(let object): return object.schema(grammar)
    case .variants(let tag, let objects):
      return .object(["oneOf": .array(objects.filter { $0.since <= grammar }.map { $0.schema(grammar, tag: tag) })])
    case .wordOrMember(let words, let members):
      let known = words.filter { $0.since <= grammar }.map(\.text)
      let single = members.filter { $0.since <= grammar }.map { member in
        var member = member
        member.requiredIn = 1...9
        return SourceObject(summary: member.summary, members: [member])
      }
      return .object([
        "oneOf": .array([SourceForm.choice(known).schema(grammar)] + single.map { $0.schema(grammar) })
      ])
    case .either(let forms): return .object(["oneOf": .array(forms.map { $0.schema(grammar) })])
    }
  }
}
