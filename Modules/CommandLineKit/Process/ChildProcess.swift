import Glibc
package import Rows

/// An interactive child process, such as an editor or a pager. It has the terminal, and the signal handling of a
/// shell's child.
package enum ChildProcess {
  /// Starts a program and waits for its end.
  ///
  /// - Parameters:
  ///   - words: the program, found on `PATH`, and its arguments.
  ///   - name: what it is, for messages: `editor`.
  ///   - input: the descriptor that is its standard input; nil for the process's own.
  /// - Returns: its exit code; 128 and the signal's number when a signal ended it.
  /// - Throws: `configuration` when it cannot be started.
  @discardableResult
  package static func run(_ words: [String], as name: String, input: Int32? = nil) throws(Problem) -> Int32 {
    try wait(for: try start(words, as: name, input: input), name)
  }

  /// Runs a program that needs no input, and returns the beginning of its output.
  /// - Parameter limit: the most bytes to return.
  /// - Throws: `configuration` when it cannot be started, `io`.
  package static func output(_ words: [String], as name: String, limit: Int) throws(Problem) -> String {
    let ends = try pipe(as: name)
    defer { close(ends[0]) }
    let child: Int32
    do throws(Problem) { child = try start(words, as: name, output: ends[1]) } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])
    var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(ends[0], $0.baseAddress, $0.count) }
      if count > 0 {
        bytes += piece[..<count].prefix(max(limit - bytes.count, 0))
      } else if errno != EINTR || count == 0 {
        break
      }
    }
    _ = try wait(for: child, name)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text of an error code of the system.
  private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

  /// Opens a pipe that children do not inherit: the end to read from, and the end to write to.
  static func pipe(as name: String) throws(Problem) -> [Int32] {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else {
      throw Problem(.io, "cannot create a pipe: \(reason(errno))", at: name)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  /// Starts a program; `wait` for it.
  static func start(
    _ words: [String], as name: String, input: Int32? = nil, output: Int32? = nil
  ) throws(Problem) -> Int32 {
    guard let program = words.first else { throw Problem(.configuration, "no \(name) configured") }
    var actions = unsafe posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (file, number) in [(input, Int32(0)), (output, 1)] {
      if let file { unsafe posix_spawn_file_actions_adddup2(&actions, file, number) }
    }
    // Children do not inherit ignored or blocked signals.
    var none = sigset_t(), usual = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&usual)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { unsafe sigaddset(&usual, number) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in words.indices { unsafe free(arguments[index]) } }
    var child = pid_t()
    let code = unsafe posix_spawnp(&child, program, &actions, &attributes, &arguments, environ)
    guard code == 0 else {
      let reason = reason(code).lowercased()
      throw Problem(
        .configuration, "cannot start the \(name) “\(program)”: \(reason)",
        hint: "choose another with BB_\(name.uppercased())")
    }
    return child
  }

  /// Waits for the end of a program that was started.
  /// - Returns: its exit code; 128 and the signal's number when a signal ended it.
  static func wait(for child: Int32, _ name: String) throws(Problem) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) != child {
      guard errno == EINTR else {
        throw Problem(.io, "failed to wait for the \(name): \(reason(errno))")
      }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
