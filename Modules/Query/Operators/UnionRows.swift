import Codecs
public import Rows
import Synchronization

/// The rows of several tables, one after another, with columns matched by name: those of the first table, then those
/// that others add. A table without a column gives nulls.
///
/// A column has the type and the spelling that all tables have; otherwise numbers are decimals, and everything else is
/// text.
public final class UnionRows: RowStream {
  /// One of the tables.
  public struct Part: Sendable {
    let name: String
    /// Opens its rows from the beginning, with types for some of its columns.
    let open: @Sendable (ColumnTypes) async throws(Problem) -> any RowStream
    /// Opens the rows that a request selects, if fewer are read then; nil if not.
    private let select: Selecting?
    /// Opens the rows of a request.
    public typealias Selecting = @Sendable (ColumnTypes, RowRequest) async throws(Problem) -> any RowStream

    /// A table that can be opened any number of times.
    public init(
      name: String, selecting: Selecting? = nil,
      open: @escaping @Sendable (ColumnTypes) async throws(Problem) -> any RowStream
    ) {
      self.name = name
      self.open = open
      select = selecting
    }

    /// Opens the rows that are needed.
    /// - Parameter differing: the columns whose values have another type in the result, which conditions compare.
    func rows(
      _ known: ColumnTypes, _ request: RowRequest?, differing: Set<[UInt8]>
    ) async throws(Problem) -> any RowStream {
      guard let select, var request else { return try await open(known) }
      request.selection?.removeConditions { differing.contains(Array($0.utf8)) }
      return try await select(known, request)
    }

    /// Opens its rows with the types that are known, and those that the user gave for columns that it has.
    func rows(
      _ known: inout ColumnTypes, given: ColumnTypes
    ) async throws(Problem) -> any RowStream {
      let rows = try await open(known)
      var wanted = ColumnTypes()
      for name in given.names where rows.schema.columns.has(name) { wanted[name] = given[name] }
      if wanted.isEmpty { return rows }
      known.merge(wanted)
      return try await open(known)
    }
  }

  /// The columns of all tables.
  public let schema: Schema
  /// Whether the types of a table were inferred from its beginning.
  public let mayWiden: Bool
  private let parts: [Part]
  /// The types that the user gave, by column.
  private let given: ColumnTypes
  /// The types of each table that are known for certain.
  private let known: [ColumnTypes]
  /// The columns of each table that have another type in the result.
  private let differing: [Set<[UInt8]>]
  private let state = Mutex(State())

  private struct State: Sendable {
    var next = 0
    var current: (any RowStream)?
    var opened: [(part: Int, rows: any RowStream)] = []
    var notes: [Warning] = []
    var request: RowRequest?
  }

  /// Opens every table once, for its columns.
  /// - `table`: the name of the result.
  /// - `types`: the types that the user gave, by column.
  /// - Throws: `usage` for tables that have no column in common, and for a type of a column that no table has.
  public convenience init(_ parts: [Part], table: String, types: ColumnTypes = ColumnTypes()) async throws(Problem) {
    try await self.init(parts, table, types, known: Array(repeating: ColumnTypes(), count: parts.count))
  }

  private init(_ parts: [Part], _ table: String, _ given: ColumnTypes, known: [ColumnTypes]) async throws(Problem) {
    var columns: [ColumnDescription] = [], positions: [[UInt8]: Int] = [:], known = known, mayWiden = false
    var schemas: [Schema] = []
    for (index, part) in parts.enumerated() {
      let rows = try await part.rows(&known[index], given: given)
      mayWiden = mayWiden || rows.mayWiden
      schemas.append(rows.schema)
      var common = 0
      for column in rows.schema.columns {
        guard let position = positions[Array(column.name.utf8)] else {
          positions[Array(column.name.utf8)] = columns.count
          columns.append(
            ColumnDescription(column.name, column.type).spelled(column.spelling).stored(as: column.stored))
          continue
        }
        common += 1
        var known = columns[position]
        if known.type == column.type, [known.spelling, column.spelling].allSatisfy({ $0 == .usual || $0 == .each }) {
          // The usual form has no end.
          if column.spelling == .each { known.spelling = .each }
          columns[position] = known
        }
        let isSpelled = known.spelling == column.spelling || known.spelling == .each && column.spelling == .usual
        // Values that are spelled in several ways are text, which keeps all of them.
        let type = isSpelled ? Self.union(known.type, column.type) : .text
        if type != known.type { columns[position] = ColumnDescription(column.name, type) }
        if column.stored != known.stored { columns[position].stored = nil }
      }
      guard index == 0 || common > 0 else {
        throw Problem(
          .usage, "\(part.name) has no column in common with \(parts[0].name)",
          hint: "write them one by one")
      }
    }
    let found = { (name: String) in positions[Array(name.utf8)].map { columns[$0] } }
    for name in given.missing({ found($0) != nil }, isNested: { found($0)?.type.isNested == true }) {
      throw Problem(
        .usage, "“\(table)” has no column “\(name)”",
        hint: .choose(name, from: columns.map(\.name), "available columns"))
    }
    schema = Schema(table, columns: columns)
    differing = schemas.map { schema in
      Set(
        schema.columns.filter { $0.type != positions[Array($0.name.utf8)].map { columns[$0].type } }.map {
          Array($0.name.utf8)
        })
    }
    for (index, schema) in schemas.enumerated() {
      // Its text is read as it is written.
      for column in schema.columns where column.spelling != .usual {
        guard let position = positions[Array(column.name.utf8)], columns[position].type == .text else { continue }
        known[index][column.name] = .text
      }
    }
    self.parts = parts
    self.given = given
    self.known = known
    self.mayWiden = mayWiden
  }

  /// The type of a column with values of two types.
  static func union(_ a: ColumnType, _ b: ColumnType) -> ColumnType {
    if a == b { return a }
    if a.isNumeric, b.isNumeric { return .decimal }
    return a.isNested && b.isNested ? .json : .text
  }

  /// States the rows and columns that are needed, before the first row is read. Others may be absent or null then.
  public func select(_ request: RowRequest) { state.withLock { $0.request = request } }

  /// The next rows, of one table.
  public func next() async throws(Problem) -> BatchTask? {
    while true {
      let (part, open, request) = state.withLock { ($0.next, $0.current, $0.request) }
      let rows: any RowStream
      if let open {
        rows = open
      } else {
        guard part < parts.count else { return nil }
        rows = try await parts[part].rows(known[part], request, differing: differing[part])
        state.withLock {
          $0.current = rows
          $0.opened.append((part, rows))
        }
      }
      if let task = try await rows.next() {
        let fitting = FittingRows(rows.schema, to: schema)
        return task.followed { (batch) throws(Problem) in fitting.fit(batch) }
      }
      state.withLock {
        $0.notes += rows.notes
        $0.current = nil
        $0.next += 1
      }
    }
  }

  /// The notes of the tables that were read.
  public var notes: [Warning] { state.withLock { $0.notes + ($0.current?.notes ?? []) } }

  /// All tables again, with the same types.
  public func reopened() async throws(Problem) -> (any RowStream)? {
    let union = try await UnionRows(parts, schema.name, given, known: known)
    if let request = state.withLock({ $0.request }) { union.select(request) }
    return union
  }

  /// After a value that contradicts an inferred type: all tables again, with the types of that one found for certain.
  public func widened() async throws(Problem) -> (any RowStream)? {
    for (part, rows) in state.withLock({ $0.opened }) {
      guard let wider = try await rows.widened() else { continue }
      var known = self.known
      known[part] = ColumnTypes(wider.schema.columns)
      let union = try await UnionRows(parts, schema.name, given, known: known)
      if let request = state.withLock({ $0.request }) { union.select(request) }
      return union
    }
    return nil
  }
}

/// Rows of one schema made rows of another that has at least its columns, with the same or wider types.
struct FittingRows: Sendable {
  private let schema: Schema
  /// For each column the position among the rows, if they have it.
  private let sources: [Int?]
  private let isSame: Bool
  /// Whether a JSON string becomes the text that it spells, in a column of text.
  private let readsStrings: Bool

  init(_ rows: Schema, to schema: Schema, readsStrings: Bool = false) {
    (self.schema, self.readsStrings) = (schema, readsStrings)
    var positions: [[UInt8]: Int] = [:]
    for (position, column) in rows.columns.enumerated() { positions[Array(column.name.utf8)] = position }
    sources = schema.columns.map { positions[Array($0.name.utf8)] }
    isSame = rows.columns.map(\.type) == schema.columns.map(\.type) && sources == Array(schema.columns.indices)
  }

  func fit(_ batch: RowBatch) -> RowBatch {
    if isSame { return batch }
    var cells = CellsBuilder(capacity: batch.count * schema.width)
    for row in 0..<batch.count {
      for (column, source) in zip(schema.columns, sources) {
        guard let cell = source.map({ batch[row, $0] }) else {
          cells.append(.null)
          continue
        }
        guard let fitting = fit(cell, column.type, batch.arena) else { return rewritten(batch) }
        cells.append(fitting)
      }
    }
    return RowBatch(width: schema.width, count: batch.count, cells: cells.freeze(), arena: batch.arena)
  }

  /// The same value for a column of a wider type, without new bytes; nil if it needs some.
  private func fit(_ cell: Cell, _ type: ColumnType, _ arena: Arena) -> Cell? {
    switch (type, cell) {
    case (.text, .json(let start, let count))
    where readsStrings && arena.bytes(start, min(count, 1)) == [UInt8(ascii: "\"")]:
      nil
    case (.json, .number(let start, let count)): .json(start, count)
    // A number that is not finite has no literal.
    case (.decimal, .real(let value)) where !value.isFinite: cell
    case (.json, .text), (.json, .integer), (.json, .real), (.json, .boolean), (.json, .bytes): nil
    case (.text, .number(let start, let count)), (.text, .json(let start, let count)): .text(start, count)
    case (.text, .integer), (.text, .real), (.text, .boolean), (.text, .bytes), (.decimal, .integer), (.decimal, .real):
      nil
    default: cell
    }
  }

  private func rewritten(_ batch: RowBatch) -> RowBatch {
    var builder = RowBatchBuilder(width: schema.width)
    for row in 0..<batch.count {
      for (column, source) in zip(schema.columns, sources) {
        guard let source else {
          builder.appendNull()
          continue
        }
        let value = batch.value(row, source)
        switch (column.type, value) {
        case (.decimal, .integer(let value)): builder.append(number: Array(String(value).utf8))
        case (.decimal, .real(let value)) where value.isFinite: builder.append(number: value.canonicalText)
        case (.text, .integer(let value)): builder.append(text: String(value))
        case (.text, .real(let value)): builder.append(text: value.canonicalText)
        case (.text, .boolean(let value)): builder.append(text: value ? "true" : "false")
        case (.text, .json(let literal)) where readsStrings:
          builder.append(text: (try? JSON.parse(literal, name: ""))?.stringBytes ?? literal)
        case (.text, .number(let literal)), (.text, .json(let literal)): builder.append(text: literal)
        case (.json, .text), (.json, .integer), (.json, .real), (.json, .boolean), (.json, .bytes):
          var text = ByteBuffer()
          text.append(jsonOf: batch[row, source], batch.arena)
          builder.append(json: text.bytes())
        case (.text, .bytes(let bytes)): builder.append(text: Base64.encoded(bytes))
        default: builder.append(value: value)
        }
      }
    }
    return builder.finish()
  }
}
