import Codecs
import Rows

/// Reads one column's value out of a record, as its `SourceColumn` describes.
final class RESTColumnReader: Sendable {
  private let column: ColumnDescription
  private let source: SourceColumn
  private let selectors: [RESTSelector]
  private let nulls: Words
  private let invalid: Words
  private let dates: RESTDateReader
  private let numbers: [NumberPattern]
  private let booleans: [(yes: [UInt8], no: [UInt8])]
  private let isAsWritten: Bool

  /// Texts, whatever blanks are around them, and other scalars.
  private struct Words: Sendable {
    private let words: Set<[UInt8]>
    private let longest: Int
    private let scalars: [JSON]

    init(_ all: [JSON]) {
      words = Set(all.compactMap(\.stringBytes))
      longest = words.map(\.count).max() ?? -1
      scalars = all.filter { $0.stringBytes == nil }
    }

    func contains(_ value: JSON) -> Bool {
      guard case .string(let text) = value else {
        return scalars.contains { scalar in
          if scalar == value { return true }
          guard let a = scalar.realValue, let b = value.realValue else { return false }
          return a == b
        }
      }
      guard longest >= 0 else { return false }
      // Most texts are longer than any of these.
      let plain = SourceStep.trimmed(text[...])
      return plain.count <= longest && words.contains(Array(plain))
    }
  }

  /// - Parameter asWritten: whether empty text is kept, and values that do not fit the column's type are kept as text.
  /// - Throws: `configuration` for a selector that is not a JSON Pointer, and an unknown time zone.
  init(_ column: ColumnDescription, _ source: SourceColumn, asWritten: Bool) throws(Problem) {
    self.column = column
    self.source = source
    isAsWritten = asWritten
    do throws(Problem) {
      var selectors: [RESTSelector] = []
      if let constant = source.constant {
        selectors = [.constant(constant)]
      } else {
        for text in [source.from] + source.alternatives { selectors.append(try RESTSelector(text)) }
      }
      self.selectors = selectors
      dates = try RESTDateReader(source, isDate: column.type == .date)
    } catch {
      throw Problem(.configuration, "column \(column.name): \(error.message)", hint: error.hint)
    }
    // An empty text that becomes a list by a step is an empty list.
    let keepsEmpty =
      asWritten && source.steps.isEmpty && [.text, .url, .list(.text), .list(.url)].contains(column.type)
    nulls = Words(source.nulls.filter { !(keepsEmpty && $0.stringBytes == []) })
    invalid = Words(asWritten ? [] : source.invalid)
    numbers = source.formats.compactMap { NumberPattern(rawValue: $0.rawValue) }
    booleans =
      column.type != .boolean
      ? []
      : source.formats.compactMap { format in
        let words = format.rawValue.split(separator: "/", omittingEmptySubsequences: false).map { Array($0.utf8) }
        return words.count == 2 ? (words[0], words[1]) : nil
      }
  }

  /// The value of `record`'s column; null if the source has none, nil if the record is to be skipped.
  /// - Throws: `badData` with the found and the expected value; the caller adds record and column.
  func value(
    in record: RESTRecord, place: Int = 1, _ context: RESTContext, _ notes: inout RESTNotes
  ) throws(Problem) -> Value? {
    var last: JSON?
    do throws(Problem) {
      var found: JSON?
      for selector in selectors {
        var stands = selector.value(of: record, at: place, in: context)
        if context.isXML { stands = stands.map(element) }
        last = stands ?? last
        found = present(stands, &notes)
        if found != nil { break }
      }
      if record.isShort, last == nil, source.isRequired, source.onError != .stop, !isAsWritten {
        throw Problem(.badData, "missing value")
      }
      return try read(found, &notes)
    } catch {
      let format = last.flatMap { KnownDateFormats.format(of: $0, for: column.type) }
      if source.onError != .stop || isAsWritten {
        notes.misfits[column.name, default: 0] += 1
        if let format { notes.otherFormats[column.name, default: [:]][format] = last.map(RESTText.shown) ?? "" }
      }
      if isAsWritten, let last { return .text(last.stringBytes ?? last.canonicalBytes) }
      if source.onError == .stop, let format, error.hint.isEmpty {
        var problem = error
        let isLocal = column.type == .timestamp && DatePattern(format)?.hasOffset == false
        problem.hint =
          "if that is correct, add \"\(format)\" to “formats” of \(column.name)\(isLocal ? ", and a “zone”" : "")"
        throw problem
      }
      let shown = last.map(RESTText.shown) ?? (record.isShort ? "row \(place) is too short" : "null")
      switch source.onError {
      case .stop: throw error
      case .null:
        notes.invalid[column.name, default: []].append(shown)
        return .null
      case .skip:
        notes.skipped[column.name, default: []].append(shown)
        return nil
      }
    }
  }

  private func element(_ value: JSON) -> JSON {
    if column.type == .json { return value }
    // Elements that a step reads are still needed whole.
    if case .each? = source.steps.first { return value }
    let plain = value.elementText
    if case .list = column.type, !plain.isNull, plain.arrayValue == nil { return .array([plain]) }
    return plain
  }

  private func read(_ first: JSON?, _ notes: inout RESTNotes) throws(Problem) -> Value {
    var found = first
    for step in source.steps {
      guard let value = found else { break }
      found = present(try step.applied(to: value, column.name, &notes), &notes)
    }
    guard let found else { return source.missing.map { .text($0) } ?? .null }
    return try typed(found, &notes)
  }

  /// The value, or nil if it means null: null itself, a scalar of `nulls`, or a list that contains nothing else.
  private func present(_ value: JSON?, _ notes: inout RESTNotes) -> JSON? {
    switch value {
    case nil, .null?: return nil
    case .array(let elements)?:
      let kept = elements.filter { element in
        element.isNull ? column.type == .json : !nulls.contains(element)
      }
      return kept.isEmpty && !elements.isEmpty ? nil : .array(kept)
    case .object?: return value
    case let scalar?:
      if invalid.contains(scalar) {
        let shown = scalar.stringBytes.map { RESTText.firstWords(SourceStep.trimmed($0)) } ?? RESTText.shown(scalar)
        notes.invalid[column.name, default: []].append(shown)
        return nil
      }
      return nulls.contains(scalar) ? nil : scalar
    }
  }

  // MARK: - Types

  private func typed(_ value: JSON, _ notes: inout RESTNotes) throws(Problem) -> Value {
    switch column.type {
    case .integer:
      guard let number = Self.integer(spelled(value)) else { throw misfit(value, expected("integer")) }
      return .integer(number)
    case .real:
      let value = spelled(value)
      let number = JSON.number(value.numberLiteral ?? value.stringBytes.map(SourceStep.trimmed) ?? [])
      guard Self.isNumber(number), let real = number.realValue else { throw misfit(value, expected("finite number")) }
      return .real(real)
    case .decimal:
      let spelled = spelled(value)
      guard let literal = spelled.numberLiteral ?? Self.numberLiteral(spelled) else {
        throw misfit(value, expected("number"))
      }
      return .number(literal)
    case .boolean:
      guard let truth = value.booleanValue ?? truth(value) else { throw misfit(value, expected("boolean")) }
      return .boolean(truth)
    case .text, .url:
      switch value {
      case .string(let text): return .text(text)
      case .number, .boolean: return .text(value.canonicalBytes)
      default: throw misfit(value, "text")
      }
    case .bytes:
      guard let bytes = value.stringBytes.flatMap(Base64.decode) else { throw misfit(value, "base64") }
      return .bytes(bytes)
    case .date:
      guard let date = dates.date(value) else { throw misfit(value, "date in the form \(dates.description)") }
      return .text(date)
    case .timestamp: return try timestamp(value, &notes)
    case .datetime:
      guard let text = value.stringBytes, Dates.isDatetime(text) else { throw misfit(value, "date and time") }
      return .text(text)
    case .list(let element): return try list(value, of: element)
    case .json: return .json(value.canonicalBytes)
    }
  }

  private func expected(_ type: String) -> String {
    source.formats.isEmpty ? type : "\(type) in the form \(source.formats.map(\.rawValue).joined(separator: " or "))"
  }

  /// A number in one of the column's spellings as JSON writes it; other values as they are.
  private func spelled(_ value: JSON) -> JSON {
    guard !source.formats.isEmpty, let text = value.stringBytes.map(SourceStep.trimmed) else { return value }
    if source.formats.contains(.isoDuration), let seconds = Self.seconds(ofDuration: text) { return .number(seconds) }
    return numbers.lazy.compactMap { $0.literal(text) }.first.map { .number($0) } ?? value
  }

  /// The seconds of `[-]P[nW][nD][T[nH][nM][n[.f]S]]` as a literal; nil for other texts. Months and years have no
  /// certain length.
  private static func seconds(ofDuration text: [UInt8]) -> [UInt8]? {
    var rest = text[...], whole: Int64 = 0, fraction: ArraySlice<UInt8> = []
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    var units: [(UInt8, Int64)] = [(UInt8(ascii: "W"), 604_800), (UInt8(ascii: "D"), 86_400)], isTime = false
    while let next = rest.first {
      if next == UInt8(ascii: "T"), !isTime, rest.count > 1 {
        rest = rest.dropFirst()
        isTime = true
        units = [(UInt8(ascii: "H"), 3600), (UInt8(ascii: "M"), 60), (UInt8(ascii: "S"), 1)]
        continue
      }
      let digits = rest.prefix { $0 &- 48 < 10 }
      rest = rest.dropFirst(digits.count)
      if rest.first == UInt8(ascii: ".") {
        fraction = rest.dropFirst().prefix { $0 &- 48 < 10 }
        rest = rest.dropFirst(1 + fraction.count)
        guard isTime, !fraction.isEmpty, rest.elementsEqual("S".utf8) else { return nil }
      }
      guard !digits.isEmpty, digits.count < 12, let count = Int64(String(decoding: digits, as: UTF8.self)),
        let unit = rest.popFirst(), let known = units.firstIndex(where: { $0.0 == unit })
      else { return nil }
      whole += count * units[known].1
      units.removeFirst(known + 1)
    }
    let sign = isNegative && (whole > 0 || fraction.contains { $0 != 48 }) ? "-" : ""
    return Array("\(sign)\(whole)".utf8) + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
  }

  /// A Boolean that is written in other words, or as text.
  private func truth(_ value: JSON) -> Bool? {
    guard let text = value.parameterText.map({ SourceStep.trimmed(Array($0.utf8)) }) else { return nil }
    for words in booleans {
      if text == words.yes { return true }
      if text == words.no { return false }
    }
    return value.stringBytes == nil ? nil : Bool(String(decoding: text, as: UTF8.self))
  }

  private func timestamp(_ value: JSON, _ notes: inout RESTNotes) throws(Problem) -> Value {
    var times = 1
    guard let timestamp = dates.timestamp(value, times: &times) else {
      let form =
        source.formats.isEmpty ? "2013-09-29T20:00:00Z or 2013-09-29T20:00:00+02:00" : dates.description
      var problem = misfit(
        value,
        source.formats == [.epochSeconds]
          ? "timestamp in seconds since 1970, years 0 to 9999" : "timestamp in the form \(form)")
      if times == 0 {
        problem.message += "; clocks in \(source.zone ?? "UTC") skipped that time"
        problem.hint = "correct “zone”, or add “on_error”: “null”"
      } else if let (format, offset) = RESTDateReader.namedZone(value) {
        problem.hint = .advice(
          "add a format with the name, and its offset: “formats”: [“\(format)”], “zone”: “\(offset)”")
      }
      throw problem
    }
    if times == 2 { notes.ambiguous[column.name, default: []].append(RESTText.shown(value)) }
    return .text(timestamp)
  }

  private func list(_ value: JSON, of type: ColumnType.Element) throws(Problem) -> Value {
    guard case .array(let elements) = value else { throw misfit(value, "list") }
    var list: [JSON] = []
    for element in elements {
      switch type {
      case .integer:
        guard let number = Self.integer(element) else { throw misfit(element, "integer (list element)") }
        list.append(.number(number))
      case .text, .url:
        guard case .string = element else { throw misfit(element, "text (list element)") }
        list.append(element)
      }
    }
    return .json(JSON.array(list).canonicalBytes)
  }

  /// An integer, also one that is written as text, blanks around it.
  static func integer(_ value: JSON) -> Int64? {
    guard let text = value.stringBytes else { return value.integerValue }
    let digits = SourceStep.trimmed(text)
    guard let first = digits.first, first == UInt8(ascii: "-") || first &- 48 < 10 else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self))
  }

  /// The literal of a number that came as text.
  static func numberLiteral(_ value: JSON) -> [UInt8]? {
    guard let text = value.stringBytes.map(SourceStep.trimmed), isNumber(.number(text)) else { return nil }
    return text
  }

  /// Whether a literal that came as text is a number as JSON writes it.
  private static func isNumber(_ number: JSON) -> Bool {
    guard let literal = number.numberLiteral, !literal.isEmpty else { return false }
    do throws(Problem) {
      return try JSON.parse(literal, name: "").numberLiteral != nil
    } catch {
      return false
    }
  }

  private func misfit(_ value: JSON, _ wanted: String) -> Problem {
    Problem(.badData, "invalid value \(RESTText.shown(value)): expected \(wanted)")
  }
}
