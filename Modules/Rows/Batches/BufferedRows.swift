import Synchronization

/// A stream of existing batches: for lists that the programs create, snapshots and tests.
public final class BufferedRows: RowStream {
  /// The schema of the rows.
  public let schema: Schema
  /// The deviations of what the batches were read from.
  public let notes: [Warning]
  private let batches: [RowBatch]
  private let position = Mutex(0)

  /// A stream of `batches`, each as wide as `schema`.
  public init(schema: Schema, batches: [RowBatch], notes: [Warning] = []) {
    precondition(
      batches.allSatisfy { $0.width == schema.width },
      "internal error: \(schema.name): batch has the wrong number of columns")
    (self.schema, self.notes) = (schema, notes)
    self.batches = batches
  }

  /// The next batch.
  public func next() async throws(Problem) -> BatchTask? {
    position.withLock { position in
      guard position < batches.count else { return nil }
      defer { position += 1 }
      return BatchTask(ready: batches[position])
    }
  }
}

extension RowStream {
  /// Every batch that is left: for small tables and tests.
  public func collect() async throws(Problem) -> [RowBatch] {
    var batches: [RowBatch] = []
    while let work = try await next() { batches.append(try work.batch()) }
    return batches
  }
}
