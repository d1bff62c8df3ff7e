import Rows

/// Reads a stream one batch ahead, on another core, while the last one is dealt with. One consumer.
final class PrefetchingRows {
  private let rows: any RowStream
  private var task: Task<Result<RowBatch?, Problem>, Never>?

  init(_ rows: any RowStream) { self.rows = rows }

  deinit { task?.cancel() }

  /// The next batch; nil at the end.
  func next() async throws(Problem) -> RowBatch? {
    let result = await (task ?? start()).value
    task = nil
    let batch = try result.get()
    if batch != nil { task = start() }
    return batch
  }

  private func start() -> Task<Result<RowBatch?, Problem>, Never> {
    let rows = self.rows
    return Task.detached {
      do throws(Problem) { return .success(try await rows.next()?.batch()) } catch { return .failure(error) }
    }
  }
}
