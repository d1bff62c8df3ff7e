import Codecs
import Rows

enum SQLiteTableLimits {
  /// The most columns of a table, unless SQLite was built with another limit.
  static let columns = SQLWriter.maximumColumns

  /// Refuses a table with more columns.
  /// - Throws: `badData`.
  static func check(_ schema: Schema, in place: String) throws(Problem) {
    guard schema.width > columns else { return }
    throw Problem(
      .badData, "sqlite: the table \(schema.name) has \(schema.width) columns; the maximum is \(columns)", at: place,
      hint: [.set(.columns, for: "choose columns"), "use a directory of CSV or JSON files"])
  }
}
