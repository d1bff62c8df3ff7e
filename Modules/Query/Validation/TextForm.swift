import Codecs
import Rows

/// The forms of the texts of a field of Table Schema (Frictionless).
struct TextForm: Sendable {
  /// The texts that mean no value.
  let nulls: Set<[UInt8]>
  /// The format of dates and times, if it is not the usual one.
  private(set) var format: String?
  private let kind: Kind

  private enum Kind: Sendable {
    case plain(Set<String>)
    case boolean(yes: [[UInt8]], no: [[UInt8]])
    case number(point: [UInt8], group: [UInt8], isBare: Bool)
    case date(String)
  }

  /// - Throws: `badData` for what is not supported.
  init(_ field: JSON, type: String, missing: JSON?, at name: String) throws(Problem) {
    func list(_ value: JSON?, _ usual: [String]) -> [[UInt8]] {
      guard let texts = value?.arrayValue else { return usual.map { Array($0.utf8) } }
      return texts.compactMap { $0.stringBytes ?? $0["value"]?.stringBytes }
    }
    nulls = Set(list(field["missingValues"] ?? missing, [""]))
    let format = field["format"]?.stringValue ?? "default"
    switch type {
    case "boolean":
      kind = .boolean(
        yes: list(field["trueValues"], ["true", "True", "TRUE", "1"]),
        no: list(field["falseValues"], ["false", "False", "FALSE", "0"]))
    case "integer", "number":
      kind = .number(
        point: field["decimalChar"]?.stringBytes ?? [UInt8(ascii: ".")], group: field["groupChar"]?.stringBytes ?? [],
        isBare: field["bareNumber"]?.booleanValue != false)
    case "date", "time", "datetime":
      if format != "default", format != "any" {
        let parsed = try? DateFormat(format)
        guard parsed?.canRead == true else {
          throw Problem(
            .badData, "the format \(format) of \(field["name"]?.stringValue ?? "") is not supported", at: name,
            hint: "remove it, or use another validator")
        }
        self.format = format
        kind = .date(format)
      } else {
        kind = .plain([])
      }
    case "year": kind = .plain(["integer"])
    case "any":
      let limits = (field["constraints"]?.objectMembers ?? []).flatMap { $0.value.arrayValue ?? [$0.value] }
      kind = .plain(limits.contains { $0.numberLiteral != nil } ? ["number"] : [])
    default: kind = .plain([type])
    }
  }

  /// The value of a text; nil if it has none.
  func value(_ text: [UInt8]) -> JSON? {
    switch kind {
    case .plain(let types): return Self.plain(text, types) ?? .string(text)
    case .boolean(let yes, let no):
      return yes.contains(text) ? .boolean(true) : no.contains(text) ? .boolean(false) : nil
    case .number(let point, let group, let isBare):
      var text = text
      if !isBare {
        let isDigit: (UInt8) -> Bool = { $0 &- 48 < 10 || "+-.".utf8.contains($0) }
        text = Array(text.drop { !isDigit($0) }.reversed().drop { $0 &- 48 >= 10 }.reversed())
      }
      if !group.isEmpty { text = Array(text.split(separator: group).joined()) }
      if point != [UInt8(ascii: ".")] {
        if text.contains(UInt8(ascii: ".")) { return nil }
        text = Array(text.split(separator: point, omittingEmptySubsequences: false).joined(separator: [46]))
      }
      return Self.plain(text.first == UInt8(ascii: "+") ? Array(text.dropFirst()) : text, ["number"])
    case .date(let format): return (try? DateFormat(format))?.parse(text).map { .string($0) }
    }
  }

  /// A text as JSON of one of the named types; nil if it is none.
  static func plain(_ text: [UInt8], _ types: Set<String>) -> JSON? {
    if !types.isDisjoint(with: ["integer", "number"]) {
      // A number may begin with a point.
      let sign = text.first == UInt8(ascii: "-") ? 1 : 0
      let isBare = text.dropFirst(sign).first == UInt8(ascii: ".")
      let literal = isBare ? text.prefix(sign) + [48] + text.dropFirst(sign) : text[...]
      if case .number(let number)? = try? JSON.parse(Array(literal), name: "") { return .number(number) }
    }
    if types.contains("boolean") {
      for spelling in [ValueSpelling.usual, .capitalized, .uppercase] {
        for truth in [true, false] where text.elementsEqual("\(spelling.word(truth))".utf8) { return .boolean(truth) }
      }
    }
    if !types.isDisjoint(with: ["array", "object"]), let first = text.first, "[{".utf8.contains(first) {
      return try? JSON.parse(text, name: "")
    }
    return nil
  }
}
