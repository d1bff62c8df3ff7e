public import Rows

/// Values of each type that programs get wrong; null is always among them.
public enum SampleValues {
  /// The values for columns of `type`.
  public static func of(_ type: ColumnType) -> [Value] {
    switch type {
    case .integer: [.null] + integers.map(Value.integer)
    case .real: [.null] + reals.map(Value.real)
    case .datetime:
      [.null] + ["2024-01-06T10:00:00", "2024-01-06T10:00:00.5", "1969-12-31T00:00:00"].map { .text(Array($0.utf8)) }
    case .decimal: [.null] + decimals.map { .number(Array($0.utf8)) }
    case .boolean: [.null, .boolean(true), .boolean(false)]
    case .text: [.null] + texts.map(Value.text)
    case .bytes: [.null, .bytes([]), .bytes([0]), .bytes([0, 255]), .bytes([1, 2, 3]), .bytes(Array(0...255))]
    case .date: [.null] + ["1958", "1966-03", "1966-03-07", "2024-02-29", "0001-01-01"].map(Value.text)
    case .timestamp: [.null] + ["2024-01-01T00:00:00Z", "1969-12-31T23:59:59.123456789Z"].map(Value.text)
    case .url: [.null] + urls.map(Value.text)
    case .list(.text): [.null] + textLists.map { .json(Array($0.utf8)) }
    case .list(.integer): [.null] + ["[]", "[1]", "[-1,0,9223372036854775807]"].map { .json(Array($0.utf8)) }
    case .list(.url): [.null] + [#"[]"#, #"["https://example.org/a|b?c=1&d=2"]"#].map { .json(Array($0.utf8)) }
    case .json: [.null] + nested.map { .json(Array($0.utf8)) }
    }
  }

  /// Integers at the edges, and those that a Double cannot hold.
  public static let integers: [Int64] = [
    0, 1, -1, 9, 10, 99, 100, 12345, -987_654_321, 9_007_199_254_740_993, .max, .min, .max - 1,
  ]

  /// Reals with few digits, with seventeen, at the edges, and the negative zero.
  public static let reals: [Double] = [
    0.0, -0.0, 1.0, 0.1, 0.3, 8.5, -2.25, 1.005, 1e22, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    123456789.123456789,
    0.1 + 0.2, 1e15, 123456.789, 999999999999.9, 1e12, 4.35, 2.675,
  ]

  /// Numbers that must keep their literal.
  public static let decimals = [
    "123456789012345678901234567890", "1e400", "1.10", "-0", "0.1000", "1E5", "3.14159265358979323846264338327950288",
    "1e-400",
  ]

  /// Text: what formats use as their own signs, what is invisible, what looks like something else.
  public static let texts = [
    "", " ", "plain", "a|b", "a\nb", "a\r\nb", "a\rb", "\t", "say \"hi\"", "\"", "\"\"", "a,b", "a;b", "'quoted'",
    "\0", "a\0b", "\u{1B}[31mred\u{1B}[0m", "\u{FEFF}mark", "\u{200F}right\u{200E}left", "\u{202E}override",
    "👩‍👩‍👧‍👦 family", "🇩🇪 flag", "é", "e\u{301}", "漢字かな", "\u{2028}\u{2029}\u{85}", "null", "NULL", "\\N", "true", "007",
    "1.10", "12", "-5", "+49 30", "=1+1", "@name", "-- dash", "＝1", " edge ", "\u{7F}", "\\", "\\\\n", "`code`",
    "**bold**",
    "_under_", "[link](http://x.y)", "<b>", "&amp;", "~~gone~~", "www.example.org", "http://example.org/a_b*c*",
    "javascript:alert(1)", "me@example.org", "# not a heading", "1. not a list", "$1 and $2", "{\"json\":true}", "#",
    "\n",
    "ends with backslash\\", "\u{1F1E6}\u{301}", "١٢٣", "שלום", "a\u{0}\u{1}\u{2}b", "line one\n\nline three", "\r",
  ]

  /// Addresses that hold signs of Markdown and HTML, and some that must never become links.
  public static let urls = [
    "https://example.org/", "http://example.org/a b", "https://example.org/?a=1&b=2&copy=3",
    "https://example.org/?a=1&amp;b",
    "https://example.org/a|b", "https://example.org/<script>", "https://example.org/_a_*b*", "javascript:alert(1)",
    "data:text/html,<b>", "HTTPS://EXAMPLE.ORG/x(y)", "https://exämple.org/ü", "mailto:me@example.org", "http://", "",
  ]

  private static let textLists = [
    "[]", #"[""]"#, #"["one"]"#, #"["a,b","say \"hi\""]"#, #"["x","y; z","|"]"#, #"["\u0000","line\nbreak"]"#,
    #"["=1+1"]"#, #"["漢字","👍🏽"," edge "]"#,
  ]

  private static let nested = [
    "{}", "[]", #"{"a":1,"b":[true,null,"x"]}"#, #"{"geo":{"lat":52.5,"lon":13.4}}"#, #"[[1,2],{"k":"v,w"}]"#,
    #""text""#,
    "12", "1e400", "true", #"{"":""}"#, #"{"a b":"c|d\ne"}"#,
  ]
}
