import Rows

/// A JSON value as it is written to formats in which each value has a type of its own: databases and workbooks.
package enum JSONScalar {
  case null
  case boolean(Bool)
  /// The literal of a number: the whole JSON text.
  case number
  /// A string without escapes: the JSON text without its quotes.
  case plainText
  /// A string with escapes, decoded.
  case text([UInt8])
  /// A list or an object.
  case nested

  /// Classifies canonical JSON text.
  package init(_ json: UnsafePointer<UInt8>, _ length: Int) {
    let first = unsafe length > 0 ? json[0] : 0
    switch first {
    case UInt8(ascii: "\""):
      let inner = unsafe UnsafeBufferPointer(start: json + 1, count: max(0, length - 2))
      guard unsafe inner.contains(UInt8(ascii: "\\")) else {
        self = .plainText
        return
      }
      self = .text(Self.decoded(unsafe Array(UnsafeBufferPointer(start: json, count: length))))
    case UInt8(ascii: "t"): self = .boolean(true)
    case UInt8(ascii: "f"): self = .boolean(false)
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "["), UInt8(ascii: "{"): self = .nested
    default: self = .number
    }
  }

  private static func decoded(_ json: [UInt8]) -> [UInt8] {
    do throws(Problem) { return try JSON.parse(json, name: "").stringBytes ?? json } catch { return json }
  }
}

/// Text among JSON values in a database, where a string has no quotes unless it would be read as another value.
package enum JSONByValue {
  /// Whether text without quotes would be read as another JSON value than this string.
  /// - Parameter isUntyped: whether numbers are text, too.
  package static func isAmbiguous(_ text: [UInt8], isUntyped: Bool = false) -> Bool {
    value(text, isUntyped: isUntyped) != nil
  }

  /// The canonical JSON text that text in a column of JSON values stands for.
  package static func canonical(_ text: [UInt8]) -> [UInt8] { (value(text) ?? .string(text)).canonicalBytes }

  /// The value other than a plain string that text stands for; nil for a plain string.
  private static func value(_ text: [UInt8], isUntyped: Bool = false) -> JSON? {
    switch text.first ?? 0 {
    case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: "t"), UInt8(ascii: "f"),
      UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      do throws(Problem) {
        let json = try JSON.parse(text, name: "")
        // Canonical numbers are kept as such, not as text.
        if !isUntyped, let literal = json.numberLiteral, StoredNumber(literal) != .literal || literal != text {
          return nil
        }
        return json
      } catch { return nil }
    default: return nil
    }
  }
}
