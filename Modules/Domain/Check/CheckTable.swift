import Query
public import Rows

/// The rows of one dataset, in memory, for rules that compare them.
struct CheckTable: Sendable {
  /// The expected contents of the columns: the catalogue's description if there is one.
  let columns: [ColumnDescription]
  /// The positions of the key's columns; empty for tables without a key.
  let key: [Int]
  let schema: Schema
  let batches: [RowBatch]
  private let places: [(batch: Int, row: Int)]

  init(_ schema: Schema, _ batches: [RowBatch]) {
    let known = Catalog.all.first { $0.name == schema.name }
    columns = schema.columns.map { column in known?.columns.first { $0.name == column.name } ?? column }
    let key = (known?.key.map { known?.columns[$0].name ?? "" } ?? []).compactMap(schema.position)
    self.key = key.count == known?.key.count ? key : schema.key
    self.schema = schema
    self.batches = batches
    places = batches.enumerated().flatMap { number, batch in (0..<batch.count).map { (number, $0) } }
  }

  var count: Int { places.count }

  /// The position of a column; nil when the table does without it.
  func position(of column: String) -> Int? { schema.position(of: column) }

  func value(_ row: Int, _ column: Int) -> Value {
    batches[places[row].batch].value(places[row].row, column)
  }

  /// One number, however its source holds it; nil for anything else.
  func number(_ row: Int, _ column: Int) -> Double? {
    switch value(row, column) {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .number(let literal): Double(String(decoding: literal, as: UTF8.self))
    case .null, .boolean, .text, .json, .bytes: nil
    }
  }

  /// The text of a value, or the texts of a list; nothing for other values.
  func texts(_ row: Int, _ column: Int) -> [[UInt8]] {
    let reader = CellReader(batches[places[row].batch])
    var texts: [[UInt8]] = []
    reader.forEachText(of: reader.cell(places[row].row, column)) { texts.append($0) }
    return texts
  }

  /// The key of a row as people type it; its number when the table has no key.
  func record(_ row: Int) -> [UInt8] {
    guard !key.isEmpty else { return Array("record \(row + 1)".utf8) }
    let names = key.map { columns[$0].name }
    let keyed = Schema(schema.name, key: names, columns: schema.columns)
    return RecordKey.text(of: places[row].row, in: batches[places[row].batch], keyed) ?? []
  }
}

/// The tables a check has read, each once.
public struct CheckTables: Sendable {
  private var tables: [String: CheckTable?] = [:]
  /// The deviations of what was read.
  public private(set) var notes: [Warning] = []

  /// None yet.
  public init() {}

  /// The table called `name`, read when it is wanted the first time; nil when there is none.
  mutating func table(
    _ name: String, from open: (String) async throws(Problem) -> (any RowStream)?
  ) async throws(Problem) -> CheckTable? {
    if let table = tables[name] { return table }
    var table: CheckTable?
    if let stream = try await open(name) {
      table = CheckTable(stream.schema, try await stream.collect())
      notes += stream.notes
    }
    tables[name] = .some(table)
    return table
  }
}
