import Codecs
import Exporters
import Rows
import Synchronization
import Testing

@testable import Domain
@testable import Lake

@Suite("metadata of Iceberg") struct IcebergTests {
  private let table = MemoryTable()

  private func write(_ number: Int64, _ existing: ExistingOutput = .append, _ values: [String: String] = [:])
    async throws
  {
    var builder = RowBatchBuilder(width: 2)
    builder.append(integer: number)
    builder.append(text: "name \(number)")
    let schema = Schema(
      "rows", columns: [ColumnDescription("id", .integer), ColumnDescription("name", .text)])
    let exporter = DeltaExporter(
      try DeltaLocation("delta:memory"), in: table, format: ParquetExporter(), threads: 1
    ) { 1_700_000_000_000 }
    var options = ExportOptions(values)
    options.existing = existing
    let export = Export(to: [.init(exporter, options) { Nowhere() }], threads: 1, scratch: NoScratch())
    _ = try await export.run(BufferedRows(schema: schema, batches: [builder.finish()])) { $0 }
  }

  private func metadata(_ version: Int) throws -> JSON {
    try JSON.parse(
      try #require(table.files.withLock { $0["metadata/v\(version).metadata.json"] }), name: "metadata")
  }
  private var metadataFiles: [String] {
    table.files.withLock { $0.keys.filter { $0.hasPrefix("metadata/") } }.sorted()
  }

  @Test("each version of the table is a snapshot, and later writes follow the first") func snapshots() async throws {
    try await write(1, .refuse, ["iceberg": "yes"])
    try await write(2)
    let first = try metadata(1), second = try metadata(2)
    #expect(first["snapshots"]?.arrayValue?.count == 1 && second["snapshots"]?.arrayValue?.count == 2)
    #expect(first["table-uuid"] == second["table-uuid"] && second["last-column-id"]?.integerValue == 2)
    #expect(table.files.withLock { $0["metadata/version-hint.text"] } == Array("2".utf8))
    #expect(metadataFiles.count { $0.hasSuffix(".avro") } == 4)
    try await write(3, .append, ["iceberg": "no"])
    try await write(4)
    #expect(metadataFiles.count { $0.hasSuffix(".json") } == 2)
  }

  @Test("interrupted metadata are completed, once") func completed() async throws {
    try await write(1, .refuse, ["iceberg": "yes"])
    let before = table.files.withLock { $0 }
    try await write(2)
    let iceberg = IcebergTable(table)
    #expect(try await iceberg.write(now: 0).isNew == false)
    // A process that was killed left the entry of the log only.
    table.files.withLock { files in
      files = files.filter { !$0.key.hasPrefix("metadata/") || before[$0.key] != nil }
      files["metadata/version-hint.text"] = Array("1".utf8)
    }
    #expect(try await iceberg.write(now: 0) == (1, true))
    #expect(try metadata(2)["current-snapshot-id"]?.integerValue == 2)
    #expect(try await iceberg.write(now: 0, rebuilds: true) == (1, true))
    #expect(try metadata(2)["snapshots"]?.arrayValue?.count == 1)
  }

  @Test("a writer may be killed before it writes the hint", arguments: ["1", nil] as [String?])
  func oldHint(_ hint: String?) async throws {
    try await write(1, .refuse, ["iceberg": "yes"])
    try await write(2)
    table.files.withLock { $0["metadata/version-hint.text"] = hint.map { Array($0.utf8) } }
    let iceberg = IcebergTable(table)
    #expect(try await iceberg.write(now: 0) == (1, true))
    #expect(table.files.withLock { $0["metadata/version-hint.text"] } == Array("2".utf8))
    #expect(try await iceberg.write(now: 0) == (1, false))
  }

  @Test(
    "metadata of another program are refused before anything is written",
    arguments: [
      ("00000-4a1b.metadata.json", "x"), ("version-hint.text", "x"), ("version-hint.text", "3"),
      ("v1.metadata.json", "{}"),
    ])
  func foreign(name: String, text: String) async throws {
    try await write(1, .refuse)
    table.files.withLock { $0["metadata/\(name)"] = Array(text.utf8) }
    let before = table.files.withLock { $0 }
    await #expect {
      try await write(2, .append, ["iceberg": "yes"])
    } throws: {
      ($0 as? Problem)?.kind == .cannotCreate
    }
    #expect(table.files.withLock { $0 } == before)
  }

  @Test("vacuum keeps what the snapshots name, and no metadata before them") func vacuum() async throws {
    try await write(1, .refuse, ["iceberg": "yes"])
    for number in 2...12 { try await write(Int64(number), .replace) }
    let unused = try await DeltaVacuum(table).unusedFiles(before: Instant(seconds: 1_800_000_000)).map(\.key)
    #expect(unused.count { $0.hasSuffix(".avro") } == 4 && unused.count { $0.hasSuffix(".json") } == 2)
    #expect(!unused.contains("metadata/version-hint.text"))
  }

  @Test(
    "numbers have the variable length of Avro",
    arguments: [(0, [0]), (-1, [1]), (1, [2]), (-65, [129, 1])] as [(Int64, [UInt8])])
  func numbers(value: Int64, bytes: [UInt8]) { #expect(AvroValues.encoding { $0.append(value) } == bytes) }

  @Test("no text of a column is outside its bounds") func bounds() {
    let text = String(repeating: "a", count: 15) + "\u{10FFFF}z"
    let json = JSON.string(text)
    #expect(IcebergType.string.bound(json, isUpper: false) == Array(text.utf8.dropLast()))
    #expect(IcebergType.string.bound(json, isUpper: true) == Array((String(repeating: "a", count: 14) + "b").utf8))
    #expect(IcebergType.string.bound(.string("short"), isUpper: true) == Array("short".utf8))
    #expect(IcebergType.date.bound(.string("1970-01-02"), isUpper: true) == [1, 0, 0, 0])
    #expect(IcebergType.timestamptz.bound(.string("1970-01-01T00:00:00.001Z"), isUpper: false)?.prefix(2) == [232, 3])
  }

  @Test("pieces end where keys decide: few of them change with some rows", arguments: 1...5) func pieces(seed: Int64) {
    func ends(_ ids: [Int64]) -> Set<Int64> {
      var builder = RowBatchBuilder(width: 1)
      for id in ids { builder.append(integer: id) }
      let batch = builder.finish(), pieces = RowPieces(key: [0], least: 64)
      var start = 0, found: Set<Int64> = []
      while start < ids.count {
        let (count, isEnd) = pieces.end(of: batch, start..<ids.count, after: 0)
        #expect(count <= 256 && (count >= 64 || start + count == ids.count))
        start += count
        if isEnd { found.insert(ids[start - 1]) }
      }
      return found
    }
    let ids = (0..<20_000).map { $0 * seed }, all = ends(ids)
    let fewer = ends(ids.filter { $0 != 500 * seed }), more = ends([-1] + ids)
    #expect(all.count > 80 && all.symmetricDifference(fewer).count < 12 && all.symmetricDifference(more).count < 12)
  }
}
