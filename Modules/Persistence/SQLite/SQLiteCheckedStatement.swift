import CSQLite
import Rows

extension SQLiteConnection {
  /// A statement of the user that only reads.
  struct CheckedStatement {
    /// The statement, without a semicolon.
    let text: String
    /// The columns that it reads, by table; a table of which only the rows matter has none.
    let columns: [String: Set<String>]
    /// The names of the columns of its result.
    let names: [String]
  }

  /// The end of the message about a table of SQLite itself.
  static let unreadable = " cannot be read"

  /// Checks that a text is one statement that only reads.
  /// - Throws: `usage`.
  borrowing func check(_ sql: String) throws(Problem) -> CheckedStatement {
    if sql.utf8.contains(0) { throw Problem(.usage, "NUL character in the SQL statement", at: place) }
    let reads = StatementReads()
    unsafe sqlite3_set_authorizer(
      handle,
      { context, action, first, second, _, _ in
        guard let context = unsafe context else { return SQLITE_DENY }
        let reads = unsafe Unmanaged<StatementReads>.fromOpaque(context).takeUnretainedValue()
        return reads.permits(
          action, unsafe first.map { unsafe String(cString: $0) }, unsafe second.map { unsafe String(cString: $0) })
      }, Unmanaged.passUnretained(reads).toOpaque())
    defer { unsafe sqlite3_set_authorizer(handle, nil, nil) }
    var (text, names) = try checked(sql, reads)
    while let last = text.unicodeScalars.last, last == ";" || last.properties.isWhitespace {
      text.unicodeScalars.removeLast()
    }
    return CheckedStatement(text: text, columns: reads.columns, names: names)
  }

  /// The first statement of a text, if nothing but blanks and comments follows it.
  private borrowing func checked(
    _ sql: String, _ reads: StatementReads
  ) throws(Problem) -> (text: String, names: [String]) {
    var prepared: OpaquePointer?, next: OpaquePointer?
    defer {
      unsafe sqlite3_finalize(prepared)
      unsafe sqlite3_finalize(next)
    }
    let bytes = sql.utf8CString
    let (code, nextCode) = unsafe bytes.withUnsafeBufferPointer { bytes in
      var tail: UnsafePointer<CChar>?
      let code = unsafe sqlite3_prepare_v3(handle, bytes.baseAddress, -1, 0, &prepared, &tail)
      return (code, unsafe code == SQLITE_OK ? sqlite3_prepare_v3(handle, tail, -1, 0, &next, nil) : code)
    }
    let readOnly = Problem(
      .usage, "only statements that read are permitted", at: place, hint: "use a SELECT statement")
    if let schema = reads.schemaTable {
      throw Problem(.usage, schema + Self.unreadable, at: place)
    }
    if code == SQLITE_AUTH || reads.isRefused { throw readOnly }
    guard code == SQLITE_OK else {
      throw Problem(.usage, unsafe String(cString: sqlite3_errmsg(handle)), at: place)
    }
    guard let statement = unsafe prepared else { throw Problem(.usage, "missing SQL statement", at: place) }
    if unsafe next != nil || nextCode != SQLITE_OK {
      throw Problem(.usage, "more than one SQL statement", at: place, hint: "use one statement")
    }
    if unsafe sqlite3_bind_parameter_count(statement) > 0 {
      throw Problem(
        .usage, "SQL parameters such as ? cannot be used", at: place, hint: "write the value into the statement")
    }
    let width = unsafe sqlite3_column_count(statement)
    guard unsafe sqlite3_stmt_readonly(statement) != 0, unsafe sqlite3_stmt_isexplain(statement) == 0, width > 0,
      let text = unsafe sqlite3_sql(statement).map({ unsafe String(cString: $0) })
    else { throw readOnly }
    let names = (0..<width).map { unsafe sqlite3_column_name(statement, $0).map { unsafe String(cString: $0) } ?? "" }
    return (text, names)
  }
}

/// The operations that SQLite asks about while it prepares a statement.
private final class StatementReads {
  private(set) var columns: [String: Set<String>] = [:]
  private(set) var isRefused = false
  /// The list of the tables of the private database, if the statement reads it.
  private(set) var schemaTable: String?

  func permits(_ action: Int32, _ first: String?, _ second: String?) -> Int32 {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: return SQLITE_OK
    case SQLITE_FUNCTION where second?.lowercased() != "load_extension": return SQLITE_OK
    // SQLite prepares this, and does not run it, to declare the columns of functions that return rows. A statement that
    // writes is refused later.
    case SQLITE_UPDATE where first == "sqlite_master": return SQLITE_OK
    case SQLITE_READ where first?.lowercased().hasPrefix("pragma_") == true || first == "dbstat":
      isRefused = true
      return SQLITE_DENY
    // The update above reads the row id.
    case SQLITE_READ where first?.lowercased().hasPrefix("sqlite_") == true && second != "ROWID":
      schemaTable = first
      return SQLITE_DENY
    case SQLITE_READ:
      if let first { columns[first, default: []].formUnion(second.map { [$0] } ?? []) }
      return SQLITE_OK
    default:
      isRefused = true
      return SQLITE_DENY
    }
  }
}
