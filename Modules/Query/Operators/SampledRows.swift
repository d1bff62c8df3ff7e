import Rows
import Synchronization

/// Some rows at random, each equally likely, in the order they came in.
///
/// Every row draws a number from the seed and its position alone, and the rows with the smallest numbers are taken: so
/// a seed gives the same rows however they are cut into batches. Rows that cannot be among them are dropped at once;
/// the others wait in a spool.
final class SampledRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let size: Int
  private let seed: UInt64
  private let scratch: any ScratchSpace
  private let result = Mutex<(any RowStream)?>(nil)

  init(_ inner: any RowStream, count: Int, seed: UInt64?, scratch: any ScratchSpace) {
    schema = inner.schema
    self.inner = inner
    size = count
    self.seed = seed ?? UInt64.random(in: 0 ... .max)
    self.scratch = scratch
  }

  func next() async throws(Problem) -> BatchTask? {
    if let stream = result.withLock({ $0 }) { return try await stream.next() }
    let stream = try await drawn()
    result.withLock { $0 = stream }
    return try await stream.next()
  }

  private func drawn() async throws(Problem) -> any RowStream {
    let candidates = SpillBuffer(schema: schema, scratch: scratch)
    var numbers: [UInt64] = []
    var heap = LargestFirst(capacity: size)
    var position: UInt64 = 0
    while let work = try await inner.next() {
      let batch = try work.batch()
      var builder = RowBatchBuilder(width: schema.width)
      for row in 0..<batch.count {
        let number = Self.number(seed, position)
        position += 1
        guard heap.insert(number) else { continue }
        numbers.append(number)
        builder.append(row: row, of: batch)
      }
      try candidates.append(builder.finish())
    }
    guard let largest = heap.largest else { return BufferedRows(schema: schema, batches: []) }
    return ChosenRows(candidates.stream(), chosen: numbers.map { $0 <= largest })
  }

  /// A number for a row: SplitMix64 at the row's position. Different positions give different numbers.
  private static func number(_ seed: UInt64, _ position: UInt64) -> UInt64 {
    var z = seed &+ (position &+ 1) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// The smallest numbers seen so far, as a heap with the largest of them on top.
struct LargestFirst {
  private var items: [UInt64] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// The largest that is kept; nil when nothing is.
  var largest: UInt64? { items.first }

  /// Takes a number in, if it is among the smallest; tells whether it is.
  mutating func insert(_ number: UInt64) -> Bool {
    if items.count < capacity {
      items.append(number)
      var child = items.count - 1
      while child > 0, items[(child - 1) / 2] < items[child] {
        items.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
      return true
    }
    guard let top = items.first, number < top else { return false }
    items[0] = number
    var parent = 0
    while true {
      var child = 2 * parent + 1
      if child >= items.count { return true }
      if child + 1 < items.count, items[child + 1] > items[child] { child += 1 }
      if items[child] <= items[parent] { return true }
      items.swapAt(child, parent)
      parent = child
    }
  }
}

private final class ChosenRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let chosen: [Bool]
  private let position = Mutex(0)

  init(_ inner: any RowStream, chosen: [Bool]) {
    schema = inner.schema
    self.inner = inner
    self.chosen = chosen
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let work = try await inner.next() else { return nil }
    let batch = try work.batch()
    let start = position.withLock { position in
      defer { position += batch.count }
      return position
    }
    return BatchTask(ready: batch.selecting((0..<batch.count).filter { chosen[start + $0] }))
  }
}
