import CSQLite
import Glibc
import Rows

/// Owns a `sqlite3 *`, closed when it goes. It has one owner, so that one thread at a time uses it, whichever that is.
@safe struct SQLiteConnection: ~Copyable, @unchecked Sendable {
  /// What a database is opened for.
  enum Access {
    /// Reading a file that exists.
    case reading
    /// Reading a file that nobody can change, without looking for locks: the medium is read-only.
    case immutable
    /// Reading and writing; the file is made when it is missing.
    case writing
  }

  fileprivate let handle: OpaquePointer
  /// How messages name the database.
  let place: String

  /// Opens the database at `path`.
  ///
  /// The path is never read as a URI, whatever its name is.
  /// - Throws: `noInput` when a file to read is missing, `permission`, `io`.
  static func open(path: String, _ access: Access) throws(Problem) -> SQLiteConnection {
    let file = path.hasPrefix("/") ? path : "./" + path
    var status = stat()
    if unsafe stat(file, &status) != 0, access != .writing || errno != ENOENT {
      throw Problem.posix(errno, "open", path)
    }
    if status.st_mode & S_IFMT == S_IFDIR { throw Problem(.usage, "is a folder, not a database", at: path) }
    if access == .writing { try precreate(file) }
    let flags: Int32
    switch access {
    case .reading: flags = SQLITE_OPEN_READONLY
    case .immutable: flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    case .writing: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    let name = access == .immutable ? "file:\(escaped(file))?immutable=1" : file
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let connection = unsafe opened else {
      let problem = unsafe SQLiteProblem.problem(opened, code, at: path)
      unsafe sqlite3_close_v2(opened)
      throw problem
    }
    let result = unsafe SQLiteConnection(connection, place: path)
    try result.execute("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0")
    return result
  }

  private init(_ handle: OpaquePointer, place: String) {
    unsafe self.handle = handle
    self.place = place
    unsafe sqlite3_busy_timeout(handle, Int32(StoreRules.patience) * 1000)
    // A file may come from anybody: its schema runs no functions with effects, and attaches nothing.
    unsafe bb_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    unsafe bb_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Makes the file before SQLite does, so that only its owner can read it; the files beside it follow.
  private static func precreate(_ file: String) throws(Problem) {
    let descriptor = unsafe Glibc.open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor >= 0 {
      close(descriptor)
    } else if errno != EEXIST {
      throw Problem.posix(errno, "create", file.hasPrefix("./") ? String(file.dropFirst(2)) : file)
    }
  }

  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      let isPlain =
        byte &- 48 < 10 || byte &- 65 < 26 || byte &- 97 < 26 || "/-_.~".utf8.contains(byte)
      return isPlain
        ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  /// Runs statements that answer nothing.
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

  /// The integer that a statement answers first; 0 when it answers nothing.
  borrowing func integer(_ sql: String) throws(Problem) -> Int64 {
    let rows = try prepare(sql)
    return try rows.step() ? rows.integer(0) : 0
  }

  /// How many rows the last statement inserted, changed or deleted.
  var changes: Int { Int(unsafe sqlite3_changes(handle)) }

  /// A function called `bb_rows` that hands the values of each row to `fill`, which must outlive the connection's statements.
  borrowing func register(_ fill: SQLiteFill, arguments: Int) throws(Problem) {
    let code = unsafe sqlite3_create_function_v2(
      handle, "bb_rows", Int32(arguments), SQLITE_UTF8 | SQLITE_DIRECTONLY, UnsafeMutableRawPointer(fill.state), nil,
      { context, _, values in unsafe SQLiteFill.take(context, values) }, { unsafe sqlite3_result_null($0) }, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }
}
