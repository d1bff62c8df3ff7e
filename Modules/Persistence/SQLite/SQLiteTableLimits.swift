import Codecs
import CSQLite
import Rows

enum SQLiteTableLimits {
  /// The most columns of a table: 2,000 unless SQLite was built with another limit.
  static let columns: Int = {
    var connection: OpaquePointer?
    defer { unsafe sqlite3_close(connection) }
    guard unsafe sqlite3_open(":memory:", &connection) == SQLITE_OK, let connection = unsafe connection else {
      return 2000
    }
    return unsafe Int(sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, -1))
  }()

  /// Refuses a table with more columns.
  /// - Throws: `badData`.
  static func check(_ schema: Schema, in place: String) throws(Problem) {
    guard schema.width > columns else { return }
    throw Problem(
      .badData, "sqlite: the table \(schema.name) has \(schema.width) columns; the maximum is \(columns)", at: place,
      hint: [.set(.columns, for: "choose columns"), "use a directory of CSV or JSON files"])
  }
}
