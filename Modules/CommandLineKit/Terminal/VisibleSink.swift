package import Rows
import Synchronization

/// Standard output that is a terminal: what would drive it is spelled out, in whatever format it comes. Files and pipes
/// get every byte as it is.
///
/// Nothing else changes: line feeds and tabs stay, and so do carriage returns that end lines.
package final class VisibleSink: ByteSink {
  package var name: String { inner.name }
  private let inner: any ByteSink
  private let report: @Sendable (String) -> Void
  private let state = Mutex(State())

  private struct State {
    /// The beginning of a sequence whose end is in the next piece.
    var rest: [UInt8] = []
    var found = 0
  }

  /// Escapes control characters on the way to `inner`; `report` receives a message if there were any.
  package init(_ inner: any ByteSink, report: @escaping @Sendable (String) -> Void) {
    self.inner = inner
    self.report = report
  }

  /// Writes the bytes, spelled out.
  package func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let piece = bytes.read { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    try await write(state.withLock { Self.spell(piece, &$0, isLast: false) })
  }

  package func commit() async throws(Problem) {
    try await write(state.withLock { Self.spell([], &$0, isLast: true) })
    try await inner.commit()
    if state.withLock({ $0.found }) > 0 {
      report("control characters are shown escaped on the terminal; files and pipes receive them unchanged")
    }
  }

  /// Gives the output up.
  package func abandon() async { await inner.abandon() }

  private func write(_ bytes: [UInt8]) async throws(Problem) {
    if bytes.isEmpty { return }
    var buffer = ByteBuffer(capacity: bytes.count)
    buffer.append(bytes: bytes)
    try await inner.write(buffer)
  }

  private static func spell(_ piece: [UInt8], _ state: inout State, isLast: Bool) -> [UInt8] {
    let bytes = state.rest + piece
    // Every character that is spelled out has at most three bytes, and a carriage return is known by what follows it.
    var end = bytes.count
    if !isLast {
      while end > 0, bytes.count - end < 2, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
      if end > 0, bytes[end - 1] >= 0xC0 || bytes[end - 1] == 0x0D { end -= 1 } else { end = bytes.count }
    }
    state.rest = Array(bytes[end...])
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    let safe = Terminal.safe(text, keepsLineEnds: true)
    if safe.utf8.count != text.utf8.count { state.found += 1 }
    return Array(safe.utf8)
  }
}
