import Codecs
import Query
import Rows

/// Rows in the normal form of stores, so that equal values are equal whichever reader they come from.
enum StoredRow {
  private static func canBeKey(_ type: ColumnType) -> Bool {
    switch type {
    case .integer, .boolean, .text, .date, .timestamp, .datetime, .url: true
    case .real, .decimal, .bytes, .list, .json: false
    }
  }

  /// Checks that a table can be kept.
  /// - Throws: `badData`.
  static func check(_ schema: Schema) throws(Problem) {
    guard !schema.key.isEmpty else {
      throw Problem(.badData, "cannot change a table without a key", at: schema.name)
    }
    for position in schema.key where !canBeKey(schema.columns[position].type) {
      let column = schema.columns[position]
      throw Problem(
        .badData, "column “\(column.name)” has type \(column.type.name) and cannot be a key", at: schema.name)
    }
  }

  /// A row in the form that is kept.
  /// - Throws: `badData` naming the record and the column of a value that does not fit.
  static func normalised(_ row: [Value], _ schema: Schema) throws(Problem) -> [Value] {
    guard row.count == schema.width else {
      throw Problem(.badData, "expected \(schema.width) values in a row, found \(row.count)", at: schema.name)
    }
    var result = row
    for (position, column) in schema.columns.enumerated() {
      let isRequired = !column.isNullable || schema.key.contains(position)
      guard let value = normalised(row[position], column.type), value != .null || !isRequired else {
        let record = schema.key.isEmpty ? "" : "record \(StoredKey(of: row, schema).text): "
        throw Problem(
          .badData, "\(record)column “\(column.name)” \(Self.reason(row[position], column.type))", at: schema.name)
      }
      result[position] = value
    }
    return result
  }

  /// Why a value does not fit a column of the type.
  private static func reason(_ value: Value, _ type: ColumnType) -> String {
    switch value {
    case .null: "must not be null"
    case .real(let number) where !number.isFinite: "cannot represent \(NonfinitePolicy.word(for: number))"
    default: "does not match the type \(type.name)"
    }
  }

  /// A key in the form that is kept.
  /// - Throws: `badData`.
  static func normalised(key: [Value], _ schema: Schema) throws(Problem) -> StoredKey {
    guard key.count == schema.key.count else {
      throw Problem(.badData, "expected \(schema.key.count) key values, found \(key.count)", at: schema.name)
    }
    var values: [Value] = []
    for (value, position) in zip(key, schema.key) {
      let column = schema.columns[position]
      guard let value = normalised(value, column.type), value != .null else {
        throw Problem(.badData, "key column “\(column.name)” does not have type \(column.type.name)", at: schema.name)
      }
      values.append(value)
    }
    return StoredKey(values)
  }

  /// Whether two rows are the same to the bit: 0.0 is not -0.0.
  static func areSame(_ left: [Value]?, _ right: [Value]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.elementsEqual(right) { a, b in
      if case (.real(let a), .real(let b)) = (a, b) { return a.bitPattern == b.bitPattern }
      return a == b
    }
  }

  /// A value in the form that is kept; nil when it does not fit the type.
  private static func normalised(_ value: Value, _ type: ColumnType) -> Value? {
    switch (type, value) {
    case (_, .null): return .null
    case (.integer, .integer), (.boolean, .boolean), (.bytes, .bytes), (.decimal, .number): return value
    case (.list, .json), (.json, .json): return value
    case (.text, .text), (.url, .text), (.date, .text), (.timestamp, .text), (.datetime, .text): return value
    case (.integer, .number(let literal)):
      guard let number = Int64(String(decoding: literal, as: UTF8.self)) else { return nil }
      return String(number).utf8.elementsEqual(literal) ? .integer(number) : nil
    case (.real, .real(let number)): return number.isFinite ? value : nil
    case (.real, .number(let literal)):
      // Other spellings are kept, except those with an exponent: readers take them for reals, and directory stores,
      // whose columns have types, return the canonical spelling.
      guard let number = Double(String(decoding: literal, as: UTF8.self)), number.isFinite else { return nil }
      if number.canonicalText == literal { return .real(number) }
      let hasExponent = literal.contains { $0 | 0x20 == UInt8(ascii: "e") }
      return hasExponent && DecimalNumber(literal) == DecimalNumber(number) ? .real(number) : value
    case (.decimal, .integer(let number)): return .number(Array(String(number).utf8))
    case (.decimal, .real(let number)): return number.isFinite ? .number(number.canonicalText) : nil
    default: return nil
    }
  }
}
