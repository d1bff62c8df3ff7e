internal import Codecs
internal import Domain

/// Makes rows of a dataset's schema out of an API's records.
struct RecordMapping {
  private let dataset: SourceDescription.Dataset
  private let schema: Schema
  private let place: String

  init(_ dataset: SourceDescription.Dataset, _ schema: Schema, place: String) {
    self.dataset = dataset
    self.schema = schema
    self.place = place
  }

  /// Every record as a row, in order of the key, and what a person should know of them.
  /// - Throws: `badData` when the answer is not what the description says, naming record and column.
  func batches(_ answer: JSON, isOne: Bool) throws(Problem) -> (batches: [RowBatch], warning: String?) {
    guard let found = dataset.records.isEmpty ? answer : answer.value(at: dataset.records) else {
      throw Problem(.badData, "the answer has no \(dataset.records)", at: place)
    }
    guard let records = isOne ? [found] : found.arrayValue else {
      throw Problem(.badData, "the answer is \(found.kindName), not an array of records", at: place)
    }
    var rows: [[Value]] = []
    for (index, record) in records.enumerated() { rows.append(try row(record, index)) }
    let warning = numberOccurrences(&rows)
    rows.sort { a, b in
      for position in schema.key {
        let order = Self.order(a[position], b[position])
        if order != 0 { return order < 0 }
      }
      return false
    }
    var batches: [RowBatch] = [], builder = BatchBuilder(width: schema.width)
    for row in rows {
      for value in row { builder.append(value: value) }
      if builder.isFull { batches.append(builder.finish()) }
    }
    if builder.count > 0 { batches.append(builder.finish()) }
    return (batches, warning)
  }

  private func row(_ record: JSON, _ index: Int) throws(Problem) -> [Value] {
    guard record.objectMembers != nil else {
      throw Problem(.badData, "record \(index + 1) is \(record.kindName), not an object", at: place)
    }
    var values: [Value] = []
    for (column, source) in zip(schema.columns, dataset.columns) {
      func refuse(_ why: String) -> Problem {
        Problem(.badData, "record \(index + 1), \(column.name): \(why)", at: place)
      }
      var value = source.from.flatMap { record.value(at: $0) } ?? .null
      for step in source.steps {
        guard let next = Self.apply(step, to: value) else {
          throw refuse("\(Self.shown(value)) is not what was expected")
        }
        value = next
      }
      guard let converted = Self.value(value, as: column.type) else {
        throw refuse("\(Self.shown(value)) is no \(column.type.name)")
      }
      if converted == .null, !column.isNullable, column.name != dataset.occurrence { throw refuse("there is no value") }
      values.append(converted)
    }
    return values
  }

  /// One step; nil when the value cannot take it.
  private static func apply(_ step: SourceDescription.Step, to value: JSON) -> JSON? {
    switch step {
    case .null(let texts): return value.stringValue.map(texts.contains) == true ? .null : value
    case .trim:
      guard let text = value.stringBytes else { return value }
      let blank: [UInt8] = [32, 9, 10, 13]
      return .string(Array(text.drop(while: blank.contains).reversed().drop(while: blank.contains).reversed()))
    case .divide(let by): return value.isNull ? value : integer(value).map { .number($0 / Int64(by)) }
    case .remainder(let by): return value.isNull ? value : integer(value).map { .number($0 % Int64(by)) }
    case .date(let formats):
      guard !value.isNull else { return value }
      guard let text = value.stringBytes else { return nil }
      for format in formats.compactMap(Dates.Format.init(rawValue:)) {
        if let date = Dates.date(text, format: format) { return .string(date) }
      }
      return nil
    case .rename(let texts, let otherwise):
      return .string(value.stringValue.flatMap { texts[$0.lowercased()] } ?? otherwise)
    case .isNotEmpty: return value.isNull ? value : value.arrayValue.map { .boolean(!$0.isEmpty) }
    }
  }

  /// A JSON value as a value of a column's type; nil when it does not fit.
  private static func value(_ value: JSON, as type: ColumnType) -> Value? {
    if value.isNull { return .null }
    switch type {
    case .integer: return integer(value).map { .integer($0) }
    case .real: return value.realValue.flatMap { $0.isFinite ? .real($0) : nil }
    case .decimal: return value.numberLiteral.map { .number($0) }
    case .boolean: return value.booleanValue.map { .boolean($0) }
    case .text, .url: return value.stringBytes.map { .text($0) }
    case .date: return value.stringBytes.flatMap { Dates.isDate($0) ? .text($0) : nil }
    case .timestamp: return value.stringBytes.flatMap { Dates.isTimestamp($0) ? .text($0) : nil }
    case .bytes: return nil
    case .json: return .json(value.canonicalBytes)
    case .list(let element):
      guard let elements = value.arrayValue else { return nil }
      let fits = elements.allSatisfy { element == .integer ? $0.integerValue != nil : $0.stringBytes != nil }
      return fits ? .json(value.canonicalBytes) : nil
    }
  }

  /// A whole number, also when a source wrote it as text.
  private static func integer(_ value: JSON) -> Int64? {
    if let number = value.integerValue { return number }
    guard let text = value.stringValue else { return nil }
    return Int64(text.filter { $0 != " " })
  }

  /// Numbers records whose other key columns are the same, in the order they came in; says which ids were used more than once.
  private func numberOccurrences(_ rows: inout [[Value]]) -> String? {
    guard let name = dataset.occurrence, let position = schema.position(of: name) else { return nil }
    let others = schema.key.filter { $0 != position }
    var counts: [[Value]: Int64] = [:], repeated: [String] = []
    for index in rows.indices {
      let key = others.map { rows[index][$0] }
      let count = (counts[key] ?? 0) + 1
      counts[key] = count
      rows[index][position] = .integer(count)
      if count == 2 { repeated.append(key.map(Self.plain).joined(separator: " ")) }
    }
    guard !repeated.isEmpty else { return nil }
    let ids =
      repeated.count == 1
      ? "id \(repeated[0]) is"
      : "ids \(repeated.dropLast().joined(separator: ", ")) and \(repeated[repeated.count - 1]) are"
    return "\(schema.name): \(ids) used more than once; every record is kept, told apart by \(name)"
  }

  private static func plain(_ value: Value) -> String {
    switch value {
    case .integer(let number): String(number)
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    default: "?"
    }
  }

  private static func order(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.integer(let x), .integer(let y)): x < y ? -1 : x == y ? 0 : 1
    case (.text(let x), .text(let y)): x.lexicographicallyPrecedes(y) ? -1 : x == y ? 0 : 1
    default: 0
    }
  }

  /// A value for a message, shortened.
  private static func shown(_ value: JSON) -> String {
    let text = String(decoding: value.canonicalBytes.prefix(60), as: UTF8.self)
    return value.canonicalBytes.count > 60 ? text + "…" : text
  }
}
