import Codecs
import Dialects
import Rows
import Testing

/// Reading fields by the metadata of W3C CSV on the Web.
@Suite("CSVW") struct CSVWTests {
  @Test(
    "numbers are read in the format of their column",
    arguments: [
      ("1.10", ".", "", "1.10"), ("+1", ".", "", "1"), ("007", ".", "", "7"), ("-0.50", ".", "", "-0.50"),
      (".5", ".", "", "0.5"), ("5.", ".", "", "5"), ("1E+05", ".", "", "1E+05"),
      ("1.234.567,89", ",", ".", "1234567.89"),
      ("1 234", ".", " ", "1234"), ("12.5%", ".", "", "0.125"), ("-3‰", ".", "", "-0.003"),
      ("1.5", ",", "", nil), ("", ".", "", nil), ("1,5", ".", "", nil), ("0x10", ".", "", nil), ("1e", ".", "", nil),
      ("--1", ".", "", nil), ("NaN", ".", "", nil),
    ] as [(String, String, String, String?)])
  func numbers(_ text: String, _ point: String, _ group: String, _ expected: String?) {
    var format = CSVWNumberFormat()
    format.point = Array(point.utf8)
    format.group = Array(group.utf8)
    #expect(format.literal(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test(
    "groups of digits have the sizes of the pattern",
    arguments: [
      ("#,#00", "1,234 12 1234 12,345,678.5 -1,234", "12,34 1,2345 1234,567 ,123 1,,234 12,345,67"),
      ("#,##,##0.0", "1,23,456 12,345", "123,456 1,234,567"), ("#0", "1,2 12", ""),
    ])
  func groups(_ pattern: String, _ read: String, _ refused: String) {
    var format = CSVWNumberFormat()
    format.group = [UInt8(ascii: ",")]
    format.groupSizes = CSVWNumberFormat.GroupSizes(pattern)
    for text in read.split(separator: " ") { #expect(format.literal(Array(text.utf8)) != nil, "\(text)") }
    for text in refused.split(separator: " ") { #expect(format.literal(Array(text.utf8)) == nil, "\(text)") }
  }

  @Test(
    "dates and times are read in the format of their column",
    arguments: [
      ("dd.MM.yyyy", "02.01.2020", "2020-01-02"), ("d/M/yyyy", "2/1/2020", "2020-01-02"),
      ("yyyyMMdd", "20200102", "2020-01-02"), ("dd.MM.yyyy", "31.02.2020", nil), ("dd.MM.yyyy", "2.1.2020", nil),
      ("yyyy-MM-dd", "2020-01-02Z", "2020-01-02Z"), ("yyyy-MM-dd X", "2020-01-02 +02", "2020-01-02+02:00"),
      ("yyyy-MM-dd HH:mm", "2020-01-02 10:30", "2020-01-02T10:30:00"), ("HH:mm", "24:00", nil),
      ("HH:mm:ss.S", "10:30:05", "10:30:05"), ("HH:mm:ss.S", "10:30:05.25", "10:30:05.25"),
      ("yyyy-MM-dd'T'HHmm XXX", "2020-01-02T1030 -05:00", "2020-01-02T10:30:00-05:00"),
    ] as [(String, String, String?)])
  func dates(_ pattern: String, _ text: String, _ expected: String?) throws {
    let format = try #require(CSVWDateFormat(pattern))
    #expect(format.moment(Array(text.utf8)).map { String(decoding: $0.iso, as: UTF8.self) } == expected)
  }

  @Test("a pattern with unknown letters is not a date format") func unknownPattern() {
    #expect(CSVWDateFormat("QQ yyyy") == nil && CSVWDateFormat("MMM yyyy") == nil)
  }

  @Test("nulls, defaults and separators are applied in the order of the standard") func fields() {
    var column = CSVWColumn(.integer(CSVWNumberFormat()))
    #expect(column.value(of: nil) == .null && column.value(of: Array(" 12 ".utf8)) == .integer(12))
    #expect(column.value(of: Array("99999999999999999999".utf8)) == nil)
    column.nulls = [Array("-".utf8), Array("NA".utf8)]
    #expect(column.value(of: Array("NA".utf8)) == .null)
    column.emptyMeans = Array("7".utf8)
    #expect(column.value(of: nil) == .integer(7) && column.value(of: []) == .integer(7))
    column.emptyMeans = []
    column.separator = Array(", ".utf8)
    #expect(column.type == .list(.integer) && column.value(of: nil) == .json(Array("[]".utf8)))
    #expect(column.value(of: Array("1, 02, NA".utf8)) == .json(Array("[1,2,null]".utf8)))
    var text = CSVWColumn(.text)
    #expect(text.value(of: nil) == .null && text.value(of: []) == .text([]) && text.value(of: [32]) == .text([32]))
    text.nulls = [Array("-".utf8)]
    #expect(text.value(of: nil) == .text([]), "this column does not read the empty text as null")
    let words = CSVWColumn(.boolean(yes: [Array("Y".utf8)], no: [Array("N".utf8)]))
    #expect(words.value(of: [89]) == .boolean(true) && words.value(of: [78]) == .boolean(false))
    #expect(words.value(of: Array("true".utf8)) == nil)
    let number = CSVWColumn(.number(CSVWNumberFormat(), allowsNonfinite: true))
    #expect(number.value(of: Array("-INF".utf8)) == .real(-.infinity))
    #expect(CSVWColumn(.hexadecimal).value(of: Array("00fF".utf8)) == .bytes([0, 255]))
  }

  @Test(
    "every dialect becomes RFC 4180, with the same line numbers",
    arguments: [
      ("'a,b','it''s',x\n", "\"a,b\",it's,x\n"), ("say \"hi\",1\r\n", "\"say \"\"hi\"\"\",1\n"),
      ("# note\na,b\n# 'open\nc,d", "\na,b\n\nc,d\n"), ("'multi\nline',#2\n", "\"multi\nline\",#2\n"),
      ("#", ""), ("", ""), ("\u{FEFF}a,b\n", "a,b\n"), ("'',\n", ",\n"), ("a,b\n'',\n", "a,b\n\"\",\n"),
    ])
  func dialect(_ text: String, _ expected: String) throws {
    var dialect = CSVDialect()
    dialect.quote = UInt8(ascii: "'")
    dialect.comment = [UInt8(ascii: "#")]
    #expect(try Self.converted(text, dialect) == expected)
  }

  @Test("lines before the header are skipped, and header rows are joined") func skipped() throws {
    var dialect = CSVDialect()
    dialect.skippedRows = 2
    dialect.headerRows = 2
    #expect(try Self.converted("the \"title\nx\na,b\n\"in\nm\",s\n1,2\n", dialect) == "\n\n\n\"a in\nm\",b s\n1,2\n")
  }

  @Test("a backslash before a quote, and no quotes at all") func escapes() throws {
    var dialect = CSVDialect()
    dialect.escape = .backslash
    #expect(try Self.converted("\"a\\\"b\\\\\",2\n", dialect) == "\"a\"\"b\\\",2\n")
    dialect.quote = nil
    #expect(try Self.converted("a\"b,\"2\n", dialect) == "\"a\"\"b\",\"\"\"2\"\n")
  }

  @Test("an endless field is refused with its line") func endless() {
    var dialect = CSVDialect()
    dialect.quote = UInt8(ascii: "'")
    #expect {
      _ = try Self.converted("a\n'" + String(repeating: "x", count: 200_000), dialect, maximumField: 100_000)
    } throws: { ($0 as? Problem)?.place == "t.csv:2:1" }
  }

  private static func converted(
    _ text: String, _ dialect: CSVDialect, maximumField: Int = 1 << 20
  ) throws(Problem) -> String {
    let source = ConvertingSource(
      MemoryByteSource(text, name: "t.csv"), dialect, repairs: false, maximumField: maximumField, log: nil)
    var bytes: [UInt8] = []
    var piece = ArenaBuilder()
    // In small pieces, so that every state is left and entered again.
    while try source.read(into: &piece, limit: 3) > 0 {
      bytes += piece.bytes
      piece.removeAll()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
