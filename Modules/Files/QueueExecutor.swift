import Dispatch

/// Runs an actor's work on its own queue, so that blocking calls do not block the shared threads.
package final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// A queue that debuggers show as `label`.
  package init(_ label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
