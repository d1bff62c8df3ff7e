import Rows
import Synchronization

/// Rows with columns that are calculated from others: in place of a column of their name, or after the others.
final class ComputedColumns: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let steps: [Step]
  private let needsRows: Bool
  private let clock: (today: String, now: String)
  private let batches = Atomic(0)
  /// Whether results may be so long that they are calculated for few rows at once; the rest of the rows, backwards.
  private let mayGrow: Bool, rest = Mutex<[RowBatch]>([])
  private let numbers: RecordNumbers
  /// The position of the row's place in its batch of the input; nil if the rows are those of the input.
  private let place: Int?
  /// For each step that is a member which no row had so far, its siblings.
  private let absent = Mutex<[Int: Set<String>]>([:])

  private struct Step: Sendable {
    let position: Int
    let type: ColumnType
    let expression: CompiledExpression
    /// Set if the values show the type.
    let loose: LooseType?
  }

  /// The bytes that the results of a batch may need more than the batch.
  private static let mostBytes = 32 << 20

  /// - Parameter numbers: those of the rows of the input, if these are not all of them.
  /// - Throws: `usage` for an unknown column, and for a value of a type that a function does not take.
  convenience init(
    _ inner: any RowStream, _ assigned: [Assigned], today: String, now: String, numbers: RecordNumbers? = nil,
    types: LooseTypes? = nil, position: (String, Schema) throws(Problem) -> Int
  ) throws(Problem) {
    var schema = inner.schema, steps: [Step] = []
    let numbers = numbers ?? RecordNumbers(), needsRows = assigned.contains { $0.expression.calls("row_number") }
    let mayGrow = assigned.contains(where: \.expression.mayGrow)
    func made() -> ComputedColumns {
      ComputedColumns(inner, schema, steps, needsRows: needsRows, mayGrow: mayGrow, clock: (today, now), numbers)
    }
    for one in assigned {
      let known = schema
      let compiled = try CompiledExpression.compile(one.expression, of: known) { (name) throws(Problem) in
        try position(name, known)
      }
      let loose =
        compiled.isLoose
        ? types?.type(of: one, in: made()) {
          (reader, row, context) throws(Problem) in [try compiled.value(reader, row, context)]
        } : nil
      let type = loose?.type ?? compiled.type ?? .text, made = ColumnDescription(one.name, type)
      var columns = schema.columns
      let at = schema.position(of: one.name) ?? columns.count
      if case .column(one.name) = one.expression, at < columns.count { continue }
      if at == columns.count { columns.append(made) } else { columns[at] = made }
      let key = schema.key.contains(at) ? [] : schema.key.map { schema.columns[$0].name }
      schema = Schema(schema.name, schema.summary, key: key, columns: columns)
      steps.append(Step(position: at, type: type, expression: compiled, loose: loose))
    }
    self.init(inner, schema, steps, needsRows: needsRows, mayGrow: mayGrow, clock: (today, now), numbers)
  }

  private init(
    _ inner: any RowStream, _ schema: Schema, _ steps: [Step], needsRows: Bool, mayGrow: Bool,
    clock: (today: String, now: String), _ numbers: RecordNumbers
  ) {
    (self.inner, self.schema, self.steps, self.needsRows, self.mayGrow) = (inner, schema, steps, needsRows, mayGrow)
    (self.clock, self.numbers) = (clock, numbers)
    place = inner.schema.position(of: NumberedRows.column)
    let loose = steps.indices.filter { steps[$0].loose != nil }
    absent.withLock { $0 = Dictionary(uniqueKeysWithValues: loose.map { ($0, []) }) }
  }

  /// A warning for each member that no object had.
  var notes: [Warning] {
    inner.notes
      + absent.withLock { $0 }.sorted { $0.key < $1.key }.compactMap { at, others in
        guard !others.isEmpty else { return nil }
        let path = steps[at].expression.name, last = path.split(at: ".").last.map(String.init) ?? path
        let near = SpellingSuggestion.word(to: last, among: others.sorted())
        return Warning(
          "no row has the member “\(path)”",
          hint: near.map { "did you mean \(path.dropLast(last.count))\($0)?" }
            ?? .choose("", from: others.sorted().prefix(20), "available members"))
      }
  }

  /// Notes the siblings of an absent one, as far as they are few.
  private func note(_ number: Int, _ made: RowBatch, _ reader: CellReader, _ context: ExpressionContext) {
    guard absent.withLock({ $0[number] }) != nil else { return }
    var others: Set<String> = [], isFound = (0..<made.count).contains { !made[$0, 0].isNull }
    for row in 0..<made.count where !isFound && others.isEmpty {
      guard let (name, all) = (try? steps[number].expression.members(reader, row, context)) ?? nil else { continue }
      isFound = all.contains(name)
      others.formUnion(all.prefix(1000))
    }
    absent.withLock { if isFound { $0[number] = nil } else { $0[number]?.formUnion(others) } }
  }

  var mayWiden: Bool { inner.mayWiden }
  func widened() async throws(Problem) -> (any RowStream)? { nil }

  func next() async throws(Problem) -> BatchTask? {
    guard var task = try await part() else { return nil }
    // The numbers of later rows are known when earlier rows were read.
    if needsRows { task = BatchTask(ready: try task.batch()) }
    let number = place == nil ? numbers.begin(task) : batches.add(1, ordering: .relaxed).oldValue
    let start = needsRows ? try numbers.rows(before: number) : 0, work = task
    return BatchTask { [self] () throws(Problem) in
      let batch = try work.batch()
      if place == nil { numbers.finish(number, batch.count) }
      var row = 0
      do throws(Problem) { return try calculated(batch, start, &row) } catch {
        guard error.record == nil, error.kind == .badData else { throw error }
        var problem = error
        problem.record = try numbers.rows(before: number) + self.place(of: row, batch)
        problem.isOfInput = true
        throw problem
      }
    }
  }

  /// The next rows of the input.
  private func part() async throws(Problem) -> BatchTask? {
    guard mayGrow else { return try await inner.next() }
    if let part = rest.withLock({ $0.popLast() }) { return BatchTask(ready: part) }
    guard let batch = try await inner.next()?.batch() else { return nil }
    let size = 256
    guard batch.count > size else { return BatchTask(ready: batch) }
    let parts = stride(from: 0, to: batch.count, by: size).map { batch.selecting($0..<min($0 + size, batch.count)) }
    rest.withLock { $0 = parts.dropFirst().reversed() }
    return BatchTask(ready: parts[0])
  }

  private func place(of row: Int, _ batch: RowBatch) -> Int {
    if let place, row < batch.count, case .integer(let value) = batch[row, place] { Int(value) } else { row }
  }

  private func calculated(_ batch: RowBatch, _ start: Int, _ row: inout Int) throws(Problem) -> RowBatch {
    let context = ExpressionContext(today: clock.today, now: clock.now)
    var current = batch
    // Assignments that use the results of earlier ones need these as cells: one pass for each, over narrow columns.
    for (number, step) in steps.enumerated() {
      let reader = CellReader(current), width = max(current.width, step.position + 1)
      var made = RowBatchBuilder(width: 1)
      row = 0
      while row < current.count {
        context.row = start + place(of: row, batch) + 1
        let value: ExpressionValue
        do throws(Problem) { value = try step.expression.value(reader, row, context) } catch {
          guard error.kind == .badData else { throw error }
          var problem = error
          let name = schema.columns[step.position].name
          problem.message =
            name.hasPrefix(Conditions.mark)
            ? "\(name.dropFirst(Conditions.mark.count)): \(error.message)" : "column “\(name)”: \(error.message)"
          throw problem
        }
        if let loose = step.loose {
          guard loose.includes(value) else { throw loose.problem(value, schema.columns[step.position].name) }
        } else if !value.fits(step.type) {
          let name = schema.columns[step.position].name
          throw Problem(
            .badData, "column “\(name)”: “\(String(value.string.prefix(100)))” is not \(step.type.name)",
            hint: .advice(value.double == nil ? "calculate cast(… as text)" : "calculate cast(… as decimal)"),
            record: nil)
        }
        value.append(as: step.type, to: &made)
        guard made.byteCount <= batch.arena.count + Self.mostBytes else {
          let name = schema.columns[step.position].name
          throw Problem(
            .badData, "column “\(name)”: the results for \(row + 1) rows need more than \(Self.mostBytes >> 20) MiB")
        }
        row += 1
      }
      let column = made.finish()
      if step.loose != nil { note(number, column, reader, context) }
      current = current.setting(step.position, of: width, to: column)
    }
    return current
  }
}

extension RowBatch {
  /// The batch with the only column of another one at a position, in place of the one there or after the last.
  func setting(_ position: Int, of width: Int, to column: RowBatch) -> RowBatch {
    let shift = UInt32(arena.count)
    var bytes = ArenaBuilder(capacity: max(arena.count + column.arena.count, 64))
    var cells = CellsBuilder(capacity: count * width)
    arena.read { bytes.append($0) }
    column.arena.read { bytes.append($0) }
    for row in 0..<count {
      for at in 0..<width {
        if at == position {
          let cell = column[row, 0]
          cells.append(cell.range.map { cell.moved(to: $0.start + shift) } ?? cell)
        } else {
          cells.append(self[row, at])
        }
      }
    }
    return unsafe RowBatch(width: width, count: count, uncheckedCells: cells.freeze(), arena: bytes.freeze())
  }
}

extension ExpressionValue {
  /// Whether a column of a type can hold the value.
  fileprivate func fits(_ type: ColumnType) -> Bool {
    switch (type, self) {
    case (_, .null), (.text, _), (.url, _), (.json, _), (.bytes, _), (.decimal, .number), (.decimal, .real): true
    case (.integer, .number(let number)): number.integer != nil
    case (.real, .number), (.real, .real), (.boolean, .boolean), (.date, .text), (.timestamp, .text),
      (.datetime, .text), (.list, .json):
      true
    default: false
    }
  }
}
