import Codecs
import Domain
import Rows

/// Reads one column's value out of a record, by the letter of its `SourceColumn`.
final class RESTColumnReader: Sendable {
  private let column: ColumnDescription
  private let source: SourceColumn
  private let selector: Selector
  private let nulls: Words
  private let invalid: Words
  private let dates: [Dates.Format]
  private let isAsWritten: Bool

  /// Texts, whatever blanks are around them.
  private struct Words {
    private let words: Set<[UInt8]>
    private let longest: Int

    init(_ texts: [String]) {
      words = Set(texts.map { Array($0.utf8) })
      longest = words.map(\.count).max() ?? -1
    }

    func contains(_ text: [UInt8]) -> Bool {
      guard longest >= 0 else { return false }
      // Most texts are longer than any of these.
      let plain = SourceStep.trimmed(text[...])
      return plain.count <= longest && words.contains(Array(plain))
    }
  }

  /// The location of a value.
  private enum Selector {
    /// In the record.
    case pointer(JSONPointer)
    /// It is the record's place in its list, from 1.
    case place
    /// The value of the parent record that the request was made for.
    case parent
  }

  /// - Parameter asWritten: whether empty text is kept, and values that do not fit the column's type are kept as text.
  /// - Throws: `configuration` for a selector that is not a JSON Pointer.
  init(_ column: ColumnDescription, _ source: SourceColumn, asWritten: Bool) throws(Problem) {
    self.column = column
    self.source = source
    isAsWritten = asWritten
    do throws(Problem) {
      switch source.from {
      case SourceColumn.place: selector = .place
      case SourceColumn.parent: selector = .parent
      default: selector = .pointer(try JSONPointer(source.from))
      }
    } catch {
      throw Problem(.configuration, "column \(column.name): \(error.message)", hint: error.hint)
    }
    // An empty text that becomes a list by a step is an empty list.
    let keepsEmpty =
      asWritten && source.steps.isEmpty && [.text, .url, .list(.text), .list(.url)].contains(column.type)
    nulls = Words(source.nulls.filter { !(keepsEmpty && $0.isEmpty) })
    invalid = Words(asWritten ? [] : source.invalid)
    let named = source.formats.compactMap { Dates.Format(rawValue: $0.rawValue) }
    dates = named.isEmpty ? [.isoDay, .isoMonth, .year] : named
  }

  /// The value of `record`'s column; null if the source has none.
  /// - Throws: `badData` with the found and the expected value; the caller adds record and column.
  func value(
    in record: JSON, place: Int = 1, parent: JSON? = nil, _ notes: inout RESTNotes
  ) throws(Problem) -> Value {
    let stands: JSON? =
      switch selector {
      case .pointer(let pointer): record.value(at: pointer)
      case .place: .number(Int64(place))
      case .parent: parent
      }
    do throws(Problem) {
      return try read(stands, &notes)
    } catch {
      guard isAsWritten, let stands else { throw error }
      return .text(stands.stringBytes ?? stands.canonicalBytes)
    }
  }

  private func read(_ stands: JSON?, _ notes: inout RESTNotes) throws(Problem) -> Value {
    var found = present(stands, &notes)
    for step in source.steps {
      guard let value = found else { break }
      found = present(try step.applied(to: value, column.name, &notes), &notes)
    }
    guard let found else { return source.missing.map { .text($0) } ?? .null }
    return try typed(found)
  }

  /// The value, or nil if it means null: null itself, a text of `nulls`, or a list that contains nothing else.
  private func present(_ value: JSON?, _ notes: inout RESTNotes) -> JSON? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?:
      if invalid.contains(text) {
        notes.invalid[column.name, default: []].append(RESTText.firstWords(SourceStep.trimmed(text)))
        return nil
      }
      return nulls.contains(text) ? nil : value
    case .array(let elements)?:
      let kept = elements.filter { element in
        guard case .string(let text) = element else { return !element.isNull || column.type == .json }
        return !nulls.contains(text)
      }
      return kept.isEmpty && !elements.isEmpty ? nil : .array(kept)
    case let other: return other
    }
  }

  private func typed(_ value: JSON) throws(Problem) -> Value {
    switch column.type {
    case .integer:
      guard let number = Self.integer(value) else { throw misfit(value, "integer") }
      return .integer(number)
    case .real:
      let number = JSON.number(value.numberLiteral ?? value.stringBytes.map(SourceStep.trimmed) ?? [])
      guard Self.isNumber(number), let real = number.realValue else { throw misfit(value, "finite number") }
      return .real(real)
    case .decimal:
      guard let literal = value.numberLiteral ?? Self.numberLiteral(value) else { throw misfit(value, "number") }
      return .number(literal)
    case .boolean:
      guard let truth = value.booleanValue ?? Self.truth(value) else { throw misfit(value, "boolean") }
      return .boolean(truth)
    case .text, .url:
      switch value {
      case .string(let text): return .text(text)
      case .number, .boolean: return .text(value.canonicalBytes)
      case .null, .array, .object: throw misfit(value, "text")
      }
    case .bytes:
      guard let bytes = value.stringBytes.flatMap(Base64.decode) else { throw misfit(value, "base64") }
      return .bytes(bytes)
    case .date: return try date(value)
    case .timestamp: return try timestamp(value)
    case .list(let element): return try list(value, of: element)
    case .json: return .json(value.canonicalBytes)
    }
  }

  private func date(_ value: JSON) throws(Problem) -> Value {
    let text = SourceStep.trimmed(value.stringBytes ?? value.numberLiteral ?? [])
    for format in dates {
      if let date = Dates.date(text, format: format) { return .text(date) }
    }
    throw misfit(value, "date in the form \(dates.map(\.rawValue).joined(separator: " or "))")
  }

  private func timestamp(_ value: JSON) throws(Problem) -> Value {
    let text = SourceStep.trimmed(value.stringBytes ?? value.numberLiteral ?? [])
    if source.formats.contains(.epochSeconds) {
      guard let timestamp = Dates.timestamp(epochLiteral: text) else {
        throw misfit(value, "timestamp in seconds since 1970, years 0 to 9999")
      }
      return .text(timestamp)
    }
    guard let timestamp = Dates.utc(text) else {
      throw misfit(value, "timestamp in the form 2013-09-29T20:00:00Z or 2013-09-29T20:00:00+02:00")
    }
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
  private static func numberLiteral(_ value: JSON) -> [UInt8]? {
    guard let text = value.stringBytes.map(SourceStep.trimmed), isNumber(.number(text)) else { return nil }
    return text
  }

  /// A Boolean that came as text, `true` or `false`.
  private static func truth(_ value: JSON) -> Bool? {
    value.stringBytes.flatMap { Bool(String(decoding: SourceStep.trimmed($0), as: UTF8.self)) }
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
