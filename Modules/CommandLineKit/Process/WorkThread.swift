import Dispatch
import Synchronization

/// Runs tasks on one thread, a job at a time.
///
/// Dispatch's pool needs at least two threads, and to a command of a millisecond they are a third of its time.
public final class WorkThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isAsleep = false
  }

  private let state = Mutex(State())
  private let woken = DispatchSemaphore(value: 0)

  /// Creates an executor without a thread; `run` makes the calling thread its thread.
  public init() {}

  /// Enqueues `job` on the thread, in order.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let wasAsleep = state.withLock { state in
      state.jobs.append(job)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if wasAsleep { woken.signal() }
  }

  /// Runs tasks on the calling thread until the process ends.
  public func run() -> Never {
    let executor = unsafe asUnownedTaskExecutor()
    while true {
      let jobs = state.withLock { state in
        state.isAsleep = state.jobs.isEmpty
        defer { state.jobs = [] }
        return state.jobs
      }
      if jobs.isEmpty { woken.wait() }
      for job in jobs { unsafe job.runSynchronously(on: executor) }
    }
  }
}
