import Codecs
import Rows

/// The rules of CSV on the Web for the fields of a column.
struct CSVWCell: Sendable {
  /// A rule that a field breaks, and what the rule says.
  typealias Fault = (rule: String, expected: String)

  let names: [String]
  private let base: String, format: CSVWFormat
  private let isRequired: Bool, isAnnotated: Bool
  private let nulls: [[UInt8]], separator: [UInt8]?, fallback: [UInt8]
  private let lengths: [(rule: String, length: Int)], bounds: [(rule: String, text: String, value: CSVWFormat.Order)]

  /// - Parameter inherited: the properties of the column, and those that it takes over.
  /// - Throws: `badData` for rules that exclude each other, or that the datatype does not have.
  init(
    _ column: JSON, names: [String], inherited: [String: JSON], warn: (String) -> Void, at name: String
  ) throws(Problem) {
    func fault(_ what: String) -> Problem { Problem(.badData, "\(names.first ?? ""): \(what)", at: name) }
    self.names = names
    let datatype = inherited["datatype"] ?? .string("string")
    var base = datatype.stringValue ?? datatype["base"]?.stringValue ?? "string"
    if CSVWFormat.kinds[base] == nil {
      warn("unknown datatype \(base)")
      base = "string"
    }
    let kind = CSVWFormat.kinds[base] ?? .text
    self.base = base
    format = CSVWFormat(base, datatype["format"], warn)
    isRequired = inherited["required"]?.booleanValue == true
    isAnnotated = column.objectMembers?.contains { $0.name.hasSuffix("csvw#type") || $0.name == "bb:type" } == true
    nulls =
      inherited["null"].map { $0.stringBytes.map { [$0] } ?? $0.arrayValue?.compactMap(\.stringBytes) ?? [] } ?? [[]]
    separator = inherited["separator"]?.stringBytes
    fallback = inherited["default"]?.stringBytes ?? []
    var lengths: [(rule: String, length: Int)] = []
    var bounds: [(rule: String, text: String, value: CSVWFormat.Order)] = []
    for member in datatype.objectMembers ?? [] {
      switch member.name {
      case "length", "minLength", "maxLength":
        guard kind == .text || kind == .bytes else { throw fault("\(member.name) does not apply to \(base)") }
        guard let length = member.value.integerValue.flatMap({ Int(exactly: $0) }), length >= 0 else {
          warn("invalid \(member.name)")
          continue
        }
        lengths.append((member.name, length))
      case "minimum", "minInclusive", "maximum", "maxInclusive", "minExclusive", "maxExclusive":
        guard ![.text, .bytes, .boolean].contains(kind) else { throw fault("\(member.name) does not apply to \(base)") }
        let text = member.value.stringValue ?? String(decoding: member.value.canonicalBytes, as: UTF8.self)
        guard let value = format.bound(Array(text.utf8)) else {
          warn("invalid \(member.name)")
          continue
        }
        let rule = member.name.replacing("imum", with: "Inclusive")
        bounds.append((rule, text, value))
      case "@id":
        let isBuiltIn = member.value.stringValue.map { text in
          ["http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/ns/csvw#", "_:"].contains(where: text.hasPrefix)
        }
        if isBuiltIn == true { throw fault("invalid @id of a datatype") }
      case "base", "format", "@type", "name": break
      default: if !member.name.contains(":") { warn("unknown property \(member.name)") }
      }
    }
    let length = Dictionary(lengths.map { ($0.rule, $0.length) }) { first, _ in first }
    if let exact = length["length"], exact < length["minLength"] ?? 0 || exact > length["maxLength"] ?? .max {
      throw fault("length contradicts minLength or maxLength")
    }
    if length["minLength"] ?? 0 > length["maxLength"] ?? .max { throw fault("minLength is greater than maxLength") }
    let bound = Dictionary(bounds.map { ($0.rule, $0.value) }) { first, _ in first }
    for side in ["min", "max"] where bound["\(side)Inclusive"] != nil && bound["\(side)Exclusive"] != nil {
      throw fault("\(side)Inclusive and \(side)Exclusive exclude each other")
    }
    for (least, greatest, isStrict) in [
      ("minInclusive", "maxInclusive", false), ("minInclusive", "maxExclusive", true),
      ("minExclusive", "maxInclusive", true), ("minExclusive", "maxExclusive", false),
    ] {
      guard let low = bound[least], let high = bound[greatest] else { continue }
      let order = low.order(to: high)
      // Two exclusive limits that are equal leave nothing either, but the standard permits them.
      if order > 0 || order == 0 && isStrict { throw fault("\(least) and \(greatest) exclude every value") }
    }
    (self.lengths, self.bounds) = (lengths, bounds)
  }

  /// The rules that a field breaks; nil is an empty field without quotes.
  func faults(_ field: [UInt8]?) -> [Fault] {
    let keepsSpace = ["string", "json", "xml", "html", "anyAtomicType", "any"].contains(base)
    func plain(_ text: [UInt8]) -> [UInt8] { keepsSpace ? text : text.trimmingSpace }
    var text = plain(field ?? [])
    if text.isEmpty { text = plain(fallback) }
    let isNull = nulls.contains(text) || field == nil && isAnnotated
    guard let separator, !separator.isEmpty else {
      if isNull { return isRequired ? [("required", "a value")] : [] }
      return check(text)
    }
    if text.isEmpty { return isRequired ? [("required", "a value")] : [] }
    if isNull { return isRequired ? [("required", "a value")] : [] }
    let parts = text.split(separator: separator).map { plain(Array($0)) }
    return parts.flatMap { nulls.contains($0) ? [] : check($0) }
  }

  private func check(_ text: [UInt8]) -> [Fault] {
    guard let value = format.value(text) else { return [("datatype", format.name)] }
    var faults: [Fault] = []
    if !lengths.isEmpty {
      let count = format.length(text)
      for (rule, length) in lengths {
        if rule == "minLength" ? count < length : rule == "maxLength" ? count > length : count != length {
          faults.append((rule, "\(length)"))
        }
      }
    }
    for (rule, text, bound) in bounds {
      let order = value.order(to: bound)
      let isMet =
        switch rule {
        case "minInclusive": order >= 0
        case "maxInclusive": order <= 0
        case "minExclusive": order > 0
        default: order < 0
        }
      if !isMet { faults.append((rule, text)) }
    }
    return faults
  }
}

extension [UInt8] {
  fileprivate var trimmingSpace: [UInt8] {
    Array(drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed())
  }
}
