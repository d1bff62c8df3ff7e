import Glibc

/// A program at a terminal, and its user.
final class PseudoTerminal {
  private let master: Int32
  private let child: pid_t
  /// Everything that was shown, as it was sent.
  private(set) var screen: [UInt8] = []
  /// The number of bytes that were matched.
  private var seen = 0

  /// What went wrong with the terminal itself.
  struct Fault: Error { let what: String }

  /// Runs a line of sh at a new terminal of 24 lines and 100 columns.
  init(_ line: String) throws {
    master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: Int32 = 0, number: UInt32 = 0
    // What Glibc's unlockpt and ptsname do, which Swift does not see.
    let unlock: UInt = 0x4004_5431, getNumber: UInt = 0x8004_5430
    guard master >= 0, unsafe ioctl(master, unlock, &lock) == 0, unsafe ioctl(master, getNumber, &number) == 0 else {
      throw Fault(what: "no pseudo-terminal")
    }
    let slave = "/dev/pts/\(number)"
    var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    var actions = unsafe posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    // The first terminal that the leader of a session (POSIX_SPAWN_SETSID) opens is the session's. Threads of tests
    // hold back signals.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
    unsafe posix_spawn_file_actions_addopen(&actions, 0, slave, O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var words = unsafe [strdup("/bin/sh"), strdup("-c"), strdup(line), nil]
    defer { for index in 0..<3 { unsafe free(words[index]) } }
    var child = pid_t()
    guard unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, environ) == 0 else {
      throw Fault(what: "cannot start sh")
    }
    self.child = child
  }

  deinit { close(master) }

  /// Waits until a text is shown after the last match; false after a minute without output, or when the program ends.
  func shows(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    while true {
      let rest = screen[seen...]
      if let found = rest.firstRange(of: wanted) {
        seen = found.upperBound
        return true
      }
      guard read() else { return false }
    }
  }

  /// Types.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(master, $0.baseAddress, $0.count) }
  }

  /// Waits for the end of the program.
  /// - Returns: its exit code.
  func end() -> Int32 {
    while read() {}
    var status: Int32 = 0
    for _ in 0..<3000 {
      if unsafe waitpid(child, &status, WNOHANG) == child { return code(status) }
      usleep(10_000)
    }
    // A program that does not end is a failure, and must not outlive the test.
    kill(child, SIGKILL)
    unsafe waitpid(child, &status, 0)
    return code(status)
  }

  /// All that was shown.
  var text: String { String(decoding: screen, as: UTF8.self) }

  private func code(_ status: Int32) -> Int32 { status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }

  private func read() -> Bool {
    var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&request, 1, 60_000) == 1 else { return false }
    var block = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Glibc.read(master, &block, block.count)
    guard count > 0 else { return false }
    screen += block[..<count]
    return true
  }
}
