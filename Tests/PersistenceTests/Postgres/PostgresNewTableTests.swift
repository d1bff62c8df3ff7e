import Codecs
@testable import Persistence
import Rows
import Testing

@Suite("PostgreSQL: the types of new tables") struct PostgresNewTableTests {
  private static func batch(_ values: [Value]) -> RowBatch {
    var builder = RowBatchBuilder(width: 1)
    for value in values { builder.append(value: value) }
    return builder.finish()
  }

  @Test(
    "dates, timestamps and lists come back as they were",
    arguments: [
      (PostgresBinary.Form.days, PostgresDecoding.Form.days, ["2000-01-01", "0001-01-01", "9999-12-31", "2024-02-29"]),
      (
        .microseconds(isExact: true), .microseconds,
        [
          "2000-01-01T00:00:00Z", "1969-12-31T23:59:59.5Z", "9999-12-31T23:59:59.999999Z",
          "0001-01-01T00:00:00.000001Z",
        ]
      ),
    ])
  func times(form: PostgresBinary.Form, decoding: PostgresDecoding.Form, texts: [String]) throws {
    let values = texts.map { Value.text(Array($0.utf8)) } + [.null]
    var out = ByteBuffer()
    try PostgresBinary(forms: [form]).append(Self.batch(values), &out) { (_, _, _) throws(Problem) in
      throw Problem(.bug, "unexpected")
    }
    let schema = Schema("t", columns: [ColumnDescription("c", form == .days ? .date : .timestamp)])
    let back = try PostgresDecoding(forms: [decoding], schema: schema, place: "").batch(Arena(out.bytes()))
    #expect((0..<back.count).map { back.value($0, 0) } == values)
  }

  @Test(
    "a value that a column of dates or timestamps would change is a fault",
    arguments: [
      (PostgresBinary.Form.days, "2024-05"), (.days, "2023-02-29"), (.days, "0000-01-01"),
      (.microseconds(isExact: true), "2024-01-01T00:00:00.50Z"),
      (.microseconds(isExact: false), "2024-01-01T00:00:00.1234567Z"),
    ])
  func faults(form: PostgresBinary.Form, text: String) throws {
    var out = ByteBuffer(), isFault = false
    try PostgresBinary(forms: [form]).append(Self.batch([.text(Array(text.utf8))]), &out) {
      (_, _, fault) throws(Problem) in
      if case .other = fault { isFault = true }
      return .null
    }
    #expect(isFault)
  }

  @Test(
    "a decimal with more digits than its column is a fault, not rounded",
    arguments: [("1.2", false), ("-999.9", false), ("1.20", false), ("1.25", true), ("1000", true), ("1e400", true)])
  func decimals(text: String, isFault: Bool) throws {
    let size = try #require(DecimalSize("decimal(4,1)"))
    let schema = Schema("t", columns: [ColumnDescription("price", .decimal)])
    var types = ColumnTypes()
    types.set("price", to: size)
    let form = PostgresExporter.form(of: 0, schema, [], .automatic, types: types)
    #expect(form.declared == "numeric(4,1)")
    var out = ByteBuffer(), isFound = false
    try PostgresBinary(forms: [form]).append(Self.batch([.number(Array(text.utf8))]), &out) {
      (_, _, fault) throws(Problem) in
      if case .other = fault { isFound = true }
      return .null
    }
    #expect(isFound == isFault)
  }

  @Test("lists are arrays of one dimension, with the identifiers of their elements") func lists() throws {
    var out = ByteBuffer()
    for (element, list) in [(ColumnType.Element.integer, "[1,-1]"), (.text, #"["a",""]"#), (.url, "[]")] {
      try PostgresBinary(forms: [.list(element)]).append(Self.batch([.json(Array(list.utf8))]), &out) {
        (_, _, _) throws(Problem) in throw Problem(.bug, "unexpected")
      }
    }
    func word(_ number: UInt8) -> [UInt8] { [0, 0, 0, number] }
    let one: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1], minusOne = [UInt8](repeating: 255, count: 8)
    let integers =
      [0, 1] + word(44) + word(1) + word(0) + word(20) + word(2) + word(1) + word(8) + one + word(8) + minusOne
    let texts = [0, 1] + word(29) + word(1) + word(0) + word(25) + word(2) + word(1) + word(1) + [97] + word(0)
    #expect(out.bytes() == integers + texts + [0, 1] + word(12) + word(0) + word(0) + word(25))
  }

  @Test(
    "the first rows decide on the type of dates and timestamps",
    arguments: [
      (ColumnType.date, "2024-05-01", nil, PostgresBinary.Form.days), (.date, "2024-05", nil, .text),
      (.date, "2024-05", "native", .days), (.date, "2024-05-01", "text", .text),
      (.timestamp, "2024-05-01T00:00:00Z", nil, .microseconds(isExact: true)),
      (.timestamp, "2024-05-01T00:00:00.10Z", nil, .text),
      (.timestamp, "2024-05-01T00:00:00.10Z", "native", .microseconds(isExact: false)),
      (.list(.url), "[]", nil, .list(.url)), (.url, "x", nil, .text),
    ])
  func choice(type: ColumnType, text: String, dates: String?, form: PostgresBinary.Form) {
    let schema = Schema("t", columns: [ColumnDescription("c", type)]), head = [Self.batch([.text(Array(text.utf8))])]
    let storage = dates.flatMap(EpochTime.Storage.init) ?? .automatic
    #expect(PostgresExporter.form(of: 0, schema, head, storage) == form)
  }
}
