internal import CSystem
import Files
import Glibc
import Rows
import Synchronization

/// The programs that run as children of this process.
package enum ChildPrograms {
  private static let groups = Mutex<Set<pid_t>>([])

  /// Ends them all, for a process that is about to end. May be called from the thread that waits for signals.
  package static func endAll() { groups.withLock { for group in $0 { _ = kill(-group, SIGKILL) } } }

  fileprivate static func began(_ group: pid_t) { groups.withLock { _ = $0.insert(group) } }
  /// Before its number may become another's.
  fileprivate static func ended(_ group: pid_t) { groups.withLock { _ = $0.remove(group) } }
}

/// A child process: bytes go to its standard input and come from its standard output; its standard error is kept.
///
/// Its owner uses it from one place at a time. It starts with default signals, few variables and its own directory.
final class ChildProcess: @unchecked Sendable {
  /// Its number, which is also that of its group.
  private let process: pid_t
  private let place: String
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  /// The other end of `input`, once that is closed.
  private var rest: Int32 = -1
  /// The first bytes of its standard error.
  private(set) var complaints: [UInt8] = []
  private var status: Int32?
  /// When it was first seen to have ended. Another process may still hold its pipes.
  private var ended: ContinuousClock.Instant?
  /// Bytes that were read after the grace period.
  private var drained = 0
  /// Waiting for what a program that has ended left in its pipes.
  private static let grace = Duration.milliseconds(100)
  /// Milliseconds between two looks at whether it has ended.
  private static let interval: Int32 = 20
  /// The most bytes that a pipe holds.
  private static let pipeCapacity = 1 << 20
  /// Bytes of standard error that are kept.
  private static let keptComplaints = 4096

  /// Starts a program.
  /// - Parameters:
  ///   - path: of an executable file.
  ///   - variables: its complete environment.
  ///   - directory: its working directory.
  /// - Throws: `plugIn` if it cannot be started.
  init(_ path: String, _ arguments: [String], variables: [String: String], directory: String) throws(Problem) {
    place = path
    var pipes: [(read: Int32, write: Int32)] = []
    for _ in 0..<3 {
      var ends: [Int32] = [0, 0]
      guard unsafe bb_pipe2(&ends, Int32(O_CLOEXEC)) == 0 else {
        for pipe in pipes {
          close(pipe.read)
          close(pipe.write)
        }
        throw Problem.posix(errno, "start", path)
      }
      pipes.append((ends[0], ends[1]))
    }
    let inner = [pipes[0].read, pipes[1].write, pipes[2].write]
    var child = pid_t()
    let code = Self.spawn(&child, path, arguments, variables, directory, inner)
    for descriptor in inner { close(descriptor) }
    process = child
    (input, output, errors) = (pipes[0].write, pipes[1].read, pipes[2].read)
    for descriptor in [input, output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    if code == 0 { ChildPrograms.began(child) }
    guard code == 0 else {
      status = 0
      throw Problem(.plugIn, "cannot start: \(unsafe String(cString: strerror(code)).lowercased())", at: path)
    }
  }

  deinit { kill() }

  private static func spawn(
    _ child: inout pid_t, _ path: String, _ arguments: [String], _ variables: [String: String], _ directory: String,
    _ descriptors: [Int32]
  ) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (target, descriptor) in descriptors.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
    }
    // Also what our own parent left open: it is not for a program that is not ours.
    unsafe bb_spawn_addclosefrom(&actions, 3)
    unsafe bb_spawn_addchdir(&actions, directory)
    var all = sigset_t(), none = sigset_t()
    unsafe sigfillset(&all)
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var pairs = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer {
      for index in unsafe words.indices { unsafe free(words[index]) }
      for index in unsafe pairs.indices { unsafe free(pairs[index]) }
    }
    return unsafe posix_spawn(&child, path, &actions, &attributes, &words, &pairs)
  }

  /// The next action of `step`.
  enum Event {
    /// Some bytes were taken.
    case wrote(Int)
    /// Some bytes came from standard output.
    case read([UInt8])
    /// It reads no more.
    case deaf
    /// Standard output and standard error have ended, or the program has.
    case silent
    /// Nothing happened in time.
    case late
  }

  /// Waits until some of `bytes` are taken, some bytes come, or `milliseconds` are over. Blocks.
  func step(_ bytes: ArraySlice<UInt8>, milliseconds: Int32) throws(Problem) -> Event {
    let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
    while true {
      let isOver = isOver
      if isOver, !bytes.isEmpty { end(&input) }
      let isWriting = !bytes.isEmpty && input >= 0
      if !bytes.isEmpty, !isWriting { return .deaf }
      if output < 0, errors < 0, !isWriting { return .silent }
      var polled = [
        pollfd(fd: isWriting ? input : -1, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0), pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&polled, 3, isOver ? 0 : Self.interval)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Problem.posix(errno, "wait for", place) }
      if count == 0 || isOver && drained > Self.pipeCapacity {
        // Processes that still hold its pipes are not waited for.
        if isOver {
          end(&output)
          end(&errors)
          return .silent
        }
        if ContinuousClock.now >= deadline { return .late }
        continue
      }
      if polled[2].revents != 0 { hear() }
      if polled[1].revents != 0 {
        if let bytes = Self.read(output), !bytes.isEmpty {
          if isOver { drained += bytes.count }
          return .read(bytes)
        }
        end(&output)
        continue
      }
      guard polled[0].revents != 0 else { continue }
      let written = unsafe bytes.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
      if written > 0 { return .wrote(written) }
      if errno == EAGAIN || errno == EINTR { continue }
      end(&input)
      return .deaf
    }
  }

  /// Whether the program ended longer ago than what it wrote needs to arrive.
  private var isOver: Bool {
    if ended == nil {
      var information = unsafe siginfo_t()
      // It stays to be waited for, so that its number cannot become another's.
      let code = unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
      guard unsafe status != nil || code == 0 && information.si_signo == SIGCHLD else { return false }
      ended = .now
    }
    return ended.map { $0.duration(to: .now) >= Self.grace } ?? false
  }

  /// Tells the program that there is no more.
  ///
  /// A second reading end, which is never read, keeps the bytes in the pipe until they can be counted.
  func closeInput() {
    if input >= 0 { rest = unsafe open("/proc/self/fd/\(input)", O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    end(&input)
  }

  /// Whether the program, which has ended, left some of its input unread.
  var leftInput: Bool {
    var count: Int32 = 0
    guard unsafe rest >= 0 && ioctl(rest, UInt(FIONREAD), &count) == 0 else { return false }
    return count > 0
  }

  /// Waits for its end, which is near: its outputs have ended.
  /// - Returns: its exit code, or 128 plus the signal that ended it; nil if it runs for more than `seconds`.
  func wait(seconds: Int) -> Int32? {
    for _ in 0..<(seconds * 100) {
      if let status { return Self.exitCode(status) }
      var found: Int32 = 0
      let done = unsafe waitpid(process, &found, WNOHANG)
      if done == process {
        ChildPrograms.ended(process)
        status = found
      } else if done < 0, errno != EINTR {
        status = 0
      } else {
        usleep(10_000)
      }
    }
    return nil
  }

  /// Ends it, and all it has started.
  func kill() {
    end(&input)
    end(&output)
    end(&errors)
    end(&rest)
    guard status == nil, process > 0 else { return }
    ChildPrograms.ended(process)
    _ = Glibc.kill(-process, SIGKILL)
    var found: Int32 = 0
    while unsafe waitpid(process, &found, 0) < 0, errno == EINTR {}
    status = found
  }

  private static func exitCode(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  private func hear() {
    guard let bytes = Self.read(errors), !bytes.isEmpty else { return end(&errors) }
    complaints += bytes.prefix(max(0, Self.keptComplaints - complaints.count))
  }

  /// The available bytes; empty at the end.
  private static func read(_ descriptor: Int32) -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count >= 0 { return Array(block[..<count]) }
      if errno == EAGAIN { return nil }
      if errno != EINTR { return [] }
    }
  }

  private func end(_ descriptor: inout Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
