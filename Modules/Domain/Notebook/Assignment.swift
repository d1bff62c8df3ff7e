import Codecs
import Query
public import Rows

/// `COLUMN=VALUE`, as `set` takes it.
public struct Assignment: Sendable, Hashable {
  /// The column.
  public let column: String
  /// What it is to be, as it was typed; nil for null.
  public let text: String?

  /// Reads `COLUMN=VALUE`.
  /// - Throws: `usage` for a text without `=`.
  public init(parsing text: String) throws(Problem) {
    // As bytes: before an accent the mark is no Character of its own.
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")), mark != text.startIndex else {
      throw Problem(.usage, "“\(text)” sets nothing", hint: "write COLUMN=VALUE")
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
  /// Elements of a list are parted by `; `, or the list is JSON: `["A","B; C"]`.
  /// - Throws: `usage` for a column that is not there or must stay as it is, and a value that does not fit its type.
  public func applied(to record: StoredRecord) throws(Problem) -> StoredRecord {
    let position = try record.schema.column(named: column)
    let description = record.schema.columns[position]
    if record.schema.key.contains(position) {
      throw Problem(
        .usage, "\(column) is part of the key and stays as it is", hint: "delete the record and add another")
    }
    if column == "created_at" || column == "updated_at" {
      throw Problem(.usage, "\(column) is set by the program")
    }
    var result = record
    result.values[position] = try value(description)
    return result
  }

  private func value(_ column: ColumnDescription) throws(Problem) -> Value {
    guard let text else {
      guard column.isNullable else { throw Problem(.usage, "\(column.name) must have a value") }
      return .null
    }
    let bytes = Array(text.utf8)
    let value: Value? =
      switch column.type {
      case .text, .url: .text(bytes)
      case .date: Dates.isDate(bytes) ? .text(bytes) : nil
      case .integer: Int64(text).flatMap { String($0) == text ? .integer($0) : nil }
      case .real: DecimalNumber(bytes) == nil ? nil : Double(text).flatMap { $0.isFinite ? .real($0) : nil }
      case .decimal: DecimalNumber(bytes) == nil ? nil : .number(bytes)
      case .boolean: Bool(text).map { .boolean($0) }
      case .list(let element): Self.list(text, element)
      case .bytes, .json, .timestamp: nil
      }
    guard let value else {
      throw Problem(
        .usage, "“\(text)” is no \(column.type.name), which \(column.name) is", hint: Self.example(column.type))
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

  private static func example(_ type: ColumnType) -> String {
    switch type {
    case .date: "write it as 1958, 1966-03 or 1966-03-07"
    case .integer: "write a whole number"
    case .real, .decimal: "write a number, as in 47.05"
    case .boolean: "write true or false"
    case .list: "write elements parted by “; ”, or [\"A\",\"B\"]"
    case .bytes, .json, .timestamp, .text, .url: "edit it in the storage, or import it"
    }
  }
}
