internal import Codecs
public import Domain
import Synchronization

/// Hands bytes on and keeps their SHA-256.
public final class DigestSink: ByteSink {
  /// The inner sink's name.
  public var name: String { inner.name }
  private let inner: any ByteSink
  private let hash = Mutex(SHA256())

  /// A sink in front of `inner`.
  public init(_ inner: any ByteSink) { self.inner = inner }

  /// The digest of everything written, in hexadecimal digits.
  public var digest: String { hash.withLock { $0.hexDigest() } }

  /// Hands the bytes on.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    bytes.read { span in hash.withLock { $0.update(span) } }
    try await inner.write(bytes)
  }
  /// Commits the inner sink.
  public func commit() async throws(Problem) { try await inner.commit() }
  /// Abandons the inner sink.
  public func abandon() async { await inner.abandon() }
}
