import Glibc
package import Rows
import Synchronization

/// The terminal as a screen and a keyboard. One at a time; `restore` gives it back as it was.
package final class RawTerminal: Sendable {
  private struct Saved {
    let descriptor: Int32
    let modes: termios
  }
  private static let saved = Mutex<Saved?>(nil)
  /// Whether the program ends, so that the terminal is not taken again.
  private static let isOver = Atomic<Bool>(false)

  private let descriptor: Int32
  private let keys = Mutex<[UInt8]>([])

  /// Opens the terminal of the process.
  /// - Throws: `usage` if standard output is none, there is none for keys, or it cannot move its cursor.
  package init(_ variables: [String: String]) throws(Problem) {
    let isAble = Terminal.isTerminal(1) && !["", "dumb"].contains(variables["TERM"] ?? "")
    descriptor = isAble ? unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1
    guard descriptor >= 0 else {
      throw Problem(.usage, "explore requires a terminal that can move its cursor")
    }
  }

  deinit { close(descriptor) }

  /// Takes the terminal: no echo, no signals from keys, another screen.
  /// - Throws: `io`.
  package func enter() throws(Problem) {
    var modes = termios()
    guard unsafe tcgetattr(descriptor, &modes) == 0 else {
      throw Problem(.io, "cannot read the modes of the terminal", at: "/dev/tty")
    }
    let taken = modes
    unsafe cfmakeraw(&modes)
    // A signal that ends the program in between would leave the terminal raw.
    Self.saved.withLock { saved in
      guard !Self.isOver.load(ordering: .relaxed) else { return }
      saved = Saved(descriptor: descriptor, modes: taken)
      unsafe tcsetattr(descriptor, TCSANOW, &modes)
      Self.put(Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J".utf8), to: descriptor)
    }
  }

  /// Gives the terminal back, however the program ends. Does nothing if it was not taken.
  /// - Parameter isOver: false if it may be taken again.
  package static func restore(isOver: Bool = true) {
    saved.withLock { saved in
      if isOver { Self.isOver.store(true, ordering: .relaxed) }
      guard let open = saved else { return }
      saved = nil
      put(Array("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l".utf8), to: open.descriptor)
      var modes = open.modes
      unsafe tcsetattr(open.descriptor, TCSANOW, &modes)
    }
  }

  /// Gives the terminal to the shell, and takes it again when the process continues.
  package func suspend() throws(Problem) {
    Self.restore(isOver: false)
    // The other processes of the job stop first. Only a signal to this thread itself stops the process before the
    // terminal is taken again.
    let action = signal(SIGTSTP, SIG_IGN)
    kill(0, SIGTSTP)
    signal(SIGTSTP, SIG_DFL)
    var stop = sigset_t()
    unsafe sigemptyset(&stop)
    unsafe sigaddset(&stop, SIGTSTP)
    raise(SIGTSTP)
    // The threads of the program block signals.
    unsafe pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    unsafe pthread_sigmask(SIG_BLOCK, &stop, nil)
    signal(SIGTSTP, action)
    try enter()
  }

  /// The size in cells; 80 × 24 if the terminal does not say.
  package var size: (columns: Int, lines: Int) {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes to the screen, unless the terminal was given back.
  package func write(_ bytes: [UInt8]) {
    Self.saved.withLock { if $0 != nil { Self.put(bytes, to: descriptor) } }
  }

  private static func put(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }

  /// Whether keys that were read are still to be taken.
  package var hasKeys: Bool { keys.withLock { !$0.isEmpty } }

  /// The next key; nil if there is none within `milliseconds`.
  package func key(within milliseconds: Int) -> TerminalKey? {
    var wait = Int32(milliseconds)
    while true {
      if let key = keys.withLock({ TerminalKey.take(from: &$0, isComplete: false) }) { return key }
      // The rest of a sequence follows at once.
      let isPart = keys.withLock { !$0.isEmpty }
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&ready, 1, isPart ? 50 : wait)
      if count < 0, errno == EINTR { return nil }
      guard count > 0 else { return keys.withLock { TerminalKey.take(from: &$0, isComplete: true) } }
      var bytes = [UInt8](repeating: 0, count: 256)
      let got = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if got <= 0 { return errno == EINTR && got < 0 ? nil : .closed }
      keys.withLock { $0 += bytes.prefix(got) }
      wait = 0
    }
  }

  /// Runs `body` on a thread of its own, which may wait for keys.
  package static func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let isStarted = DetachedThread.start {
        body()
        done.resume()
      }
      if !isStarted { done.resume() }
    }
  }
}
