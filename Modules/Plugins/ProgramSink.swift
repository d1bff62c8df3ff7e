import Files
import Glibc
import Rows

/// Bytes through a program into another sink: what the program makes of them is what is written there.
///
/// Both pipes are served concurrently, so neither can fill up and stop the other. A program that is silent for too
/// long, writes too much for its input or ends early is killed, and the inner sink is abandoned.
final class ProgramSink: ByteSink {
  struct Limits: Sendable {
    /// Milliseconds without a sign of life.
    var silence: Int32 = 60_000
    /// The total time, and the additional time per MiB of input: a slow program may take long, but not for ever.
    var total = Duration.seconds(600), totalEach = Duration.seconds(10)
    /// Bytes it may write whatever it was given, and for each byte it was given.
    var bytes = 64 << 20, bytesEach = 1000
  }

  let name: String
  private let work: Work

  /// Starts a program in front of `inner`.
  /// - Parameter directory: its working directory; nil for that of this process.
  init(
    _ path: String, _ arguments: [String], variables: [String: String], directory: PrivateDirectory?,
    into inner: any ByteSink,
    limits: Limits = Limits()
  ) throws(Problem) {
    name = inner.name
    var own = variables
    own["TMPDIR"] = directory?.path
    let child = try ChildProcess(path, arguments, variables: own, directory: directory?.path ?? ".")
    work = Work(child, directory, path, inner, limits)
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { try await work.feed(bytes.bytes()) }
  func commit() async throws(Problem) { try await work.finish() }
  func abandon() async { await work.abandon() }

  /// Runs on its own thread, where waiting blocks no other task.
  private actor Work {
    private let child: ChildProcess
    private let directory: PrivateDirectory?
    private let path: String
    private let inner: any ByteSink
    private let limits: Limits
    private let executor = QueueExecutor("bb.plugin")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private let started = ContinuousClock.now
    private var taken = 0
    private var given = 0
    private var isDone = false

    init(_ child: ChildProcess, _ directory: PrivateDirectory?, _ path: String, _ inner: any ByteSink, _ limits: Limits)
    {
      self.child = child
      self.directory = directory
      self.path = path
      self.inner = inner
      self.limits = limits
    }

    func feed(_ bytes: [UInt8]) async throws(Problem) {
      var rest = bytes[...]
      while !rest.isEmpty {
        switch try step(rest) {
        case .wrote(let count):
          rest = rest.dropFirst(count)
          taken += count
        case .read(let made): try await pass(made)
        case .deaf, .silent:
          try await drain()
          throw fault(child.wait(seconds: 5))
        case .late: throw late()
        }
      }
    }

    func finish() async throws(Problem) {
      child.closeInput()
      try await drain()
      let code = child.wait(seconds: 5)
      guard code == 0, !child.leftInput else { throw fault(code) }
      isDone = true
      try await inner.commit()
    }

    func abandon() async {
      child.kill()
      if !isDone { await inner.abandon() }
    }

    /// Passes on what the program still has to say.
    private func drain() async throws(Problem) {
      while true {
        switch try step([]) {
        case .read(let made): try await pass(made)
        case .late: throw late()
        case .silent: return
        case .wrote, .deaf: continue
        }
      }
    }

    private func pass(_ made: [UInt8]) async throws(Problem) {
      given += made.count
      guard given <= limits.bytes + limits.bytesEach * taken else {
        child.kill()
        throw Problem(.plugIn, "implausible output: \(given) bytes from \(taken) bytes of input", at: path)
      }
      var buffer = ByteBuffer(capacity: made.count)
      buffer.append(bytes: made)
      try await inner.write(buffer)
    }

    /// The next event, within both limits of time.
    private func step(_ bytes: ArraySlice<UInt8>) throws(Problem) -> ChildProcess.Event {
      let left = total - started.duration(to: .now)
      guard left > .zero else { throw late() }
      let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
      return try child.step(bytes, milliseconds: Int32(min(Int64(limits.silence), milliseconds)))
    }

    private var total: Duration { limits.total + limits.totalEach * (taken >> 20) }

    private func late() -> Problem {
      child.kill()
      guard started.duration(to: .now) < total else {
        return Problem(.plugIn, "did not finish within \(total.components.seconds) s", at: path)
      }
      return Problem(.plugIn, "no progress for \(limits.silence / 1000) s", at: path)
    }

    /// The error for an exit code of a failed program, with the last line that it wrote to standard error.
    private func fault(_ code: Int32?) -> Problem {
      let lines = String(decoding: child.complaints, as: UTF8.self).split(whereSeparator: \.isNewline)
      let words = lines.last.map { ": \($0)" } ?? ""
      switch code {
      case nil:
        child.kill()
        return Problem(.plugIn, "closed its output but did not exit", at: path)
      case 0?: return Problem(.plugIn, "exited before reading all of its input\(words)", at: path)
      case 65?: return Problem(.badData, "cannot represent the records\(words)", at: path)
      case let code? where code > 128: return Problem(.plugIn, "killed by signal \(code - 128)\(words)", at: path)
      case let code?: return Problem(.plugIn, "exited with status \(code)\(words)", at: path)
      }
    }
  }
}

/// A directory for one run of a program, deleted with its contents when the last reference is released.
final class PrivateDirectory: Sendable {
  let path: String

  /// - Throws: `io` when it cannot be made.
  init(in parent: String) throws(Problem) {
    let path = "\(parent)/bb-plugin.\(getpid()).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    guard Temporaries.makeTemporaryDirectory(path) == 0 else {
      throw Problem.posix(errno, "create a directory", parent)
    }
    self.path = path
  }

  deinit {
    DirectoryListing.removeAll(path)
    Temporaries.forget(path)
  }
}
