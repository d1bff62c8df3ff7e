import Files
import Rows

/// The rows of a query, read with COPY on a connection of their own, in one transaction.
///
/// The server sends them while earlier ones are worked on; any core takes them apart.
final class PostgresRows: ExactRowStream {
  let schema: Schema
  private let decoding: PostgresDecoding
  private let reader: PostgresReader

  /// The rows of `query`, whose columns have the forms of `decoding`.
  /// - Parameters:
  ///   - endsTransaction: whether the transaction ends when all rows were read.
  ///   - finished: gets the connection then.
  init(
    _ connection: PostgresConnection, _ query: String, _ decoding: PostgresDecoding, endsTransaction: Bool = true,
    finished: @escaping @Sendable (PostgresConnection) async -> Void = { _ in }
  ) async throws(Problem) {
    schema = decoding.schema
    self.decoding = decoding
    reader = PostgresReader(connection, endsTransaction: endsTransaction, finished)
    try await reader.begin("COPY (\(query)) TO STDOUT (FORMAT binary)")
  }

  var mayWiden: Bool { decoding.widening != nil }
  func widened() async throws(Problem) -> (any RowStream)? { try await decoding.widening?.widened() }

  func next() async throws(Problem) -> BatchTask? {
    guard let arena = try await reader.next() else { return nil }
    let decoding = self.decoding
    return BatchTask { () throws(Problem) in try decoding.batch(arena) }
  }
}

/// A connection that receives the rows of a COPY, on a queue of its own.
private actor PostgresReader {
  private let queue = QueueExecutor("bb.postgres.reader")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  /// Nil once all rows were read.
  private var connection: PostgresConnection?

  private let endsTransaction: Bool
  private let finished: @Sendable (PostgresConnection) async -> Void

  init(
    _ connection: PostgresConnection, endsTransaction: Bool,
    _ finished: @escaping @Sendable (PostgresConnection) async -> Void
  ) {
    self.connection = connection
    self.endsTransaction = endsTransaction
    self.finished = finished
  }

  func begin(_ statement: String) throws(Problem) { try connection?.beginCopyOut(statement) }

  func next() async throws(Problem) -> Arena? {
    guard let connection else { return nil }
    var bytes = ArenaBuilder()
    guard try connection.receive(into: &bytes) else {
      if endsTransaction { try connection.execute("COMMIT") }
      self.connection = nil
      await finished(connection)
      return nil
    }
    return bytes.freeze()
  }
}
