/// The offsets of a time zone over time: a fixed offset, or the rules of the system's time zone data.
public struct TimeZoneRules: Sendable {
  /// The instants at which the offset changes, in seconds since 1970, and the offsets from then on, in seconds.
  private var changes: [(at: Int64, offset: Int)] = []
  /// The offset before the first change.
  private var first = 0
  /// The rule after the last change; nil for none.
  private var rule: TimeZoneRule?

  /// An offset that never changes.
  public init(offset: Int) { first = offset }

  /// The rules of a TZif file (RFC 8536), version 2 or later; nil for anything else.
  public init?(_ bytes: [UInt8]) {
    guard let older = Header(bytes, at: 0), bytes[4] >= UInt8(ascii: "2"),
      let header = Header(bytes, at: older.end(timeSize: 4))
    else { return nil }
    let start = header.start, types = start + header.times * 9, end = header.end(timeSize: 8)
    guard end <= bytes.count, header.types > 0 else { return nil }
    func integer(_ at: Int, _ size: Int) -> Int64 {
      let value = bytes[at..<at + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 8 ? Int64(bitPattern: value) : Int64(Int32(truncatingIfNeeded: value))
    }
    let offsets = (0..<header.types).map { Int(integer(types + $0 * 6, 4)) }
    first = offsets[0]
    for place in 0..<header.times {
      let type = Int(bytes[start + header.times * 8 + place])
      guard type < offsets.count else { return nil }
      changes.append((integer(start + place * 8, 8), offsets[type]))
    }
    let footer = bytes[end...].split(separator: 10).first ?? []
    rule = TimeZoneRule(String(decoding: footer, as: UTF8.self))
  }

  private struct Header {
    let start: Int, times: Int, types: Int
    private let leaps: Int, standards: Int, universals: Int, characters: Int

    init?(_ bytes: [UInt8], at start: Int) {
      guard bytes.count >= start + 44, bytes[start...].starts(with: "TZif".utf8) else { return nil }
      func count(_ place: Int) -> Int {
        bytes[(start + 20 + place * 4)..<(start + 24 + place * 4)].reduce(0) { $0 << 8 | Int($1) }
      }
      self.start = start + 44
      (universals, standards, leaps) = (count(0), count(1), count(2))
      (times, types, characters) = (count(3), count(4), count(5))
    }
    func end(timeSize: Int) -> Int {
      start + times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standards + universals
    }
  }

  /// Seconds ahead of UTC at an instant.
  package func offset(at instant: Int64) -> Int {
    if let last = changes.last, instant >= last.at, let rule { return rule.offset(at: instant) }
    var low = 0, high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].at <= instant { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? (changes.isEmpty ? rule?.offset(at: instant) ?? first : first) : changes[low - 1].offset
  }

  /// The offset of a local time; nil if a clock that was set forward skipped it.
  /// - Parameter local: seconds since 1970-01-01T00:00:00 on the clock of the zone.
  /// - Returns: the offset, and whether the clock showed that time twice; then it is the first.
  public func offset(ofLocal local: Int64) -> (offset: Int, isAmbiguous: Bool)? {
    let day: Int64 = 86_400
    let candidates = Set([offset(at: local - day), offset(at: local + day), offset(at: local)])
    let fitting = candidates.filter { offset(at: local - Int64($0)) == $0 }
    // The first of two is the one with the larger offset.
    return fitting.max().map { ($0, fitting.count > 1) }
  }
}
