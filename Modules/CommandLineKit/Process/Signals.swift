import Dispatch
import Glibc
import Synchronization

/// The signal handling of a process: writing to a closed pipe is an error and does not end the process; an interruption
/// cleans up first.
///
/// A thread waits for signals while tasks do the work. (An asynchronous `main` would not work: its thread ends in
/// Dispatch, which unblocks all signals.)
package enum Signals {
  /// SIGURG, which nothing else sends here, asks the waiting thread whether it has handled all earlier signals.
  private static let awaited = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGURG]
  private static let interruptsPass = Atomic(false), isServing = Atomic(false)
  private static let met = DispatchSemaphore(value: 0)

  /// Whether Ctrl-C is for a child at the terminal, an editor or a pager, and not for this process.
  ///
  /// When the child has ended, what was for it is waited for: the thread may not have met it yet.
  static func letsInterruptsPass(_ passes: Bool) {
    if !passes, isServing.load(ordering: .relaxed) {
      kill(getpid(), SIGURG)
      met.wait()
    }
    interruptsPass.store(passes, ordering: .relaxed)
  }

  /// Ignores SIGPIPE and SIGXFSZ, so that the writes fail and say so, and holds back the signals that `serve` waits
  /// for. Call first of all: threads that start later inherit it.
  package static func hold() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var set = signalSet()
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for SIGINT, SIGTERM, SIGHUP or SIGQUIT; then calls `cleanUp`, and ends the process with 128 + the signal's
  /// number. If the work finishes first, its task ends the process. A waiting thread may call functions that a signal
  /// handler must not.
  ///
  /// - Parameter cleanUp: must call its argument last.
  package static func serve(cleanUp: (_ end: () -> Void) -> Void) -> Never {
    var set = signalSet()
    var number: Int32 = 0
    isServing.store(true, ordering: .relaxed)
    // Of several signals the one with the lowest number is given first: SIGURG after those it asks about.
    repeat {
      unsafe sigwait(&set, &number)
      if number == SIGURG { met.signal() }
    } while number == SIGURG || [SIGINT, SIGQUIT].contains(number) && interruptsPass.load(ordering: .relaxed)
    let code = 128 + number
    RawTerminal.restore()
    cleanUp { _exit(code) }
    _exit(code)
  }

  /// Calls `serve` on another thread.
  /// - Returns: whether there is one; the system may be out of threads.
  package static func serveOnThread(cleanUp: @escaping @Sendable (_ end: () -> Void) -> Void) -> Bool {
    DetachedThread.start { serve(cleanUp: cleanUp) }
  }

  private static func signalSet() -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in awaited { unsafe sigaddset(&set, number) }
    return set
  }
}
