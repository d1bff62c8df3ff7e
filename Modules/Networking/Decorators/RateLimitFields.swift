import Domain

/// The header fields with which servers announce that a rate limit is reached.
struct RateLimitFields: Sendable, Hashable {
  /// The fields for the requests left; the first that is present counts.
  private let remaining: [String]
  /// The fields for the time of the next period.
  private let reset: [String]
  private let all: [String]

  /// - Parameters:
  ///   - remaining: the field of a server that has its own; nil for the usual ones.
  ///   - reset: as `remaining`.
  init(remaining: String?, reset: String?) {
    self.remaining =
      remaining.map { [$0] } ?? ["X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"]
    self.reset = reset.map { [$0] } ?? ["X-RateLimit-Reset", "RateLimit-Reset", "X-Rate-Limit-Reset"]
    all = self.remaining + self.reset + ["RateLimit"]
  }

  /// The time until requests are served again, if none is left now; nil if some are, or the fields do not say.
  /// - Parameter now: seconds since 1970.
  func wait(_ headers: HTTPFields, now: Int64) -> Duration? {
    let fields = headers.only(all)
    guard fields != [] else { return nil }
    if let left = first(remaining, of: fields), let then = first(reset, of: fields) {
      return left <= 0 ? Self.wait(then, now) : nil
    }
    // `RateLimit: limit=10, remaining=0, reset=5`, and the later `RateLimit: "default";r=0;t=5`.
    guard let text = fields.value(of: "RateLimit") else { return nil }
    var values: [String: Double] = [:]
    for part in text.split(whereSeparator: { ",; ".contains($0) }) {
      let pair = part.split(separator: "=", maxSplits: 1)
      if pair.count == 2, let number = Double(pair[1]) { values[pair[0].lowercased()] = number }
    }
    guard let left = values["remaining"] ?? values["r"], let then = values["reset"] ?? values["t"], left <= 0 else {
      return nil
    }
    return Self.wait(then, now)
  }

  private func first(_ names: [String], of fields: HTTPFields) -> Double? {
    names.lazy.compactMap { fields.value(of: $0) }.compactMap { Double($0) }.first
  }

  /// A number below 10⁹ is seconds from now, any other seconds (or milliseconds) since 1970.
  private static func wait(_ reset: Double, _ now: Int64) -> Duration? {
    guard reset.isFinite, reset >= 0 else { return nil }
    let seconds = reset < 1e9 ? reset : (reset < 1e11 ? reset : reset / 1000) - Double(now)
    return seconds > 0 && seconds < 1e7 ? .seconds(seconds) : nil
  }
}
