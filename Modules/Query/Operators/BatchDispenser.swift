import Rows
import Synchronization

/// Gives out the batches of a stream to several workers, numbered from 0.
final class BatchDispenser: Sendable {
  private let stream: any RowStream
  private let mutex = AsyncMutex()
  private let state = Mutex<(next: Int, problem: (index: Int, problem: Problem)?)>((0, nil))

  init(_ stream: any RowStream) { self.stream = stream }

  /// The next batch and its number; nil at the end, and after a problem.
  private func next() async throws(Problem) -> (Int, BatchTask)? {
    await mutex.enter()
    defer { mutex.leave() }
    let index: Int? = state.withLock { state in
      guard state.problem == nil else { return nil }
      defer { state.next += 1 }
      return state.next
    }
    guard let index else { return nil }
    do throws(Problem) {
      return try await stream.next().map { (index, $0) }
    } catch {
      fail(index, error)
      return nil
    }
  }

  /// Notes a problem. Of several the first in input order counts, whichever worker was faster.
  private func fail(_ index: Int, _ problem: Problem) {
    state.withLock { state in
      if state.problem.map({ index < $0.index }) ?? true { state.problem = (index, problem) }
    }
  }

  /// Has `body` take every batch, also an empty one, on `threads` tasks at once; each call gets the number of its task
  /// and that of the batch. At the end, each task calls `finish`.
  /// - Throws: the first problem in input order; all tasks have ended then.
  static func forEach(
    of stream: any RowStream, threads: Int,
    _ body: @escaping @Sendable (_ worker: Int, _ index: Int, _ batch: RowBatch) throws(Problem) -> Void,
    finish: @escaping @Sendable (_ worker: Int) throws(Problem) -> Void = { _ in }
  ) async throws(Problem) {
    let dispenser = BatchDispenser(stream)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<threads { group.addTask { await dispenser.work(worker, body, finish) } }
    }
    if let (_, problem) = dispenser.state.withLock({ $0.problem }) { throw problem }
  }

  private func work(
    _ worker: Int, _ body: @Sendable (_ worker: Int, _ index: Int, _ batch: RowBatch) throws(Problem) -> Void,
    _ finish: @Sendable (_ worker: Int) throws(Problem) -> Void
  ) async {
    while true {
      if Task.isCancelled { return fail(.max, Problem(.cancelled, "interrupted")) }
      var index = Int.max
      do throws(Problem) {
        guard let (number, task) = try await next() else {
          if state.withLock({ $0.problem == nil }) { try finish(worker) }
          return
        }
        index = number
        let batch = try task.batch()
        try body(worker, index, batch)
      } catch {
        return fail(index, error)
      }
    }
  }
}

/// Lets tasks through one at a time, first come first served, without blocking a thread.
package final class AsyncMutex: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  package init() {}

  /// Returns when no other task is inside.
  package func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  package func leave() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
