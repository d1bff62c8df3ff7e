import CPostgres
import Codecs
import Rows

/// Owns a connection to a server, closed when it goes. One task at a time uses it. Calls wait for the server; actors
/// that make them run on a queue of their own.
@safe final class PostgresConnection: @unchecked Sendable {
  /// The names of the server and the database in messages.
  let place: String
  private let handle: OpaquePointer
  /// The SQLSTATE of the last error.
  private(set) var state = ""
  /// The detail of the last error, in the server's words.
  private(set) var detail = ""
  /// Whether the transaction creates a store.
  var isCreating = false
  /// The name that servers show for bb's connections.
  private static let application = "bb"

  /// Connects.
  /// - Throws: `unavailable` without the library or a server, `permission` for a wrong password, `noInput` for a
  ///   missing database, `usage` for malformed parameters.
  static func open(_ location: PostgresLocation) throws(Problem) -> PostgresConnection {
    if let reason = unsafe bb_pg_load() { throw PostgresProblem.missing(unsafe String(cString: reason)) }
    guard !location.parameters.utf8.contains(0),
      let handle = unsafe bb_pg_connect(location.parameters, application)
    else {
      // The library's message could contain a part of a password.
      throw Problem(
        .usage, "invalid connection parameters", at: location.name,
        hint: "use postgres://HOST/DATABASE?KEY=VALUE with the keywords of libpq")
    }
    let connection = unsafe PostgresConnection(handle, location.name)
    guard connection.isConnected else {
      throw unsafe PostgresProblem.connecting(String(cString: bb_pg_message(handle)), at: location.name)
    }
    return connection
  }

  private init(_ handle: OpaquePointer, _ place: String) {
    unsafe self.handle = handle
    self.place = place
  }

  deinit { unsafe bb_pg_close(handle) }

  /// Whether the server can still be reached.
  var isConnected: Bool { unsafe bb_pg_is_connected(handle) != 0 }
  var isIdle: Bool { unsafe bb_pg_transaction(handle) == 0 }
  var serverVersion: Int { Int(unsafe bb_pg_server_version(handle)) }

  /// Whether the server's process is another than the one connected to: a pooler is between.
  func isPooled() throws(Problem) -> Bool {
    try integer("SELECT pg_catalog.pg_backend_pid()::bigint") != Int64(unsafe bb_pg_backend(handle))
  }

  enum Purpose {
    /// Reading one state of the database.
    case reading
    /// Writing, one change at a time.
    case writing
  }

  /// Begins a transaction. Settings are part of it, because a pooler gives each transaction another session.
  /// - Parameter search: whether names are searched as the user's settings say. A store qualifies all names, and must
  ///   not meet another's functions.
  func begin(_ purpose: Purpose, search: Bool = false) throws(Problem) {
    var statements =
      purpose == .reading
      ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED"
    var settings = [
      "DateStyle = 'ISO, YMD'", "TimeZone = 'UTC'", "extra_float_digits = 3", "bytea_output = 'hex'",
      "standard_conforming_strings = on", "lock_timeout = '\(StoreRules.patience)s'",
    ]
    if purpose == .writing {
      settings += ["synchronous_commit = on", "idle_in_transaction_session_timeout = 0"]
    }
    if !search { settings.append("search_path = pg_catalog") }
    for setting in settings { statements += "; SET LOCAL \(setting)" }
    try execute(statements)
  }

  /// Executes statements without parameters; returns the number of rows that the last one changed.
  @discardableResult
  func execute(_ sql: String) throws(Problem) -> Int {
    let result = try unsafe checked(bb_pg_execute(handle, sql))
    return result.affected
  }

  @discardableResult
  func query(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) throws(Problem) -> PostgresResult {
    let result = unsafe parameters.bytes.withUnsafeBufferPointer { bytes in
      unsafe bb_pg_query(
        handle, sql, Int32(parameters.types.count), parameters.types, bytes.baseAddress, parameters.offsets,
        parameters.lengths)
    }
    return try unsafe checked(result)
  }

  /// The first integer that a statement returns; 0 for none.
  func integer(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) throws(Problem) -> Int64 {
    let result = try query(sql, parameters)
    return result.rows > 0 ? result.integer(0, 0) : 0
  }

  private func checked(_ pointer: OpaquePointer?) throws(Problem) -> PostgresResult {
    guard let pointer = unsafe pointer else { throw lost() }
    let result = unsafe PostgresResult(pointer)
    guard unsafe bb_pg_status(pointer) == 0 else { return result }
    state = result.errorField("C")
    detail = result.errorField("D")
    if state.isEmpty || !isConnected && state.hasPrefix("57P") == false { throw lost() }
    var message = result.errorField("M")
    if state.hasPrefix("23"), !detail.isEmpty { message += ": \(detail)" }
    if message.last == "." { message.removeLast() }
    if let line = Self.copyLine(result.errorField("W")) { message += " (record \(line))" }
    throw PostgresProblem.problem(state, message, at: place)
  }

  /// The line of a COPY, from 1, that the context of an error names; nil if it names none.
  private static func copyLine(_ context: String) -> Int? {
    guard context.hasPrefix("COPY "), let mark = context.firstRange(of: ", line ") else { return nil }
    return Int(context[mark.upperBound...].prefix { $0.isNumber })
  }

  private func lost() -> Problem {
    Problem(.unavailable, "the connection to the server was lost", at: place, hint: "run the command again")
  }

  // MARK: COPY

  /// Begins `COPY … FROM STDIN`.
  func beginCopyIn(_ sql: String) throws(Problem) {
    let result = try unsafe checked(bb_pg_execute(handle, sql))
    guard unsafe bb_pg_status(result.pointer) == 3 else { throw Problem(.bug, "not a COPY FROM STDIN", at: place) }
  }

  /// Sends bytes of the rows.
  /// - Throws: the server's reason to refuse earlier ones.
  func put(_ bytes: RawSpan) throws(Problem) {
    let isDone = unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return true }
      return unsafe bb_pg_put(handle, start.assumingMemoryBound(to: UInt8.self), bytes.count) != 0
    }
    if isDone { return }
    _ = try endCopyIn()
    throw lost()
  }

  /// Ends the COPY; returns the number of rows.
  func endCopyIn() throws(Problem) -> Int { try unsafe checked(bb_pg_end_copy(handle, nil)).affected }

  /// Begins `COPY … TO STDOUT`.
  func beginCopyOut(_ sql: String) throws(Problem) {
    let result = try unsafe checked(bb_pg_execute(handle, sql))
    guard unsafe bb_pg_status(result.pointer) == 4 else { throw Problem(.bug, "not a COPY TO STDOUT", at: place) }
  }

  /// Appends whole rows of the COPY; returns false at the end.
  func receive(into bytes: inout ArenaBuilder) throws(Problem) -> Bool {
    while true {
      var needed = 0, received = 0
      _ = unsafe bytes.appendBytes(atMost: max(bytes.room, 1)) { memory in
        guard let start = memory.baseAddress else { return 0 }
        received = unsafe Int(
          bb_pg_get(handle, start.assumingMemoryBound(to: UInt8.self), memory.count, &needed))
        return received
      }
      switch received {
      case 0:
        _ = try unsafe checked(bb_pg_end(handle))
        return false
      case -2: bytes.reserve(bytes.count + needed)
      case -1:
        _ = try unsafe checked(bb_pg_end(handle))
        throw lost()
      default: return true
      }
    }
  }
}

/// The servers that the process is connected to.
public enum PostgresServers {
  /// Cancels the running statements of all connections of the process, which is about to end.
  public static func cancelAll() { bb_pg_cancel_all(1000) }
}

/// The result of a statement, in binary form.
@safe final class PostgresResult {
  fileprivate let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }
  deinit { unsafe bb_pg_free(pointer) }

  /// A part of an error, by its letter: `C` for the SQLSTATE, `M` for the message.
  fileprivate func errorField(_ letter: Unicode.Scalar) -> String {
    unsafe String(cString: bb_pg_error(pointer, CInt(letter.value)))
  }

  var rows: Int { Int(unsafe bb_pg_rows(pointer)) }
  /// The number of rows that the statement changed.
  fileprivate(set) lazy var affected = Int(unsafe bb_pg_affected(pointer))

  /// The bytes of a value; nil for null.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    var length: Int32 = 0
    guard let start = unsafe bb_pg_value(pointer, Int32(row), Int32(column), &length) else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(length)))
  }
  /// A text; empty for null.
  func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column) ?? [], as: UTF8.self) }
  /// An integer of any size; 0 for null.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column) ?? []
    let isNegative = (bytes.first ?? 0) >= 0x80
    return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
  func isTrue(_ row: Int, _ column: Int) -> Bool { bytes(row, column) == [1] }
}

/// Parameters of a statement, in binary form: `$1`, `$2`, ….
struct PostgresParameters {
  private(set) var types: [UInt32] = []
  private(set) var bytes: [UInt8] = []
  private(set) var offsets: [Int] = []
  private(set) var lengths: [Int32] = []

  static let most = 60_000

  private mutating func append(_ type: PostgresType, _ value: [UInt8]?) {
    types.append(type.rawValue)
    offsets.append(bytes.count)
    lengths.append(value.map { Int32($0.count) } ?? -1)
    bytes += value ?? []
  }

  /// Appends a text, or null.
  mutating func append(text: String?) { append(.text, text.map { Array($0.utf8) }) }
  mutating func append(utf8: [UInt8]) { append(.text, utf8) }
  mutating func append(integer: Int64) { append(.int8, PostgresBinary.bigEndian(integer)) }
  mutating func append(boolean: Bool) { append(.bool, [boolean ? 1 : 0]) }

  /// Appends a value of a store, in the form in which its column keeps it.
  mutating func append(_ value: Value, _ type: ColumnType) {
    switch value {
    case .null: append(PostgresFormat.type(type), nil)
    case .integer(let number) where type == .integer: append(integer: number)
    case .boolean(let truth): append(boolean: truth)
    case .bytes(let bytes): append(.bytea, bytes)
    case .integer(let number): append(.text, Array(String(number).utf8))
    case .real(let number): append(.text, number.canonicalText)
    case .number(let text), .text(let text), .json(let text): append(.text, text)
    }
  }
}

/// Types of PostgreSQL, by their object identifier.
enum PostgresType: UInt32 {
  case bool = 16, bytea = 17, int8 = 20, int2 = 21, int4 = 23, text = 25, oid = 26, json = 114, float4 = 700
  case float8 = 701, bpchar = 1042, varchar = 1043, date = 1082, timestamp = 1114, timestamptz = 1184, numeric = 1700
  case uuid = 2950, jsonb = 3802
}
