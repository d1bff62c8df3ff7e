import Synchronization

/// How often each host failed in a row.
final class HostFailures: Sendable {
  /// Failures in a row after which a host is not asked any more.
  private static let limit = 5
  private let counts = Mutex<[String: Int]>([:])

  func note(_ host: String, failed: Bool) {
    counts.withLock { counts in
      guard failed || !counts.isEmpty else { return }
      counts[host] = failed ? (counts[host] ?? 0) + 1 : nil
    }
  }
  func isOpen(_ host: String) -> Bool { counts.withLock { $0[host] ?? 0 } >= Self.limit }
}
