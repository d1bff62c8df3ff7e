import Codecs
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
  /// - Parameters:
  ///   - isCounted: whether an element counts once for each list, and an empty list has no row.
  ///   - types: the types that elements show; nil if they are JSON.
  static func exploding(
    _ inner: any RowStream, _ column: Int, counted isCounted: Bool = false, _ types: LooseTypes?
  ) -> ReshapedRows {
    let old = inner.schema, description = old.columns[column], isJSON = description.type == .json
    var type = description.type
    if case .list(let element) = type { type = element == .integer ? .integer : element == .url ? .url : .text }
    @Sendable func elements(_ cell: Cell, _ reader: CellReader) -> [ExpressionValue]? {
      let value = ExpressionValue(cell, reader)
      guard let elements = value.elements else {
        if isJSON, case .json(let text) = value {
          return (try? JSON.parse(text, name: "")).map { [ExpressionValue($0)] }
        }
        return nil
      }
      let values = isCounted ? elements.reduce(into: []) { if !$0.contains($1) { $0.append($1) } } : elements
      return values.isEmpty && !isCounted ? [.null] : values.map { ExpressionValue($0) }
    }
    let loose =
      isJSON
      ? types?.type(of: Assigned(description.name, .element(.column(description.name), 0)), in: inner) {
        (reader, row, _) throws(Problem) in elements(reader.cell(row, column), reader) ?? []
      } : nil
    let made = loose?.type ?? type
    var columns = old.columns
    columns[column] = ColumnDescription(description.name, made, description.summary, unit: description.unit)
    let schema = Schema(old.name, old.summary, columns: columns)
    return ReshapedRows(inner, schema) { (batch) throws(Problem) in
      let reader = CellReader(batch)
      var builder = RowBatchBuilder(width: batch.width)
      for row in 0..<batch.count {
        guard let elements = elements(reader.cell(row, column), reader) else {
          for at in 0..<batch.width { builder.append(row, at, of: batch) }
          continue
        }
        for element in elements {
          if let loose, !loose.includes(element) { throw loose.problem(element, description.name) }
          for at in 0..<batch.width {
            if at == column { element.append(as: made, to: &builder) } else { builder.append(row, at, of: batch) }
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
    var columns = kept.map { old.columns[$0] }
    // As in a file with two columns of a name, the later one has a number.
    func free(_ name: String) -> String {
      var number = 1, free = name
      while columns.has(free) { (number, free) = (number + 1, "\(name)_\(number + 1)") }
      return free
    }
    columns.append(ColumnDescription(free("name"), .text, nullable: false))
    columns.append(ColumnDescription(free("value"), type))
    let made = columns
    let names = turned.map { Array(old.columns[$0].name.utf8) }
    return ReshapedRows(inner, Schema(old.name, old.summary, columns: made)) { (batch) throws(Problem) in
      let reader = CellReader(batch)
      var builder = RowBatchBuilder(width: made.count)
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
