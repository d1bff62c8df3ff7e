import Rows
import Synchronization

/// Rows in order. Up to 64 MiB in memory; beyond that, sorted runs in temporary files that are merged. With a limit,
/// only the rows that can be among the first are kept.
final class SortedRows: RowStream {
  let schema: Schema
  private let inner: any RowStream
  private let order: SortOrder
  private let keep: Int?
  private let scratch: any ScratchSpace
  private let memoryLimit: Int
  private let result = Mutex<(any RowStream)?>(nil)

  /// The rows of `inner` by `order`; of them the first `keep`, or a few more.
  init(
    _ inner: any RowStream, by order: SortOrder, keeping keep: Int?, scratch: any ScratchSpace,
    memoryLimit: Int = SpillBuffer.memoryLimit
  ) {
    schema = inner.schema
    self.inner = inner
    self.order = order
    self.keep = keep
    self.scratch = scratch
    self.memoryLimit = memoryLimit
  }

  func next() async throws(Problem) -> BatchTask? {
    if let stream = result.withLock({ $0 }) { return try await stream.next() }
    let stream = try await sorted()
    result.withLock { $0 = stream }
    return try await stream.next()
  }

  private func sorted() async throws(Problem) -> any RowStream {
    var runs: [SpillBuffer] = []
    var pending: [RowBatch] = [], memory = 0, rows = 0
    /// With a limit: the last row that may still be among the first.
    var last: (batch: RowBatch, row: Int)?
    let enough = keep.map { max(min($0, Int.max / 2) * 2, 4096) } ?? .max
    while let work = try await inner.next() {
      var batch = try work.batch()
      if let last { batch = before(last, in: batch) }
      guard batch.count > 0 else { continue }
      pending.append(batch)
      memory += batch.memory + batch.count * MemoryLayout<OrderedBatches.Place>.stride
      rows += batch.count
      guard memory > memoryLimit || rows > enough else { continue }
      let ordered = OrderedBatches(pending, schema: schema, by: order, keeping: keep)
      if keep != nil, ordered.bytes <= memoryLimit / 2 {
        // With a small limit, the rows kept so far are processed again like new ones.
        pending = ordered.slices.map(ordered.batch)
        rows = ordered.count
        memory = pending.reduce(rows * MemoryLayout<OrderedBatches.Place>.stride) { $0 + $1.memory }
        if let keep, rows == keep, let batch = pending.last { last = (batch, batch.count - 1) }
        continue
      }
      runs.append(try spooled(ordered))
      (pending, memory, rows) = ([], 0, 0)
    }
    let rest = OrderedBatches(pending, schema: schema, by: order, keeping: keep)
    if runs.isEmpty { return OrderedRows(rest) }
    pending = []
    runs.append(try spooled(rest))
    return try await MergedRows(schema: schema, runs: runs.map { $0.stream() }, order: order)
  }

  /// The rows of a batch that come before one that came in earlier, in memory of their own.
  private func before(_ last: (batch: RowBatch, row: Int), in batch: RowBatch) -> RowBatch {
    let reader = CellReader(batch), lastReader = CellReader(last.batch)
    var builder = RowBatchBuilder(width: schema.width)
    for row in 0..<batch.count where order.compare(reader, row, lastReader, last.row) < 0 {
      builder.append(row: row, of: batch)
    }
    return builder.finish()
  }

  private func spooled(_ ordered: OrderedBatches) throws(Problem) -> SpillBuffer {
    let spool = SpillBuffer(schema: schema, scratch: scratch, memoryLimit: 0)
    for slice in ordered.slices { try spool.append(ordered.batch(slice)) }
    return spool
  }
}

/// Batches and the order of their rows.
struct OrderedBatches: Sendable {
  /// A row among the batches, and how it begins.
  struct Place: Sendable {
    let head: UInt64
    let batch: Int32, row: Int32
  }
  let schema: Schema
  private let batches: [RowBatch]
  private let places: [Place]
  /// Memory the rows need when they are copied, about, in bytes.
  let bytes: Int

  /// Orders the rows of `batches`; of equal ones, the earlier comes first. Of them, the first `keep` count.
  init(_ batches: [RowBatch], schema: Schema, by order: SortOrder, keeping keep: Int?) {
    self.schema = schema
    self.batches = batches
    let readers = batches.map(CellReader.init)
    let skip = order.commonPrefix(of: zip(readers, batches).map { ($0, $1.count) })
    let rows = batches.reduce(0) { $0 + $1.count }
    var places: [Place] = []
    places.reserveCapacity(rows)
    for (index, batch) in batches.enumerated() {
      for row in 0..<batch.count {
        places.append(Place(head: order.head(readers[index], row, skip: skip), batch: Int32(index), row: Int32(row)))
      }
    }
    places.sort { a, b in
      if a.head != b.head { return a.head < b.head }
      let result = order.compare(readers[Int(a.batch)], Int(a.row), readers[Int(b.batch)], Int(b.row))
      return result == 0 ? (a.batch, a.row) < (b.batch, b.row) : result < 0
    }
    if let keep, keep < places.count { places.removeSubrange(keep...) }
    self.places = places
    let size = batches.reduce(0) { $0 + $1.arena.count } + rows * schema.width * MemoryLayout<Cell>.stride
    bytes = rows == 0 ? 0 : Int((Double(size) / Double(rows) * Double(places.count)).rounded(.up))
  }

  /// Rows that count.
  var count: Int { places.count }

  /// The rows in slices, each good for a batch of the usual size.
  var slices: [Range<Int>] {
    let size = min(max(Arena.usualCapacity / max(bytes / max(count, 1), 1), 1), 1 << 13)
    return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
  }

  /// A slice in a batch of its own.
  func batch(_ slice: Range<Int>) -> RowBatch {
    var builder = RowBatchBuilder(width: schema.width)
    for place in places[slice] { builder.append(row: Int(place.row), of: batches[Int(place.batch)]) }
    return builder.finish()
  }
}

/// Ordered batches as a stream; the copying is done on any core.
private final class OrderedRows: RowStream {
  let schema: Schema
  private let ordered: OrderedBatches
  private let slices: Mutex<ArraySlice<Range<Int>>>

  init(_ ordered: OrderedBatches) {
    schema = ordered.schema
    self.ordered = ordered
    slices = Mutex(ordered.slices[...])
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let slice = slices.withLock({ $0.popFirst() }) else { return nil }
    let ordered = self.ordered
    return BatchTask { () throws(Problem) in ordered.batch(slice) }
  }
}
