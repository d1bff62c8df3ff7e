import Codecs

/// The formats of texts that JSON Schema and Table Schema name.
enum ValueFormat {
  private static let patterns: [String: TextPattern] = [
    "email": #"^[^@\s]+@[^@\s.]+(\.[^@\s.]+)*$"#, "idn-email": #"^[^@\s]+@[^@\s]+$"#,
    "uri": #"^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$"#, "uri-reference": #"^[^\s<>"{}|\\^`]*$"#,
    "uuid": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
    "ipv4": #"^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.|$)){4}$"#,
    "hostname": #"^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$"#,
    "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "time": #"^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"#,
    "date-time": #"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$"#,
  ].compactMapValues { text in (try? Pattern(text)).map { TextPattern($0) } }

  /// Whether a text has a format; one that is not known demands nothing.
  static func matches(_ text: [UInt8], _ name: String) -> Bool {
    if let pattern = patterns[name], !pattern.matches(text) { return false }
    switch name {
    case "date", "date-time": return Dates.isDate(Array(text.prefix(10)))
    case "regex": return (try? Pattern(String(decoding: text, as: UTF8.self))) != nil
    case "ipv6":
      let parts = text.split(separator: 58, omittingEmptySubsequences: false)
      let isShort = zip(text, text.dropFirst()).count { $0 == (58, 58) } == 1
      let isHex = parts.allSatisfy { part in
        part.count <= 4
          && part.allSatisfy { $0 &- 48 < 10 || ($0 | 32) &- 97 < 6 }
      }
      return isHex && (isShort ? parts.count <= 9 : parts.count == 8 && parts.allSatisfy { !$0.isEmpty })
    default: return true
    }
  }
}
