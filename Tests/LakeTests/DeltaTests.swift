import Codecs
import Exporters
import Query
import Rows
import Synchronization
import Testing

@testable import Domain
@testable import Lake
@testable import Parquet

@Suite("Delta tables") struct DeltaTests {
  private let table = MemoryTable()

  /// Writes rows of `id`, `part` and `day`.
  @discardableResult
  private func write(
    _ rows: [(Int64, String?, String?)], _ existing: ExistingOutput = .refuse, partition: String? = nil,
    types: [ColumnType] = [.integer, .text, .date], names: [String] = ["id", "part", "day"],
    _ values: [String: String] = [:]
  ) async throws(Problem) -> Export.Summary {
    var builder = RowBatchBuilder(width: 3)
    for (id, part, day) in rows {
      builder.append(integer: id)
      builder.append(value: part.map { .text($0) } ?? .null)
      builder.append(value: day.map { .text($0) } ?? .null)
    }
    let schema = Schema("rows", columns: zip(names, types).map { ColumnDescription($0, $1) })
    let location = try DeltaLocation("delta:memory" + (partition.map { "?partition=\($0)" } ?? ""))
    let exporter = DeltaExporter(location, in: table, format: ParquetExporter(), threads: 1) { 1_700_000_000_000 }
    var options = ExportOptions(values)
    options.existing = existing
    options.origin = "test"
    let export = Export(to: [.init(exporter, options) { Nowhere() }], threads: 1, scratch: NoScratch())
    return try await export.run(BufferedRows(schema: schema, batches: [builder.finish()])) { $0 }
  }

  private func problem(_ body: () async throws -> Void) async -> Problem? {
    do { try await body() } catch { return error as? Problem }
    return nil
  }

  /// The rows of the table as text, sorted.
  private func rows(
    _ location: String = "delta:memory", where condition: String? = nil,
    skipped: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(Problem) -> [String] {
    let source = try DeltaSource(try DeltaLocation(location), in: table, FileInputOptions()) { skipped($1) }
    var request = RowRequest()
    if let condition {
      var selection = Selection()
      try selection.filter(by: condition)
      request.selection = selection
    }
    _ = try await source.tables()
    let stream = try await source.rows(of: "memory", request)
    var lines: [String] = []
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        lines.append(
          (0..<batch.width).map { String(decoding: batch.value(row, $0).plainText, as: UTF8.self) }.joined(
            separator: "|"))
      }
    }
    return lines.sorted()
  }

  @Test("a new table has a protocol, metadata and files with statistics; rows come back") func creates() async throws {
    try await write([(1, "a/b", "2024-01-01"), (2, "a/b", nil), (3, nil, "2023-01-01")], partition: "part")
    let actions = try table.actions(0)
    #expect(actions.compactMap { $0["protocol"]?["minWriterVersion"]?.integerValue } == [2])
    let schema = actions.compactMap { $0["metaData"]?["schemaString"]?.stringValue }.joined()
    #expect(schema.contains("\"name\":\"day\"") && schema.contains("\"type\":\"date\""))
    let adds = actions.compactMap { $0["add"] }
    #expect(adds.count == 2)
    let add = try #require(adds.first { $0["partitionValues"]?["part"]?.stringValue == "a/b" })
    #expect(add["path"]?.stringValue?.hasPrefix("part=a%252Fb/part-0-") == true)
    #expect(
      add["stats"]?.stringValue
        == #"{"numRecords":2,"minValues":{"id":1,"day":"2024-01-01"},"maxValues":{"id":2,"day":"2024-01-01"},"nullCount":{"id":0,"day":1}}"#
    )
    #expect(try await rows() == ["1|a/b|2024-01-01", "2|a/b|", "3||2023-01-01"])
    let skipped = Mutex(0)
    #expect(try await rows(where: "part = 'a/b'") { count in skipped.withLock { $0 = count } }.count == 2)
    #expect(skipped.withLock { $0 } == 1)
    #expect(try await rows(where: "id > 2") { count in skipped.withLock { $0 = count } } == ["3||2023-01-01"])
    #expect(skipped.withLock { $0 } == 1)
  }

  @Test("every tenth version has a checkpoint, from which the table is read without the earlier entries")
  func checkpoints() async throws {
    try await write([(0, "a/b", "2024-01-01"), (1, nil, nil)], partition: "part")
    try await write([(2, "c", nil)], .replacePartitions, ["transaction": "3"])
    for id in 2..<11 { try await write([(Int64(id), "c", nil)], id == 5 ? .replacePartitions : .append) }
    let names = table.files.withLock { $0.keys.filter { $0.contains("checkpoint") } }.sorted()
    #expect(names == ["_delta_log/00000000000000000010.checkpoint.parquet", "_delta_log/_last_checkpoint"])
    let rows = try await rows()
    table.files.withLock { files in for version in 0..<10 { files[table.entry(version)] = nil } }
    #expect(try await self.rows() == rows)
    #expect(rows == ["0|a/b|2024-01-01", "10|c|", "1||", "5|c|", "6|c|", "7|c|", "8|c|", "9|c|"])
    // Statistics and transactions are in it.
    let skipped = Mutex(0)
    #expect(try await self.rows(where: "id = 7") { count in skipped.withLock { $0 = count } } == ["7|c|"])
    #expect(skipped.withLock { $0 } == 7)
    let before = table.parquetFiles
    try await write([(99, "c", nil)], .replacePartitions, ["transaction": "3"])
    #expect(table.parquetFiles == before)
    // Removed files are named for a week.
    let file = try ParquetFile(MemoryByteSource(try #require(table.files.withLock { $0[names[0]] }), name: "x"))
    let stream = try ParquetRowStream(file, table: "t")
    let batch = try #require(try await stream.next()).batch()
    let kinds = (0..<batch.count).map { row in
      stream.schema.columns.indices.first { batch.value(row, $0) != .null }.map { stream.schema.columns[$0].name } ?? ""
    }
    #expect(
      kinds == ["protocol", "metaData", "txn"] + Array(repeating: "add", count: 8) + [
        "remove", "remove", "remove", "remove",
      ])
  }

  @Test("numbers are written into columns of fewer bits or digits if they fit") func narrowColumns() async throws {
    let types = ["id": "short", "x": "float", "d": "decimal(5,2)", "w": "decimal(30,3)"]
    let fields = types.sorted { $0.key < $1.key }.map {
      #"{\"name\":\"\#($0)\",\"type\":\"\#($1)\",\"nullable\":true,\"metadata\":{}}"#
    }
    table.write(
      #"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#,
      #"{"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[\#(fields.joined(separator: ","))]}","partitionColumns":[],"configuration":{}}}"#,
      as: 0)
    let schema = Schema(
      "rows",
      columns: [
        ColumnDescription("id", .integer), ColumnDescription("x", .real), ColumnDescription("d", .decimal),
        ColumnDescription("w", .integer),
      ])
    func append(_ row: [Value]) async throws(Problem) {
      var builder = RowBatchBuilder(width: 4)
      for value in row { builder.append(value: value) }
      let location = try DeltaLocation("delta:memory")
      let exporter = DeltaExporter(location, in: table, format: ParquetExporter(), threads: 1) { 0 }
      var options = ExportOptions()
      options.existing = .append
      let export = Export(to: [.init(exporter, options) { Nowhere() }], threads: 1, scratch: NoScratch())
      _ = try await export.run(BufferedRows(schema: schema, batches: [builder.finish()])) { $0 }
    }
    func number(_ text: String) -> Value { .number(Array(text.utf8)) }
    try await append([.integer(-32768), .real(0.5), number("-123.4"), .integer(.max)])
    try await append([.integer(32767), .real(0.1), number("1e2"), .null])
    #expect(
      try await rows() == ["-123.40|-32768|9223372036854775807.000|0.5", "100.00|32767||0.10000000149011612"])
    for row: [Value] in [
      [.integer(32768), .null, .null, .null], [.null, .real(0.1 + 1e-9), .null, .null],
      [.null, .null, number("1000"), .null], [.null, .null, number("1.234"), .null],
    ] {
      #expect(await problem { try await append(row) }?.kind == .badData)
    }
    #expect(table.parquetFiles.count == 2)
  }

  @Test("rows are added and replaced; earlier versions stay") func changes() async throws {
    try await write([(1, "a", nil), (2, "b", nil), (3, "c", nil)], partition: "part")
    try await write([(4, "a", nil)], .append)
    try await write([(5, "a", nil), (6, "d", nil)], .replacePartitions)
    #expect(try await rows() == ["2|b|", "3|c|", "5|a|", "6|d|"])
    try await write([(7, "b", nil)], .replace, ["replace-where": "part = b"])
    #expect(try await rows() == ["3|c|", "5|a|", "6|d|", "7|b|"])
    #expect(
      await problem { try await write([(8, "c", nil)], .replace, ["replace-where": "part = b"]) }?.kind == .badData)
    #expect(await problem { try await write([(8, "c", nil)], .append, ["replace-where": "part = b"]) }?.kind == .usage)
    #expect(await problem { try await write([(8, "c", nil)], .replace, ["replace-where": "id = 1"]) }?.kind == .usage)
    #expect(await problem { try await write([(8, "c", nil)]) }?.kind == .cannotCreate)
    #expect(try await rows("delta:memory?version=1") == ["1|a|", "2|b|", "3|c|", "4|a|"])
    #expect(await problem { _ = try await rows("delta:memory?version=9") }?.kind == .noInput)
    try await write([(9, nil, nil)], .replace, types: [.integer, .url, .timestamp])
    #expect(try await rows() == ["9||"])
    let count = try (0...4).map { try table.actions($0).compactMap { $0["add"] }.count }.reduce(0, +)
    #expect(table.parquetFiles.count == count)
  }

  @Test("columns that do not fit the table are refused, and nothing is left") func columns() async throws {
    try await write([(1, "a", "2024-01-01")])
    let before = table.parquetFiles
    let other = await problem { try await write([(1, "a", nil)], .append, names: ["id", "par", "day"]) }
    #expect(other?.kind == .badData && other?.message == "the table has no column “par”")
    let type = await problem { try await write([(1, "a", nil)], .append, types: [.integer, .text, .text]) }
    #expect(type?.message == "column “day” is of type text, and of type date in the table")
    let part = await problem { try await write([(1, "a", "2024-01")], .append) }
    #expect(part?.kind == .badData)
    let name = await problem { try await write([], .replace, names: ["id", "a b", "day"]) }
    #expect(name?.kind == .badData && name?.message.contains("“ ”") == true)
    #expect(await problem { try await write([(1, "a", nil)], .append, partition: "part") }?.kind == .usage)
    #expect(table.parquetFiles == before)
    // Dates that are not whole days are text in a new table, and dates still.
    try await write([(1, "a", "2024-01")], .replace)
    #expect(try await rows() == ["1|a|2024-01"])
  }

  @Test("the same transaction is written once") func transactions() async throws {
    try await write([(1, "a", nil)], .append, ["transaction": "3"])
    let summary = try await write([(1, "a", nil)], .append, ["transaction": "3"])
    #expect(summary.warnings.map(\.message).contains { $0.contains("already has these rows") })
    try await write([(2, "a", nil)], .append, ["transaction": "4"])
    try await write([(3, "a", nil)], .append, ["transaction": "2"])
    #expect(try await rows() == ["1|a|", "2|a|"])
  }

  @Test("appends follow other appends; what contradicts is refused, and its files are removed")
  func conflicts() async throws {
    try await write([(1, "a", nil), (2, "b", nil)], partition: "part")
    func other(_ version: Int, _ line: String) {
      table.others.withLock { $0[table.entry(version)] = Array(line.utf8) }
    }
    let add = #"{"add":{"path":"x","partitionValues":{"part":"b"},"size":1,"modificationTime":1,"dataChange":true}}"#
    let remove = #"{"remove":{"path":"x","partitionValues":{"part":"b"},"dataChange":true}}"#
    other(1, add)
    other(2, remove)
    try await write([(3, "a", nil)], .append)
    #expect(try table.actions(3).contains { $0["add"] != nil })
    other(4, add)
    other(5, remove)
    try await write([(4, "c", nil)], .replacePartitions)
    #expect(try table.actions(6).contains { $0["add"] != nil })
    let before = table.parquetFiles
    other(7, add)
    #expect(await problem { try await write([(5, "b", nil)], .replacePartitions) }?.kind == .busy)
    other(8, remove)
    #expect(await problem { try await write([(5, "b", nil)], .replace) }?.kind == .busy)
    other(9, #"{"metaData":{"id":"x","schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[]}}"#)
    #expect(await problem { try await write([(5, "b", nil)], .append) }?.kind == .busy)
    #expect(table.parquetFiles == before)
  }

  @Test("of two transactions at the same time, one is written") func sameTransaction() async throws {
    try await write([(1, "a", nil)], .append, ["transaction": "1"])
    let id = try table.actions(0).compactMap { $0["txn"]?["appId"]?.stringValue }.joined()
    let before = table.parquetFiles
    table.others.withLock { $0[table.entry(1)] = Array("{\"txn\":{\"appId\":\"\(id)\",\"version\":2}}".utf8) }
    let summary = try await write([(1, "a", nil)], .append, ["transaction": "2"])
    #expect(summary.warnings.count == 1 && table.parquetFiles == before)
  }

  // MARK: - Logs of other programs

  private static let metadata =
    #"{"metaData":{"id":"x","format":{"provider":"parquet"},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{}}}"#

  @Test(
    "paths that lead out of the table are refused",
    arguments: [
      "../x", "a/../../x", "/etc/passwd", "file:///etc/passwd", "https://example.com/x", "s3://b/x", "%2e%2e/x",
      "a%2F..%2Fx", "a%00", "", "a//b", "a%zz", "a%+1", "C:x",
    ])
  func paths(path: String) async throws {
    table.write(
      #"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#, Self.metadata,
      #"{"add":{"path":"\#(path)","partitionValues":{},"size":1}}"#, as: 0)
    #expect(await problem { _ = try await rows() }?.kind == .badData)
  }

  @Test(
    "paths may have colons, and absolute URLs below the table are those of its files",
    arguments: [
      ("t=03:06:40.0Z/x", "t=03:06:40.0Z/x"), ("file:///srv/a%20b/x", "x"), ("file:/srv/a%20b/c/x", "c/x"),
      ("file:///srv/a%20b/../x", nil), ("file:///srv/a%20bc/x", nil), ("s3://srv/a%20b/x", nil), ("file:x", nil),
      ("./t:x", "./t:x"), ("1:x", "1:x"),
    ])
  func absolutePaths(url: String, path: String?) throws {
    #expect((try? DeltaPath.file(url, in: "file:/srv/a b")) == path)
  }
  @Test("objects of a bucket have URLs of several schemes", arguments: ["s3", "s3a", "S3n"]) func bucket(scheme: String)
  {
    #expect((try? DeltaPath.file("\(scheme)://bucket/lake/t/x", in: "s3:/bucket/lake/t")) == "x")
    #expect((try? DeltaPath.file("\(scheme)://other/lake/t/x", in: "s3:/bucket/lake/t")) == nil)
  }

  @Test("columns have other names in the files, in partitions and in statistics; such tables are not written")
  func mapped() async throws {
    try await write([(1, "a", "2024-01-01"), (2, "b", nil)], partition: "part", names: ["id", "part", "day"])
    let columns = [("key", "id", "long"), ("of", "part", "string"), ("new", "x-1", "string"), ("day", "x-2", "date")]
    let fields = columns.map {
      #"{\"name\":\"\#($0.0)\",\"type\":\"\#($0.2)\",\"nullable\":true,\"metadata\":{\"delta.columnMapping.id\":1,\"delta.columnMapping.physicalName\":\"\#($0.1)\"}}"#
    }.joined(separator: ",")
    table.write(
      #"{"protocol":{"minReaderVersion":2,"minWriterVersion":5}}"#,
      #"{"metaData":{"id":"x","format":{"provider":"parquet"},"schemaString":"{\"type\":\"struct\",\"fields\":[\#(fields)]}","partitionColumns":["of"],"configuration":{"delta.columnMapping.mode":"name"}}}"#,
      as: 1)
    // The column day of the files is one that was removed, not the new one.
    #expect(try await rows() == ["1|a||", "2|b||"])
    let skipped = Mutex(0)
    #expect(try await rows(where: "key > 1") { count in skipped.withLock { $0 = count } } == ["2|b||"])
    #expect(skipped.withLock { $0 } == 1)
    #expect(try await rows(where: "of = a") == ["1|a||"])
    let writing = await problem { try await write([], .append) }
    #expect(writing?.message.contains("columnMapping") == true)
  }

  @Test("a checkpoint with a name of its own is read instead of the entries before it") func namedCheckpoint()
    async throws
  {
    try await write([(1, "a", nil), (2, "b", nil)])
    let lines = try #require(table.files.withLock { $0.removeValue(forKey: table.entry(0)) })
    let name = "_delta_log/00000000000000000000.checkpoint.9a7c3c1e-0000-0000-0000-000000000001.json"
    table.replace(name, Array("{\"checkpointMetadata\":{\"version\":0}}\n".utf8) + lines)
    #expect(try await rows() == ["1|a|", "2|b|"])
    table.replace(name, Array("{\"sidecar\":{\"path\":\"x.parquet\",\"sizeInBytes\":1}}\n".utf8) + lines)
    #expect(await problem { _ = try await rows() }?.message.contains("_sidecars/x.parquet") == true)
  }

  @Test(
    "unsupported features are named",
    arguments: [
      (
        #"{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}"#,
        "deletionVectors", true
      ),
      (
        #"{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint"]}"#,
        "v2Checkpoint", true
      ),
      (#"{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["typeWidening"]}"#, "typeWidening", false),
      (#"{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["variantType"]}"#, "variantType", false),
      (#"{"minReaderVersion":4,"minWriterVersion":7}"#, "reader version 4", false),
      (#"{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["rowTracking"]}"#, "rowTracking", true),
      (#"{"minReaderVersion":1,"minWriterVersion":8}"#, "writer version 8", true),
    ])
  func features(versions: String, word: String, isReadable: Bool) async throws {
    table.write("{\"protocol\":\(versions)}", Self.metadata, as: 0)
    let reading = await problem { _ = try await rows() }
    #expect(isReadable ? reading == nil : reading?.kind == .badData && reading?.message.contains(word) == true)
    let writing = await problem { try await write([], .append) }
    #expect(writing?.kind == .badData && writing?.message.contains(word) == true)
  }

  @Test("binary partition values are refused with the file and the column, unless the column is not read")
  func binaryPartition() async throws {
    try await write([(1, "a", nil)], partition: "part")
    let log = try #require(table.files.withLock { $0[table.entry(0)] })
    let text = String(decoding: log, as: UTF8.self)
      .replacing(#"\"name\":\"part\",\"type\":\"string\""#, with: #"\"name\":\"part\",\"type\":\"binary\""#)
    table.files.withLock { $0[table.entry(0)] = Array(text.utf8) }
    let problem = await problem { _ = try await rows() }
    #expect(problem?.kind == .badData && problem?.place.hasPrefix("delta:memory/part=a/part-0") == true)
    #expect(problem?.message == "column part: unsupported partition values of type binary")
    #expect(problem?.hint.isEmpty == false)
  }

  @Test("a log with a gap, or without metadata, is damaged") func damaged() async throws {
    table.write(#"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#, as: 0)
    #expect(await problem { _ = try await rows() }?.kind == .badData)
    table.write(#"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#, Self.metadata, as: 0)
    #expect(try await rows() == [])
    table.write("{}", as: 2)
    #expect(await problem { _ = try await rows() }?.message == "the log has no version 1, but later ones")
    table.write("{", as: 1)
    let problem = await problem { _ = try await rows() }
    #expect(problem?.kind == .badData && problem?.place == "delta:memory/\(table.entry(1)):1:2")
    #expect(try await rows("delta:memory?version=0") == [])
  }

  @Test("locations") func locations() throws {
    #expect(try DeltaLocation("delta:a/b/").place == "a/b")
    let location = try DeltaLocation("delta:s3://b/x?partition=a,b%26c")
    #expect(location.place == "s3://b/x" && location.partitionColumns == ["a", "b&c"])
    #expect(try DeltaLocation("delta:x?version=3").version == 3)
    for text in ["delta:", "delta:x?version=-1", "delta:x?versio=1", "delta:x?y"] {
      #expect(throws: Problem.self) { try DeltaLocation(text) }
    }
  }

  @Test("after any actions a table has the files that were added last and not removed") func replay() throws {
    let schema = #"{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]}"#
    var replay = DeltaReplay(root: "", keepsStatistics: false), files: [(name: String, size: Int)] = []
    for _ in 0..<20_000 {
      let name = "part \(Int.random(in: 0..<3000))", size = Int.random(in: 0..<1_000_000)
      let path = JSON.string(name.replacing(" ", with: "%20")), isAdded = Int.random(in: 0..<3) > 0
      files.removeAll { $0.name == name }
      if isAdded { files.append((name, size)) }
      try replay.apply(.object([isAdded ? "add" : "remove": .object(["path": path, "size": .number(Int64(size))])]))
    }
    try replay.apply(
      .object([
        "metaData": .object(["id": .string("x"), "schemaString": .string(schema), "partitionColumns": .array([])])
      ]))
    try replay.apply(.object(["protocol": .object(["minReaderVersion": .number(1), "minWriterVersion": .number(2)])]))
    let found = try replay.snapshot(0).files
    #expect(found.map(\.path) == files.map(\.name) && found.map(\.size) == files.map { Int64($0.size) })
    #expect(found.allSatisfy { $0.url.hasPrefix("part%20") })
  }
}
