import Codecs
import Testing

@Suite("Dates") struct DatesTests {
  @Test(
    "dates of the calendar, whole and partial",
    arguments: ["1958", "1966-03", "1966-03-07", "2000-02-29", "2024-02-29", "0001-01-01"])
  func dates(text: String) { #expect(Dates.isDate(Array(text.utf8))) }

  @Test(
    "no dates",
    arguments: [
      "", "66", "1966-3-7", "1966-13", "1966-00", "2021-02-30", "2021-02-29", "1900-02-29", "2021-04-31", "2021-01-00",
      "1966-03-07 ", "1966/03/07", "19660307", "1966-03-", "-1966", "١٩٦٦", "1966-03-07T00:00:00Z",
    ])
  func noDates(text: String) { #expect(!Dates.isDate(Array(text.utf8))) }

  @Test(
    "timestamps in UTC",
    arguments: [
      "2013-09-29T20:00:00Z", "2013-09-29T20:00:00.5Z", "2013-09-29T20:00:00.000000000123Z", "2016-12-31T23:59:60Z",
    ])
  func timestamps(text: String) { #expect(Dates.isTimestamp(Array(text.utf8))) }

  @Test(
    "no timestamps",
    arguments: [
      "2013-09-29", "2013-09-29T20:00:00", "2013-09-29T20:00:00+00:00", "2013-09-29t20:00:00z", "2013-09-29 20:00:00Z",
      "2013-09-29T24:00:00Z", "2013-09-29T20:60:00Z", "2013-09-29T20:00:60Z", "2013-09-29T20:00:00.Z",
      "2013-02-30T20:00:00Z", "2013-09-29T20:00:00.5xZ", "2013-09-29T20:00Z",
    ])
  func noTimestamps(text: String) { #expect(!Dates.isTimestamp(Array(text.utf8))) }

  @Test(
    "dates as sources write them",
    arguments: [
      ("09-07-1958", Dates.Format.monthDayYear, "1958-09-07"), ("02-30-1958", .monthDayYear, nil),
      ("9-7-1958", .monthDayYear, nil), ("13-01-1958", .monthDayYear, nil), ("1958", .year, "1958"),
      ("1958-09", .year, nil),
      ("March 1966", .monthNameYear, "1966-03"), ("mar 1966", .monthNameYear, "1966-03"),
      ("Mars 1966", .monthNameYear, nil),
      ("March", .monthNameYear, nil), ("March 66", .monthNameYear, nil), (" 1966", .monthNameYear, nil),
      ("1966-03-07", .isoDay, "1966-03-07"), ("1966-03", .isoDay, nil), ("1966-03", .isoMonth, "1966-03"),
      ("", .year, nil),
    ] as [(String, Dates.Format, String?)])
  func formats(text: String, format: Dates.Format, expected: String?) {
    #expect(Dates.date(Array(text.utf8), format: format) == expected.map { Array($0.utf8) })
  }

  @Test(
    "seconds since 1970, digit for digit",
    arguments: [
      ("0", "1970-01-01T00:00:00Z"), ("-1", "1969-12-31T23:59:59Z"), ("1380484800", "2013-09-29T20:00:00Z"),
      ("951782400", "2000-02-29T00:00:00Z"), ("1380484800.10", "2013-09-29T20:00:00.10Z"),
      ("-0.25", "1969-12-31T23:59:59.75Z"), ("-1.500", "1969-12-31T23:59:58.500Z"), ("-2.0", "1969-12-31T23:59:58.0Z"),
      ("-0.01", "1969-12-31T23:59:59.99Z"), ("1.3804848e9", "2013-09-29T20:00:00Z"),
      ("1.38E+9", "2013-09-24T05:20:00Z"),
      ("15e-1", "1970-01-01T00:00:01.5Z"), ("5e-3", "1970-01-01T00:00:00.005Z"), ("-0", "1970-01-01T00:00:00Z"),
      ("1517954400.4812345678901", "2018-02-06T22:00:00.4812345678901Z"),
      ("253402300799", "9999-12-31T23:59:59Z"), ("253402300800", nil), ("-62167219200", "0000-01-01T00:00:00Z"),
      ("-62167219200.5", nil), ("1e400", nil), ("1e99999999999999999999", nil), ("nan", nil), ("", nil), ("-", nil),
      ("1.", nil),
      ("01", nil), ("+1", nil), ("0x10", nil), ("1e-100", nil),
    ] as [(String, String?)])
  func epoch(literal: String, expected: String?) {
    #expect(Dates.timestamp(epochLiteral: Array(literal.utf8)).map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test("every day from 1583 to 2400 follows the day before") func everyDay() throws {
    var before = "1582-12-31"
    for day in -141_348..<157_054 {
      let text = String(
        decoding: try #require(Dates.timestamp(epochSeconds: Int64(day) * 86_400)).prefix(10), as: UTF8.self)
      guard Dates.isDate(Array(text.utf8)), text > before else {
        Issue.record("day \(day) is \(text)")
        return
      }
      before = text
    }
    #expect(before == "2399-12-31")
  }
}
