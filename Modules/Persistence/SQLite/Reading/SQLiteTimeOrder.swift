import CSQLite
import Query
import Rows

extension SQLiteConnection {
  /// The collation of columns of timestamps.
  static var timeOrder: String { "bb_time" }

  /// Registers the collation that compares timestamps as times, and any other text by its bytes.
  borrowing func registerTimeOrder() throws(Problem) {
    let code = unsafe sqlite3_create_collation_v2(
      handle, Self.timeOrder, SQLITE_UTF8, nil, { unsafe TimeText.compare($0, $1, $2, $3, $4) }, nil)
    if code != SQLITE_OK { throw unsafe SQLiteProblem.problem(handle, code, at: place) }
  }
}
