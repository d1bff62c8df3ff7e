import Glibc
public import Rows

/// An interactive child process, such as an editor or a pager. It has the terminal, and the signal handling of a
/// shell's child.
public enum ChildProcess {
  /// Starts a program and waits for its end.
  ///
  /// - Parameters:
  ///   - words: the program, found on `PATH`, and its arguments.
  ///   - name: what it is, for messages: `editor`.
  ///   - input: the descriptor that is its standard input; nil for the process's own.
  /// - Returns: its exit code; 128 and the signal's number when a signal ended it.
  /// - Throws: `configuration` when it cannot be started.
  public static func run(_ words: [String], as name: String, input: Int32? = nil) throws(Problem) -> Int32 {
    try wait(for: try start(words, as: name, input: input), name)
  }

  /// Starts a program; `wait` for it.
  public static func start(_ words: [String], as name: String, input: Int32? = nil) throws(Problem) -> Int32 {
    guard let program = words.first else { throw Problem(.configuration, "no \(name) configured") }
    var actions = unsafe posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    if let input { unsafe posix_spawn_file_actions_adddup2(&actions, input, 0) }
    // Children do not inherit ignored or blocked signals.
    var none = sigset_t(), usual = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&usual)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&usual, number) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in words.indices { unsafe free(arguments[index]) } }
    var child = pid_t()
    let code = unsafe posix_spawnp(&child, program, &actions, &attributes, &arguments, environ)
    guard code == 0 else {
      let reason = unsafe String(cString: strerror(code)).lowercased()
      throw Problem(
        .configuration, "cannot start the \(name) “\(program)”: \(reason)",
        hint: "choose another with BB_\(name.uppercased())")
    }
    return child
  }

  /// Waits for the end of a program that was started.
  /// - Returns: its exit code; 128 and the signal's number when a signal ended it.
  public static func wait(for child: Int32, _ name: String) throws(Problem) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) != child {
      guard errno == EINTR else {
        throw Problem(.io, "failed to wait for the \(name): \(unsafe String(cString: strerror(errno)))")
      }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
