import CSQLite
import CSQLiteGuard
import Codecs
import Files
import Glibc
import Rows

/// Owns a `sqlite3 *`, closed when it goes. It has one owner, so that one thread at a time uses it, whichever that is.
@safe struct SQLiteConnection: ~Copyable, @unchecked Sendable {
  enum Access {
    /// Reading a file that exists. Nothing is modified, created or removed: neither the file, nor its journals.
    case reading
    /// Reading and writing; the file is created if it is missing.
    case writing
  }

  let handle: OpaquePointer
  /// The name of the database in messages.
  let place: String
  /// The time limit of statements.
  let watch: SQLiteWatch

  /// The file layers of `CSQLiteGuard`, registered once.
  private static let isRegistered = bb_sqlite3_register()

  /// Opens the database at `path`.
  ///
  /// The path is never read as a URI, whatever its name is.
  /// - Parameter place: the name for messages, if it is not the path.
  /// - Throws: `noInput` if a file to read is missing, `badData` for a file of another type, `permission`, `io`.
  static func open(path: String, _ access: Access, as place: String? = nil) throws(Problem) -> SQLiteConnection {
    let place = place ?? path
    let file = path.hasPrefix("/") ? path : "./" + path
    var status = stat()
    if unsafe stat(file, &status) != 0 {
      if access != .writing || errno != ENOENT { throw Problem.posix(errno, "open", place) }
    } else if status.st_mode & S_IFMT == S_IFDIR {
      throw Problem(.usage, "is a directory, not a database", at: place)
    } else if status.st_mode & S_IFMT != S_IFREG {
      throw Problem.notRegular(status.st_mode & S_IFMT, at: place)
    }
    try SQLiteJournal.check(file, writing: access == .writing)
    if access == .writing { try precreate(file) }
    let isReading = access == .reading
    let result = try connected(
      to: file, isReading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
      through: isReading ? "bb-read" : "bb-write", as: place)
    try result.execute("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0")
    if isReading { unsafe bb_sqlite3_restrict(result.handle, result.watch.state) } else { result.configureWriting() }
    return result
  }

  /// An empty database in a temporary file without a name.
  static func temporary(as place: String) throws(Problem) -> SQLiteConnection {
    try connected(to: "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, through: "bb-write", as: place)
  }

  private static func connected(
    to file: String, _ flags: Int32, through layer: String, as place: String
  ) throws(Problem) -> SQLiteConnection {
    guard isRegistered == SQLITE_OK else { throw Problem(.bug, "SQLite refuses bb's file layers", at: place) }
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(file, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, layer)
    guard code == SQLITE_OK, let connection = unsafe opened else {
      let problem = unsafe SQLiteProblem.problem(opened, code, at: place)
      unsafe sqlite3_close_v2(opened)
      throw problem
    }
    return unsafe SQLiteConnection(connection, place: place)
  }

  private init(_ handle: OpaquePointer, place: String) {
    unsafe self.handle = handle
    self.place = place
    watch = SQLiteWatch()
    unsafe sqlite3_busy_timeout(handle, Int32(StoreRules.patience) * 1000)
    // A file may be from another user: its schema must not run functions with side effects or attach databases.
    unsafe bb_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    unsafe bb_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
  }

  /// Lets views call all functions, and adds those of statements of the user.
  borrowing func trustSchema() throws(Problem) {
    unsafe bb_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    try registerFunctions()
  }

  /// A log is moved into the database when its last connection closes, and never while another reads: readers rely on
  /// that, because they leave no trace in the log's index.
  private func configureWriting() { unsafe sqlite3_wal_autocheckpoint(handle, 0) }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Creates the file before SQLite does, so that only its owner can read it; its journal gets the same mode.
  private static func precreate(_ file: String) throws(Problem) {
    let descriptor = unsafe Glibc.open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw Problem.posix(errno, "create", file.hasPrefix("./") ? String(file.dropFirst(2)) : file)
    }
  }

  /// Runs statements that return no rows.
  borrowing func execute(_ sql: String) throws(Problem) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }

  /// A statement, ready to be bound and stepped.
  borrowing func prepare(_ sql: String) throws(Problem) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else {
      throw unsafe SQLiteProblem.problem(handle, code, at: place)
    }
    return unsafe SQLiteStatement(statement, place: place)
  }

  /// The first integer that a statement returns; 0 if it returns no rows.
  borrowing func integer(_ sql: String) throws(Problem) -> Int64 {
    let rows = try prepare(sql)
    return try rows.step() ? rows.integer(0) : 0
  }

  /// Limits the bytes of a value and of a row; nil for SQLite's own limit.
  borrowing func limit(field: Int?) {
    unsafe _ = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: field ?? Int(Int32.max)))
  }

  /// The state of the database that this connection reads; nil if it changes only while no transaction is open.
  var snapshot: SQLiteSnapshot? {
    var state = bb_sqlite3_snapshot()
    guard unsafe bb_sqlite3_get_snapshot(handle, &state) == SQLITE_OK, state.is_known != 0 else { return nil }
    return unsafe withUnsafeBytes(of: &state) { unsafe SQLiteSnapshot(bytes: Array($0)) }
  }

  /// Fails if another program overwrote what this connection reads.
  /// - Throws: `busy`.
  borrowing func checkUnchanged() throws(Problem) {
    if unsafe bb_sqlite3_is_unchanged(handle) != 0 { return }
    throw Problem(.busy, "another program changed the database while it was read", at: place, hint: "run again")
  }

  borrowing func copy(to other: borrowing SQLiteConnection) throws(Problem) {
    guard let backup = unsafe sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw unsafe SQLiteProblem.problem(other.handle, sqlite3_errcode(other.handle), at: place)
    }
    unsafe sqlite3_backup_step(backup, -1)
    let code = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_OK else { throw unsafe SQLiteProblem.problem(other.handle, code, at: place) }
  }

  /// Adds the function `bb_typed_number`, which returns a literal as the number that it spells, or as it is if SQLite
  /// would change it.
  borrowing func registerTypedNumber() throws(Problem) {
    let code = unsafe sqlite3_create_function_v2(
      handle, "bb_typed_number", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
      { context, _, values in
        guard let value = unsafe values?[0], unsafe sqlite3_value_type(value) == SQLITE3_TEXT,
          let text = unsafe sqlite3_value_text(value)
        else {
          if let value = unsafe values?[0] { unsafe sqlite3_result_value(context, value) }
          return
        }
        switch unsafe StoredNumber(text, Int(sqlite3_value_bytes(value))) {
        case .integer(let number): unsafe sqlite3_result_int64(context, number)
        case .real(let number): unsafe sqlite3_result_double(context, number)
        case .literal: unsafe sqlite3_result_value(context, value)
        }
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }

  /// A function called `bb_rows` that hands the values of each row to `fill`, which must outlive the connection's
  /// statements.
  borrowing func register(_ fill: SQLiteFill, arguments: Int) throws(Problem) {
    let code = unsafe sqlite3_create_function_v2(
      handle, "bb_rows", Int32(arguments), SQLITE_UTF8 | SQLITE_DIRECTONLY, UnsafeMutableRawPointer(fill.state), nil,
      { context, _, values in unsafe SQLiteFill.take(context, values) }, { unsafe sqlite3_result_null($0) }, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }
}

/// The state of a database that a connection reads.
struct SQLiteSnapshot: Equatable, Sendable {
  fileprivate let bytes: [UInt8]
}
