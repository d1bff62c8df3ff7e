import Dispatch

/// Runs an actor's work on a queue of its own: what blocks there leaves the threads that everybody shares alone.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// A queue that debuggers show as `label`.
  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
