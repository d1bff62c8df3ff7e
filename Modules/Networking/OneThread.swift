import Glibc
import Synchronization

/// Runs tasks on one thread of its own, one after the other.
///
/// Many small answers are read faster so than by the usual threads, of which one is woken for each; and files are written here without holding up other tasks.
@safe final class OneThread: TaskExecutor {
  /// Reads the answers to requests that are made side by side; nil when there is no thread left for that.
  static let answers = OneThread()

  private struct Queue {
    var jobs: [UnownedJob] = []
    /// Whether the thread sleeps, and has to be woken for a job.
    var isAsleep = false
  }
  private let queue = Mutex(Queue())
  private nonisolated(unsafe) let bell = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// The thread lives as long as the process.
  private init?() {
    unsafe sem_init(bell, 0, 0)
    var thread = pthread_t()
    let executor = unsafe Unmanaged.passRetained(self)
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<OneThread>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, executor.toOpaque())
    guard code == 0 else {
      unsafe executor.release()
      return nil
    }
    pthread_detach(thread)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isAsleep = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isAsleep = false }
      return queue.isAsleep
    }
    if isAsleep { unsafe sem_post(bell) }
  }

  private func serve() {
    let executor = unsafe asUnownedTaskExecutor()
    while true {
      let jobs = queue.withLock { queue in
        defer { queue.jobs = [] }
        queue.isAsleep = queue.jobs.isEmpty
        return queue.jobs
      }
      if jobs.isEmpty { unsafe sem_wait(bell) }
      for job in jobs { unsafe job.runSynchronously(on: executor) }
    }
  }
}
