import Rows
import Synchronization

/// A sink that keeps a page in memory.
final class PageSink: ByteSink {
  let name = "page"
  private let text = Mutex<[UInt8]>([])

  var bytes: [UInt8] { text.withLock { $0 } }
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let more = bytes.bytes()
    text.withLock { $0 += more }
  }
  func commit() async throws(Problem) {}
  func abandon() async { text.withLock { $0 = [] } }
}
