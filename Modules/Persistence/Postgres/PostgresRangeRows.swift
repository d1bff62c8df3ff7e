import Files
import Query
import Rows

/// The rows of a table, read by several connections that see the same state of it. Each reads ranges of pages in turn;
/// the order is that of one connection.
final class PostgresRangeRows: ExactRowStream {
  let schema: Schema
  private let decoding: PostgresDecoding
  private let merge: PostgresRangeMerge

  /// The rows of statements, in their order.
  init(_ connections: [PostgresConnection], _ statements: [String], _ decoding: PostgresDecoding) {
    schema = decoding.schema
    self.decoding = decoding
    merge = PostgresRangeMerge(
      connections.enumerated().map { number, connection in
        PostgresRangeReader(
          connection, stride(from: number, to: statements.count, by: connections.count).map { statements[$0] })
      }, ranges: statements.count)
  }

  /// Pages of 8 KiB of a range: 2 MiB. The server and the socket work in advance as well.
  static let pagesOfRange = 256

  /// The statements that copy ranges of pages, in their order.
  /// - Parameters:
  ///   - query: the query up to a further condition: `SELECT … WHERE`.
  ///   - rest: what follows the conditions.
  ///   - pages: the pages that the table has now; rows in later ones were added since.
  ///   - shard: nil for all ranges. The ranges of a part do not depend on the number of pages, which may be another one
  ///     for each machine.
  static func statements(_ query: String, _ rest: String = "", pages: Int, of shard: Shard? = nil) -> [String] {
    let starts = Array(stride(from: 0, to: pages, by: pagesOfRange))
    return (shard?.positions(of: starts.count) ?? Array(starts.indices)).map { position in
      let end = starts[position] + pagesOfRange, isOpen = shard == nil && end >= pages
      let upper = isOpen ? "" : " AND ctid < '(\(end),0)'"
      return "COPY (\(query) ctid >= '(\(starts[position]),0)'\(upper)\(rest)) TO STDOUT (FORMAT binary)"
    }
  }

  var mayWiden: Bool { decoding.widening != nil }
  func widened() async throws(Problem) -> (any RowStream)? { try await decoding.widening?.widened() }

  func next() async throws(Problem) -> BatchTask? {
    guard let arena = try await merge.next() else { return nil }
    let decoding = self.decoding
    return BatchTask { () throws(Problem) in try decoding.batch(arena) }
  }
}

/// Puts what the readers receive into order.
private actor PostgresRangeMerge {
  private let readers: [PostgresRangeReader]
  private let ranges: Int
  private var range = 0
  private var ready: [Arena] = []
  /// The rows that each reader receives in advance.
  private var pending: [Task<Result<PostgresRangeReader.Part, Problem>, Never>] = []

  init(_ readers: [PostgresRangeReader], ranges: Int) {
    self.readers = readers
    self.ranges = ranges
  }

  deinit { for task in pending { task.cancel() } }

  private static func start(_ reader: PostgresRangeReader) -> Task<Result<PostgresRangeReader.Part, Problem>, Never> {
    Task {
      do throws(Problem) { return .success(try await reader.next()) } catch { return .failure(error) }
    }
  }

  func next() async throws(Problem) -> Arena? {
    if pending.isEmpty { pending = readers.map(Self.start) }
    while ready.isEmpty {
      guard range < ranges else { return nil }
      let turn = range % readers.count
      let part = try await pending[turn].value.get()
      ready = part.arenas.reversed()
      if part.isLast { range += 1 }
      pending[turn] = Self.start(readers[turn])
    }
    return ready.removeLast()
  }
}

/// A connection that receives its ranges one after the other, on a queue of its own.
private actor PostgresRangeReader {
  private let queue = QueueExecutor("bb.postgres.range")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  private let connection: PostgresConnection
  private var statements: ArraySlice<String>
  private var isReceiving = false

  init(_ connection: PostgresConnection, _ statements: [String]) {
    self.connection = connection
    self.statements = statements[...]
  }

  struct Part: Sendable {
    var arenas: [Arena] = []
    var isLast = true
  }

  /// The bytes that are received in advance: the program stays within 32 MiB.
  private static let limit = 640 << 10

  /// The next part of the range, or the first of the next range; nothing after the last one.
  func next() throws(Problem) -> Part {
    var part = Part(), bytes = 0
    if !isReceiving {
      guard let statement = statements.popFirst() else { return part }
      try connection.beginCopyOut(statement)
      isReceiving = true
    }
    while bytes < Self.limit {
      if Task.isCancelled { throw Problem(.cancelled, "cancelled") }
      var arena = ArenaBuilder()
      guard try connection.receive(into: &arena) else {
        isReceiving = false
        return part
      }
      bytes += arena.count
      part.arenas.append(arena.freeze())
    }
    part.isLast = false
    return part
  }
}
