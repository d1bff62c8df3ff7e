import Rows
import Testing

@testable import Query
@testable import TestSupport

@Suite("sorts on several threads") struct ParallelSortTests {
  /// The plain way: a stable sort of all rows by comparing them.
  static func sorted(_ table: Table, _ order: SortOrder) async throws -> [[Value]] {
    let batches = try await table.stream(max(table.rows.count, 1)).collect()
    guard let batch = batches.first else { return [] }
    let reader = CellReader(batch)
    let rows = (0..<batch.count).sorted { a, b in
      let result = order.compare(reader, a, reader, b)
      return result == 0 ? a < b : result < 0
    }
    return rows.map { table.rows[$0] }
  }

  static let orders: [[(String, Bool)]] = [
    [("id", false)], [("id", true)], [("word", false)], [("word", true)], [("exact", false)], [("exact", true)],
    [("score", false)], [("score", true)], [("day", false)], [("day", true)], [("seen", true)], [("tags", false)],
    [("few", false), ("word", false)], [("few", true), ("exact", true)],
    [("few", false), ("score", true), ("day", false)],
    [("exact", false), ("id", true)], [("seen", false), ("few", true)], [("score", false), ("few", false)],
    [("seen", true), ("word", true), ("id", false)], [("at", false)], [("at", true), ("id", false)],
    [("few", false), ("at", true)],
  ]

  private static func order(_ keys: [(String, Bool)], _ schema: Schema) throws -> SortOrder {
    var result: [SortOrder.Key] = []
    for (name, isDescending) in keys {
      result.append(SortOrder.Key(column: try schema.column(named: name), isDescending: isDescending))
    }
    return SortOrder(result, schema)
  }

  @Test("the result is that of a stable sort, on any number of threads and with any memory", arguments: orders.indices)
  func same(index: Int) async throws {
    let table = AdversarialTable.table(900, seed: UInt64(index), groups: 210)
    let order = try Self.order(Self.orders[index], table.schema)
    let wanted = try await Self.sorted(table, order)
    for threads in [1, 2, 7] {
      for memory in [64 << 10, 3 << 20, Int.max / 4] {
        for (keep, size) in [(nil, 37), (1, 37), (40, 100), (899, 300)] as [(Int?, Int)] {
          let rows = try await SortedRows(
            table.stream(size), by: order, keeping: keep, scratch: MemoryScratch(), memoryLimit: memory,
            threads: threads
          ).values()
          #expect(rows.count >= min(keep ?? .max, wanted.count))
          let count = keep ?? wanted.count
          #expect(
            Array(rows.prefix(count)) == Array(wanted.prefix(count)), "\(threads) threads, \(memory), \(keep ?? -1)")
        }
      }
    }
  }

  @Test(
    "words never contradict comparisons, and where they decide, equal words are equal rows", arguments: orders.indices)
  func words(index: Int) async throws {
    let table = AdversarialTable.table(400, seed: UInt64(100 + index))
    let order = try Self.order(Self.orders[index], table.schema)
    let batch = try await table.stream(400).collect()[0], reader = CellReader(batch)
    let words = (0..<batch.count).map { order.words(reader, $0) }
    for a in 0..<batch.count {
      for b in 0..<batch.count {
        let result = order.compare(reader, a, reader, b)
        let isBefore = (words[a].head, words[a].next) < (words[b].head, words[b].next)
        let isSame = words[a].head == words[b].head && words[a].next == words[b].next
        if isBefore, result >= 0 { Issue.record("\(table.rows[a]) \(table.rows[b])") }
        if isSame, words[a].isDecided, words[b].isDecided, result != 0 {
          Issue.record("\(table.rows[a]) \(table.rows[b])")
        }
      }
    }
  }

  @Test("few values in many rows make small batches, in order of arrival") func fewValues() async throws {
    let schema = Schema("t", columns: [ColumnDescription("few", .integer), ColumnDescription("at", .integer)])
    let table = Table(
      schema: schema, rows: (0..<60_000).map { [.integer(Int64($0 * 31 % 7)), .integer(Int64($0))] })
    let order = SortOrder([SortOrder.Key(column: 0, isDescending: false)], schema)
    let stream = SortedRows(table.stream(999), by: order, keeping: nil, scratch: MemoryScratch(), threads: 3)
    let batches = try await stream.collect()
    #expect(batches.allSatisfy { $0.count < 20_000 })
    let rows = try await BufferedRows(schema: schema, batches: batches).values()
    #expect(try await rows == Self.sorted(table, order))
  }

  @Test("the first problem in input order is reported") func firstProblem() async throws {
    let order = SortOrder([SortOrder.Key(column: 0, isDescending: false)], AdversarialTable.schema)
    let stream = FailingRows(AdversarialTable.table(100).stream(1), at: [40, 41, 60])
    let problem = await #expect(throws: Problem.self) {
      _ = try await SortedRows(stream, by: order, keeping: nil, scratch: MemoryScratch(), threads: 7).values()
    }
    #expect(problem?.message == "batch 40")
  }
}
