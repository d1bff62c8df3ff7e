import Synchronization

/// The number of consecutive failures of each host.
final class HostFailures: Sendable {
  /// Failures in a row after which a host is not asked any more.
  private static let limit = 5
  private let counts = Mutex<[String: Int]>([:])

  /// Notes how asking for `url` went.
  func note(_ url: String, failed: Bool) {
    counts.withLock { counts in
      guard failed || !counts.isEmpty else { return }
      let host = Self.host(url)
      counts[host] = failed ? (counts[host] ?? 0) + 1 : nil
    }
  }

  /// Whether the host of `url` is not to be asked any more.
  func isOpen(_ url: String) -> Bool {
    counts.withLock { counts in
      guard !counts.isEmpty else { return false }
      return counts[Self.host(url)] ?? 0 >= Self.limit
    }
  }

  private static func host(_ url: String) -> String {
    // After the second slash.
    let slashes = url.utf8.indices.lazy.filter { url.utf8[$0] == UInt8(ascii: "/") }
    let start = slashes.dropFirst().first.map { url.utf8.index(after: $0) } ?? url.startIndex
    return String(Substring(url.utf8[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
  }
}
