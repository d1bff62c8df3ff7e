import Codecs
public import Rows

/// The key of a record, in the order in which records are kept: integers by value, text by bytes, column by column.
public struct StoredKey: Sendable, Hashable, Comparable {
  /// The values of the key's columns, most significant first.
  public let values: [Value]

  /// A key of `values`.
  public init(_ values: [Value]) { self.values = values }

  /// The key of a row.
  public init(of row: [Value], _ schema: Schema) { values = schema.key.map { row[$0] } }

  /// Whether the first differing value comes before.
  public static func < (left: StoredKey, right: StoredKey) -> Bool {
    for (a, b) in zip(left.values, right.values) where a != b { return isBefore(a, b) }
    return left.values.count < right.values.count
  }

  private static func isBefore(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    case (.boolean(let a), .boolean(let b)): !a && b
    // Keys of one table have one type; this only makes the order total.
    default: rank(left) < rank(right)
    }
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .boolean: 1
    case .integer, .real, .number: 2
    case .text: 3
    case .json, .bytes: 4
    }
  }

  /// The key for display: `Breaking Bad, 5, 14`.
  public var text: String {
    values.map { value in
      switch value {
      case .null: "null"
      case .boolean(let value): String(value)
      case .integer(let value): String(value)
      case .real(let value): String(decoding: value.canonicalText, as: UTF8.self)
      case .number(let bytes), .text(let bytes), .json(let bytes): String(decoding: bytes, as: UTF8.self)
      case .bytes(let bytes): "\(bytes.count) bytes"
      }
    }.joined(separator: ", ")
  }
}
