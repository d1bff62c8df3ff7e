import Domain

/// Reads one table in batches of values as SQLite keeps them, in one transaction on a connection and a queue of its own.
actor SQLiteTableReader {
  /// More columns than this are read with a step a row: a function takes at most 127 arguments.
  private static let widestFunction = 100

  private let executor = QueueExecutor("bb.sqlite.read")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  private let connection: SQLiteConnection
  private let statement: SQLiteStatement
  private let fill: SQLiteFill
  /// Whether one step fills a batch.
  private let isBulk: Bool
  private let place: String
  private var nextRowID = Int64.min
  private var isDone = false

  /// The rows of `table`, its columns at `columns`, in order of the key when there is one, else as the database has them.
  /// - Parameter connection: the reader's own from now on.
  init(
    _ connection: consuming SQLiteConnection, _ table: SQLiteTable, columns: [Int], _ filter: SQLiteFilter = .none
  ) throws(Problem) {
    place = "\(connection.place):\(table.name)"
    let list = columns.map { table.columns[$0].name.quotedForSQL }
    let name = table.name.quotedForSQL
    fill = SQLiteFill(width: columns.count)
    try connection.execute("BEGIN")
    let hasOtherOrder = !table.key.isEmpty && !table.isKeyedByRowID
    let isWhole = filter.conditions.isEmpty && filter.limit == nil
    if isWhole, let rowID = table.rowIDName, columns.count <= Self.widestFunction, !hasOtherOrder {
      isBulk = true
      try connection.register(fill, arguments: columns.count + 1)
      statement = try connection.prepare(
        "SELECT bb_rows(\(([rowID] + list).joined(separator: ","))) FROM \(name) NOT INDEXED WHERE \(rowID) >= ?1")
    } else {
      isBulk = false
      let conditions = filter.conditions.isEmpty ? "" : " WHERE " + filter.conditions.joined(separator: " AND ")
      // An index may be used, which has another order.
      let usual = isWhole ? [] : table.rowIDName.map { [$0] } ?? []
      let key = table.key.isEmpty ? usual : table.key.map(\.quotedForSQL)
      let order = key.isEmpty ? "" : " ORDER BY " + key.joined(separator: ",")
      let limit = filter.limit.map { " LIMIT \($0)" } ?? ""
      statement = try connection.prepare(
        "SELECT \(list.joined(separator: ",")) FROM \(name)\(conditions)\(order)\(limit)")
    }
    for (place, value) in filter.values.enumerated() { try statement.bind(place + 2, value) }
    self.connection = connection
  }

  /// The next rows; nil at the end.
  func next() throws(Problem) -> RowBatch? {
    if isDone { return nil }
    if isBulk {
      try statement.bind(1, integer: nextRowID)
      let batch = try statement.fill(fill)
      isDone = !fill.isFull || fill.last == .max
      nextRowID = fill.last &+ 1
      return batch
    }
    fill.begin()
    while !fill.isFull {
      guard try statement.step() else {
        isDone = true
        break
      }
      statement.take(into: fill)
      if fill.isTooLarge { throw Problem(.badData, "a row is larger than 4 GiB", at: place) }
    }
    return fill.finish()
  }
}
