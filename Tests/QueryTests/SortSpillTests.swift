import Codecs
import Rows
import Testing

@testable import Query
@testable import TestSupport

@Suite("large sorts") struct SortSpillTests {
  static let schema = Schema(
    "t", key: ["id"],
    columns: [
      ColumnDescription("id", .integer), ColumnDescription("word", .text), ColumnDescription("number", .decimal),
    ])

  /// Rows with many equal words, and with numbers that are equal as Double.
  static func table(_ count: Int) -> Table {
    var random = LargeSelectionTests.Generator(state: 7)
    let words = ["", "prefix", "prefix-a", "prefix-é", "prefix-abcdefghij", "prefix-abcdefghik", "q"]
    let numbers = [
      "9007199254740993", "9007199254740992", "-1e400", "1e400", "0.1", "0.10000000000000001", "1.0", "1", "-0",
    ]
    return Table(
      schema: schema,
      rows: (0..<count).map { _ in
        let word = Int(random.next() % 8), number = Int(random.next() % 10)
        return [
          .integer(Int64(random.next() % 1000)), word < 7 ? .text(words[word]) : .null,
          number < 9 ? .number(Array(numbers[number].utf8)) : .null,
        ]
      })
  }

  /// The reference sort: insertion in order, row by row.
  static func sorted(_ rows: [[Value]], _ column: Int, descending: Bool) throws -> [[Value]] {
    func key(_ row: [Value]) -> (isNull: Bool, text: [UInt8], number: DecimalNumber?) {
      switch row[column] {
      case .text(let bytes): (false, bytes, nil)
      case .number(let literal): (false, [], DecimalNumber(literal))
      default: (true, [], nil)
      }
    }
    func isBefore(_ a: [Value], _ b: [Value]) -> Bool {
      let x = key(a), y = key(b)
      if x.isNull != y.isNull { return y.isNull }
      if x.text != y.text { return x.text.lexicographicallyPrecedes(y.text) != descending }
      if let m = x.number, let n = y.number, m != n { return (m < n) != descending }
      guard case .integer(let i) = a[0], case .integer(let j) = b[0] else { return false }
      return i < j
    }
    var result: [[Value]] = []
    for row in rows {
      let place = result.firstIndex { isBefore(row, $0) } ?? result.count
      result.insert(row, at: place)
    }
    return result
  }

  @Test(
    "a sort is the same in memory, through many temporary files, and cut short",
    arguments: [(1, false), (1, true), (2, false), (2, true)])
  func spills(column: Int, descending: Bool) async throws {
    let table = Self.table(600)
    let wanted = try Self.sorted(table.rows, column, descending: descending)
    let order = SortOrder([SortOrder.Key(column: column, isDescending: descending)], Self.schema)
    for (limit, keep, size) in [
      (SpillBuffer.memoryLimit, nil, 100), (0, nil, 100), (3 << 20, nil, 7), (0, 40, 100),
      (SpillBuffer.memoryLimit, 40, 1),
      (SpillBuffer.memoryLimit, 1, 33), (SpillBuffer.memoryLimit, 0, 33), (3 << 20, 400, 9),
    ] as [(Int, Int?, Int)] {
      let stream = SortedRows(
        table.stream(size), by: order, keeping: keep, scratch: MemoryScratch(), memoryLimit: limit)
      let rows = try await stream.values()
      #expect(rows.count >= min(keep ?? .max, wanted.count))
      #expect(
        Array(rows.prefix(keep ?? wanted.count)) == Array(wanted.prefix(keep ?? wanted.count)), "\(limit) \(keep ?? -1)"
      )
    }
  }

  @Test("large rows are sorted and grouped through files as in memory") func wide() async throws {
    var random = LargeSelectionTests.Generator(state: 3)
    // Equal in their first 2,000 bytes, and some in all.
    let common = [UInt8](repeating: 97, count: 2000)
    let schema = Schema("t", columns: [ColumnDescription("n", .integer), ColumnDescription("word", .text)])
    let table = Table(
      schema: schema,
      rows: (0..<900).map { number in [.integer(Int64(number)), .text(common + Array("\(random.next() % 40)".utf8))] })
    let order = SortOrder([SortOrder.Key(column: 1, isDescending: false)], schema)
    let wanted = try await SortedRows(table.stream(50), by: order, keeping: nil, scratch: NoScratch()).values()
    for (limit, keep) in [(0, nil), (300 << 10, nil), (300 << 10, 500)] as [(Int, Int?)] {
      let files = SortedRows(
        table.stream(50), by: order, keeping: keep, scratch: MemoryScratch(), memoryLimit: limit)
      #expect(try await Array(files.values().prefix(keep ?? 900)) == Array(wanted.prefix(keep ?? 900)), "\(limit)")
    }
    var file = try SpilledRun(width: 2, scratch: MemoryScratch())
    let run = SortRun(try #require(try await table.stream(900).next()?.batch()), order)
    try RangedRows(schema: schema, order: order, parts: [.run(run)]).write(to: &file)
    #expect(file.isWide && file.firsts.isEmpty && file.count == 900)
  }

  @Test("large blocks are compressed where that halves them", arguments: [true, false])
  func compresses(repeats: Bool) async throws {
    try #require(CompressionLibrary.zstd.failure == nil)
    var random = LargeSelectionTests.Generator(state: 5)
    let schema = Schema("t", columns: [ColumnDescription("n", .integer), ColumnDescription("word", .text)])
    let rows: [[Value]] = (0..<Int64(4)).map { number in
      let text = (0..<1 << 20).map { UInt8(truncatingIfNeeded: repeats ? UInt64($0 % 7) : random.next() >> 20) & 127 }
      return [.integer(number), .text(text)]
    }
    let order = SortOrder([SortOrder.Key(column: 0, isDescending: true)], schema)
    let batch = try #require(try await Table(schema: schema, rows: rows).stream(4).next()?.batch())
    var file = try SpilledRun(width: 2, scratch: MemoryScratch())
    try RangedRows(schema: schema, order: order, parts: [.run(SortRun(batch, order))]).write(to: &file)
    #expect(file.blocks.count == 4)
    for block in file.blocks { #expect(repeats ? block.stored * 100 < block.size : block.stored == block.size) }
    let read = try RangedRows(schema: schema, order: order, parts: [.file(file)])
    let values = try await read.values()
    #expect(values == rows.reversed())
  }

  @Test("a limit prunes while rows come in, however many there are") func prunes() async throws {
    let table = Self.table(20_000)
    let order = SortOrder([SortOrder.Key(column: 1, isDescending: false)], Self.schema)
    let whole = SortedRows(table.stream(999), by: order, keeping: nil, scratch: MemoryScratch())
    let cut = SortedRows(table.stream(999), by: order, keeping: 50, scratch: NoScratch())
    #expect(try await Array(whole.values().prefix(50)) == Array(cut.values().prefix(50)))
  }

  @Test("the nearest Double keeps the order of literals")
  func nearest() throws {
    let literals = [
      "-1e400", "-123456789012345678", "-0.1", "0", "0.000000000000001", "0.1", "0.10000000000000001", "1.5", "12.25",
      "999999999999999", "9007199254740993", "1e22", "1e400",
    ]
    var builder = RowBatchBuilder(width: 1)
    for literal in literals { builder.append(number: Array(literal.utf8)) }
    let batch = builder.finish(), reader = CellReader(batch)
    let doubles = try literals.indices.map { try #require(reader.nearestDouble(of: reader.cell($0, 0))).value }
    #expect(doubles == literals.map { Double($0) ?? .nan })
    #expect(doubles == doubles.sorted())
  }
}
