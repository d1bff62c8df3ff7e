internal import CSystem
import Codecs

/// Times as the user's clock shows them: stored in UTC, shown in the time zone of the process (`TZ`, else the
/// machine's).
package enum LocalTime {
  /// A time stamp in UTC (`2013-09-29T20:00:00Z`) as `2013-09-29 22:00` in local time; any other text unchanged.
  package static func text(of timestamp: String) -> String {
    guard let seconds = Dates.epochSeconds(of: Array(timestamp.utf8)) else { return timestamp }
    let local = local(seconds)
    return "\(local.prefix(10)) \(local.dropFirst(11).prefix(5))"
  }

  /// The local date of an instant, in seconds since 1970-01-01T00:00:00Z: `2013-09-29`.
  package static func date(of seconds: Int64) -> String { String(local(seconds).prefix(10)) }

  private static func local(_ seconds: Int64) -> String {
    Instant(seconds: seconds + Int64(bb_local_offset(seconds))).timestamp
  }
}
