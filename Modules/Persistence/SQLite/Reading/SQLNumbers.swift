import Codecs
import Query
import Rows

/// Numbers as SQLite holds them: reals and decimals are Doubles, and NaN is null.
struct SQLNumbers: DerivedRowStream {
  let inner: any RowStream
  let schema: Schema
  private let columns: [Int]

  init(_ inner: any RowStream) {
    (self.inner, schema) = (inner, inner.schema)
    columns = inner.schema.columns.indices.filter {
      let column = inner.schema.columns[$0]
      return !column.isMixed && (column.type == .real || column.type == .decimal)
    }
  }

  var mayWiden: Bool { inner.mayWiden }

  func next() async throws(Problem) -> BatchTask? {
    guard let task = try await inner.next() else { return nil }
    if columns.isEmpty { return task }
    let (columns, schema) = (columns, schema)
    return task.followed { (batch) throws(Problem) in
      var cells = CellsBuilder(capacity: batch.count * batch.width)
      for row in 0..<batch.count {
        for column in 0..<batch.width {
          let cell = batch[row, column]
          guard columns.contains(column), !cell.isNull else {
            cells.append(cell)
            continue
          }
          guard let number = Self.double(cell, batch.arena) else {
            throw SQLQuery.tooLong(schema.columns[column].name, schema.name)
          }
          cells.append(number.isNaN ? .null : .real(number == 0 ? 0 : number))
        }
      }
      return RowBatch(width: batch.width, count: batch.count, cells: cells.freeze(), arena: batch.arena)
    }
  }

  /// The Double that holds a number; nil if there is none, and for other cells.
  static func double(_ cell: Cell, _ arena: Arena) -> Double? {
    switch cell {
    case .integer(let value): Int64(exactly: Double(value)) == value ? Double(value) : nil
    case .real(let value): value
    case .number(let start, let length): unsafe NumberSpelling.held(arena.base + Int(start), Int(length))
    case .null, .text, .json, .boolean, .bytes: nil
    }
  }
}
