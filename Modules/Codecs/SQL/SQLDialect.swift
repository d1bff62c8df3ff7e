import Rows

/// The database system that SQL is written for.
public enum SQLDialect: String, Sendable, Hashable, CaseIterable {
  /// One text for SQLite, PostgreSQL, MariaDB, MySQL and DuckDB. Numbers are kept by value.
  case ansi
  /// SQLite 3.37 or newer: every value is kept, also its spelling.
  case sqlite
  /// PostgreSQL 10 or newer.
  case postgres
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

  /// The most columns of a table: of InnoDB 1,017, of PostgreSQL 1,600.
  private var maximumColumns: Int {
    switch self {
    case .ansi, .mysql: 1017
    case .sqlite: SQLWriter.maximumColumns
    case .postgres: 1600
    }
  }

  /// Why the system cannot have a table with these names and as many columns; nil if it can.
  func obstacle(_ schema: Schema) -> String? {
    if schema.width > maximumColumns {
      return "sql: the table has \(schema.width) columns; the maximum of \(rawValue) is \(maximumColumns)"
    }
    guard self != .sqlite else { return nil }
    for name in [schema.name] + schema.columns.map(\.name) {
      if name.isEmpty { return "sql: \(rawValue) has no empty names" }
      // PostgreSQL truncates a longer name. MySQL counts characters, and takes none beyond the basic plane.
      if self != .mysql, name.utf8.count > 63 { return "\(named(name)): the maximum is 63 bytes" }
      guard self != .postgres else { continue }
      if name.utf16.count > 64 { return "\(named(name)): the maximum is 64 characters" }
      if name.hasSuffix(" ") { return "\(named(name)): it ends with a space" }
      if name.unicodeScalars.contains(where: { $0.value > 0xFFFF }) {
        return "\(named(name)): it has a character above U+FFFF"
      }
    }
    return nil
  }

  private func named(_ name: String) -> String { "sql: \(rawValue) cannot have the name “\(name)”" }

  /// The type of columns of dates or times; nil if they are text.
  func native(_ type: ColumnType) -> String? {
    switch (self, type) {
    case (.sqlite, _): nil
    case (_, .date): "DATE"
    case (.postgres, .datetime): "TIMESTAMP"
    case (.postgres, .timestamp): "TIMESTAMPTZ"
    case (.mysql, .datetime): "DATETIME(6)"
    default: nil
    }
  }

  /// The type of decimals of a size; nil if it does not have them. MySQL has at most 30 digits after the point.
  func declared(_ size: DecimalSize) -> String? {
    self == .sqlite || self != .postgres && size.scale > 30 ? nil : "NUMERIC(\(size.precision),\(size.scale))"
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
    case .text, .date, .timestamp, .datetime, .url, .list, .json:
      // To MySQL a TEXT of that many characters is a LONGTEXT.
      self == .postgres ? "TEXT" : "TEXT /*! (4294967295) */"
    }
  }
}
