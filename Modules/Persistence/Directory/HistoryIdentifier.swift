import Codecs
import Domain
import Glibc

/// Identifiers of history entries: UUIDs of version 7, each above the last, so that their order is the order of the
/// entries, also when the clock was set back, and two copies of a store never make the same one.
enum HistoryIdentifier {
  /// The identifier of a new entry.
  /// - Parameters:
  ///   - time: RFC 3339 in UTC; for other texts the clock is asked.
  ///   - last: the greatest identifier that the history has.
  static func make(time: String, after last: String?) -> String {
    let random = (0..<10).map { _ in UInt8.random(in: 0 ... .max) }
    let made = RecordIdentifier.make(milliseconds: milliseconds(time) ?? now, random: random)
    return RecordIdentifier.raised(made, above: last)
  }

  /// The identifier of an entry of an older format, which has only a number: the same in every copy of the store, so
  /// that copies that were upgraded apart from each other merge.
  static func legacy(number: Int, time: String, title: String, after last: String?) -> String {
    let known = last.flatMap { Int64(String($0.filter { $0 != "-" }.prefix(12)), radix: 16) } ?? 0
    let time = max(milliseconds(time) ?? 0, known)
    let number = UInt32(truncatingIfNeeded: number)
    var hash = SHA256()
    let text = Array(title.utf8)
    unsafe hash.update(text.span.bytes)
    let random: [UInt8] =
      [0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
      + hash.hexDigest().utf8.prefix(3)
    return RecordIdentifier.make(milliseconds: time, random: random)
  }

  private static func milliseconds(_ time: String) -> Int64? { Instant(timestamp: time).map { $0.seconds * 1000 } }

  private static var now: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
