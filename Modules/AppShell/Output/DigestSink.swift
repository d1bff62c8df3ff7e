import Codecs
import Rows
import Synchronization

/// Computes the SHA-256 digest of the bytes that it passes on.
final class DigestSink: ByteSink {
  var name: String { inner.name }
  private let inner: any ByteSink
  private let hash = Mutex(SHA256())
  private let length = Mutex(0)

  /// Creates a sink in front of `inner`.
  init(_ inner: any ByteSink) { self.inner = inner }

  /// The digest of everything written, in hexadecimal digits.
  var digest: String { hash.withLock { $0.hexDigest() } }

  /// Bytes written so far.
  var count: Int { length.withLock { $0 } }

  /// Hands the bytes on.
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let added = bytes.count
    length.withLock { $0 += added }
    bytes.read { span in hash.withLock { $0.update(span) } }
    try await inner.write(bytes)
  }
  func commit() async throws(Problem) { try await inner.commit() }
  func abandon() async { await inner.abandon() }
}
