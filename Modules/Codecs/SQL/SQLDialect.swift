import Rows

/// The database system that SQL is written for.
public enum SQLDialect: String, Sendable, Hashable, CaseIterable {
  /// One text for SQLite, PostgreSQL, MariaDB, MySQL and DuckDB. Numbers are kept by value.
  case ansi
  /// SQLite 3.37 or newer: every value is kept, also its spelling.
  case sqlite
  /// PostgreSQL 10 or newer.
  case postgres
  /// MariaDB and MySQL.
  case mysql

  /// The statements before the table. In an executable comment, which others ignore, MySQL learns to read standard SQL.
  var opening: String {
    switch self {
    case .sqlite, .postgres: "BEGIN;\n"
    case .ansi, .mysql:
      """
      /*! SET NAMES utf8mb4 */;
      /*! SET @bb_sql_mode = @@sql_mode, sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES' */;
      BEGIN;

      """
    }
  }

  /// The statements after the last row.
  var closing: String {
    switch self {
    case .sqlite, .postgres: "COMMIT;\n"
    case .ansi, .mysql: "COMMIT;\n/*! SET sql_mode = @bb_sql_mode */;\n"
    }
  }

  /// The declared type of a column; nil for a type that the dialect does not have.
  func declared(_ type: ColumnType) -> String? {
    switch type {
    case .integer: "BIGINT"
    case .boolean: "BOOLEAN"
    case .real: "DOUBLE PRECISION"
    case .decimal: self == .postgres ? "NUMERIC" : "DOUBLE PRECISION"
    case .bytes:
      switch self {
      case .ansi: nil
      case .sqlite: "BLOB"
      case .postgres: "BYTEA"
      case .mysql: "LONGBLOB"
      }
    case .json where self == .postgres: "JSON"
    case .text, .date, .timestamp, .url, .list, .json:
      // To MySQL a TEXT of that many characters is a LONGTEXT.
      self == .postgres ? "TEXT" : "TEXT /*! (4294967295) */"
    }
  }
}
