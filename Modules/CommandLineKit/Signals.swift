import Glibc
import Synchronization

/// How a process meets signals: writing to a closed pipe is an error rather than the end; an interruption ends the work tidily.
public enum Signals {
  private static let cleanUp = Mutex<(@Sendable () -> Void)?>(nil)

  /// Ignores SIGPIPE and SIGXFSZ, so that the writes fail and say so; a thread waits for SIGINT, SIGTERM and SIGHUP, calls `cleanUp`, and ends the
  /// process with 128 + the signal's number.
  ///
  /// Call once, first thing, before other threads start: they inherit the mask. A thread that waits may do what a handler may not.
  public static func install(cleanUp: @escaping @Sendable () -> Void) {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    Self.cleanUp.withLock { $0 = cleanUp }
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { _ in
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, number) }
        var number: Int32 = 0
        unsafe sigwait(&set, &number)
        Signals.cleanUp.withLock { $0?() }
        _exit(128 + number)
      }, nil)
    pthread_detach(thread)
  }
}
