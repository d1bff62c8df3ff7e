import Codecs
import Rows
import Synchronization

/// The rows of a join.
public enum JoinKind: String, Sendable, Hashable, CaseIterable {
  /// All rows; nulls for those without a match.
  case left
  case inner
  /// Rows without a match, without the columns of the other table.
  case anti
}

/// Rows with what their relations lead to: a join, or nested records.
struct Join: Sendable {
  /// The columns of the rows, then those of each relation (`character.birthday`); nested, one column of JSON a
  /// relation.
  let schema: Schema
  private let width: Int
  private let steps: [JoinStep]
  private let indexes: [JoinIndex]
  private let isNested: Bool
  var notes: [Warning] { indexes.flatMap(\.table.notes) }
  private let kind: JoinKind
  /// Whether a step can lead a row to several records, by itself or by what it begins at.
  private let isRepeating: [Bool]

  /// - Throws: `usage` for an unknown relation or a column name that already exists.
  init(
    _ names: [String], nested: Bool, _ kind: JoinKind = .left, from base: Schema, _ related: JoinTables
  ) throws(Problem) {
    self.kind = kind
    steps = try JoinStep.steps(names, from: base.name, among: related.relations)
    isNested = nested
    width = base.width
    var indexes: [JoinIndex] = [], columns = base.columns, isRepeating: [Bool] = []
    for step in steps {
      let start = step.parent.map { indexes[$0].table.schema } ?? base
      let index = try JoinIndex(step.relation, from: start, related)
      let repeats = step.relation.isToMany || step.parent.map { isRepeating[$0] } ?? false
      if kind != .anti {
        columns +=
          nested
          ? [Self.nestedColumn(step.relation, base, isList: repeats)] : Self.columns(step.relation, index.table.schema)
      }
      indexes.append(index)
      isRepeating.append(repeats)
    }
    self.indexes = indexes
    self.isRepeating = isRepeating
    let names = columns.map(\.name)
    if Set(names).count != names.count {
      let twice = names.first { name in names.count { $0 == name } > 1 } ?? ""
      throw Problem(
        .usage, "column name conflict: \(base.name) already has a column \(twice)",
        hint: .set(.relations, for: "join others"))
    }
    // Rows that are repeated have no key any more.
    let key = !nested && kind != .anti && isRepeating.contains(true) ? [] : base.key.map { base.columns[$0].name }
    schema = Schema(base.name, base.summary, key: key, columns: columns)
  }

  private static func columns(_ relation: Relation, _ schema: Schema) -> [ColumnDescription] {
    schema.columns.map {
      ColumnDescription(
        "\(relation.name).\($0.name)", $0.type, $0.summary, unit: $0.unit, role: $0.role == .title ? nil : $0.role
      ).spelled($0.spelling)
    }
  }
  /// A relation is often called as the column it begins at; that column keeps its name.
  private static func nestedColumn(_ relation: Relation, _ base: Schema, isList: Bool) -> ColumnDescription {
    let isTaken = base.position(of: relation.name) != nil
    return ColumnDescription(
      isTaken ? "\(relation.name)_record" : relation.name, .json, nullable: !isList,
      isList ? "related records in \(relation.to)" : "related record in \(relation.to)")
  }

  func rows(_ range: Range<Int>, of batch: RowBatch, matches: Range<Int>? = nil) -> RowBatch {
    var builder = RowBatchBuilder(width: schema.width), keys = KeyBuffer()
    if let matches, let number = indexes[0].keys(of: range, in: batch, &keys)?.first {
      let all = indexes[0].rows.range(keys, number)
      let some = all.lowerBound + matches.lowerBound..<all.lowerBound + matches.upperBound
      for place in some { append(range.lowerBound, of: batch, indexes[0].rows[place], indexes[0], &builder) }
      return builder.finish()
    }
    let isNested = isNested && kind != .anti
    if steps.count == 1, !isNested, let numbers = indexes[0].keys(of: range, in: batch, &keys) {
      let index = indexes[0], found = index.rows
      for (row, number) in zip(range, numbers) {
        if number >= 0 { found.prefetch(keys, before: number) }
        pair(row, of: batch, index, found, at: number < 0 ? 0..<0 : found.range(keys, number), &builder)
      }
      return builder.finish()
    }
    for row in range { isNested ? nest(row, of: batch, &keys, &builder) : pair(row, of: batch, &keys, &builder) }
    return builder.finish()
  }

  /// Appends a row for each of the rows of the only relation at some places.
  private func pair(
    _ row: Int, of batch: RowBatch, _ index: JoinIndex, _ found: RowsByKey, at places: Range<Int>,
    _ builder: inout RowBatchBuilder
  ) {
    // Several records where one is meant: which of them is unknown.
    let places = steps[0].relation.isToMany || places.count == 1 ? places : 0..<0
    switch kind {
    case .anti: if places.isEmpty { append(row, of: batch, [], &builder) }
    case .left where places.isEmpty: append(row, of: batch, nil, index, &builder)
    case .left, .inner: for place in places { append(row, of: batch, found[place], index, &builder) }
    }
  }

  /// Appends a row for each path through the relations; one with nulls where a relation has no match.
  private func pair(_ row: Int, of batch: RowBatch, _ keys: inout KeyBuffer, _ builder: inout RowBatchBuilder) {
    if steps.count == 1 {
      let matches = found(indexes[0], steps[0], [], batch, row, &keys)
      switch kind {
      case .anti: if matches.isEmpty { append(row, of: batch, [], &builder) }
      case .left where matches.isEmpty: append(row, of: batch, [nil], &builder)
      case .left, .inner: for number in matches { append(row, of: batch, [number], &builder) }
      }
      return
    }
    var ways: [[Int?]] = [[]]
    for (step, index) in zip(steps, indexes) {
      ways = ways.flatMap { way -> [[Int?]] in
        let matches = found(index, step, way.map { $0.map { [$0] } ?? [] }, batch, row, &keys)
        return matches.isEmpty ? [way + [nil]] : matches.map { way + [$0] }
      }
    }
    for way in ways { append(row, of: batch, way, &builder) }
  }

  /// Appends the row with a record, or with nulls, of the only relation.
  private func append(
    _ row: Int, of batch: RowBatch, _ number: Int?, _ index: JoinIndex, _ builder: inout RowBatchBuilder
  ) {
    for column in 0..<width { builder.append(row, column, of: batch) }
    append(number, index, &builder)
  }
  private func append(_ number: Int?, _ index: JoinIndex, _ builder: inout RowBatchBuilder) {
    let place = number.map { index.place(of: $0) }
    for column in 0..<index.table.schema.width {
      if let place { builder.append(place.row, column, of: place.batch) } else { builder.appendNull() }
    }
  }

  /// Appends the row with one record, or with nulls, for each relation.
  private func append(_ row: Int, of batch: RowBatch, _ way: [Int?], _ builder: inout RowBatchBuilder) {
    for column in 0..<width { builder.append(row, column, of: batch) }
    for (number, index) in zip(way, indexes) { append(number, index, &builder) }
  }

  /// The row with one record, or a list of records, for each relation.
  private func nest(_ row: Int, of batch: RowBatch, _ keys: inout KeyBuffer, _ builder: inout RowBatchBuilder) {
    var records: [[Int]] = []
    for (step, index) in zip(steps, indexes) { records.append(found(index, step, records, batch, row, &keys)) }
    if kind == .inner, records.contains(where: \.isEmpty) { return }
    for column in 0..<width { builder.append(row, column, of: batch) }
    for ((isList, index), numbers) in zip(zip(isRepeating, indexes), records) {
      let objects = numbers.map { object($0, index) }
      if isList {
        builder.append(json: [UInt8(ascii: "[")] + objects.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
      } else if let object = objects.first {
        builder.append(json: object)
      } else {
        builder.appendNull()
      }
    }
  }

  /// The records that a step finds, from the row or from the records of its parent step.
  private func found(
    _ index: JoinIndex, _ step: JoinStep, _ records: [[Int]], _ batch: RowBatch, _ row: Int, _ keys: inout KeyBuffer
  ) -> [Int] {
    func matches(_ batch: RowBatch, _ row: Int, _ keys: inout KeyBuffer) -> [Int] {
      let matches = index.matches(batch, row, &keys)
      // Several records where one is meant: there is no telling which.
      return step.relation.isToMany || matches.count == 1 ? matches : []
    }
    guard let parent = step.parent else { return matches(batch, row, &keys) }
    if records[parent].isEmpty { return [] }
    var found: [Int] = []
    for number in records[parent] {
      let place = indexes[parent].place(of: number)
      found += matches(place.batch, place.row, &keys)
    }
    return records[parent].count == 1 ? found : found.withoutRepetitions
  }

  private func object(_ number: Int, _ index: JoinIndex) -> [UInt8] {
    let (batch, row) = index.place(of: number)
    var json = ByteBuffer(capacity: 256)
    for (column, description) in index.table.schema.columns.enumerated() {
      json.append(byte: UInt8(ascii: column == 0 ? "{" : ","))
      json.append(jsonString: description.name)
      json.append(byte: UInt8(ascii: ":"))
      json.append(jsonOf: batch[row, column], batch.arena)
    }
    json.append(byte: UInt8(ascii: "}"))
    return json.bytes()
  }
}

/// A part of the rows of a join: of some rows of a batch, or of some matches of one row.
struct JoinPart: Sendable {
  var rows: Range<Int>
  var matches: Range<Int>?
}

extension Join {
  /// The most bytes of a batch, unless a row has more.
  private static let maximumBytes = 8 << 20

  /// The next part of a join, which has a batch of rows at most.
  /// - Parameters:
  ///   - start: the first row, and the first of its matches.
  ///   - most: the most rows of the batch in a part.
  func part(of batch: RowBatch, from start: (row: Int, match: Int), most: Int) -> JoinPart {
    let part = JoinPart(rows: start.row..<min(start.row + most, batch.count))
    let pairs = batch.arena.count + part.rows.count * indexes.reduce(0) { $0 + $1.longestRow }
    let mostMatches = indexes.reduce(1) { $0.multipliedReportingOverflow(by: max(1, $1.rows.longest)).partialValue }
    let (bytes, isTooLarge) = mostMatches.multipliedReportingOverflow(by: pairs)
    guard isTooLarge || bytes > Self.maximumBytes, kind != .anti, indexes.allSatisfy(\.hasOwnKeys) else { return part }
    var keys = KeyBuffer(), left = Self.maximumBytes
    for row in part.rows {
      let own = batch.textBytes(ofRow: row), matches = indexes.reduce(0) { $0 + $1.matchCount(batch, row, &keys) }
      let size = (own + (indexes.map(\.longestRow).max() ?? 0)) * max(1, matches) + 1
      if size > left {
        if row > start.row { return JoinPart(rows: start.row..<row) }
        guard steps.count == 1, !isNested, steps[0].relation.isToMany else { return JoinPart(rows: row..<row + 1) }
        let first = start.match, last = min(matches, first + max(1, matches * left / size))
        return JoinPart(rows: row..<row + 1, matches: first..<last)
      }
      left -= size
    }
    return part
  }

  /// Whether the matches of a part are the last ones of its row.
  func isComplete(_ part: JoinPart, of batch: RowBatch) -> Bool {
    guard let matches = part.matches else { return true }
    var keys = KeyBuffer()
    return matches.upperBound >= indexes[0].matchCount(batch, part.rows.lowerBound, &keys)
  }
}

/// A stream joined; a batch is joined in slices on any core, so that a row that leads to many others does not make a
/// huge batch.
final class JoinedRows: RowStream {
  let schema: Schema
  private let inner: any RowStream
  private let join: Join
  var notes: [Warning] { inner.notes + join.notes }
  /// The batch that is being given out, and its next row.
  private let rest = Mutex<(batch: RowBatch, start: (row: Int, match: Int))?>(nil)
  private static let slice = 256

  init(_ inner: any RowStream, _ join: Join) {
    schema = join.schema
    self.inner = inner
    self.join = join
  }

  func next() async throws(Problem) -> BatchTask? {
    let known = rest.withLock { $0 }
    var batch = known?.batch, start = known?.start ?? (row: 0, match: 0)
    if batch == nil {
      guard let work = try await inner.next() else { return nil }
      (batch, start) = (try work.batch(), (row: 0, match: 0))
    }
    guard let batch else { return nil }
    let part = join.part(of: batch, from: start, most: Self.slice)
    let isComplete = join.isComplete(part, of: batch)
    start = isComplete ? (row: part.rows.upperBound, match: 0) : (row: start.row, match: part.matches?.upperBound ?? 0)
    rest.withLock { [start] in $0 = start.row < batch.count ? (batch, start) : nil }
    let join = self.join
    return BatchTask { () throws(Problem) in join.rows(part.rows, of: batch, matches: part.matches) }
  }
}
