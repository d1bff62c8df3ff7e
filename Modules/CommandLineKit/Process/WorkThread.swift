internal import CSystem
import Dispatch
import Glibc
import Synchronization

/// Runs tasks on one thread, a job at a time.
///
/// Dispatch's pool needs at least two threads, and to a command of a millisecond they are a third of its time.
package final class WorkThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isAsleep = false
  }

  private let state = Mutex(State())
  private let woken = DispatchSemaphore(value: 0)

  /// Creates an executor without a thread; `run` makes the calling thread its thread.
  package init() {}

  /// The number of cores to use: one if the system does not show its processes.
  package static let cores = isPoolUsable ? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) : 1
  /// Whether Dispatch can watch the threads of its pool in /proc; without it, its pool ends the process.
  static let isPoolUsable = unsafe access("/proc/self/stat", R_OK) == 0

  /// An executor that also runs every task without one, if Dispatch's pool cannot.
  package static func replacingPool() -> WorkThread? {
    if isPoolUsable { return nil }
    unsafe bb_take_jobs { job in
      if let job = unsafe job { WorkThread.everywhere.append(unsafe unsafeBitCast(job, to: UnownedJob.self)) }
    }
    return everywhere
  }
  private static let everywhere = WorkThread()

  /// Enqueues `job` on the thread, in order.
  package func enqueue(_ job: consuming ExecutorJob) { append(UnownedJob(job)) }

  private func append(_ job: UnownedJob) {
    let wasAsleep = state.withLock { state in
      state.jobs.append(job)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if wasAsleep { woken.signal() }
  }

  /// Runs tasks on the calling thread until the process ends.
  package func run() -> Never {
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
