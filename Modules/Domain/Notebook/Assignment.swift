import Codecs
import Query
public import Rows

/// `COLUMN=VALUE`, as `set` takes it.
public struct Assignment: Sendable, Hashable {
  let column: String
  /// The new value, as typed; nil for null.
  let text: String?

  /// Reads `COLUMN=VALUE`.
  /// - Throws: `usage` for a text without `=`.
  public init(parsing text: String) throws(Problem) {
    // As bytes: before a combining accent the mark is not a Character of its own.
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")), mark != text.startIndex else {
      throw Problem(.usage, "invalid assignment “\(text)”", hint: "use COLUMN=VALUE")
    }
    column = String(text[..<mark])
    self.text = String(text[text.utf8.index(after: mark)...])
  }
  /// Makes a column null.
  public init(unset column: String) {
    self.column = column
    text = nil
  }

  /// The record with this column set.
  ///
  /// Elements of a list are separated by `; `, or the list is JSON: `["A","B; C"]`.
  /// - `today`: the current date, for dates such as `yesterday`; nil for dates in ISO 8601 alone.
  /// - Throws: `usage` for an unknown or read-only column, and for a value that does not fit its type.
  public func applied(to record: Record, today: String? = nil) throws(Problem) -> Record {
    let position = try record.schema.column(named: column)
    let description = record.schema.columns[position]
    if record.schema.key.contains(position) {
      throw Problem(
        .usage, "cannot change \(column): it is part of the key", hint: "delete the record and add a new one")
    }
    if column == "created_at" || column == "updated_at" {
      throw Problem(.usage, "cannot change \(column): it is set automatically")
    }
    var result = record
    result.values[position] = try value(description, today)
    return result
  }

  private func value(_ column: ColumnDescription, _ today: String?) throws(Problem) -> Value {
    guard let text else {
      guard column.isNullable else { throw Problem(.usage, "\(column.name) must not be empty") }
      return .null
    }
    let bytes = Array(text.utf8)
    let value: Value? =
      switch column.type {
      case .text, .url: .text(bytes)
      case .date:
        Dates.isDate(bytes) ? .text(bytes) : today.flatMap { EverydayDate.date(text, today: $0) }.map { .text($0) }
      case .integer: Int64(text).flatMap { String($0) == text ? .integer($0) : nil }
      case .real: DecimalNumber(bytes) == nil ? nil : Double(text).flatMap { $0.isFinite ? .real($0) : nil }
      case .decimal: DecimalNumber(bytes) == nil ? nil : .number(bytes)
      case .boolean: Bool(text).map { .boolean($0) }
      case .list(let element): Self.list(text, element)
      case .bytes, .json, .timestamp, .datetime: nil
      }
    guard let value else {
      throw Problem(
        .usage, "invalid value “\(text)” for \(column.name): expected \(column.type.name)",
        hint: column.type == .date
          ? EverydayDate.complaint(text).map { .advice($0) } ?? Self.example(.date) : Self.example(column.type))
    }
    return value
  }

  private static func list(_ text: String, _ element: ColumnType.Element) -> Value? {
    if text.hasPrefix("[\"") {
      let array = ListText.compact(Array(text.utf8))
      return Value.json(array) == Value.list(ListText.elements(of: array)) ? .json(array) : nil
    }
    let elements = text.isEmpty ? [] : text.split(separator: "; ", omittingEmptySubsequences: false)
    guard element == .integer else { return .list(elements.map(String.init)) }
    let numbers = elements.compactMap { Int64($0) }
    guard numbers.count == elements.count else { return nil }
    return .json(JSON.array(numbers.map { .number($0) }).canonicalBytes)
  }

  private static func example(_ type: ColumnType) -> Remedy {
    switch type {
    case .date: "use 1958, 1966-03, 1966-03-07, may 2024, yesterday or 3 days ago"
    case .integer: "use an integer"
    case .real, .decimal: "use a number, for example 47.05"
    case .boolean: "use true or false"
    case .list: "separate elements with “; ”, or use a JSON array: [\"A\",\"B\"]"
    case .bytes, .json, .timestamp, .datetime, .text, .url: "edit the store directly, or import the value"
    }
  }
}
