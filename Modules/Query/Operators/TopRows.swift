import Rows
import Synchronization

/// The first rows of a stream in an order: each worker keeps its best ones, and all share a row that the others must
/// come before.
final class TopRows: Sendable {
  private let order: SortOrder
  private let keep: Int
  private let schema: Schema
  /// The row that is last of at least `keep` rows.
  private let bound = Mutex<Candidate?>(nil)
  private let workers: [Worker]

  /// A row that may be among the first, and its place in the input.
  private struct Candidate: Sendable {
    let words: SortWords
    let place: UInt64
    let batch: RowBatch
    let row: Int
  }
  /// The best rows that one worker has seen.
  private final class Worker: Sendable {
    let rows = Mutex<[Candidate]>([])
  }

  init(_ schema: Schema, by order: SortOrder, keeping keep: Int, workers: Int) {
    self.schema = schema
    self.order = order
    self.keep = keep
    self.workers = (0..<workers).map { _ in Worker() }
  }

  /// Takes in a batch; the workers may call it at the same time.
  func add(_ batch: RowBatch, number: Int, worker: Int) {
    guard keep > 0 else { return }
    let reader = CellReader(batch), bound = bound.withLock { $0 }
    let boundReader = bound.map { CellReader($0.batch) }
    var fresh: [Candidate] = []
    for row in 0..<batch.count {
      let words = order.words(reader, row)
      if let bound, let boundReader {
        if words.head > bound.words.head { continue }
        if words.head == bound.words.head, order.compare(reader, row, boundReader, bound.row) >= 0,
          UInt64(number) << 32 > bound.place
        {
          continue
        }
      }
      fresh.append(Candidate(words: words, place: UInt64(number) << 32 | UInt64(row), batch: batch, row: row))
    }
    if fresh.isEmpty { return }
    let best = first(fresh)
    let copied = self.copied(best)
    let last: Candidate? = workers[worker].rows.withLock { rows in
      rows += copied
      // Each part has a batch of its own, however few rows it has.
      guard rows.count > max(64, 4 * keep) else { return copied.count == keep ? copied.last : nil }
      rows = self.copied(first(rows))
      return rows.last
    }
    if let last { tighten(last) }
  }

  private func tighten(_ last: Candidate) {
    bound.withLock { bound in
      if let known = bound, !isBefore(last, known) { return }
      bound = last
    }
  }

  private func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.words.head != b.words.head { return a.words.head < b.words.head }
    if a.words.next != b.words.next { return a.words.next < b.words.next }
    let result = order.compare(CellReader(a.batch), a.row, CellReader(b.batch), b.row)
    return result == 0 ? a.place < b.place : result < 0
  }

  private func first(_ rows: [Candidate]) -> [Candidate] { Array(rows.sorted(by: isBefore).prefix(keep)) }

  /// The same rows in a batch of their own, so that the batches they came in can be freed.
  private func copied(_ rows: [Candidate]) -> [Candidate] {
    var result: [Candidate] = []
    for batch in batches(of: rows) {
      for row in 0..<batch.count {
        let one = rows[result.count]
        result.append(Candidate(words: one.words, place: one.place, batch: batch, row: row))
      }
    }
    return result
  }

  private func batches(of rows: [Candidate]) -> [RowBatch] {
    var batches: [RowBatch] = [], builder = RowBatchBuilder(width: schema.width)
    for one in rows {
      builder.append(row: one.row, of: one.batch)
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    if builder.count > 0 { batches.append(builder.takeBatch()) }
    return batches
  }

  /// The first rows, in order, when every batch was taken in.
  func batches() -> [RowBatch] {
    var all: [Candidate] = []
    for worker in workers { all += worker.rows.withLock { $0 } }
    return batches(of: first(all))
  }
}
