import Synchronization

/// Identifiers of the user's own records: UUIDs of version 7 (RFC 9562), which sort by the time they were made.
public enum RecordIdentifier {
  /// Whether a text is such an identifier.
  public static func isValid(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36, bytes[14] == UInt8(ascii: "7") else { return false }
    return bytes.indices.allSatisfy { place in
      [8, 13, 18, 23].contains(place)
        ? bytes[place] == UInt8(ascii: "-") : bytes[place] &- 48 < 10 || bytes[place] &- 97 < 6
    }
  }

  /// A new identifier.
  ///
  /// - Parameters:
  ///   - milliseconds: the time, since 1970-01-01T00:00:00Z.
  ///   - random: at least ten random bytes.
  public static func make(milliseconds: Int64, random: [UInt8]) -> String {
    let time = UInt64(max(milliseconds, 0))
    var bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> UInt64(40 - 8 * $0)) } + random.prefix(10)
    bytes += Array(repeating: 0, count: 16 - bytes.count)
    bytes[6] = 0x70 | bytes[6] & 0x0F
    bytes[8] = 0x80 | bytes[8] & 0x3F
    return text(of: bytes)
  }

  /// An identifier that sorts after `greatest`: `made`, or, where the clock was set back since, one a random distance
  /// above `greatest`, so that two copies of a store that continue from the same identifier do not make the same one.
  public static func raised(_ made: String, above greatest: String?) -> String {
    guard let greatest, isValid(greatest), isValid(made), made <= greatest else { return made }
    var bytes = bytes(of: greatest)
    // The lowest 56 bits are random; 40 of those of `made` are added, which leaves room for tens of thousands of
    // additions before the time counts up.
    let distance = Self.bytes(of: made).suffix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } + 1
    let low = bytes.suffix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } + distance
    for place in 9..<16 { bytes[place] = UInt8(truncatingIfNeeded: low >> UInt64(8 * (15 - place))) }
    guard low >> 56 > 0 else { return text(of: bytes) }
    let time = bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return make(milliseconds: time + 1, random: Array(bytes.suffix(10)))
  }

  private static func bytes(of text: String) -> [UInt8] {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }.map { $0 < 58 ? $0 - 48 : $0 - 87 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func text(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for (place, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(place) { text += "-" }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}

/// New identifiers, each above the one before, also when many are made within a millisecond or the clock goes back:
/// records are listed in the order in which they were added.
public final class RecordIdentifiers: Sendable {
  private let last = Mutex<(milliseconds: Int64, random: [UInt8])>((-1, []))

  /// None made yet.
  public init() {}

  /// The next one.
  ///
  /// - Parameters:
  ///   - milliseconds: the time, since 1970-01-01T00:00:00Z.
  ///   - random: ten random bytes, which count when the time is later than the one before.
  public func next(milliseconds: Int64, random: [UInt8]) -> String {
    last.withLock { last in
      if milliseconds > last.milliseconds {
        last = (milliseconds, random)
        // Room to count in the last seven bytes.
        if last.random.count > 3 { last.random[3] &= 0x7F }
      } else {
        for place in last.random.indices.dropFirst(3).reversed() {
          last.random[place] &+= 1
          if last.random[place] != 0 { break }
        }
      }
      return RecordIdentifier.make(milliseconds: last.milliseconds, random: last.random)
    }
  }
}
