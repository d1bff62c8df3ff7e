/// CSS made of fixed text, numbers and quoted strings, so that no data can become a rule.
public struct StyleSheet: Sendable, Hashable {
  /// The text.
  public private(set) var text: [UInt8] = []

  /// An empty style sheet.
  public init() {}

  /// Appends fixed text.
  public mutating func append(_ fixed: StaticString) { text += fixed.description.utf8 }
  mutating func append(bytes: [UInt8]) { text += bytes }
  /// Appends an integer.
  public mutating func append(_ number: Int) { text += String(number).utf8 }
  /// Appends a number of tenths as a decimal.
  public mutating func append(tenths: Int) { text += "\(tenths / 10).\(abs(tenths % 10))".utf8 }
  /// Appends another style sheet.
  public mutating func append(_ other: StyleSheet) { text += other.text }
  /// Appends text in quotes; all but ASCII letters, digits and some signs as escapes.
  public mutating func append(quoted string: String) {
    text.append(UInt8(ascii: "\""))
    for scalar in string.unicodeScalars {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      let isPlain = scalar.isASCII && (byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || " .()%-".utf8.contains(byte))
      if isPlain {
        text.append(byte)
      } else {
        // NUL has no escape.
        text += "\\\(String(scalar.value == 0 ? 0xFFFD : scalar.value, radix: 16)) ".utf8
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  /// The source of this style sheet in a content security policy: `'sha256-…'`.
  public var policySource: [UInt8] { Markup.policySource(of: text) }
}
