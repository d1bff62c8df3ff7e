import Rows
import Testing

@testable import Codecs
@testable import Parquet

@Suite("Parquet: reading") struct ParquetReaderTests {
  private static let schema = Schema(
    "t",
    columns: [ColumnDescription("n", .integer), ColumnDescription("s", .text), ColumnDescription("l", .list(.text))])

  /// A file of `count` rows in row groups of 100 rows.
  private func file(_ count: Int, _ compression: PageCompression = .none) throws -> [UInt8] {
    var options = ParquetOptions()
    options.compression = compression
    options.pageRows = 30
    let writer = ParquetWriter(Self.schema, options: options, head: [])
    var out = ByteBuffer(capacity: 1024), groups: [(offset: Int, group: ParquetWriter.RowGroup)] = []
    writer.begin(&out)
    for start in stride(from: 0, to: count, by: 100) {
      var builder = RowBatchBuilder(width: 3)
      for row in start..<min(start + 100, count) {
        builder.append(integer: Int64(row))
        if row % 7 == 0 { builder.appendNull() } else { builder.append(text: "text \(row % 11)") }
        if row % 5 == 0 { builder.appendNull() } else { builder.append(json: Array("[\"a\",\"\(row)\"]".utf8)) }
      }
      let offset = out.count
      groups.append((offset, try writer.append([builder.finish()], to: &out)))
    }
    writer.finish(groups, at: out.count, &out)
    return out.bytes()
  }

  private func rows(_ bytes: [UInt8], _ reading: ParquetReading = ParquetReading()) async throws -> [[Value]] {
    let stream = try ParquetRowStream(try ParquetFile(MemoryByteSource(bytes, name: "x")), table: "t", reading)
    var rows: [[Value]] = []
    while let task = try await stream.next() {
      let batch = try task.batch()
      rows += (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
    }
    return rows
  }

  @Test("rows are read back in every compression", arguments: [PageCompression.none, .snappy, .gzip])
  func roundTrip(_ compression: PageCompression) async throws {
    let rows = try await rows(try file(250, compression))
    #expect(rows.count == 250)
    for (number, row) in rows.enumerated() {
      #expect(row[0] == .integer(Int64(number)))
      #expect(row[1] == (number % 7 == 0 ? .null : .text(Array("text \(number % 11)".utf8))))
      #expect(row[2] == (number % 5 == 0 ? .null : .json(Array("[\"a\",\"\(number)\"]".utf8))))
    }
  }

  @Test("only the columns and row groups that are needed are read") func pruning() async throws {
    var reading = ParquetReading()
    reading.columns = ["n"]
    reading.needsGroup = { bounds in
      guard case .integer(let least)? = bounds("n")?.least else { return true }
      return least >= 200
    }
    let rows = try await rows(try file(250), reading)
    #expect(rows == (200..<250).map { [.integer($0)] })
  }

  /// The rows of `file(250)` with `n` in a range, and the number of rows that were decoded.
  private func rows(_ wanted: ClosedRange<Int64>, _ columns: [String]? = nil) async throws -> ([[Value]], decoded: Int)
  {
    var reading = ParquetReading()
    reading.columns = columns
    reading.needsGroup = { bounds in
      guard case .integer(let least)? = bounds("n")?.least, case .integer(let greatest)? = bounds("n")?.greatest else {
        return true
      }
      return least <= wanted.upperBound && greatest >= wanted.lowerBound
    }
    let found = try await rows(try file(250), reading)
    return (found.filter { if case .integer(let n) = $0[0] { wanted.contains(n) } else { false } }, found.count)
  }

  @Test("only the pages that are needed are decoded; lists and nulls stay in their rows")
  func pages() async throws {
    let all = try await rows(try file(250))
    for start in stride(from: Int64(0), to: 250, by: 7) {
      for length in [0, 1, 12, 40, 130] {
        let wanted = start...min(start + Int64(length), 249)
        let (found, decoded) = try await rows(wanted)
        #expect(found == Array(all[Int(wanted.lowerBound)...Int(wanted.upperBound)]))
        if length < 12 { #expect(decoded <= 60) }
      }
    }
    #expect(try await rows(200...201, ["n"]).0 == [[.integer(200)], [.integer(201)]])
    #expect(try await rows(300...400).decoded == 0)
  }

  @Test("a bloom filter excludes values, and none that it has") func bloomFilter() async throws {
    let schema = Schema("t", columns: [ColumnDescription("n", .integer), ColumnDescription("s", .text)])
    var options = ParquetOptions()
    options.bloomFilters = ["n", "s"]
    let writer = ParquetWriter(schema, options: options, head: [])
    var out = ByteBuffer(capacity: 1024), builder = RowBatchBuilder(width: 2)
    writer.begin(&out)
    for row in 0..<100 {
      builder.append(integer: Int64(row * 3))
      builder.append(text: "text \(row * 3)")
    }
    let group = try writer.append([builder.finish()], to: &out)
    writer.finish([(ParquetWriter.headerSize, group)], at: out.count, &out)
    let bytes = out.bytes()
    var excluded = 0
    for number in 0..<300 {
      for (column, value) in [("n", "\(number)"), ("s", "text \(number)")] {
        var reading = ParquetReading()
        reading.needsGroup = { $0(column)?.mayContain?(value) ?? true }
        let count = try await rows(bytes, reading).count
        #expect(count == 100 || number % 3 != 0)
        if count == 0 { excluded += 1 }
      }
    }
    #expect(excluded > 380)
  }

  /// Written by pyarrow 26: a row group without rows, whose columns have no data pages and 0 as their offset.
  private static let empty = """
    UEFSMRUEFQAVAkwVABUAEgAAABUEFQAVAkwVABUAEgAAABUEGTw1ABgGc2NoZW1hFQQAFQQlAhgBeAAVDCUCGAF5JQBMHAAAABYAGRwZLCYAHBUEGS\
    UABhkYAXgVAhYAFhwWHiYAJggpHBUEFQAVAgAAACYAHBUMGSUABhkYAXkVAhYAFhwWHiYAJiYpHBUEFQAVAgAAABY4FgAmCBY8ACggcGFycXVldC1j\
    cHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAACpAAAAUEFSMQ==
    """

  @Test("a row group without rows is read, wherever its columns are said to be") func emptyGroup() async throws {
    let bytes = try #require(Base64.decode(Array(Self.empty.utf8)))
    let file = try ParquetFile(MemoryByteSource(bytes, name: "x"))
    #expect(try ParquetRowStream(file, table: "t").schema.columns.map(\.name) == ["x", "y"])
    #expect(try await rows(bytes).isEmpty)
  }

  /// Written by pyarrow 26: the column t, of type string, has bytes of ISO 8859-1.
  private static let western = """
    UEFSMRUAFTwVNiwVBhUAFQYVBhwYCAMAAAAAAAAAGAgBAAAAAAAAABYAKAgDAAAAAAAAABgIAQAAAAAAAAAREQAAAB4cAgAAAAYBAQAJAQEOLAAA\
    AAADAAAAAAAAABUAFTIVNCwVBhUAFQYVBhw2ACgBeBgEY2Fm6RERAAAAGRQCAAAABgEBBjhvawQAAABjYWbpAQAAAHgVBBk8NQAYBnNjaGVtYRUE\
    ABUEJQIYAmlkABUMJQIYAXQlAEwcAAAAFgYZHBksJgAcFQQZJQYAGRgCaWQVAhYGFroBFrQBJgg8GAgDAAAAAAAAABgIAQAAAAAAAAAWACgIAwAA\
    AAAAAAAYCAEAAAAAAAAAEREAGRwVABUAFQIAPCkGGSYABgAAACYAHBUMGSUGABkYAXQVAhYGFnIWdCa8ATw2ACgBeBgEY2Fm6RERABkcFQAVABUC\
    ADwWDhkGGSYABgAAABasAhYGJggWqAIAGRwYDEFSUk9XOnNjaGVtYRjsAS8vLy8vNmdBQUFBUUFBQUFBQUFLQUF3QUJnQUZBQWdBQ2dBQUFBQUJC\
    QUFNQUFBQUNBQUlBQUFBQkFBSUFBQUFCQUFBQUFJQUFBQkFBQUFBQkFBQUFOai8vLzhBQUFFRkVBQUFBQmdBQUFBRUFBQUFBQUFBQUFFQUFBQjBB\
    QUFBQkFBRUFBUUFBQUFRQUJRQUNBQUdBQWNBREFBQUFCQUFFQUFBQUFBQUFRSVFBQUFBSEFBQUFBUUFBQUFBQUFBQUFnQUFBR2xrQUFBSUFBd0FD\
    QUFIQUFnQUFBQUFBQUFCUUFBQUFBQUFBQUE9ABggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAAD7AQAAUEFSMQ==
    """

  @Test("a text that is not UTF-8 is refused with its rows, unless its column is not read")
  func encoding() async throws {
    let file = try ParquetFile(
      MemoryByteSource(try #require(Base64.decode(Array(Self.western.utf8))), name: "x.parquet"))
    let problem = await #expect(throws: Problem.self) {
      _ = try await ParquetRowStream(file, table: "t").next()?.batch()
    }
    #expect(problem?.kind == .badData && problem?.place == "x.parquet")
    #expect(problem?.message == "column t: invalid UTF-8 in the text “caf\\xE9” (rows 1 to 3)")
    #expect(problem?.hint.isEmpty == false)
    var reading = ParquetReading()
    reading.columns = ["id"]
    #expect(try await ParquetRowStream(file, table: "t", reading).next()?.batch().count == 3)
  }

  /// The rows of a file that is written with a row group of `values`, one column each.
  private func written(
    _ schema: Schema, _ values: [[Value]], _ reading: ParquetReading = ParquetReading(),
    _ compression: PageCompression = .gzip
  ) async throws -> [[Value]] {
    try await rows(try encoded(schema, values, compression), reading)
  }

  private func encoded(
    _ schema: Schema, _ values: [[Value]], _ compression: PageCompression = .gzip
  ) throws -> [UInt8] {
    var options = ParquetOptions(), builder = RowBatchBuilder(width: schema.width)
    (options.compression, options.usesDictionaries) = (compression, false)
    for value in values.joined() { builder.append(value: value) }
    let batch = builder.finish(), writer = ParquetWriter(schema, options: options, head: [batch])
    var out = ByteBuffer(capacity: 1024)
    writer.begin(&out)
    let offset = out.count, group = try writer.append([batch], to: &out)
    writer.finish([(offset, group)], at: out.count, &out)
    return out.bytes()
  }

  @Test(
    "lists keep the size of their numbers",
    arguments: [
      StoredType.integers(bits: 8), .integers(bits: 16), .integers(bits: 32), .integers(bits: 64), .reals(bits: 32),
      .reals(bits: 64),
    ])
  func lists(_ stored: StoredType) async throws {
    var column = ColumnDescription("l", .json), texts = ["[1.5,null,-0.25]", "[]"]
    if case .integers(let bits) = stored { texts = ["[1,null,-\(UInt64(1) << UInt64(bits - 1))]", "[]"] }
    column.stored = stored
    let schema = Schema("t", columns: [column])
    let values = texts.map { [Value.json(Array($0.utf8))] } + [[.null]]
    let file = try ParquetFile(MemoryByteSource(try encoded(schema, values), name: "x"))
    #expect(try ParquetRowStream(file, table: "t", ParquetReading()).schema.columns[0].stored == stored)
    #expect(try await written(schema, values) == values)
    if case .integers(let bits) = stored {
      let large = Array("[\(UInt64(1) << UInt64(bits - 1))]".utf8)
      #expect(throws: Problem.self) { try encoded(schema, [[.json(large)]]) }
    }
  }

  @Test(
    "a page of more text than a batch has is decoded in parts, from any row", arguments: [0, 17],
    [PageCompression.none, .snappy, .gzip])
  func largePage(_ first: Int, _ compression: PageCompression) async throws {
    let schema = Schema("t", columns: [ColumnDescription("s", .text), ColumnDescription("l", .list(.text))])
    let values = (0..<30).map { row -> [Value] in
      let text = Array("\(row)".utf8) + Array(repeating: UInt8(ascii: "x"), count: 600_000)
      let list = Array("[\"".utf8) + text + Array("\",\"b\"]".utf8)
      return [row % 7 == 3 ? .null : .text(text), row % 5 == 2 ? .null : .json(list)]
    }
    var reading = ParquetReading()
    reading.rows = first..<30
    #expect(try await written(schema, values, reading, compression) == Array(values[first...]))
  }

  @Test("lists of many numbers are decoded in parts") func longLists() async throws {
    let list = Array("[".utf8) + Array([[UInt8]](repeating: [49], count: 30_000).joined(separator: [44])) + [93]
    let values = Array(repeating: [Value.json(list)], count: 60)
    #expect(try await written(Schema("t", columns: [ColumnDescription("l", .list(.integer))]), values) == values)
  }

  @Test("a nested value with more bytes than a value may have is refused") func largeList() async throws {
    var reading = ParquetReading()
    reading.maximumField = 1000
    let texts = [[UInt8]](repeating: Array("\"text\"".utf8), count: 200)
    let list = Array("[".utf8) + Array(texts.joined(separator: [44])) + [93]
    let problem = await #expect(throws: Problem.self) {
      try await written(Schema("t", columns: [ColumnDescription("l", .list(.text))]), [[.json(list)]], reading)
    }
    #expect(problem?.message.contains("a value is larger than") == true)
  }

  @Test("dates outside of the years 0 to 9999 are read back, other texts in their columns are not") func farDates()
    async throws
  {
    let schema = Schema(
      "t",
      columns: [
        ColumnDescription("d", .date), ColumnDescription("i", .timestamp), ColumnDescription("l", .datetime),
      ])
    func row(_ day: String) -> [Value] { ["", "T14:13:20Z", "T14:13:20"].map { .text(Array((day + $0).utf8)) } }
    let values = ["-000768-02-29", "+029349-01-26", "2024-02-29", "0000-01-01"].map(row)
    #expect(try await written(schema, values) == values)
    for day in ["-00768-02-04", "+029349-13-26", "029349-01-26", "-", "+0293490126"] {
      await #expect(throws: Problem.self) { try await written(schema, [row(day)]) }
    }
  }

  @Test("a zero keeps its sign in columns of reals", arguments: [StoredType.float, nil])
  func zeros(_ stored: StoredType?) async throws {
    var column = ColumnDescription("r", .real)
    column.stored = stored
    let rows = try await written(Schema("t", columns: [column]), [[.real(-0.0)], [.real(0)], [.real(1.5)]])
    let signs = rows.map { if case .real(let value) = $0[0] { value.sign } else { FloatingPointSign?.none } }
    #expect(signs == [.minus, .plus, .plus])
  }

  @Test("a truncated file is refused") func truncated() async throws {
    let bytes = try file(50)
    for count in 0..<bytes.count {
      let problem = await #expect(throws: Problem.self) { try await rows(Array(bytes.prefix(count))) }
      #expect(problem?.kind == .badData)
    }
  }

  @Test("a changed byte of a page is refused, and one of the metadata does not trap") func damaged() async throws {
    let bytes = try file(60)
    var refused = 0
    for place in stride(from: 4, to: bytes.count, by: 3) {
      for mask: UInt8 in [0x01, 0x80, 0xFF] {
        var changed = bytes
        changed[place] ^= mask
        do { _ = try await rows(changed) } catch { refused += 1 }
      }
    }
    #expect(refused > 0)
  }
}
