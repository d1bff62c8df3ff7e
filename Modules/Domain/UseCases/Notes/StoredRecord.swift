/// One record, owned: what use cases look at, change and compare.
public struct StoredRecord: Sendable, Hashable {
  /// The table it is of, with the columns that a person added.
  public let schema: Schema
  /// Its values, as wide as the schema.
  public var values: [Value]

  /// A record of `schema`.
  public init(_ schema: Schema, _ values: [Value]) {
    precondition(values.count == schema.width, "\(schema.name): a record of another width")
    self.schema = schema
    self.values = values
  }

  /// A record of `schema` with these values, and nulls.
  public init(_ schema: Schema, _ values: KeyValuePairs<String, Value>) {
    self.init(schema, Array(repeating: .null, count: schema.width))
    for (column, value) in values { self[column] = value }
  }

  /// The value of a column; null when the table has no such column. Setting a column that is not there does nothing.
  public subscript(column: String) -> Value {
    get { schema.position(of: column).map { values[$0] } ?? .null }
    set { if let position = schema.position(of: column) { values[position] = newValue } }
  }

  /// The text of a column; nil for null and for values that are no text.
  public func text(_ column: String) -> String? {
    if case .text(let bytes) = self[column] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }
  /// The integer of a column; nil for null and for values that are no integers.
  public func integer(_ column: String) -> Int64? {
    if case .integer(let number) = self[column] { number } else { nil }
  }

  /// The values of its key, most significant first.
  public var key: [Value] { schema.key.map { values[$0] } }
  /// The key as favourites and people write it: `Breaking Bad/5/14`.
  public var keyText: String { RecordKey.text(of: key) }
}

extension RowBatch {
  /// The rows as records of `schema`, which is as wide.
  public func records(of schema: Schema) -> [StoredRecord] {
    (0..<count).map { row in StoredRecord(schema, (0..<width).map { value(row, $0) }) }
  }
}

extension RecordKey {
  /// The values of a key as one text, as `text(of:in:_:)` writes it.
  public static func text(of key: [Value]) -> String {
    key.map { value in
      StoredKey([value]).text.replacing("%", with: "%25").replacing("/", with: "%2F")
    }.joined(separator: "/")
  }
}
