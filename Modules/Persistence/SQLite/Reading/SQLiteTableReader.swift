import Codecs
import Files
import Rows

/// Reads one table in batches of values as SQLite keeps them, in one transaction on a connection of its own.
actor SQLiteTableReader {
  /// More columns than this are read with a step a row: a function takes at most 127 arguments.
  private static let widestFunction = 100

  private let connection: SQLiteConnection
  private let statement: SQLiteStatement
  /// The first row id from one on; nil where rows are not read by row id.
  private let seek: SQLiteStatement?
  private let fill: SQLiteFill
  /// Whether one step fills a batch.
  private let isBulk: Bool
  private let place: String
  private let watch: SQLiteWatch
  /// The thread of statements with a time limit.
  private let executor: BlockingExecutor?
  private var nextRowID = Int64.min
  private var isDone = false

  /// The rows of `table`, its columns at `columns`, in order of the key when there is one, else as the database has
  /// them.
  /// - Parameters:
  ///   - connection: owned by the reader from now on.
  ///   - begins: whether the table is read as it is now; otherwise as it is at `begin`.
  init(
    _ connection: consuming SQLiteConnection, _ table: SQLiteTable, columns: [Int], _ filter: SQLFilter = SQLFilter(),
    begins: Bool = true
  ) throws(Problem) {
    place = "\(connection.place):\(table.name)"
    watch = connection.watch
    executor = watch.hasLimit ? BlockingExecutor("bb.sqlite") : nil
    let list = columns.map { table.columns[$0].name.quotedForSQL }
    let name = table.name.quotedForSQL
    fill = SQLiteFill(width: columns.count)
    if begins { try connection.execute("BEGIN") }
    let hasOtherOrder = !table.key.isEmpty && !table.isKeyedByRowID
    let isWhole = filter.isEverything
    if isWhole, !table.isComputed, let rowID = table.rowIDName, columns.count <= Self.widestFunction, !hasOtherOrder {
      isBulk = true
      try connection.register(fill, arguments: columns.count + 1)
      statement = try connection.prepare(
        "SELECT bb_rows(\(([rowID] + list).joined(separator: ","))) FROM \(name) NOT INDEXED WHERE \(rowID) BETWEEN ?1 "
          + "AND ?2"
      )
      seek = try connection.prepare("SELECT \(rowID) FROM \(name) WHERE \(rowID) >= ?1 ORDER BY \(rowID) LIMIT 1")
    } else {
      isBulk = false
      seek = nil
      // An index may be used, which has another order.
      let usual = isWhole ? [] : table.rowIDName.map { [$0] } ?? []
      let key = table.key.isEmpty ? usual : table.key.map(\.quotedForSQL)
      let order = key.isEmpty ? "" : " ORDER BY " + key.joined(separator: ",")
      statement = try connection.prepare(
        "SELECT \(list.joined(separator: ",")) FROM \(name)\(filter.whereClause)\(order)\(filter.limitClause)")
    }
    for (place, value) in filter.values.enumerated() { try statement.bind(place + 2, value) }
    self.connection = connection
  }

  /// The next rows; nil at the end.
  /// - Throws: `busy` if another program overwrote them, `unavailable` if a view exceeded its time limit. If one of its
  ///   functions does not return, it is left running on its thread, which ends with the process.
  nonisolated func next() async throws(Problem) -> RowBatch? {
    guard let executor else { return try await nextBatch() }
    return try await executor.run(orWhen: { self.watch.isOverdue }) { () async throws(Problem) in
      try await self.nextBatch()
    } otherwise: {
      SQLiteProblem.exceeded(self.place)
    }
  }

  private func nextBatch() throws(Problem) -> RowBatch? {
    if isDone { return nil }
    let batch = try connection.watch.during { () throws(Problem) in try self.read() }
    try connection.checkUnchanged()
    // The table may be written when it is read.
    if isDone { try connection.execute("COMMIT") }
    return batch
  }

  private func read() throws(Problem) -> RowBatch? {
    if isBulk {
      try statement.bind(1, integer: nextRowID)
      try statement.bind(2, integer: .max)
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
      connection.watch.countRow()
      statement.take(into: fill)
      if fill.isTooLarge { throw Problem(.badData, "row larger than 4 GiB", at: place) }
    }
    return fill.finish()
  }

  // MARK: Ranges of row ids

  struct Piece: Sendable {
    var batches: [RowBatch] = []
    /// Where the rest of the range begins; nil when this is all of it.
    var rest: Int64?
    /// The first row id after the range; nil if there is none, or the range is not finished.
    var following: Int64?
  }

  /// The row id after the first batch, and the number of row ids per row; nil if there are no more rows, or they are
  /// not read by row id.
  func behindFirst(_ batch: RowBatch?) throws(Problem) -> (start: Int64, idsPerRow: Double)? {
    guard isBulk, !isDone, let batch, let first = try firstRowID(from: .min) else { return nil }
    return (nextRowID, (Double(nextRowID) - Double(first)) / Double(batch.count))
  }

  /// Reads a range, as far as `limit` batches go.
  func piece(_ range: ClosedRange<Int64>, limit: Int) throws(Problem) -> Piece {
    var piece = Piece(), start = range.lowerBound
    try statement.bind(2, integer: range.upperBound)
    while true {
      try statement.bind(1, integer: start)
      if let batch = try statement.fill(fill) { piece.batches.append(batch) }
      if !fill.isFull || fill.last == range.upperBound { break }
      start = fill.last + 1
      if piece.batches.count == limit {
        try connection.checkUnchanged()
        piece.rest = start
        return piece
      }
    }
    try connection.checkUnchanged()
    if range.upperBound < .max { piece.following = try firstRowID(from: range.upperBound + 1) }
    return piece
  }

  private func firstRowID(from start: Int64) throws(Problem) -> Int64? {
    try seek?.first(from: start)
  }

  // MARK: One snapshot on two connections

  /// A number that changes when another process writes.
  func version() throws(Problem) -> Int64 {
    try connection.integer("PRAGMA data_version")
  }

  /// The state of the database that is read; nil if only `version` tells.
  var snapshot: SQLiteSnapshot? { connection.snapshot }

  /// Begins reading the table as it is now; false if it is in another state than `snapshot`, or than at `version` if
  /// there is no snapshot.
  func begin(asOf known: Int64, _ snapshot: SQLiteSnapshot?) throws(Problem) -> Bool {
    try connection.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    return try version() == known ? connection.snapshot == snapshot : false
  }
}
