import CommandLineKit
import Rows

/// Standard output of a terminal, which has no progress line any more when rows are shown.
struct ProgressEndSink: ByteSink {
  private let inner: any ByteSink
  private let progress: Progress

  init(_ inner: any ByteSink, _ progress: Progress) {
    self.inner = inner
    self.progress = progress
  }

  var name: String { inner.name }
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    progress.finish()
    try await inner.write(bytes)
  }
  func commit() async throws(Problem) {
    progress.finish()
    try await inner.commit()
  }
  func abandon() async { await inner.abandon() }
}
