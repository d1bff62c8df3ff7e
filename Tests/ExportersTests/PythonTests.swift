import Codecs
import Conformance
import Domain
import Exporters
import Rows
import Testing

/// CSV and JSON as Python's own modules read them. Skipped where there is no Python that takes NUL in CSV.
@Suite(
  "Python reads the same",
  .enabled(
    if: Shell.has("python3")
      && Shell.run("python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'", input: []) != nil,
    "python3 3.11 or newer is not installed"))
struct PythonTests {
  private static let tables = SampleTable.all.filter { !$0.rows.isEmpty } + (100..<104).map(SampleTable.random)

  private func python(_ script: String, _ argument: String, _ document: [UInt8]) throws -> [String] {
    let quoted = script.replacing("'", with: "'\\''")
    let output = try #require(Shell.run("python3 -c '\(quoted)' '\(argument)'", input: document))
    return String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map {
        String($0)
      }
  }

  private func line(_ values: [[UInt8]]) -> String {
    values.map { value in
      value.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }.joined(separator: ",")
  }

  private func base64(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0..<4 {
        text.append(digit <= group.count ? digits[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
      }
    }
    return text
  }

  /// The text of a value without quotes.
  private func plain(_ value: Value, null: [UInt8]) -> [UInt8] {
    switch value {
    case .null: null
    case .boolean(let value): Array(String(value).utf8)
    case .integer(let value): Array(String(value).utf8)
    case .real(let value): value.canonicalText
    case .number(let text), .text(let text), .json(let text): text
    case .bytes(let bytes): base64(bytes)
    }
  }

  @Test("csv and tsv", arguments: [("csv", ","), ("tsv", "\t")])
  func csv(_ name: String, _ delimiter: String) async throws {
    let exporter = try ExporterRegistry().exporter(named: name)
    for table in Self.tables {
      let lines = try await python(Self.csv, delimiter, ExporterFixture(name, exporter).document(table))
      let header = table.schema.columns.map { Array($0.name.utf8) }
      let rows = table.rows.map { row in row.map { plain($0, null: []) } }
      #expect(lines == ([header] + rows).map(line), "\(table)")
    }
  }

  @Test("json and ndjson", arguments: [("json", "array"), ("ndjson", "lines")])
  func json(_ name: String, _ shape: String) async throws {
    let exporter = try ExporterRegistry().exporter(named: name)
    for table in Self.tables {
      let lines = try await python(Self.json, shape, ExporterFixture(name, exporter).document(table))
      let rows = table.rows.map { row in
        row.map { value -> [UInt8] in
          let text = plain(value, null: Array("n".utf8))
          switch value {
          case .text, .bytes: return [UInt8(ascii: "\"")] + text
          case .json(let json) where json.first == UInt8(ascii: "\""): return Array(json.dropLast())
          default: return text
          }
        }
      }
      #expect(lines == rows.map(line), "\(table)")
    }
  }

  @Test("html shows the source text") func html() async throws {
    let tags = """
      html head meta title style body a header main footer h1 table thead tbody th tr td div p span label input button \
      output dialog img script fieldset legend details summary select option ul li i b nav noscript dl dt dd
      """
    let schema = Schema("<page> & more", columns: [ColumnDescription("<a>", .text), ColumnDescription("b", .url)])
    let values =
      SampleValues.texts + SampleValues.urls + ["https://e.org/\"x\" onerror=\"y", "https://e.org/a.PNG?b=\"<c>\""]
    let table = SampleTable("texts", schema, values.map { [.text($0), .text($0)] })
    let lines = try await python(Self.html, tags, ExporterFixture("html", HTMLExporter()).document(table))
    #expect(lines.count == values.count)
    for (found, value) in zip(lines, values) {
      let text = value.shownByDisplayFormats
      // A link is shown without its scheme and without www.
      let link = text.replacing(/^(?i:https?:\/\/|mailto:)(www\.)?/, with: "")
      #expect([text, link].contains { found == line([Array($0.utf8), Array($0.utf8)]) }, "\(text)")
    }
  }

  @Test(
    "yaml", .enabled(if: Shell.run("python3 -c 'import yaml'", input: []) != nil, "Python's yaml is not installed"))
  func yaml() async throws {
    let types: [ColumnType] = [
      .integer, .real, .boolean, .text, .url, .date, .list(.text), .list(.url), .list(.integer),
    ]
    let columns = types.map { ColumnDescription($0 == .boolean ? "no" : $0.name, $0) }
    let rows = (0..<SampleValues.texts.count + 1).map { row in
      types.map { SampleValues.of($0)[row % SampleValues.of($0).count] }
    }
    let table = SampleTable("yaml", Schema("yaml", columns: columns), rows)
    let lines = try await python(Self.yaml, "", ExporterFixture("yaml", WriterFormat.yaml).document(table))
    let expected = rows.map { row in
      line(
        row.map { value in
          switch value {
          case .null: Array("n".utf8)
          case .boolean(let value): Array((value ? "True" : "False").utf8)
          case .real(let value):
            Array((String(repeating: "0", count: 16) + String(value.bitPattern, radix: 16)).suffix(16).utf8)
          case .text(let text): [UInt8(ascii: "\"")] + text
          default: plain(value, null: [])
          }
        })
    }
    #expect(lines == expected)
    let none = SampleTable("", table.schema, [])
    #expect(try await python(Self.yaml, "", ExporterFixture("yaml", WriterFormat.yaml).document(none)).isEmpty)
  }

  @Test("gpx and kml", arguments: ["gpx", "kml"]) func maps(_ format: String) async throws {
    let exporter = try ExporterRegistry().exporter(named: format)
    let table = SampleTable.places
    let lines = try await python(Self.map, "", ExporterFixture(format, exporter).document(table))
    func bits(_ value: Value) -> [UInt8] {
      guard case .real(let value) = value else { return [] }
      return Array((String(repeating: "0", count: 16) + String(value.bitPattern, radix: 16)).suffix(16).utf8)
    }
    let expected = table.rows.map { row in
      let name = String(decoding: plain(row[1], null: []), as: UTF8.self).shownByDisplayFormats
      // GPX requires longitudes below 180.
      let longitude = format == "gpx" && row[4] == .real(180) ? Value.real(-180) : row[4]
      return line([Array(name.utf8), bits(longitude), bits(row[2])])
    }
    #expect(lines == expected)
  }

  @Test(
    "sql",
    .enabled(
      if: Shell.has("sqlite3")
        && Shell.run("python3 -c 'import sqlite3, sys; sys.exit(sqlite3.sqlite_version_info < (3, 37))'", input: [])
          != nil,
      "sqlite3 3.37 or newer is not installed"))
  func sql() async throws {
    func number(_ literal: [UInt8]) -> [UInt8] {
      switch StoredNumber(literal) {
      case .integer: literal
      case .real(let value):
        Array((String(repeating: "0", count: 16) + String(value.bitPattern, radix: 16)).suffix(16).utf8)
      case .literal: [UInt8(ascii: "\"")] + literal
      }
    }
    var numbers = SplitMix64(seed: 5)
    let reals = (0..<2000).map { _ in Double(bitPattern: numbers.next()) }.filter(\.isFinite)
    let table = SampleTable(
      "reals", Schema("reals", columns: [ColumnDescription("r", .real)]), reals.map { [.real($0)] })
    for table in Self.tables.filter({ $0.schema.width > 0 }) + [table] {
      let lines = try await python(
        Self.sql, table.schema.name,
        ExporterFixture("sql", WriterFormat.sql, options: ExportOptions(["dialect": "sqlite"])).document(table))
      let expected = table.rows.map { row in
        line(
          zip(row, table.schema.columns).map { value, column in
            let quote = [UInt8(ascii: "\"")]
            switch value {
            case .null: return Array("n".utf8)
            case .boolean(let value): return Array((value ? "1" : "0").utf8)
            case .integer(let value): return Array(String(value).utf8)
            case .real(let value):
              return Array((String(repeating: "0", count: 16) + String(value.bitPattern, radix: 16)).suffix(16).utf8)
            case .number(let text) where column.type == .decimal: return number(text)
            case .json(let json) where column.type == .json:
              if json.first == UInt8(ascii: "\""), let text = try? JSON.parse(json, name: "").stringBytes {
                return quote + (JSONByValue.isAmbiguous(text) ? json : text)
              }
              return json.first.map { $0 == 45 || $0 &- 48 < 10 } == true ? number(json) : quote + json
            case .number(let text), .text(let text), .json(let text): return quote + text
            case .bytes(let bytes): return [UInt8(ascii: "x")] + bytes
            }
          })
      }
      #expect(lines == expected, "\(table)")
    }
  }
}
