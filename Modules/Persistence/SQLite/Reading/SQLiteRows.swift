import Codecs
import Rows
import Synchronization

/// The rows of a table of any database.
///
/// Types are those that the database guarantees, else those that an exported table names, else those of the first
/// batch's values; a later value of another kind is `badData`, and `widened` begins again with types that hold all of
/// them. A column of mixed values is JSON, value by value, in which a BLOB stays a BLOB.
final class SQLiteRows: ExactRowStream {
  let schema: Schema

  private let database: SQLiteDatabase
  private let table: SQLiteTable
  private let positions: [Int]
  private let filter: SQLFilter
  private let types: [ColumnType]
  /// Whether these are the rows of a part, whose types are those of the whole.
  private let isPart: Bool
  /// Columns whose type was guessed.
  private let guessed: [Bool]
  private let meanings: [SQLiteConversion.Meaning]
  private let reader: SQLiteTableReader
  /// What reads the rest of a large table by two connections.
  let ranges: SQLiteRanges?
  private let ahead: Mutex<RowBatch?>
  /// Columns with a value that is not of their type.
  private let contradicted = Mutex<Set<Int>>([])

  /// The columns at `positions`, read on as many cores as there are and as help.
  static func open(
    _ database: SQLiteDatabase, _ connection: consuming SQLiteConnection, _ table: SQLiteTable, _ positions: [Int],
    _ filter: SQLFilter, cores: Int = 1, named name: String, isPart: Bool = false
  ) async throws(Problem) -> SQLiteRows {
    // The second connection starts after the first, and has the same snapshot if no process wrote in between.
    let second =
      cores > 1 && database.isLarge && filter.isEverything
      ? try SQLiteTableReader(try database.open(table), table, columns: positions, begins: false) : nil
    let version = try await second?.version()
    let reader = try SQLiteTableReader(connection, table, columns: positions, filter)
    let first = try await reader.next()
    var ranges: SQLiteRanges?
    if let second, let version, let first, let behind = try await reader.behindFirst(first),
      try await second.begin(asOf: version, await reader.snapshot)
    {
      ranges = SQLiteRanges([reader, second], from: behind.start, batch: first.count, idsPerRow: behind.idsPerRow)
    }
    var kinds = SQLiteKinds(table, positions)
    if let first { kinds.look(at: first) }
    return SQLiteRows(
      database, table, positions, filter, name, kinds, reader, ranges, first, isWhole: first == nil, isPart: isPart)
  }

  private init(
    _ database: SQLiteDatabase, _ table: SQLiteTable, _ positions: [Int], _ filter: SQLFilter,
    _ name: String, _ kinds: SQLiteKinds,
    _ reader: SQLiteTableReader, _ ranges: SQLiteRanges?, _ first: RowBatch?, isWhole: Bool, isPart: Bool = false
  ) {
    self.isPart = isPart
    self.database = database
    var table = table
    for (index, position) in positions.enumerated() {
      if let spelling = kinds.spelling(index) { table.columns[position].spelling = spelling }
    }
    self.table = table
    self.positions = positions
    self.filter = filter
    self.reader = reader
    self.ranges = ranges
    let types = positions.enumerated().map { index, position in
      let column = table.columns[position]
      return column.type ?? column.hint ?? table.certainType(position) ?? kinds.type(index)
        ?? table.likelyType(position)
    }
    let meanings: [SQLiteConversion.Meaning] = positions.map { position in
      let column = table.columns[position]
      // A type that the comment names too does not change how the values are stored.
      if let type = column.type { return type == column.hint ? .hinted : .declared }
      return column.hint == nil ? .found : .hinted
    }
    guessed = positions.indices.map { index in
      guard table.columns[positions[index]].type == nil else { return false }
      return meanings[index] == .hinted || !isWhole && table.certainType(positions[index]) == nil
    }
    let names = positions.map { table.columns[$0].name }
    let columns = positions.indices.map { index in
      table.columns[positions[index]].described(
        as: types[index], mixed: types[index] == .json && meanings[index] == .found)
    }
    self.types = types
    self.meanings = meanings
    let key = table.key.allSatisfy(names.contains) ? table.key : []
    schema = Schema(name, key: key, columns: columns)
    ahead = Mutex(first)
  }

  var mayWiden: Bool { !isPart && guessed.contains(true) }

  func next() async throws(Problem) -> BatchTask? {
    let first = ahead.withLock { first in
      defer { first = nil }
      return first
    }
    let batch: RowBatch
    if let first {
      batch = first
    } else {
      let next = if let ranges { try await ranges.next() } else { try await reader.next() }
      guard let next else { return nil }
      batch = next
    }
    return BatchTask { () throws(Problem) in try self.converted(batch) }
  }

  /// The table once more, with the types of all its values.
  func widened() async throws(Problem) -> (any RowStream)? {
    let contradicted = self.contradicted.withLock { $0 }
    if contradicted.isEmpty || isPart { return nil }
    var table = table
    for index in contradicted { table.columns[positions[index]].hint = nil }
    let look = try SQLiteTableReader(try database.open(table), table, columns: positions, filter)
    var kinds = SQLiteKinds(table, positions)
    while let batch = try await look.next() { kinds.look(at: batch) }
    let again = try SQLiteTableReader(try database.open(table), table, columns: positions, filter)
    return SQLiteRows(database, table, positions, filter, schema.name, kinds, again, nil, nil, isWhole: true)
  }

  /// The table with the types that were found as those of its columns; nil if these cannot be stated.
  var settled: SQLiteTable? {
    guard !types.contains(.json) else { return nil }
    var table = table
    for (index, position) in positions.enumerated() where guessed[index] { table.columns[position].hint = types[index] }
    return table
  }

  /// The table from its beginning, with the same types.
  func reopened() async throws(Problem) -> (any RowStream)? {
    // Values of several types are read otherwise if the type of their column is known.
    guard let settled else { return nil }
    let reader = try SQLiteTableReader(try database.open(table), table, columns: positions, filter)
    let table = settled
    return SQLiteRows(
      database, table, positions, filter, schema.name, SQLiteKinds(table, positions), reader, nil, nil,
      isWhole: false)
  }

  /// Checks a batch against the types, and turns what is kept in another form into bb's.
  private func converted(_ batch: RowBatch) throws(Problem) -> RowBatch {
    var conversion = SQLiteConversion(batch, types, meanings, positions.map { table.columns[$0].scale })
    if let fault = conversion.run() {
      let column = schema.columns[fault.column]
      if guessed[fault.column], !fault.isBroken { _ = contradicted.withLock { $0.insert(fault.column) } }
      throw Problem(
        .badData, "invalid value in column “\(column.name)”: expected \(column.type.name), found \(fault.found)",
        at: "\(database.name):\(table.name)", record: fault.row)
    }
    return conversion.result
  }
}

struct SQLiteKinds {
  private struct Kinds: OptionSet {
    let rawValue: UInt8
    static let integer = Kinds(rawValue: 1), real = Kinds(rawValue: 2), text = Kinds(rawValue: 4)
    static let bytes = Kinds(rawValue: 8)
  }
  private var kinds: [Kinds]
  /// The kinds of the texts in columns that are declared to have dates or times.
  private var texts: [Int: ValueKinds] = [:]

  init(_ table: SQLiteTable, _ positions: [Int]) {
    kinds = Array(repeating: [], count: positions.count)
    for (index, position) in positions.enumerated() where table.isTemporal(position) { texts[index] = [] }
  }

  mutating func look(at batch: RowBatch) {
    for column in texts.keys {
      for row in 0..<batch.count {
        guard case .text(let start, let length) = batch[row, column] else { continue }
        texts[column]?.formUnion(ValueKinds(field: ByteRun(batch.arena, start, length)))
      }
    }
    for row in 0..<batch.count {
      for column in kinds.indices {
        switch batch[row, column] {
        case .integer: kinds[column].insert(.integer)
        case .real: kinds[column].insert(.real)
        case .text: kinds[column].insert(.text)
        case .bytes: kinds[column].insert(.bytes)
        case .null, .number, .json, .boolean: break
        }
      }
    }
  }

  /// The spelling of dates and times; nil for other columns.
  func spelling(_ column: Int) -> ValueSpelling? {
    type(column)?.isTemporal == true ? texts[column]?.spelling : nil
  }

  /// The narrowest type for all values of a column; nil when there was none.
  func type(_ column: Int) -> ColumnType? {
    if kinds[column] == .text, var text = texts[column] {
      // A space and a `T` mean the same.
      if text.remove(.spacedLocal) != nil { text.insert(.local) }
      let type = text.type(else: .text)
      return type.isTemporal ? type : .text
    }
    return switch kinds[column] {
    case []: nil
    case .integer: .integer
    case .real: .real
    case [.integer, .real]: .decimal
    case .text: .text
    case .bytes: .bytes
    default: .json
    }
  }
}
