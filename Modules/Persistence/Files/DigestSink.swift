import Codecs
public import Rows
import Synchronization

/// Hands bytes on and keeps their SHA-256.
public final class DigestSink: ByteSink {
  /// The inner sink's name.
  public var name: String { inner.name }
  private let inner: any ByteSink
  private let hash = Mutex(SHA256())
  private let length = Mutex(0)

  /// A sink in front of `inner`.
  public init(_ inner: any ByteSink) { self.inner = inner }

  /// The digest of everything written, in hexadecimal digits.
  public var digest: String { hash.withLock { $0.hexDigest() } }

  /// Bytes written so far.
  public var count: Int { length.withLock { $0 } }

  /// Hands the bytes on.
  public func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let added = bytes.count
    length.withLock { $0 += added }
    bytes.read { span in hash.withLock { $0.update(span) } }
    try await inner.write(bytes)
  }
  /// Commits the inner sink.
  public func commit() async throws(Problem) { try await inner.commit() }
  /// Abandons the inner sink.
  public func abandon() async { await inner.abandon() }
}
