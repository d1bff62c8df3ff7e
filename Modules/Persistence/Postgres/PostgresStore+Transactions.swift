import Codecs
import Glibc
import Rows

/// Changes of a store in PostgreSQL, each in one transaction.
extension PostgresStore {
  /// The number of times that a change is tried when others interfere.
  private static let attempts = 5
  /// Errors of two programs that meet.
  private static let clashes: Set = ["40001", "40P01"]
  /// Errors of two programs that create the same store.
  private static let creations: Set = ["23505", "42P06", "42P07", "42710", "42723", "XX000"]

  /// Waits for other writers. A row is locked, because that ends with the transaction, whatever session it has.
  func lock(_ connection: PostgresConnection) throws(Problem) {
    do throws(Problem) {
      try connection.query("SELECT value FROM \(format.meta) WHERE name = 'writer' FOR UPDATE")
    } catch {
      guard connection.state == "55P03" else { throw error }
      throw Problem(
        .busy, "the store is locked by another process", at: name, hint: "run the command again when it has finished")
    }
  }

  private func create(_ connection: PostgresConnection) throws(Problem) {
    do throws(Problem) { try PostgresName.check(format.schema) } catch { throw error.located(at: name) }
    var parameters = PostgresParameters()
    parameters.append(text: format.schema)
    let others = try connection.query(
      """
      SELECT n.oid::bigint, (SELECT count(*) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid)
      FROM pg_catalog.pg_namespace n WHERE n.nspname::text = $1
      """, parameters)
    if others.rows > 0, others.integer(0, 1) > 0 {
      // Another program has created the store since.
      if try format.isStore(connection) { return }
      throw Problem(
        .permission, "refusing to write: the schema “\(format.schema)” was not created by bb", at: name,
        hint: "use another schema: ?schema=NAME")
    }
    if others.rows == 0 { try connection.execute("CREATE SCHEMA \(format.schema.quotedForSQL)") }
    try connection.execute(format.ownTables)
  }

  /// Makes a change in one transaction, again if it met another.
  /// - Parameter body: returns its result, and whether the change is to be kept.
  func changing<Result>(
    _ body: (PostgresConnection) throws(Problem) -> (Result, isKept: Bool)
  ) throws(Problem) -> Result {
    var attempt = 1
    while true {
      var used: PostgresConnection?
      do throws(Problem) {
        let connection = try begin(noting: &used)
        let (result, isKept) = try body(connection)
        if isKept { try commit(connection) } else { try connection.execute("ROLLBACK") }
        keep(connection)
        return result
      } catch {
        guard used.map(isClash) == true, attempt < Self.attempts else { throw error }
        attempt += 1
        usleep(UInt32.random(in: 1_000...20_000) * UInt32(attempt))
      }
    }
  }

  /// Whether the last error of a connection is that of programs that meet.
  private func isClash(_ connection: PostgresConnection) -> Bool {
    Self.clashes.contains(connection.state) || connection.isCreating && Self.creations.contains(connection.state)
  }

  /// A connection with a transaction that is the only one to change the store, which is created if necessary.
  private func begin(noting used: inout PostgresConnection?) throws(Problem) -> PostgresConnection {
    let connection = try connection(.writing)
    used = connection
    if try !format.isStore(connection) {
      connection.isCreating = true
      try create(connection)
      connection.isCreating = false
    }
    try lock(connection)
    return connection
  }

  /// Commits. When the connection is lost, the change's own identifier shows whether it was made.
  func commit(_ connection: PostgresConnection) throws(Problem) {
    let change = HistoryIdentifier.make(time: "", after: nil)
    var parameters = PostgresParameters()
    parameters.append(text: change)
    try connection.query("INSERT INTO \(format.changes)(id) VALUES ($1)", parameters)
    try connection.execute(
      "DELETE FROM \(format.changes) WHERE time < pg_catalog.now() - '1 day'::pg_catalog.interval")
    do throws(Problem) { try connection.execute("COMMIT") } catch {
      if connection.isConnected { throw error }
      try resolve(change)
    }
  }

  /// Returns if the change is in the store.
  /// - Throws: `busy` if it is not, or that cannot be found out.
  private func resolve(_ change: String) throws(Problem) {
    let end = ContinuousClock.now + .seconds(StoreRules.patience)
    while true {
      var used: PostgresConnection?
      do throws(Problem) {
        // The lost transaction has the lock, or the name of the schema, until it ends, one way or the other.
        let connection = try begin(noting: &used)
        var parameters = PostgresParameters()
        parameters.append(text: change)
        let count = try connection.integer("SELECT count(*) FROM \(format.changes) WHERE id = $1", parameters)
        try connection.execute("ROLLBACK")
        keep(connection)
        if count > 0 { return }
        throw Problem(
          .busy, "the connection to the server was lost, and nothing was changed", at: name,
          hint: "run the command again")
      } catch {
        guard error.kind == .unavailable || used.map(isClash) == true else { throw error }
        guard ContinuousClock.now < end else {
          throw Problem(
            .busy, "the connection to the server was lost while the change was saved: \(error.message)", at: name,
            hint: "look at the history before you repeat the command")
        }
        usleep(250_000)
      }
    }
  }
}
