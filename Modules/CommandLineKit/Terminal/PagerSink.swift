import Glibc
package import Rows
import Synchronization

/// Standard output through the user's pager: `BB_PAGER`, `PAGER`, otherwise `less`. For terminals only.
package final class PagerSink: ByteSink {
  package let name = "pager"
  private let words: [String]
  /// Told that a pager which was named cannot be started.
  private let warn: @Sendable (String) -> Void
  /// Whether the pager is the default one, whose absence is not worth a word.
  private let isDefault: Bool
  /// The lines at the beginning that stay on the screen if the pager is `less` with our own options, and can do so.
  private let headerLines: Int
  private let height: Int
  private let state = Mutex<State>(.held([], lines: 0))

  private enum State {
    /// Output that fits on the screen so far.
    case held([UInt8], lines: Int)
    case running(child: Int32, pipe: Int32)
    /// There is no pager: the terminal itself.
    case direct
    case ended
  }

  /// The pager of an environment; nil if it is `cat`, empty or unreadable, and on a terminal without cursor movement
  /// unless `BB_PAGER` is set.
  /// - Parameters:
  ///   - preferred: a pager from the configuration, after `BB_PAGER` and before the others.
  ///   - height: the height of the terminal in lines.
  ///   - headerLines: the number of lines at the beginning to keep on the screen.
  ///   - warn: told that a pager which was named cannot be started: the terminal itself shows the output.
  package init?(
    _ variables: [String: String], preferred: String? = nil, height: Int, headerLines: Int = 0,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.height, self.warn) = (height, warn)
    let named = variables["BB_PAGER"] ?? preferred ?? variables["PAGER"]
    if variables["BB_PAGER"] == nil, ["", "dumb"].contains(variables["TERM"] ?? "") { return nil }
    let text = named ?? "less"
    guard let words = ShellWords.split(text), let program = words.first, program != "cat" else { return nil }
    isDefault = named == nil
    // less ends by itself when all fits on the screen.
    let isPlainLess = program == "less" && words.count == 1 && variables["LESS"] == nil
    self.words = isPlainLess ? ["less", "-FRSX"] : words
    self.headerLines = isPlainLess ? headerLines : 0
  }

  /// Starts the pager with the first bytes.
  /// - Throws: `endOfPipe` if the user has closed the pager.
  package func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    guard bytes.count > 0 else { return }
    var piece = bytes.bytes()
    let fits = state.withLock { state in
      guard case .held(let before, let lines) = state else { return false }
      piece = before + piece
      let all = lines + piece.dropFirst(before.count).count { $0 == 0x0A }
      if all < height { state = .held(piece, lines: all) }
      return all < height
    }
    if !fits { try write(piece, to: try open()) }
  }

  private func write(_ bytes: [UInt8], to pipe: Int32) throws(Problem) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(pipe, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        let isGone = errno == EPIPE
        throw Problem(isGone ? .endOfPipe : .io, "the pager closed its input", at: name)
      }
    }
  }

  /// Waits until the user closes the pager.
  package func commit() async throws(Problem) { try end() }
  /// Waits likewise: what was shown is shown.
  package func abandon() async { try? end() }

  private func open() throws(Problem) -> Int32 {
    var words = self.words
    if headerLines > 0, state.withLock({ if case .held = $0 { true } else { false } }), Self.lessKeepsHeaders() {
      words.append("--header=\(headerLines)")
    }
    return try state.withLock { [words] (state) throws(Problem) in
      switch state {
      case .running(_, let pipe): return pipe
      case .direct: return 1
      case .held, .ended: break
      }
      let ends = try ChildProcess.pipe(as: "pager")
      defer { close(ends[0]) }
      let child: Int32
      do throws(Problem) {
        child = try ChildProcess.start(words, as: "pager", input: ends[0])
      } catch {
        close(ends[1])
        if !isDefault { warn("\(error.message); the output follows") }
        state = .direct
        return 1
      }
      Signals.letsInterruptsPass(true)
      state = .running(child: child, pipe: ends[1])
      return ends[1]
    }
  }

  /// Whether `less` has the option `--header`: since version 600.
  private static func lessKeepsHeaders() -> Bool {
    guard let text = try? ChildProcess.output(["less", "--version"], as: "pager", limit: 64),
      let version = text.split(separator: " ").dropFirst().first?.prefix(while: { $0.isNumber })
    else { return false }
    return (Int(version) ?? 0) >= 600
  }

  private func end() throws(Problem) {
    var held: [UInt8] = []
    let running = state.withLock { state in
      defer { state = .ended }
      if case .held(let bytes, _) = state { held = bytes }
      if case .running(let child, let pipe) = state { return Optional((child, pipe)) }
      return nil
    }
    if !held.isEmpty { try write(held, to: 1) }
    guard let (child, pipe) = running else { return }
    close(pipe)
    defer { Signals.letsInterruptsPass(false) }
    _ = try ChildProcess.wait(for: child, name)
  }
}
