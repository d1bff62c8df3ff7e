import Codecs

/// As much of JSON Schema as the source file's schema uses; any other word in a schema is a failure, so that nothing
/// goes unchecked.
struct SchemaValidator {
  /// The problem of `value`, with its place; nil if there is none.
  func fault(_ value: JSON, _ schema: JSON, at place: String = "") -> String? {
    for rule in schema.objectMembers ?? [] {
      if let fault = fault(value, rule.name, rule.value, schema, place) { return "\(place): \(fault)" }
    }
    return nil
  }

  private func fault(_ value: JSON, _ rule: String, _ wanted: JSON, _ schema: JSON, _ place: String) -> String? {
    switch rule {
    case "$schema", "title", "description", "then": return nil
    case "const": return value == wanted ? nil : "is not \(text(wanted))"
    case "enum": return wanted.arrayValue?.contains(value) == true ? nil : "is not one of \(text(wanted))"
    case "type":
      let types = wanted.arrayValue?.compactMap(\.stringValue) ?? [wanted.stringValue ?? ""]
      return types.contains { isOf($0, value) } ? nil : "is not of type \(text(wanted))"
    case "pattern":
      guard let text = value.stringValue else { return nil }
      do { return try text.contains(Regex(wanted.stringValue ?? "")) ? nil : "does not match" } catch {
        return "\(error)"
      }
    case "minimum":
      return value.realValue.map { $0 >= wanted.realValue ?? .infinity } ?? true ? nil : "is too small"
    case "maximum":
      return value.realValue.map { $0 <= wanted.realValue ?? -.infinity } ?? true ? nil : "is too large"
    case "exclusiveMinimum":
      return value.realValue.map { $0 > wanted.realValue ?? .infinity } ?? true ? nil : "is too small"
    case "minItems":
      return value.arrayValue.map { $0.count >= Int(wanted.integerValue ?? .max) } ?? true ? nil : "has too few"
    case "items":
      for (position, element) in (value.arrayValue ?? []).enumerated() {
        if let fault = fault(element, wanted, at: "\(place)/\(position)") { return fault }
      }
      return nil
    case "required":
      return wanted.arrayValue?.first { key in
        value.objectMembers.map { !$0.contains { .string($0.key) == key } } ?? false
      }
      .map { "\(text($0)) is missing" }
    case "properties":
      for member in wanted.objectMembers ?? [] {
        if let found = value[member.name], let fault = fault(found, member.value, at: "\(place)/\(member.name)") {
          return fault
        }
      }
      return nil
    case "propertyNames":
      return (value.objectMembers ?? []).compactMap { fault(.string($0.key), wanted, at: "\(place)/\($0.name)") }.first
    case "additionalProperties":
      for member in value.objectMembers ?? [] where schema["properties"]?[member.name] == nil {
        if wanted == .boolean(false) { return "no \(member.name)" }
        if let fault = fault(member.value, wanted, at: "\(place)/\(member.name)") { return fault }
      }
      return nil
    case "oneOf":
      let count = (wanted.arrayValue ?? []).filter { fault(value, $0, at: place) == nil }.count
      return count == 1 ? nil : "is \(count) of those it may be"
    case "allOf": return (wanted.arrayValue ?? []).compactMap { fault(value, $0, at: place) }.first
    case "if":
      guard fault(value, wanted, at: place) == nil, let then = schema["then"] else { return nil }
      return fault(value, then, at: place)
    default: return "the schema has the keyword \(rule), which this check does not know"
    }
  }

  private func isOf(_ type: String, _ value: JSON) -> Bool {
    switch (type, value) {
    case ("string", .string), ("number", .number), ("boolean", .boolean), ("array", .array), ("object", .object),
      ("null", .null):
      true
    case ("integer", .number): value.realValue.map { $0.rounded() == $0 } ?? false
    default: false
    }
  }
  private func text(_ value: JSON) -> String { String(decoding: value.canonicalBytes, as: UTF8.self) }
}
