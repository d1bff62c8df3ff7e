import Codecs
import Rows

/// A format of dates and times as strftime(3) writes it: `%d.%m.%Y`.
struct DateFormat {
  private let bytes: [UInt8]
  private let text: String
  /// The parser; nil for a format that can only write.
  private let pattern: DatePattern?
  /// The fields, and the letters of a `DatePattern` for them.
  private static let letters: [UInt8: String] = [
    UInt8(ascii: "Y"): "yyyy", UInt8(ascii: "y"): "yy", UInt8(ascii: "m"): "M", UInt8(ascii: "d"): "d",
    UInt8(ascii: "e"): "d", UInt8(ascii: "H"): "H", UInt8(ascii: "M"): "m", UInt8(ascii: "S"): "s",
    UInt8(ascii: "b"): "MMM", UInt8(ascii: "B"): "MMMM", UInt8(ascii: "f"): "SSSSSS", UInt8(ascii: "z"): "XXX",
  ]

  init(_ text: String) throws(Problem) {
    self.text = text
    bytes = Array(text.utf8)
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%") {
        at += 1
        guard at < bytes.count, Self.letters[bytes[at]] != nil || "j%".utf8.contains(bytes[at]) else {
          throw Problem(
            .usage, "unknown field in the date format “\(text)”",
            hint: "use %Y %m %d %H %M %S %j %y %b %B %e %f %z %%")
        }
      }
      at += 1
    }
    pattern = Self.pattern(of: bytes)
  }

  /// Whether texts can be parsed.
  var canRead: Bool { pattern != nil }

  /// The type of the values that texts have.
  var type: ColumnType {
    if text.contains("%z") { return .timestamp }
    return ["%H", "%M", "%S", "%f"].contains { text.contains($0) } ? .datetime : .date
  }

  private static func pattern(of bytes: [UInt8]) -> DatePattern? {
    var result = "", literal = "", at = 0
    func close() {
      if !literal.isEmpty { result += "'\(literal.replacing("'", with: "''"))'" }
      literal = ""
    }
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%") {
        at += 1
        if let field = letters[bytes[at]] {
          close()
          result += field
        } else if bytes[at] == UInt8(ascii: "%") {
          literal += "%"
        } else {
          return nil
        }
        at += 1
      } else {
        let end = bytes[at...].firstIndex(of: UInt8(ascii: "%")) ?? bytes.count
        literal += String(decoding: bytes[at..<end], as: UTF8.self)
        at = end
      }
    }
    close()
    return DatePattern(result)
  }

  /// A text as a value of `type`; nil if it does not have the form.
  func parse(_ text: [UInt8]) -> [UInt8]? {
    guard let fields = pattern?.fields(text) else { return nil }
    return fields.value(of: type)
  }

  /// Seconds since 1970 as text.
  func text(of seconds: Int64, _ original: [UInt8]) throws(Problem) -> [UInt8] {
    guard let stamp = Dates.timestamp(epochSeconds: seconds) else {
      throw Problem(.badData, "the date is outside the years 0000 to 9999")
    }
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ]
    let month = months[(Int(String(decoding: stamp[5..<7], as: UTF8.self)) ?? 1) - 1]
    let fraction = original.count > 20 ? Array(original[20...].prefix { $0 &- 48 < 10 }) : []
    var result: [UInt8] = [], at = 0
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "%") else {
        result.append(bytes[at])
        at += 1
        continue
      }
      switch bytes[at + 1] {
      case UInt8(ascii: "Y"): result += stamp[0..<4]
      case UInt8(ascii: "y"): result += stamp[2..<4]
      case UInt8(ascii: "m"): result += stamp[5..<7]
      case UInt8(ascii: "d"): result += stamp[8..<10]
      case UInt8(ascii: "e"): result += stamp[8] == 48 ? [32, stamp[9]] : Array(stamp[8..<10])
      case UInt8(ascii: "H"): result += stamp[11..<13]
      case UInt8(ascii: "M"): result += stamp[14..<16]
      case UInt8(ascii: "S"): result += stamp[17..<19]
      case UInt8(ascii: "f"): result += (fraction + Array(repeating: 48, count: 6)).prefix(6)
      case UInt8(ascii: "z"): result += Array("+0000".utf8)
      case UInt8(ascii: "b"): result += month.utf8.prefix(3)
      case UInt8(ascii: "B"): result += month.utf8
      case UInt8(ascii: "j"):
        let first = Dates.day(of: Array(stamp[0..<4])) ?? 0,
          day = (Dates.day(of: Array(stamp[0..<10])) ?? 0) - first + 1
        result += String(day + 1000).utf8.dropFirst()
      default: result.append(UInt8(ascii: "%"))
      }
      at += 2
    }
    return result
  }
}
