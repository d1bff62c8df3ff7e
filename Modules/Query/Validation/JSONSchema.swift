import Codecs
import Rows

/// A JSON Schema (2020-12), compiled once, that rows are checked against.
struct JSONSchema: Sendable {
  /// A value that breaks a rule.
  struct Violation: Sendable, Hashable {
    /// The column, with the members and elements in it: `user.name`, `tags[0]`; empty for the row.
    var column: String
    var rule: String
    /// The value of the keyword, and the value that breaks it.
    var expected: String, found: String

    init(column: String, rule: String, expected: String, found: String) {
      (self.column, self.rule, self.expected, self.found) = (column, rule, expected, found)
    }
  }

  /// The demand of a keyword; numbers are positions of schemas.
  private enum Demand: Sendable {
    case never, types([String]), values(Set<JSON>), bound(ExactNumber), multiple(ExactNumber), length(Int)
    case textBound([UInt8]), pattern(TextPattern), format(String), names([[UInt8]]), count(Int), unique
    case members([[UInt8]: Int], [(pattern: TextPattern, schema: Int)], others: Int?)
    case items(Int), all([Int]), any([Int]), one([Int]), not(Int), condition(Int, then: Int?, else: Int?)
    case reference(Int)
  }

  private struct Rule: Sendable { let keyword: String, text: JSON, demand: Demand }

  private var schemas: [[Rule]] = []
  /// The columns whose null is a value.
  private var nullable: Set<[UInt8]> = []
  private static let mostDepth = 200
  /// Before the name of a limit that texts are compared with, for other kinds of descriptions.
  static let textMark = "\u{1F}"
  /// Keywords that demand nothing.
  private static let annotations: Set<String> = [
    "$schema", "$id", "$comment", "$defs", "definitions", "$anchor", "title", "description", "default", "examples",
    "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema", "then", "else",
    "properties", "patternProperties", "additionalProperties", "$vocabulary",
  ]

  /// Compiles a schema.
  /// - Throws: `badData` for a keyword that is not supported, and for a value that a keyword does not have.
  init(_ document: JSON, name: String) throws(Problem) {
    var compiler = Compiler(document: document, name: name)
    _ = try compiler.schema(document, at: "")
    schemas = compiler.schemas
    var seen: Set<Int> = []
    collectNullable(0, &seen)
  }

  // MARK: - Compiling

  private struct Compiler {
    let document: JSON, name: String
    var schemas: [[Rule]] = [], known: [String: Int] = [:]

    mutating func schema(_ value: JSON, at pointer: String) throws(Problem) -> Int {
      if let number = known[pointer] { return number }
      let number = schemas.count
      known[pointer] = number
      schemas.append([])
      guard let members = value.objectMembers else {
        guard let isAny = value.booleanValue else { throw fault(pointer, "expected an object or a Boolean") }
        if !isAny { schemas[number] = [Rule(keyword: "false", text: value, demand: .never)] }
        return number
      }
      var rules: [Rule] = []
      for member in members {
        let keyword = member.name, place = "\(pointer)/\(keyword)"
        if let demand = try demand(keyword, member.value, value, place) {
          rules.append(
            Rule(keyword: keyword.replacing(JSONSchema.textMark, with: ""), text: member.value, demand: demand))
        } else if !JSONSchema.annotations.contains(keyword), JSONSchema.asserting.contains(keyword) {
          throw Problem(
            .badData, "the keyword \(keyword) is not supported", at: "\(name)\(place)",
            hint: "remove it, or use another validator")
        }
      }
      if ["properties", "patternProperties", "additionalProperties"].contains(where: { value[$0] != nil }) {
        rules.append(
          Rule(
            keyword: "additionalProperties", text: value["additionalProperties"] ?? .null,
            demand: try self.members(value, pointer)))
      }
      schemas[number] = rules
      return number
    }

    private func fault(_ place: String, _ what: String) -> Problem { Problem(.badData, what, at: "\(name)#\(place)") }

    private mutating func list(_ value: JSON, _ place: String) throws(Problem) -> [Int] {
      guard let all = value.arrayValue, !all.isEmpty else { throw fault(place, "expected a list of schemas") }
      var numbers: [Int] = []
      for (position, one) in all.enumerated() { numbers.append(try schema(one, at: "\(place)/\(position)")) }
      return numbers
    }

    private mutating func members(_ value: JSON, _ pointer: String) throws(Problem) -> Demand {
      var named: [[UInt8]: Int] = [:], patterns: [(pattern: TextPattern, schema: Int)] = []
      for member in value["properties"]?.objectMembers ?? [] {
        named[member.key] = try schema(member.value, at: "\(pointer)/properties/\(member.name)")
      }
      for member in value["patternProperties"]?.objectMembers ?? [] {
        let number = try schema(member.value, at: "\(pointer)/patternProperties/\(member.name)")
        patterns.append((try pattern(member.name, pointer), number))
      }
      let others = try value["additionalProperties"].map { (value) throws(Problem) in
        try schema(value, at: "\(pointer)/additionalProperties")
      }
      return .members(named, patterns, others: others)
    }

    private func pattern(_ text: String, _ place: String) throws(Problem) -> TextPattern {
      do throws(Problem) { return TextPattern(try Pattern(text)) } catch {
        throw fault(place, "unsupported pattern: \(error.message)")
      }
    }

    private mutating func demand(
      _ keyword: String, _ value: JSON, _ whole: JSON, _ place: String
    ) throws(Problem) -> Demand? {
      func number() throws(Problem) -> ExactNumber {
        guard let number = value.numberLiteral.flatMap({ ExactNumber(literal: $0) }) else {
          throw fault(place, "expected a number")
        }
        return number
      }
      func count() throws(Problem) -> Int {
        guard let count = try number().integer, count >= 0 else { throw fault(place, "expected a count") }
        return Int(count)
      }
      if keyword.hasPrefix(JSONSchema.textMark) { return value.stringBytes.map { .textBound($0) } }
      switch keyword {
      case "type":
        let names = value.arrayValue?.compactMap(\.stringValue) ?? [value.stringValue].compactMap { $0 }
        guard !names.isEmpty, names.allSatisfy(JSONSchema.typeNames.contains) else {
          throw fault(place, "unknown type")
        }
        return .types(names)
      case "enum": return .values(Set((value.arrayValue ?? []).map(JSONSchema.normal)))
      case "const": return .values([JSONSchema.normal(value)])
      case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum": return .bound(try number())
      case "multipleOf":
        let step = try number()
        if step.isZero || step.isNegative { throw fault(place, "expected a positive number") }
        return .multiple(step)
      case "minLength", "maxLength": return .length(try count())
      case "pattern":
        guard let text = value.stringValue else { throw fault(place, "expected a pattern") }
        return .pattern(try pattern(text, place))
      case "format": return value.stringValue.map { .format($0) }
      case "required": return .names((value.arrayValue ?? []).compactMap(\.stringBytes))
      case "items": return .items(try schema(value, at: place))
      case "minItems", "maxItems": return .count(try count())
      case "uniqueItems": return value.booleanValue == true ? .unique : nil
      case "allOf": return .all(try list(value, place))
      case "anyOf": return .any(try list(value, place))
      case "oneOf": return .one(try list(value, place))
      case "not": return .not(try schema(value, at: place))
      case "if":
        let parent = String(place.dropLast(3))
        let then = try whole["then"].map { (value) throws(Problem) in try schema(value, at: "\(parent)/then") }
        let other = try whole["else"].map { (value) throws(Problem) in try schema(value, at: "\(parent)/else") }
        return .condition(try schema(value, at: place), then: then, else: other)
      case "$ref":
        guard let text = value.stringValue, text == "#" || text.hasPrefix("#/") else {
          throw fault(place, "only references within the document are supported")
        }
        var target = document
        let steps = text.utf8.dropFirst(2).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for step in steps where text != "#" {
          let word = String(decoding: step, as: UTF8.self)
          let key = (PercentCoding.decoded(word[...]) ?? word).replacing("~1", with: "/").replacing("~0", with: "~")
          guard
            let next = target[key]
              ?? Int(key).flatMap({ at in
                target.arrayValue.flatMap { $0.indices.contains(at) ? $0[at] : nil }
              })
          else { throw fault(place, "nothing is at \(text)") }
          target = next
        }
        return .reference(try schema(target, at: String(text.dropFirst())))
      default: return nil
      }
    }
  }

  private static let typeNames: Set<String> = ["null", "boolean", "integer", "number", "string", "array", "object"]
  /// Keywords that demand something that is not checked.
  private static let asserting: Set<String> = [
    "$dynamicRef", "$recursiveRef", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames",
    "minProperties", "maxProperties", "contains", "minContains", "maxContains", "prefixItems", "additionalItems",
    "unevaluatedItems", "unevaluatedProperties",
  ]

  private mutating func collectNullable(_ number: Int, _ seen: inout Set<Int>) {
    guard seen.insert(number).inserted else { return }
    for rule in schemas[number] {
      switch rule.demand {
      case .members(let named, _, _):
        for (name, schema) in named where includesNull(schema, 0) { nullable.insert(name) }
      case .all(let list), .any(let list), .one(let list): for one in list { collectNullable(one, &seen) }
      case .not(let one), .reference(let one): collectNullable(one, &seen)
      case .condition(let one, let then, let other):
        for schema in [one, then, other].compactMap(\.self) { collectNullable(schema, &seen) }
      default: break
      }
    }
  }

  private func includesNull(_ number: Int, _ depth: Int) -> Bool {
    guard depth < Self.mostDepth else { return false }
    return schemas[number].contains { rule in
      switch rule.demand {
      case .types(let names): names.contains("null")
      case .values(let values): values.contains(.null)
      case .any(let list), .one(let list), .all(let list): list.contains { includesNull($0, depth + 1) }
      case .reference(let one): includesNull(one, depth + 1)
      default: false
      }
    }
  }

  // MARK: - Checking

  /// A value of numbers by value and members in order, so that equal ones are equal.
  static func normal(_ value: JSON) -> JSON {
    switch value {
    case .number(let literal): .number(ExactNumber(literal: literal)?.plain ?? literal)
    case .array(let list): .array(list.map(normal))
    case .object(let members):
      .object(
        members.map { JSON.Member($0.key, normal($0.value)) }.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    default: value
    }
  }

  /// The types that a column may have by its name, and the texts that it may have; no types for any.
  func reading(of column: [UInt8]) -> (types: Set<String>, texts: Set<[UInt8]>) {
    func named(_ isStrict: Bool) -> (types: Set<String>, texts: Set<[UInt8]>) {
      let found = schemas(of: column, in: 0, isStrict, 0).flatMap { mentioned($0, isStrict, 0) }
      return (Set(found.flatMap(\.types)), Set(found.flatMap(\.texts)))
    }
    // What must hold comes before what must not, or only under a condition.
    let must = named(true), all = named(false)
    return (must.types.isEmpty ? all.types : must.types, all.texts)
  }

  /// The schemas that apply to a schema's own value: those that must hold, or all.
  private func applied(_ rule: Rule, _ isStrict: Bool) -> [Int] {
    switch rule.demand {
    case .all(let list), .any(let list), .one(let list): list
    case .reference(let one): [one]
    case .not(let one): isStrict ? [] : [one]
    case .condition(let one, let then, let other): isStrict ? [] : [one, then, other].compactMap(\.self)
    default: []
    }
  }

  private func schemas(of column: [UInt8], in row: Int, _ isStrict: Bool, _ depth: Int) -> [Int] {
    guard depth < Self.mostDepth else { return [] }
    return schemas[row].flatMap { rule -> [Int] in
      guard case .members(let named, let patterns, let others) = rule.demand else {
        return applied(rule, isStrict).flatMap { schemas(of: column, in: $0, isStrict, depth + 1) }
      }
      let found = (named[column].map { [$0] } ?? []) + patterns.filter { $0.pattern.matches(column) }.map(\.schema)
      return found.isEmpty ? others.map { [$0] } ?? [] : found
    }
  }

  /// The types and the texts that a schema and those in it name. A type of its own decides.
  private func mentioned(_ schema: Int, _ isStrict: Bool, _ depth: Int) -> [(types: [String], texts: [[UInt8]])] {
    guard depth < Self.mostDepth else { return [] }
    var found: [(types: [String], texts: [[UInt8]])] = []
    var own: [String]?
    for rule in schemas[schema] {
      switch rule.demand {
      case .types(let names): own = names
      case .bound, .multiple: found.append((["number"], []))
      case .values(let values):
        for value in values {
          found.append((Self.typeNames.filter { Self.has(value, type: $0) }, value.stringBytes.map { [$0] } ?? []))
        }
      case .items, .count, .unique: found.append((["array"], []))
      default: found += applied(rule, isStrict).flatMap { mentioned($0, isStrict, depth + 1) }
      }
    }
    return own.map { own in found.map { ([], $0.texts) } + [(own, [])] } ?? found
  }

  func violations(of row: [(name: [UInt8], value: JSON)]) throws(Problem) -> [Violation] {
    var found: [Violation] = []
    let members = row.filter { !$0.value.isNull || nullable.contains($0.name) }
    try check(.object(members.map { JSON.Member($0.name, $0.value) }), 0, "", &found, 0)
    return found
  }

  private func isValid(_ value: JSON, _ schema: Int, _ depth: Int) throws(Problem) -> Bool {
    var found: [Violation] = []
    try check(value, schema, "", &found, depth + 1)
    return found.isEmpty
  }

  private func check(
    _ value: JSON, _ schema: Int, _ path: String, _ found: inout [Violation], _ depth: Int
  ) throws(Problem) {
    guard depth < Self.mostDepth else { throw Problem(.badData, "the schema refers to itself without end") }
    for rule in schemas[schema] {
      let isMet: Bool
      switch rule.demand {
      case .never: isMet = false
      case .types(let names): isMet = names.contains { Self.has(value, type: $0) }
      case .values(let values): isMet = values.contains(Self.normal(value))
      case .bound(let bound):
        guard let number = Self.number(value) else { continue }
        isMet = Self.isWithin(rule.keyword, ExactNumber.order(number, bound))
      case .textBound(let bound):
        guard let text = value.stringBytes else { continue }
        isMet = Self.isWithin(
          rule.keyword, text == bound ? 0 : text.lexicographicallyPrecedes(bound) ? -1 : 1)
      case .multiple(let step):
        guard let number = Self.number(value) else { continue }
        isMet = (number % step)?.isZero ?? true
      case .length(let length):
        guard let text = value.stringValue else { continue }
        let count = text.unicodeScalars.count
        isMet = rule.keyword == "minLength" ? count >= length : count <= length
      case .pattern(let pattern):
        guard let text = value.stringBytes else { continue }
        isMet = pattern.matches(text)
      case .format(let name):
        guard let text = value.stringBytes else { continue }
        isMet = ValueFormat.matches(text, name)
      case .names(let names):
        guard let members = value.objectMembers else { continue }
        for name in names where !members.contains(where: { $0.key == name }) {
          found.append(
            Violation(column: Self.join(path, name), rule: rule.keyword, expected: "a value", found: "null"))
        }
        continue
      case .count(let count):
        guard let items = value.arrayValue else { continue }
        isMet = rule.keyword == "minItems" ? items.count >= count : items.count <= count
      case .unique:
        guard let items = value.arrayValue else { continue }
        isMet = Set(items.map(Self.normal)).count == items.count
      case .items(let schema):
        for (at, item) in (value.arrayValue ?? []).enumerated() {
          try check(item, schema, "\(path)[\(at)]", &found, depth + 1)
        }
        continue
      case .members(let named, let patterns, let others):
        for member in value.objectMembers ?? [] {
          let inner = Self.join(path, member.key), schema = named[member.key]
          let matching = patterns.filter { $0.pattern.matches(member.key) }.map(\.schema)
          for schema in [schema].compactMap(\.self) + matching {
            try check(member.value, schema, inner, &found, depth + 1)
          }
          guard schema == nil, matching.isEmpty, let others else { continue }
          let before = found.count
          try check(member.value, others, inner, &found, depth + 1)
          for at in before..<found.count where found[at].rule == "false" {
            (found[at].rule, found[at].expected) = (rule.keyword, "false")
          }
        }
        continue
      case .all(let list):
        for one in list { try check(value, one, path, &found, depth + 1) }
        continue
      case .any(let list):
        var valid = false
        for one in list where !valid { valid = try isValid(value, one, depth) }
        isMet = valid
      case .one(let list):
        var valid = 0
        for one in list where try isValid(value, one, depth) { valid += 1 }
        isMet = valid == 1
      case .not(let one): isMet = try !isValid(value, one, depth)
      case .condition(let one, let then, let other):
        if let next = try isValid(value, one, depth) ? then : other {
          try check(value, next, path, &found, depth + 1)
        }
        continue
      case .reference(let one):
        try check(value, one, path, &found, depth + 1)
        continue
      }
      if !isMet {
        found.append(
          Violation(column: path, rule: rule.keyword, expected: Self.shown(rule.text), found: Self.shown(value)))
      }
    }
  }

  private static func isWithin(_ keyword: String, _ order: Int) -> Bool {
    switch keyword {
    case "minimum": order >= 0
    case "maximum": order <= 0
    case "exclusiveMinimum": order > 0
    default: order < 0
    }
  }

  private static func join(_ path: String, _ name: [UInt8]) -> String {
    let name = String(decoding: name, as: UTF8.self)
    return path.isEmpty ? name : "\(path).\(name)"
  }

  private static func shown(_ value: JSON) -> String {
    value.stringValue ?? String(decoding: value.canonicalBytes, as: UTF8.self)
  }

  private static func number(_ value: JSON) -> ExactNumber? {
    value.numberLiteral.flatMap { ExactNumber(literal: $0) }
  }

  static func has(_ value: JSON, type: String) -> Bool {
    switch value {
    case .null: type == "null"
    case .boolean: type == "boolean"
    case .number(let literal):
      type == "number" || type == "integer" && DecimalNumber(literal)?.isMultiple(ofPowerOfTen: 0) == true
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}
