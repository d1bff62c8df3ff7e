import Codecs
import Conformance
import Domain
import Exporters
@testable import Persistence
import Rows
import TestSupport
import Testing

/// Every store and every format preserve each value and each null.
///
/// The table has a column of every type, with the values that are hard to preserve, and cells of 5 MB. It is loaded
/// from a file into a store, exported as a document, and read again by the reader of that format: the same bytes of
/// NDJSON must result.
@Suite("fidelity of all formats and stores", .serialized) struct FidelityTests {
  /// The conversion of a document of a format to NDJSON.
  enum Way: Sendable {
    /// bb reads it.
    case read
    /// SQLite runs it, and bb reads the database.
    case run
    /// Its records are the lines of NDJSON between these.
    case lines(before: String, after: String)
    /// Each of its lines is a member, the first of a record after a dash.
    case members
    /// Only people read it: it must be the same whatever held the table.
    case look
  }

  static let storages = ["csv:s", "json:s", "sqlite:s.db"]
  static let formats: [(name: String, way: Way)] = [
    ("csv", .read), ("tsv", .read), ("json", .read), ("ndjson", .read),
    ("sqlite", .read), ("parquet", .read), ("sql", .run),
    ("singer", .lines(before: #"{"type":"RECORD","stream":"hostile","record":"#, after: "}")), ("yaml", .members),
    ("markdown", .look), ("table", .look), ("record", .look), ("html", .look),
  ]
  /// Formats that need columns which the table does not have, refuse some of its values, or show only some of them;
  /// their laws and tests have tables of their own.
  static let particular: Set = [
    "geojson", "gpx", "kml", "vcard", "xlsx", "bars", "line", "histogram", "matrix", "svg",
  ]

  @Test("every format has its place in the table") func complete() {
    let exporters = ExporterRegistry(
      adding: SQLiteExporter(temporaryDirectory: TemporaryDirectory().path), before: "sql"
    ).exporters
    let names = exporters.map(\.descriptor.name)
    #expect(Set(names) == Set(Self.formats.map(\.name)).union(Self.particular))
    for (name, way) in Self.formats {
      let exporter = exporters.first { $0.descriptor.name == name }
      if case .look = way {
        #expect(exporter?.descriptor.isExact == false)
      } else {
        #expect(exporter?.descriptor.isExact == true)
      }
    }
  }

  @Test("a table with hostile values", arguments: storages) func hostile(_ storage: String) async throws {
    try await check(.hostile, on: storage)
  }

  @Test("a cell of 5 MB", arguments: storages) func long(_ storage: String) async throws {
    let long = SampleTable.long
    // The laws of exporters hold the others to this.
    try await check(SampleTable("", Schema("hostile", columns: long.schema.columns), [long.rows[0]]), on: storage) {
      way in
      switch way {
      case .read, .run: true
      case .lines, .members, .look: false
      }
    }
  }

  private func check(_ table: SampleTable, on storage: String, where isIn: (Way) -> Bool = { _ in true }) async throws {
    let shell = Shell()
    let wanted = String(decoding: try await ExporterFixture("", WriterFormat.ndjson).document(table), as: UTF8.self)
    shell.write("hostile.ndjson", wanted)
    let types = "--types '\(table.schema.columns.map { "\($0.name)=\($0.type.name)" }.joined(separator: ","))'"
    let sync = shell.run("bb-export sync --from hostile.ndjson \(types) --storage \(storage) -q")
    #expect(sync.err == "" && sync.status == 0)
    for (format, way) in Self.formats where isIn(way) {
      let dialect = format == "sql" ? " --option sql.dialect=sqlite" : ""
      let export = shell.run("bb-export hostile --storage \(storage) -f \(format) -o out.\(format) -q\(dialect)")
      #expect(export.err == "" && export.status == 0, "\(format)")
      let reread = "bb-export hostile --as hostile \(types) -f ndjson -o found"
      var expected = "hostile.ndjson"
      switch way {
      case .read: _ = shell.run("\(reread) --from out.\(format)")
      case .run:
        let connection = try SQLiteConnection.open(path: "\(shell.directory)/work/out.db", .writing)
        try connection.execute(shell.run("cat out.\(format)").out)
        _ = shell.run("\(reread) --from out.db; rm out.db")
      case .lines(let before, let after):
        let lines = shell.run("cat out.\(format)").out.split(separator: "\n")
        let records = lines.filter { $0.hasPrefix(before) && $0.hasSuffix(after) }
        shell.write("found", records.map { $0.dropFirst(before.count).dropLast(after.count) + "\n" }.joined())
      case .members: shell.write("found", try Self.objects(shell.run("cat out.\(format)").out, table.schema))
      case .look:
        expected = "direct"
        _ = shell.run("mv out.\(format) found; bb-export --from hostile.ndjson \(types) -f \(format) -o direct -q")
      }
      // A plain database keeps the values of decimals, not their spelling, which digests of rows omit.
      func digest(_ file: String) -> String {
        "bb-export \(file) --from-format ndjson --as t \(types) --verify -o d.json --summary json 2>&1 | grep -o '\"row_digest\":\"[^\"]*\"'"
      }
      let difference = shell.run(
        format == "sqlite"
          ? "a=$(\(digest("found"))); b=$(\(digest(expected))); echo \"$a $b\"; [ -n \"$a\" ] && [ \"$a\" = \"$b\" ] && rm found"
          : "cmp found \(expected) && rm found")
      #expect(difference.status == 0, "\(storage) → \(format): \(difference.out)\(difference.err)")
    }
  }

  /// The records of a YAML document as lines of NDJSON: bb writes scalars as JSON does, but for reals with an exponent,
  /// and a member on a line.
  private static func objects(_ document: String, _ schema: Schema) throws -> String {
    var records: [[String]] = []
    for line in document.split(separator: "\n") {
      if line.hasPrefix("- ") { records.append([]) }
      let member = line.dropFirst(2)
      guard !records.isEmpty, let colon = member.firstRange(of: ": ") else { return "no member: \(line)" }
      let key = member[..<colon.lowerBound].filter { $0 != "\"" }
      var value = String(member[colon.upperBound...])
      if schema.position(of: key).map({ schema.columns[$0].type }) == .real, let number = Double(value) {
        value = String(decoding: number.canonicalText, as: UTF8.self)
      } else {
        value = String(decoding: try JSON.parse(Array(value.utf8), name: "yaml").canonicalBytes, as: UTF8.self)
      }
      records[records.count - 1].append("\"\(key)\":\(value)")
    }
    return records.map { "{\($0.joined(separator: ","))}\n" }.joined()
  }
}
