import Codecs
public import Query
public import Rows

/// One record, owned: what use cases look at, change and compare.
public struct Record: Sendable, Hashable {
  /// The table of the record, with the columns that the user added.
  public let schema: Schema
  /// Its values, as wide as the schema.
  public var values: [Value]

  /// A record of `schema`.
  public init(_ schema: Schema, _ values: [Value]) {
    precondition(values.count == schema.width, "internal error: \(schema.name): record has the wrong number of columns")
    self.schema = schema
    self.values = values
  }

  /// A record of `schema` with these values, and nulls.
  public init(_ schema: Schema, _ values: KeyValuePairs<String, Value>) {
    self.init(schema, Array(repeating: .null, count: schema.width))
    for (column, value) in values { self[column] = value }
  }

  /// The value of a column; null if the table has no such column. Setting an unknown column has no effect.
  public subscript(column: String) -> Value {
    get { schema.position(of: column).map { values[$0] } ?? .null }
    set { if let position = schema.position(of: column) { values[position] = newValue } }
  }

  /// The text of a column; nil for null and for values that are not text.
  public func text(_ column: String) -> String? {
    if case .text(let bytes) = self[column] { String(decoding: bytes, as: UTF8.self) } else { nil }
  }
  /// The integer of a column; nil for null and for values that are not integers.
  public func integer(_ column: String) -> Int64? {
    if case .integer(let number) = self[column] { number } else { nil }
  }

  /// The number of a column; nil for null and for values that are not numbers.
  func real(_ column: String) -> Double? {
    switch self[column] {
    case .real(let number): number
    case .integer(let number): Double(number)
    case .number(let literal): Double(String(decoding: literal, as: UTF8.self))
    default: nil
    }
  }
  /// The elements of a list; empty for null and for values that are not lists.
  public func list(_ column: String) -> [String] {
    if case .json(let array) = self[column] { ListText.elements(of: array) } else { [] }
  }
  /// Whether a column is true; false for null.
  public func isTrue(_ column: String) -> Bool { self[column] == .boolean(true) }

  /// The text of a column; nil for null. Setting an unknown column has no effect.
  public subscript(column: Column<String>) -> String? {
    get { text(column.name) }
    set { self[column.name] = newValue.map { .text($0) } ?? .null }
  }
  /// The integer of a column; nil for null.
  public subscript(column: Column<Int64>) -> Int64? {
    get { integer(column.name) }
    set { self[column.name] = newValue.map { .integer($0) } ?? .null }
  }
  /// The number of a column; nil for null.
  public subscript(column: Column<Double>) -> Double? {
    get { real(column.name) }
    set { self[column.name] = newValue.map { .real($0) } ?? .null }
  }
  /// The elements of a list; empty for null.
  public subscript(column: Column<[String]>) -> [String] {
    get { list(column.name) }
    set { self[column.name] = .list(newValue) }
  }
  /// Whether a column is true; false for null.
  public subscript(column: Column<Bool>) -> Bool {
    get { isTrue(column.name) }
    set { self[column.name] = .boolean(newValue) }
  }

  /// The values of its key, most significant first.
  public var key: [Value] { schema.key.map { values[$0] } }
  /// The key as favourites and people write it: `Breaking Bad/5/14`.
  public var keyText: String { RecordKey.text(of: key) }
}

extension RowBatch {
  /// The rows as records of `schema`, which is as wide; equal values are equal whatever reader they came from.
  public func records(of schema: Schema) -> [Record] {
    (0..<count).map { row in
      Record(schema, schema.columns.enumerated().map { value(row, $0).settled(as: $1.type) })
    }
  }
}

extension Value {
  static func list(_ texts: [String]) -> Value {
    .json(JSON.array(texts.map { .string($0) }).canonicalBytes)
  }

  /// A literal that is the only way to write its number, as that number.
  fileprivate func settled(as type: ColumnType) -> Value {
    guard case .number(let literal) = self else { return self }
    let text = String(decoding: literal, as: UTF8.self)
    switch type {
    case .integer:
      guard let number = Int64(text), String(number) == text else { return self }
      return .integer(number)
    case .real:
      guard let number = Double(text), number.isFinite, number.canonicalText == literal else { return self }
      return .real(number)
    default: return self
    }
  }
}

extension RecordKey {
  /// The values of a key as one text, as `text(of:in:_:)` writes it.
  public static func text(of key: [Value]) -> String {
    key.map { value in
      var text: [UInt8] = []
      for byte in StoredKey([value]).text.utf8 { append(byte, to: &text) }
      return String(decoding: text, as: UTF8.self)
    }.joined(separator: "/")
  }
}
