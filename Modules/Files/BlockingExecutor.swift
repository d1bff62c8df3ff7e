import Dispatch
package import Rows
import Synchronization

/// Runs work that may block on a thread of its own, and stops waiting for it when that takes too long.
package final class BlockingExecutor: TaskExecutor {
  /// Seconds between two looks at whether the work is overdue.
  private static let interval = 0.25
  private static let timer = DispatchQueue(label: "bb.deadlines")
  private let queue: DispatchQueue

  /// A queue that debuggers show as `label`.
  package init(_ label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// The result of `work`, or the problem `otherwise` as soon as it is overdue; then the work continues unattended.
  package func run<Output: Sendable>(
    orWhen isOverdue: @escaping @Sendable () -> Bool, _ work: @escaping @Sendable () async throws(Problem) -> Output,
    otherwise problem: @escaping @Sendable () -> Problem
  ) async throws(Problem) -> Output {
    let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Output, Problem>, Never>) in
      let reply = Reply(continuation)
      Task(executorPreference: self) {
        do throws(Problem) { reply.give(.success(try await work())) } catch { reply.give(.failure(error)) }
      }
      reply.give(when: isOverdue, problem)
    }
    return try answer.get()
  }

  /// The first result that is given.
  private final class Reply<Output: Sendable>: Sendable {
    typealias Answer = Result<Output, Problem>
    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = Mutex(continuation) }

    func give(_ answer: Answer) {
      let waiting = continuation.withLock { continuation in
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(returning: answer)
    }

    func give(when isOverdue: @escaping @Sendable () -> Bool, _ problem: @escaping @Sendable () -> Problem) {
      BlockingExecutor.timer.asyncAfter(deadline: .now() + BlockingExecutor.interval) { [weak self] in
        guard let self, self.continuation.withLock({ $0 != nil }) else { return }
        if isOverdue() { self.give(.failure(problem())) } else { self.give(when: isOverdue, problem) }
      }
    }
  }
}
