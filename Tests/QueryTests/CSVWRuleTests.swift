import Codecs
import Rows
import Testing

@testable import Query

@Suite("rules of CSV on the Web") struct CSVWRuleTests {
  /// The rules that a field of a column with a datatype breaks.
  private static func faults(_ datatype: String, _ field: String, _ more: String = "") throws(Problem) -> [String] {
    let column = "{\"name\": \"a\", \"datatype\": \(datatype)\(more)}"
    let text = """
      {"@context": "http://www.w3.org/ns/csvw", "url": "t.csv", "tableSchema": {"columns": [\(column)]}}
      """
    let description = try CSVWDescription(try JSON.parse(Array(text.utf8), name: "t"), name: "t")
    return description.cells[0].faults(field.isEmpty ? nil : Array(field.utf8)).map(\.rule)
  }

  @Test(
    "fields of each datatype",
    arguments: [
      ("integer", "1,000 -5 +7", "1.5 x 1,,0"), ("byte", "127 -128", "128 -129"), ("positiveInteger", "1", "0"),
      ("unsignedLong", "18446744073709551615", "-1 18446744073709551616"), ("decimal", "1.50 -.5 50%", "1E3 NaN INF"),
      ("double", "1E3 NaN -INF", "x 1E"), ("boolean", "true 0", "yes TRUE"),
      ("date", "2024-02-29Z", "2023-02-29 24-1-1"),
      ("dateTime", "2024-01-01T10:00:00.5", "2024-01-01"),
      ("dateTimeStamp", "2024-01-01T10:00:00Z", "2024-01-01T10:00:00"),
      ("time", "23:59:59+01:00", "25:00:00 10:00"), ("duration", "P1Y2M3DT4H5M6.7S -P1D", "P PT P1H 1Y"),
      ("dayTimeDuration", "P1DT2H", "P1Y"), ("yearMonthDuration", "P1Y2M", "P1D"), ("gDay", "---31", "31 ---32"),
      ("gMonth", "--12", "--13"), ("gMonthDay", "--02-29", "02-29"), ("gYear", "2024 -0044", "24"),
      ("gYearMonth", "2024-12", "2024"), ("hexBinary", "0aFF", "ABC"), ("base64Binary", "AAAA", "A# AAA"),
      ("language", "en-GB", "e_n"), ("NMTOKEN", "a-b.1", "a%b"), ("Name", "_a:b", "1a"), ("QName", "a:b c", "a:b:c 1a"),
      (#"{"base": "string", "format": "[a-c]+"}"#, "abc", "abd"),
      (#"{"base": "boolean", "format": "Y|N"}"#, "Y N", "true"),
      (#"{"base": "date", "format": "dd.MM.yyyy"}"#, "31.12.2023", "2023-12-31 31.13.2023"),
      (#"{"base": "duration", "format": "P[0-9]Y"}"#, "P1Y", "P10Y"),
      (###"{"base": "number", "format": "##0"}"###, "1 123 1234", "1,234 123.4"),
      (###"{"base": "number", "format": "#,#00"}"###, "12 1,234 1,234,567", "1 1234 12,34 12,34,567"),
      (###"{"base": "number", "format": "#,##,#00"}"###, "12 1,234 12,34,567", "1,234,567"),
      (###"{"base": "number", "format": "0.0#"}"###, "1.2 1.23", "1 1.234"),
      (###"{"base": "number", "format": "0.000,#"}"###, "1.234,5 1.234", "1.2345 1.23"),
      (###"{"base": "number", "format": "+0.0E0"}"###, "+1.5E3 -1.5E3", "1.5E3 +1.5"),
      (###"{"base": "number", "format": "#0%"}"###, "50%", "50"),
      (#"{"base": "decimal", "format": {"decimalChar": ",", "groupChar": "."}}"#, "1.234,5", "1,2,3"),
      (#"{"base": "string", "minLength": 2, "maxLength": 3}"#, "ab äöü", "a abcd"),
      (#"{"base": "hexBinary", "length": 2}"#, "AABB", "AA"), (#"{"base": "integer", "minimum": 5}"#, "5", "4"),
      (#"{"base": "integer", "maxExclusive": 5}"#, "4", "5"),
      (#"{"base": "date", "minimum": "2024-01-01"}"#, "2024-01-01", "2023-12-31"),
      (#"{"base": "dayTimeDuration", "maximum": "P1D"}"#, "PT24H", "P2D"),
    ])
  func fields(datatype: String, valid: String, invalid: String) throws {
    let datatype = datatype.hasPrefix("{") ? datatype : "\"\(datatype)\""
    for field in valid.split(separator: " ") {
      #expect(try Self.faults(datatype, String(field)) == [], "\(datatype): \(field)")
    }
    for field in invalid.split(separator: " ") {
      #expect(try Self.faults(datatype, String(field)) != [], "\(datatype): \(field)")
    }
  }

  @Test("null, default, separator and required") func fields() throws {
    #expect(try Self.faults("\"integer\"", "", ", \"required\": true") == ["required"])
    #expect(try Self.faults("\"integer\"", "NA", ", \"required\": true, \"null\": \"NA\"") == ["required"])
    #expect(try Self.faults("\"integer\"", "", ", \"null\": \"NA\"") == ["datatype"])
    #expect(try Self.faults("\"integer\"", "", ", \"default\": \"1\", \"required\": true") == [])
    #expect(try Self.faults("\"integer\"", "1;x;2", ", \"separator\": \";\"") == ["datatype"])
    #expect(try Self.faults(#"{"base": "string", "length": 2}"#, "ab;abc", ", \"separator\": \";\"") == ["length"])
  }

  private static let columns = #""tableSchema": {"columns": [{"name": "a"}]}"#

  @Test(
    "descriptions that the standard calls errors",
    arguments: [
      #"{"url": "t.csv", COLUMNS}"#, #"{"@context": "http://example.org", "url": "t.csv", COLUMNS}"#,
      #"{"@context": ["http://www.w3.org/ns/csvw", {"x": 1}], "url": "t.csv", COLUMNS}"#, "{CONTEXT, COLUMNS}",
      #"{CONTEXT, "tables": []}"#, #"{CONTEXT, "tables": [{COLUMNS}]}"#, #"{TABLE, "@type": "Foo", COLUMNS}"#,
      #"{TABLE, "@id": "_:t", COLUMNS}"#, #"{TABLE, "dialect": {"@type": "Foo"}, COLUMNS}"#,
      #"{TABLE, "dc:title": {"@value": "x", "@type": "xsd:string", "@language": "en"}, COLUMNS}"#,
      #"{TABLE, "dc:title": {"@language": "en"}, COLUMNS}"#, #"{TABLE, "dc:title": {"@value": [1]}, COLUMNS}"#,
      #"{TABLE, "dc:title": {"@list": []}, COLUMNS}"#, #"{TABLE, "dc:title": {"@id": "_:x"}, COLUMNS}"#,
      #"{TABLE, "dc:title": {"@type": "foo bar"}, COLUMNS}"#,
      #"{TABLE, "transformations": [{"url": "x", "scriptFormat": "y"}], COLUMNS}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "_a"}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a"}, {"name": "a"}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "v", "virtual": true}, {"name": "a"}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a"}], "primaryKey": "b"}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a"}], "foreignKeys": [{"columnReference": "b"}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a", "datatype": {"base": "integer", "length": 2}}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a", "datatype": {"base": "string", "minimum": 2}}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a", "datatype": {"minLength": 3, "maxLength": 2}}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a", "datatype": {"base": "integer", "minimum": 3, "maximum": 2}}]}}"#,
      #"{TABLE, "tableSchema": {"columns": [{"name": "a", "datatype": {"@id": "_:x", "base": "string"}}]}}"#,
    ])
  func errors(text: String) throws {
    let context = #""@context": "http://www.w3.org/ns/csvw""#
    let whole = text.replacing("TABLE", with: context + #", "url": "t.csv""#).replacing("CONTEXT", with: context)
      .replacing("COLUMNS", with: Self.columns)
    let document = try JSON.parse(Array(whole.utf8), name: "t")
    #expect(throws: Problem.self) { _ = try CSVWDescription(document, name: "t") }
  }

  @Test("what the standard ignores is a warning") func warnings() throws {
    let text = """
      {"@context": "http://www.w3.org/ns/csvw", "url": "t.csv", "foo": 1, "tableDirection": "up", "dialect": {"header": 1},
       "tableSchema": {"columns": [{"name": "a", "required": "yes", "datatype": "foo"}]}}
      """
    let description = try CSVWDescription(try JSON.parse(Array(text.utf8), name: "t"), name: "t")
    #expect(
      description.warnings == [
        "unknown property foo", "invalid value of tableDirection", "invalid value of header",
        "invalid value of required",
        "unknown datatype foo",
      ])
    try description.check(header: ["a"])
    #expect(throws: Problem.self) { try description.check(header: ["b"]) }
    #expect(throws: Problem.self) { try description.check(header: ["a", "b"]) }
  }
}
