@testable import Persistence
import Rows
import Testing

@Suite("types of PostgreSQL that would change a value") struct PostgresLimitTests {
  @Test(
    "values are kept as they are, or refused",
    arguments: [
      ("numeric(10,2)", "12.34 12.3 12 -0.50 1.2e1 1.234e2 0.000 12.340", "12.345 0.001 1e-3 1.23456e2"),
      ("numeric(5,0)", "12 12.0 1e3", "12.5 1e-1"), ("numeric(2,-3)", "12000 0 1e3", "12345 1 100"),
      ("money", "1.25", "1.255"), ("real", "0.1 16777216 1e10 0.5", "16777217 0.123456789 1e60"),
      ("double precision", "0.1 1e300 9007199254740992", "9007199254740993 0.12345678901234567890"),
      ("character(3)", "abc äöü", "ab abcd"), ("character", "a", "ab"), ("character varying(3)", "ab abc äöü", "abcd"),
      ("name", String(repeating: "x", count: 63), String(repeating: "ä", count: 32)),
      (
        "timestamp(0) with time zone", "2020-01-02T03:04:05Z 2020-01-02T03:04:05.000Z 2020-01-02T03:04:05+02:00",
        "2020-01-02T03:04:05.5Z"
      ),
      ("timestamp with time zone", "2020-01-02T03:04:05.123456Z", "2020-01-02T03:04:05.1234567Z"),
      (
        "timestamp(3) without time zone", "2020-01-02T03:04:05.123Z 2020-01-02T03:04:05+00:00 2020-01-02",
        "2020-01-02T03:04:05.1234Z 2020-01-02T03:04:05+02:00"
      ),
      ("date", "2020-01-02", "2020-01-02T03:04:05Z"), ("numeric(10,2)[]", "1.25", "1.255"),
      ("interval(0)", "P1D 00:00:01", "00:00:01.5"),
      ("jsonb", #"{"a":1,"b":{"a":2}} 1.50 {"#, #"{"a":1,"a":2} [{"a":1,"a":1}]"#),
    ])
  func limits(type: String, kept: String, changed: String) throws {
    let limit = try #require(PostgresLimit(type))
    for text in kept.split(separator: " ") { #expect(limit.keeps(Array(text.utf8)), "\(type): \(text)") }
    for text in changed.split(separator: " ") { #expect(!limit.keeps(Array(text.utf8)), "\(type): \(text)") }
  }

  @Test("types that keep every value", arguments: ["numeric", "text", "character varying", "json", "bigint", "uuid"])
  func free(type: String) { #expect(PostgresLimit(type) == nil) }

  @Test("the elements of an array are checked one by one") func arrays() {
    var builder = ArenaBuilder()
    let text = Array(#"["ab",["c",null],1.5]"#.utf8)
    unsafe builder.append(text.span.bytes)
    let cell = Cell.json(0, UInt32(text.count)), arena = builder.freeze()
    let found = PostgresLimit.texts(of: cell, arena, isArray: true).map { String(decoding: $0, as: UTF8.self) }
    #expect(found == ["ab", "c", "1.5"])
    let list = Array("{1.25,{\"x\",NULL}}".utf8)
    var own = ArenaBuilder()
    unsafe own.append(list.span.bytes)
    let elements = PostgresLimit.texts(of: .text(0, UInt32(list.count)), own.freeze(), isArray: true)
    #expect(elements.map { String(decoding: $0, as: UTF8.self) } == ["1.25", "x", "NULL"])
  }
}
