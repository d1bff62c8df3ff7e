public import Rows

/// Tables and values for the laws of stores.
public enum StoreSample {
  /// A table with a composite key and a column of every type.
  public static let wide = Schema(
    "wide", key: ["part", "number"],
    columns: [
      ColumnDescription("part", .text, nullable: false), ColumnDescription("number", .integer, nullable: false),
      ColumnDescription("integer", .integer), ColumnDescription("real", .real), ColumnDescription("decimal", .decimal),
      ColumnDescription("boolean", .boolean), ColumnDescription("text", .text), ColumnDescription("bytes", .bytes),
      ColumnDescription("date", .date), ColumnDescription("timestamp", .timestamp), ColumnDescription("url", .url),
      ColumnDescription("texts", .list(.text)), ColumnDescription("json", .json),
    ])
  /// A table keyed by an integer; it has names that are words of SQL, and hostile ones.
  public static let numbered = Schema(
    "select", key: ["order"],
    columns: [
      ColumnDescription("order", .integer, nullable: false), ColumnDescription("a\"b;--", .text),
      ColumnDescription("größe", .integer),
    ])
  /// A table keyed by text.
  public static let named = Schema(
    "named", key: ["name"],
    columns: [ColumnDescription("name", .text, nullable: false), ColumnDescription("value", .integer)])

  /// A row of `wide` that has only its key.
  public static func empty(_ part: String, _ number: Int64) -> [Value] {
    [.text(part), .integer(number)] + Array(repeating: .null, count: wide.width - 2)
  }

  /// Rows of `wide` with values that stores have lost before.
  public static let hostile: [[Value]] = [
    row("a", 1, integer: .max, real: -0.0, decimal: "123456789012345678901234567890", text: ""),
    row("a", 2, integer: .min, real: 1e22, decimal: "1e400", text: "a\0b"),
    row("a", 10, integer: 9_007_199_254_740_993, real: 0.1, decimal: "1.10", text: "\r\n\"',;|\t\\"),
    row("é", 1, integer: 0, real: .leastNonzeroMagnitude, decimal: "-0", text: "\u{FEFF}\u{202E}e\u{301}🧪"),
    row("e\u{301}", 1, integer: -1, real: .greatestFiniteMagnitude, decimal: "5", text: "null"),
    row("A", 1, integer: 7, real: 1, decimal: "0.30000000000000004", text: " =1+1 "),
    empty("", 0),
  ]

  private static func row(
    _ part: String, _ number: Int64, integer: Int64, real: Double, decimal: String, text: String
  ) -> [Value] {
    [
      .text(part), .integer(number), .integer(integer), .real(real), .number(Array(decimal.utf8)),
      .boolean(integer > 0), .text(text), .bytes([0, 255, 10]), .text("1966-03"), .text("2013-09-29T20:00:00Z"),
      .text("https://example.org/?a=b&c"), .json(Array(#"["a,b","\"",""]"#.utf8)),
      .json(Array(#"{"k":[1.10,null]}"#.utf8)),
    ]
  }
}
