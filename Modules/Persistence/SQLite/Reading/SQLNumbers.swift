import Codecs
import Query
import Rows
import Synchronization

/// Numbers as SQLite holds them: reals and decimals are Doubles, and NaN is null.
struct SQLNumbers: DerivedRowStream {
  let inner: any RowStream
  let schema: Schema
  private let columns: [Int]
  private let lost = Lost()

  /// The number of NaN so far.
  private final class Lost: Sendable { let count = Mutex(0) }

  /// The warning about values that are NaN; none if there are none.
  static func notes(lost count: Int) -> [Warning] {
    count == 0 ? [] : [Warning("\(count) \(count == 1 ? "value" : "values") NaN, read as null by SQL")]
  }
  var notes: [Warning] { inner.notes + Self.notes(lost: lost.count.withLock { $0 }) }

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
    let (columns, schema, lost) = (columns, schema, lost)
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
          if number.isNaN { lost.count.withLock { $0 += 1 } }
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
