import Rows
import Synchronization

/// The last rows.
final class LastRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let count: Int
  private let ready = Mutex<[RowBatch]?>(nil)

  init(_ inner: any RowStream, count: Int) {
    schema = inner.schema
    (self.inner, self.count) = (inner, count)
  }

  var mayWiden: Bool { inner.mayWiden }

  func next() async throws(Problem) -> BatchTask? {
    if ready.withLock({ $0 == nil }) {
      var kept: [RowBatch] = [], rows = 0
      while let task = try await inner.next() {
        let batch = try task.batch()
        kept.append(batch)
        rows += batch.count
        while let first = kept.first, rows - first.count >= count {
          rows -= first.count
          kept.removeFirst()
        }
      }
      if rows > count, let first = kept.first { kept[0] = first.selecting(rows - count..<first.count) }
      let last = Array(kept.reversed())
      ready.withLock { $0 = last }
    }
    return ready.withLock { $0?.popLast() }.map { BatchTask(ready: $0) }
  }
}

/// Rows of another shape, batch by batch.
struct ReshapedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let change: @Sendable (RowBatch) throws(Problem) -> RowBatch

  init(_ inner: any RowStream, _ schema: Schema, _ change: @escaping @Sendable (RowBatch) throws(Problem) -> RowBatch) {
    (self.schema, self.inner, self.change) = (schema, inner, change)
  }

  var mayWiden: Bool { inner.mayWiden }
  func next() async throws(Problem) -> BatchTask? { try await inner.next()?.followed(by: change) }

  /// Rows whose columns have other names.
  /// - Throws: `usage` for an unknown column, and for two columns of one name.
  static func renaming(_ inner: any RowStream, _ names: [(old: String, new: String)]) throws(Problem) -> ReshapedRows {
    let old = inner.schema
    var columns = old.columns
    for (name, new) in names { columns[try old.column(named: name)] = columns[try old.column(named: name)].named(new) }
    for (at, column) in columns.enumerated() where columns[..<at].has(column.name) {
      throw Problem(.usage, "two columns would be named “\(column.name)”", hint: "choose another name")
    }
    let key = old.key.map { columns[$0].name }
    return ReshapedRows(inner, Schema(old.name, old.summary, key: key, columns: columns)) { (batch) throws(Problem) in
      batch
    }
  }

  /// Rows with constants in place of nulls.
  static func filling(_ inner: any RowStream, _ values: [(column: Int, value: Value)]) -> ReshapedRows {
    ReshapedRows(inner, inner.schema) { (batch) throws(Problem) in
      var result = batch
      for (column, value) in values where (0..<batch.count).contains(where: { batch[$0, column].isNull }) {
        var filled = RowBatchBuilder(width: 1)
        for row in 0..<batch.count {
          if batch[row, column].isNull { filled.append(value: value) } else { filled.append(row, column, of: batch) }
        }
        result = result.setting(column, of: batch.width, to: filled.finish())
      }
      return result
    }
  }

  /// A row for each element of a list; one with null for an empty list, or none.
  static func exploding(_ inner: any RowStream, _ column: Int) -> ReshapedRows {
    let old = inner.schema, description = old.columns[column]
    var type = description.type
    if case .list(let element) = type { type = element == .integer ? .integer : element == .url ? .url : .text }
    var columns = old.columns
    columns[column] = ColumnDescription(description.name, type, description.summary, unit: description.unit)
    let schema = Schema(old.name, old.summary, columns: columns), made = type
    return ReshapedRows(inner, schema) { (batch) throws(Problem) in
      let reader = CellReader(batch)
      var builder = RowBatchBuilder(width: batch.width)
      for row in 0..<batch.count {
        let value = ExpressionValue(reader.cell(row, column), reader)
        let elements = value.elements
        let values = elements.map { $0.isEmpty ? [.null] : $0.map { ExpressionValue($0) } } ?? [value]
        for element in values {
          for at in 0..<batch.width {
            if at != column {
              builder.append(row, at, of: batch)
            } else if elements == nil {
              builder.append(row, at, of: batch)
            } else {
              element.append(as: made, to: &builder)
            }
          }
        }
      }
      return builder.finish()
    }
  }

  /// A row for each of some columns, with its name and its value, next to the other columns.
  static func unpivoting(_ inner: any RowStream, _ turned: [Int]) throws(Problem) -> ReshapedRows {
    let old = inner.schema, kept = old.columns.indices.filter { !turned.contains($0) }
    let types = turned.map { old.columns[$0].type }
    let same = types.allSatisfy { $0 == types[0] }
    let type: ColumnType =
      same ? types[0] : types.allSatisfy(\.isNumeric) ? types.contains(.real) ? .real : .decimal : .text
    let columns =
      kept.map { old.columns[$0] } + [
        ColumnDescription("name", .text, nullable: false), ColumnDescription("value", type),
      ]
    for name in ["name", "value"] where columns.filter({ $0.name == name }).count > 1 {
      throw Problem(.usage, "the table already has a column “\(name)”", hint: "drop or calculate it under another name")
    }
    let names = turned.map { Array(old.columns[$0].name.utf8) }
    return ReshapedRows(inner, Schema(old.name, old.summary, columns: columns)) { (batch) throws(Problem) in
      let reader = CellReader(batch)
      var builder = RowBatchBuilder(width: columns.count)
      for row in 0..<batch.count {
        for (at, column) in turned.enumerated() {
          for other in kept { builder.append(row, other, of: batch) }
          builder.append(text: names[at])
          if same {
            builder.append(row, column, of: batch)
          } else {
            ExpressionValue(reader.cell(row, column), reader).append(as: type, to: &builder)
          }
        }
      }
      return builder.finish()
    }
  }
}

extension ColumnDescription {
  /// The same column under another name.
  func named(_ name: String) -> ColumnDescription {
    ColumnDescription(
      name, type, nullable: isNullable, summary, unit: unit, extra: isExtra, mixed: isMixed, role: role)
  }
}
