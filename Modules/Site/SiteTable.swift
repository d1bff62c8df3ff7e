import Codecs
import Query
package import Rows

/// The records of a dataset, in memory.
package struct SiteTable {
  let schema: Schema
  let batches: [RowBatch]
  private let places: [(batch: Int, row: Int)]

  /// The rows of `batches`, whose columns are those of `schema`.
  package init(_ schema: Schema, _ batches: [RowBatch]) {
    self.schema = schema
    self.batches = batches
    places = batches.enumerated().flatMap { number, batch in (0..<batch.count).map { (number, $0) } }
  }

  var count: Int { places.count }

  subscript(row: Int) -> SiteRecord { SiteRecord(table: self, row: row) }

  /// The records with the greatest text of a column first.
  func records(newestBy column: String) -> [SiteRecord] {
    records.sorted { (a: SiteRecord, b: SiteRecord) -> Bool in
      let left = a.text(column) ?? "", right = b.text(column) ?? ""
      return left == right ? a.row < b.row : left > right
    }
  }

  fileprivate func value(_ row: Int, _ column: Int) -> Value {
    batches[places[row].batch].value(places[row].row, column)
  }
  fileprivate func key(of row: Int) -> [UInt8] {
    RecordKey.text(of: places[row].row, in: batches[places[row].batch], schema) ?? Array(String(row + 1).utf8)
  }
}

struct SiteRecord {
  fileprivate let table: SiteTable
  let row: Int

  /// The key as `RecordKey` has it; without a key, the number of the record.
  var key: [UInt8] { table.key(of: row) }

  private func value(_ column: String) -> Value {
    table.schema.position(of: column).map { table.value(row, $0) } ?? .null
  }

  /// A value as readers see it; nil for null and for empty text.
  func text(_ column: String) -> String? {
    switch value(column) {
    case .null: return nil
    case .boolean(let value): return value ? "yes" : "no"
    case .integer(let value): return String(value)
    case .real(let value): return SitePage.number(value)
    case .number(let bytes), .text(let bytes):
      return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    case .json(let bytes):
      let list =
        bytes.first == UInt8(ascii: "[") ? ListText.elements(of: bytes) : [String(decoding: bytes, as: UTF8.self)]
      return list.isEmpty ? nil : list.joined(separator: ", ")
    case .bytes(let bytes): return "\(bytes.count) bytes"
    }
  }

  /// The elements of a list that are not empty; a text as a list of one.
  func list(_ column: String) -> [String] {
    switch value(column) {
    case .json(let bytes) where bytes.first == UInt8(ascii: "["):
      return ListText.elements(of: bytes).filter { !$0.isEmpty }
    case .text(let bytes) where !bytes.isEmpty: return [String(decoding: bytes, as: UTF8.self)]
    default: return []
    }
  }

  /// The names in a list, or in a text that separates them by commas.
  func names(_ column: String) -> [String] {
    guard case .text(let bytes) = value(column) else { return list(column) }
    return bytes.split(separator: UInt8(ascii: ",")).map { name in
      String(decoding: name.drop { $0 == 0x20 }, as: UTF8.self)
    }
  }

  /// A number; nil for any other value.
  func number(_ column: String) -> Double? {
    switch value(column) {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .number(let bytes): Double(String(decoding: bytes, as: UTF8.self))
    default: nil
    }
  }

  /// An integer; nil for any other value.
  func integer(_ column: String) -> Int64? {
    switch value(column) {
    case .integer(let value): value
    case .number(let bytes): Int64(String(decoding: bytes, as: UTF8.self))
    default: nil
    }
  }

  func isTrue(_ column: String) -> Bool { value(column) == .boolean(true) }

  /// The columns that the user added to the store, and their values as text.
  var extras: [(name: String, text: String)] {
    table.schema.columns.filter(\.isExtra).compactMap { column in text(column.name).map { (column.name, $0) } }
  }
}
