package import Rows
import Synchronization

/// A terminal that shows the first lines of a table again whenever they have left the screen.
package final class RepeatedHeaderSink: ByteSink {
  package var name: String { inner.name }
  private let inner: any ByteSink
  private let headerLines: Int
  private let interval: Int
  private let state = Mutex(State())

  private struct State {
    var header: [UInt8] = []
    /// Complete lines of the header, then lines since the header was shown.
    var lines = 0
    var hasHeader = false
  }

  /// - Parameters:
  ///   - inner: the terminal.
  ///   - headerLines: the number of lines to repeat, at least 1.
  ///   - height: the height of the terminal in lines.
  package init(_ inner: any ByteSink, headerLines: Int, height: Int) {
    self.inner = inner
    self.headerLines = headerLines
    interval = max(height - headerLines - 1, 1)
  }

  /// Writes the bytes, and the header before the line that would follow its disappearance.
  package func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let piece = bytes.bytes()
    let output = state.withLock { state in
      var output: [UInt8] = []
      output.reserveCapacity(piece.count)
      for byte in piece {
        if state.hasHeader, state.lines == interval {
          output += state.header
          state.lines = 0
        }
        output.append(byte)
        if !state.hasHeader { state.header.append(byte) }
        guard byte == 0x0A else { continue }
        state.lines += 1
        if !state.hasHeader, state.lines == headerLines {
          state.hasHeader = true
          state.lines = 0
        }
      }
      return output
    }
    var buffer = ByteBuffer(capacity: max(output.count, 1))
    buffer.append(bytes: output)
    try await inner.write(buffer)
  }

  package func commit() async throws(Problem) { try await inner.commit() }
  /// Gives the output up.
  package func abandon() async { await inner.abandon() }
}
