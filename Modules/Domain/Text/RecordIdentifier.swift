/// Identifiers of the user's own records: UUIDs of version 7 (RFC 9562), which sort by the time they were made.
public enum RecordIdentifier {
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
