public import Rows
import Synchronization

/// A part of the work that several machines share without talking to each other: number `index` of `count`.
public struct Shard: Sendable, Hashable {
  /// Counted from 1.
  let index: Int
  /// The number of parts, at least 1.
  let count: Int

  /// Parses `3/16`.
  /// - Throws: `usage`.
  public init(_ text: String) throws(Problem) {
    let parts = text.split(at: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], (1...65_536).contains(count),
      (1...count).contains(index)
    else {
      throw Problem(.usage, "invalid shard “\(text)”", hint: "use I/N with I from 1 to N, for example 3/16")
    }
    (self.index, self.count) = (index, count)
  }

  /// The files of this part, in their order: the largest file goes first, each to the part with the fewest bytes so
  /// far. This depends on the names and sizes only, so that the parts of all machines are disjoint and complete.
  public func files(of all: [(name: String, size: Int)]) -> [String] {
    var loads = Array(repeating: 0, count: count), mine: Set<Int> = []
    let order = all.indices.sorted { a, b in
      if all[a].size != all[b].size { return all[a].size > all[b].size }
      if all[a].name != all[b].name { return all[a].name.utf8.lexicographicallyPrecedes(all[b].name.utf8) }
      return a < b
    }
    for position in order {
      var part = 0
      for other in loads.indices where loads[other] < loads[part] { part = other }
      // An empty file counts, too.
      loads[part] += all[position].size + 1
      if part == index - 1 { mine.insert(position) }
    }
    return all.indices.filter(mine.contains).map { all[$0].name }
  }

  /// The positions of this part among `size`. The parts are disjoint and complete.
  public func range(of size: Int) -> Range<Int> {
    func border(_ index: Int) -> Int { Int(Int128(size) * Int128(index) / Int128(count)) }
    return border(index - 1)..<border(index)
  }

  /// Every `count`-th of `size` positions, from the `index`-th on: also the same if another machine sees a larger size.
  public func positions(of size: Int) -> [Int] { Array(stride(from: index - 1, to: size, by: count)) }

  /// The first and the last of the numbers of this part of those from `least` to `greatest`.
  public func bounds(from least: Int128, to greatest: Int128) -> (first: Int128, last: Int128) {
    let size = greatest - least + 1
    return (least + size * Int128(index - 1) / Int128(count), least + size * Int128(index) / Int128(count) - 1)
  }

  /// Whether the parts of a number of files are whole files.
  public func divides(_ files: Int) -> Bool { files >= 4 * count }
  /// Whether there are other parts.
  public var isPart: Bool { count > 1 }

  /// Every `count`-th of the rows, from row `index` on.
  public func rows(of stream: any RowStream) -> any RowStream { ShardedRows(stream, self) }
}

/// Every n-th row of a stream.
private final class ShardedRows: RewrittenRowStream {
  let schema: Schema
  let inner: any RowStream
  private let shard: Shard
  /// The number of rows before the next batch.
  private let seen = Mutex(0)

  init(_ inner: any RowStream, _ shard: Shard) { (self.inner, self.shard, schema) = (inner, shard, inner.schema) }

  func next() async throws(Problem) -> BatchTask? {
    guard let batch = try await inner.next()?.batch() else { return nil }
    let first = seen.withLock { seen in
      defer { seen += batch.count }
      return seen
    }
    let start = (shard.index - 1 - first % shard.count + shard.count) % shard.count
    return BatchTask(ready: batch.selecting(Array(stride(from: start, to: batch.count, by: shard.count))))
  }

  func over(_ rows: any RowStream) -> any RowStream { ShardedRows(rows, shard) }
}
