public import Rows
import Synchronization

/// The differences between two tables as rows: what was added, changed or removed, in the order of the key.
///
/// The columns are `change`, those of both tables, `changed` (the names of the columns that differ) and `before` (an
/// object with their old values). Of a removed row the columns have the old values, of all others the new ones.
/// Numbers, times and JSON are compared by value, everything else by its bytes. Both tables are sorted, in temporary
/// files if they are large; memory does not depend on their size.
///
/// Rows whose key occurs more than once in one of the tables are compared as a whole: they are added or removed, never
/// changed.
public final class DifferenceRows: RowStream {
  /// The way in which tables are compared.
  public struct Comparison: Sendable {
    /// The columns that identify a row; empty for the declared key, or, if there is none, for all columns.
    public var key: [String] = []
    /// Columns that do not count.
    public var ignored: [String] = []
    /// Types of columns of files that are not to be inferred.
    public var types = ColumnTypes()
    /// The memory for sorting each table, in bytes.
    public var memory = 32 << 20
    /// Tasks that sort at once, at least 1.
    public var threads = 1

    /// The declared key, all columns.
    public init() {}
  }

  /// `change`, the columns of both tables, `changed`, `before`.
  public let schema: Schema
  /// The columns that identify a row; empty if all do.
  public var keyColumns: [String] { compared.isEmpty ? [] : key.map { fitted.columns[$0].name } }
  /// Whether types were inferred from the beginning of a table.
  public let mayWiden: Bool
  private let old: UnionRows.Part
  private let new: UnionRows.Part
  private let known: [ColumnTypes]
  private let comparison: Comparison
  private let scratch: any ScratchSpace
  private let tally: DifferenceTally
  /// The rows of both tables, and the same with the columns of both.
  private let opened: [any RowStream]
  private let fitted: Schema
  private let key: [Int]
  private let compared: [Int]
  /// The columns that only one of the tables has as JSON.
  private let loose: Set<Int>
  private let remarks: [Warning]
  private let state = Mutex(State())

  private struct State: Sendable {
    var cursors: [DifferenceCursor] = []
    var notes: [Warning] = []
    var isStarted = false
  }

  /// Opens both tables.
  /// - `scratch`: temporary files, for sorting.
  /// - `tally`: is set to the numbers of rows.
  /// - Throws: `usage` for a column that a table does not have, and for tables with no column in common.
  public convenience init(
    from old: UnionRows.Part, to new: UnionRows.Part, _ comparison: Comparison, scratch: any ScratchSpace,
    tally: DifferenceTally
  ) async throws(Problem) {
    try await self.init(old, new, comparison, scratch, tally, known: [ColumnTypes(), ColumnTypes()])
  }

  private init(
    _ old: UnionRows.Part, _ new: UnionRows.Part, _ comparison: Comparison, _ scratch: any ScratchSpace,
    _ tally: DifferenceTally, known: [ColumnTypes]
  ) async throws(Problem) {
    var known = known
    var both: [any RowStream] = []
    for (number, part) in [old, new].enumerated() {
      let rows = try await part.rows(&known[number], given: comparison.types)
      var types = comparison.types
      types.merge(known[number])
      both.append(try await MemberRows.adding(comparison.key + comparison.ignored, to: rows, scratch, types))
    }
    let (left, right) = (both[0], both[1])
    for name in comparison.types.names where !left.schema.columns.has(name) {
      _ = try right.schema.column(named: name)
    }
    (self.old, self.new, self.known, self.comparison) = (old, new, known, comparison)
    (self.scratch, self.tally, opened) = (scratch, tally, both)
    mayWiden = left.mayWiden || right.mayWiden

    let declared = [right.schema, left.schema].first { !$0.key.isEmpty }
    var names = comparison.key, loose: [String] = []
    if names.isEmpty { names = declared?.key.map { declared?.columns[$0].name ?? "" } ?? [] }
    var columns = right.schema.columns.map { column in
      guard let position = left.schema.position(of: column.name) else { return column }
      let types = [left.schema.columns[position].type, column.type]
      let isMixed = types.contains(.json) && types[0] != types[1] && !names.contains(column.name)
      let type = isMixed ? .json : UnionRows.union(types[0], types[1])
      if isMixed { loose.append(column.name) }
      return ColumnDescription(column.name, type).annotated(as: column)
    }
    let removed = left.schema.columns.filter { !columns.has($0.name) }
    let added = columns.filter { !left.schema.columns.has($0.name) }
    guard columns.count > added.count else {
      throw Problem(.usage, "\(new.name) has no column in common with \(old.name)")
    }
    remarks =
      removed.map { Warning("\(new.name) has no column “\($0.name)”") }
      + added.map { Warning("\(old.name) has no column “\($0.name)”") }
    columns += removed
    fitted = Schema(
      right.schema.name, columns: columns.map { ColumnDescription($0.name, $0.type).annotated(as: $0) })

    self.loose = Set(loose.compactMap(fitted.position(of:)))
    var key: [Int] = []
    for name in names {
      for (part, schema) in [(old, left.schema), (new, right.schema)] where !schema.columns.has(name) {
        throw Problem(
          .usage, "no column “\(name)”", at: part.name,
          hint: .choose(name, from: schema.columns.map(\.name), "available columns"))
      }
      let position = try fitted.column(named: name)
      if key.contains(position) { throw Problem(.usage, "column “\(name)” appears more than once in the key") }
      key.append(position)
    }
    var ignored: Set<Int> = []
    for name in comparison.ignored { ignored.insert(try fitted.column(named: name)) }
    if let position = key.first(where: ignored.contains) {
      throw Problem(.usage, "column “\(fitted.columns[position].name)” is part of the key and cannot be ignored")
    }
    let all = fitted.columns.indices.filter { !ignored.contains($0) }
    self.key = key.isEmpty ? all : key
    compared = all.filter { !(key.isEmpty ? all : key).contains($0) }
    var distinct = DistinctNames(fitted.columns.map(\.name))
    schema = Schema(
      fitted.name, "differences",
      columns: [
        ColumnDescription(distinct.add("change"), .text, nullable: false, "added, changed or removed")
      ] + fitted.columns + [
        ColumnDescription(distinct.add("changed"), .list(.text), "columns that differ"),
        ColumnDescription(distinct.add("before"), .json, "the old values of these columns"),
      ])
    tally.counts = DifferenceTally.Counts()
  }

  // MARK: - Rows

  private func start() async throws(Problem) -> [DifferenceCursor] {
    let order = SortOrder((key + compared).map { SortOrder.Key(column: $0, isDescending: false) }, fitted)
    let keyOrder = SortOrder(key.map { SortOrder.Key(column: $0, isDescending: false) }, fitted)
    var cursors: [DifferenceCursor] = []
    for (part, rows) in zip([old, new], opened) {
      let sorted = SortedRows(
        FittedRows(rows, to: fitted), by: order, keeping: nil, scratch: scratch, memoryLimit: comparison.memory,
        threads: comparison.threads)
      cursors.append(try await DifferenceCursor(sorted, named: part.name, by: keyOrder))
    }
    return cursors
  }

  /// The next differences.
  public func next() async throws(Problem) -> BatchTask? {
    let (started, isStarted) = state.withLock { state in
      defer { (state.cursors, state.isStarted) = ([], true) }
      return (state.cursors, state.isStarted)
    }
    var cursors = isStarted ? started : try await start()
    guard cursors.count == 2 else { return nil }
    let literals = fitted.columns.indices.filter { place in
      guard let column = opened[0].schema.position(of: fitted.columns[place].name) else { return false }
      let type = opened[0].schema.columns[column].type
      return fitted.columns[place].type == .text && (type.isNumeric || type == .boolean)
    }
    let work = Comparing(key: key, compared: compared, schema: fitted, loose: loose, literals: Set(literals))
    var builder = RowBatchBuilder(width: schema.width), counts = tally.counts
    while !builder.isFull {
      switch work.difference(cursors[0], cursors[1]) {
      case nil:
        finish(cursors)
        tally.counts = counts
        return builder.count == 0 ? nil : BatchTask(ready: builder.finish())
      case .removed:
        counts.removed += 1
        work.append("removed", cursors[0], to: &builder)
        try await cursors[0].advance()
      case .added:
        counts.added += 1
        work.append("added", cursors[1], to: &builder)
        try await cursors[1].advance()
      case .pair(let columns):
        if columns.isEmpty {
          counts.same += 1
        } else {
          counts.changed += 1
          counts.columns.formUnion(columns.map { $0 + 1 })
          work.append(columns, cursors[0], cursors[1], to: &builder)
        }
        try await cursors[0].advance()
        try await cursors[1].advance()
      }
    }
    tally.counts = counts
    state.withLock { [cursors] in $0.cursors = cursors }
    return BatchTask(ready: builder.finish())
  }

  /// Notes keys that occur more than once, which is nothing unusual if all columns are the key.
  private func finish(_ cursors: [DifferenceCursor]) {
    guard !compared.isEmpty else { return }
    let notes = cursors.compactMap { cursor -> Warning? in
      guard let example = cursor.repeatedKey else { return nil }
      let rows = cursor.repetitions == 1 ? "1 row has" : "\(cursor.repetitions) rows have"
      return Warning("\(cursor.name): \(rows) the same key as another, for example \(example)")
    }
    state.withLock { $0.notes = notes }
  }

  /// Columns that one table lacks, repeated keys, and the notes of both tables.
  public var notes: [Warning] { opened.flatMap(\.notes) + remarks + state.withLock { $0.notes } }

  /// After a value that contradicts an inferred type: both tables again, with the types found for certain.
  public func widened() async throws(Problem) -> (any RowStream)? {
    for (part, rows) in opened.enumerated() {
      guard let wider = try await rows.widened() else { continue }
      var known = self.known
      known[part] = ColumnTypes(wider.schema.columns)
      known[part].takesMembers = true
      return try await DifferenceRows(old, new, comparison, scratch, tally, known: known)
    }
    return nil
  }
}

/// Rows with the columns of another schema, which has at least theirs.
private final class FittedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let fitting: FittingRows

  init(_ inner: any RowStream, to schema: Schema) {
    (self.inner, self.schema, fitting) = (inner, schema, FittingRows(inner.schema, to: schema, readsStrings: true))
  }

  func next() async throws(Problem) -> BatchTask? {
    let fitting = self.fitting
    return try await inner.next()?.followed { (batch) throws(Problem) in fitting.fit(batch) }
  }
}
