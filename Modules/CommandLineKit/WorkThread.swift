import Dispatch
import Synchronization

/// One thread that runs tasks, a job at a time.
///
/// Dispatch's pool needs at least two threads, and to a command of a millisecond they are a third of its time.
public final class WorkThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isAsleep = false
  }

  private let state = Mutex(State())
  private let woken = DispatchSemaphore(value: 0)

  /// Starts the thread, which runs until the process ends; nil when the system gives none.
  public init?() {
    guard DetachedThread.start({ [self] in run() }) else { return nil }
  }

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

  private func run() -> Never {
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
