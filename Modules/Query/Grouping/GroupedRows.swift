import Rows
import Synchronization

/// A row for each group of the rows of a stream, in no particular order.
///
/// Each worker groups the batches it gets; then the tables are merged in parts, on all cores. The result does not
/// depend on the number of workers.
final class GroupedRows: RowStream {
  var schema: Schema { plan.schema }
  private let inner: any RowStream
  private let plan: GroupPlan
  private let threads: Int
  private let memoryLimit: Int
  private let scratch: any ScratchSpace
  private let result = Mutex<(any RowStream)?>(nil)

  /// - Parameter memoryLimit: the memory for all tables together, in bytes; rows of further groups go to `scratch`.
  init(_ inner: any RowStream, _ plan: GroupPlan, threads: Int, memoryLimit: Int, scratch: any ScratchSpace) {
    self.inner = inner
    self.plan = plan
    self.threads = max(1, threads)
    self.memoryLimit = memoryLimit
    self.scratch = scratch
  }

  func next() async throws(Problem) -> BatchTask? {
    if let stream = result.withLock({ $0 }) { return try await stream.next() }
    let stream = try await grouped()
    result.withLock { $0 = stream }
    return try await stream.next()
  }

  /// The tables of the workers, each used by one task at a time.
  private final class Tables: @unchecked Sendable {
    let tables: [GroupTable]
    init(_ tables: [GroupTable]) { self.tables = tables }
  }

  private func grouped() async throws(Problem) -> any RowStream {
    let plan = self.plan, limit = memoryLimit / 2 / threads
    let workers = Tables((0..<threads).map { _ in GroupTable(plan, level: 0, memoryLimit: limit) })
    try await BatchDispenser.forEach(of: inner, threads: threads) { (worker, index, batch) throws(Problem) in
      try workers.tables[worker].add(batch, start: UInt64(index) << 32)
    }
    let results = SpillBuffer(schema: plan.schema, scratch: scratch, memoryLimit: memoryLimit / 2)
    for table in workers.tables { try table.finishSpilling() }
    if threads > 1, !workers.tables.contains(where: \.hasSpilled), workers.tables.contains(where: { $0.count > 4096 }) {
      for batch in try await mergedInParallel(workers) { try results.append(batch) }
    } else {
      try write(workers.tables, level: 0, to: results)
    }
    return results.stream()
  }

  /// Merges large tables, a part of them on each core.
  private func mergedInParallel(_ workers: Tables) async throws(Problem) -> [RowBatch] {
    let plan = self.plan, numbers = workers.tables.map { $0.numbers(level: 0) }
    let parts = (0..<GroupTable.parts).map { part in
      BatchesTask { () throws(Problem) in
        let expected = numbers.reduce(0) { max($0, $1[part].count) }
        let table = GroupTable(plan, level: 0, memoryLimit: .max, expecting: expected)
        for (other, numbers) in zip(workers.tables, numbers) { try table.merge(other, numbers[part]) }
        var batches: [RowBatch] = []
        try table.forEachBatch { (batch) throws(Problem) in batches.append(batch) }
        return batches
      }
    }
    return try await BatchesTask.all(parts, threads: threads)
  }

  /// Writes the groups of tables that were filled in parallel; those of rows set aside after them, part by part.
  private func write(_ tables: [GroupTable], level: Int, to results: SpillBuffer) throws(Problem) {
    guard tables.contains(where: \.hasSpilled) else {
      let table = tables.count == 1 ? tables[0] : GroupTable(plan, level: level, memoryLimit: .max)
      if tables.count > 1 { for other in tables { try table.merge(other) } }
      return try table.forEachBatch { (batch) throws(Problem) in try results.append(batch) }
    }
    let numbers = tables.map { $0.numbers(level: level) }
    for part in 0..<GroupTable.parts {
      let table = GroupTable(plan, level: level + 1, memoryLimit: memoryLimit / 2)
      for (other, numbers) in zip(tables, numbers) { try table.merge(other, numbers[part]) }
      for other in tables where other.hasSpilled {
        let rows = other.spills[part].batches()
        while let task = rows.nextTask() { try table.add(try task.batch(), start: nil) }
      }
      try table.finishSpilling()
      try write([table], level: level + 1, to: results)
    }
  }
}

/// Work that makes batches.
struct BatchesTask: Sendable {
  private let make: @Sendable () throws(Problem) -> [RowBatch]
  init(_ make: @escaping @Sendable () throws(Problem) -> [RowBatch]) { self.make = make }

  /// The state that the workers share.
  private final class Progress: Sendable {
    let next = Atomic(0)
    let results = Mutex<[Int: Result<[RowBatch], Problem>]>([:])
  }

  /// The batches of all tasks, in their order, made on `threads` cores.
  static func all(_ tasks: [BatchesTask], threads: Int) async throws(Problem) -> [RowBatch] {
    let progress = Progress()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<min(threads, tasks.count) {
        group.addTask {
          while true {
            let index = progress.next.add(1, ordering: .relaxed).oldValue
            guard index < tasks.count else { return }
            let result = Result { () throws(Problem) in try tasks[index].make() }
            progress.results.withLock { $0[index] = result }
          }
        }
      }
    }
    let results = progress.results.withLock { $0 }
    var batches: [RowBatch] = []
    for index in tasks.indices { batches += try results[index]?.get() ?? [] }
    return batches
  }
}
