public import Rows

/// The format of a column in the metadata of W3C CSV on the Web: nulls, default, separator and datatype.
public struct CSVWColumn: Sendable, Hashable {
  /// The datatypes, by what they become.
  public enum Datatype: Sendable, Hashable {
    case text
    /// Int64.
    case integer(CSVWNumberFormat)
    /// A number kept as its literal; `INF`, `-INF` and `NaN` too if they are allowed.
    case number(CSVWNumberFormat, allowsNonfinite: Bool)
    /// The words for true and false, of which any may be used.
    case boolean(yes: [[UInt8]], no: [[UInt8]])
    /// A date without a time zone.
    case date(CSVWDateFormat?)
    /// A time stamp in UTC.
    case timestamp(CSVWDateFormat?)
    /// A date or time of a pattern, as `ColumnType` has it.
    case pattern(DatePattern, ColumnType)
    /// A number with a sign next to it.
    case marked(NumberPattern, NumberPattern.Mark)
    /// A date or time as ISO 8601 text.
    case isoText(CSVWDateFormat)
    case url
    /// Base64.
    case base64
    /// Pairs of hexadecimal digits.
    case hexadecimal
    case json
  }

  /// The datatype of the fields, or of the parts of fields.
  var datatype: Datatype
  /// Texts that mean null.
  public var nulls: [[UInt8]] = [[]]
  /// The text between the elements of a list; nil if the fields are not lists.
  public var separator: [UInt8]?
  /// The text that an empty field means; empty for none.
  public var emptyMeans: [UInt8] = []

  /// A column of `datatype`.
  public init(_ datatype: Datatype) { self.datatype = datatype }

  /// The type of the values.
  public var type: ColumnType {
    guard separator != nil else { return elementType }
    switch datatype {
    case .text, .date, .timestamp, .pattern, .isoText, .base64, .hexadecimal: return .list(.text)
    case .integer: return .list(.integer)
    case .url: return .list(.url)
    case .number, .marked, .boolean, .json: return .json
    }
  }

  private var elementType: ColumnType {
    switch datatype {
    case .text, .isoText: .text
    case .integer: .integer
    case .number, .marked: .decimal
    case .boolean: .boolean
    case .date: .date
    case .timestamp: .timestamp
    case .pattern(_, let type): type
    case .url: .url
    case .base64, .hexadecimal: .bytes
    case .json: .json
    }
  }

  /// The column that holds values which contradict this one's type: with dates as text, which may have a time zone. Nil
  /// if there is none.
  var widened: CSVWColumn? {
    var wider = self
    switch datatype {
    case .date(let format): wider.datatype = format.map { .isoText($0) } ?? .text
    case .timestamp(let format): wider.datatype = format.map { .isoText($0) } ?? .text
    default: return nil
    }
    return separator == nil ? wider : nil
  }

  /// Whether metadata states the datatype, not the user.
  var isDescribed: Bool {
    switch datatype {
    case .pattern, .marked: false
    default: true
    }
  }

  /// A description of a valid field, for messages.
  var expected: String {
    switch datatype {
    case .date(let format?), .timestamp(let format?), .isoText(let format): format.pattern
    default: type.name
    }
  }

  /// The value of a field.
  /// - Parameter field: its text without quotes; nil if it is empty and has no quotes.
  /// - Returns: nil for a text that does not fit.
  public func value(of field: [UInt8]?) -> Value? {
    var text = isText ? field ?? [] : Self.trimmed(field ?? [])
    if text.isEmpty, !emptyMeans.isEmpty {
      text = isText ? emptyMeans : Self.trimmed(emptyMeans)
    } else if text.isEmpty {
      if separator != nil { return .json(Array("[]".utf8)) }
      if field != nil { return isText ? .text([]) : .null }
      return isText && !nulls.contains([]) ? .text([]) : .null
    }
    if nulls.contains(text) { return .null }
    guard let separator, !separator.isEmpty else { return scalar(text) }
    var json: [UInt8] = [], isFirst = true
    for part in Self.parts(of: text, separator) {
      guard let element = element(part) else { return nil }
      json += isFirst ? [UInt8(ascii: "[")] : [UInt8(ascii: ",")]
      json += element
      isFirst = false
    }
    return .json(json + [UInt8(ascii: "]")])
  }

  private var isText: Bool { datatype == .text || datatype == .json }

  private func scalar(_ text: [UInt8]) -> Value? {
    switch datatype {
    case .text, .url: return .text(text)
    case .integer(let format):
      guard let literal = format.literal(text), let number = Int64(String(decoding: literal, as: UTF8.self)) else {
        return nil
      }
      return .integer(number)
    case .number(let format, let allowsNonfinite):
      if let literal = format.literal(text) { return .number(literal) }
      guard allowsNonfinite else { return nil }
      switch String(decoding: text, as: UTF8.self) {
      case "INF", "+INF": return .real(.infinity)
      case "-INF": return .real(-.infinity)
      case "NaN": return .real(.nan)
      default: return nil
      }
    case .boolean(let yes, let no):
      return yes.contains(text) ? .boolean(true) : no.contains(text) ? .boolean(false) : nil
    case .date(let format):
      guard let format else { return Dates.isDate(text) ? .text(text) : nil }
      guard let moment = format.moment(text), moment.time.isEmpty, moment.zone.isEmpty else { return nil }
      return .text(moment.iso)
    case .timestamp(let format):
      guard let format else { return Dates.isTimestamp(text) ? .text(text) : nil }
      guard let moment = format.moment(text), Dates.isTimestamp(moment.iso) else { return nil }
      return .text(moment.iso)
    case .pattern(let pattern, let type):
      return pattern.fields(text).flatMap { $0.value(of: type) }.map { .text($0) }
    case .marked(let pattern, let mark): return pattern.literal(text, marked: mark).map { .number($0) }
    case .isoText(let format): return format.moment(text).map { .text($0.iso) }
    case .base64: return Base64.decode(text).map { .bytes($0) }
    case .hexadecimal: return Self.bytes(hexadecimal: text).map { .bytes($0) }
    case .json: return (try? JSON.parse(text, name: "")).map { .json($0.canonicalBytes) }
    }
  }

  /// An element of a list, as JSON text.
  private func element(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    let text = isText ? Array(part) : Self.trimmed(Array(part))
    if nulls.contains(text), !text.isEmpty || !isText { return Array("null".utf8) }
    switch scalar(text) {
    case nil: return nil
    case .text(let text): return JSON.string(text).canonicalBytes
    case .bytes: return JSON.string(text).canonicalBytes
    case .number(let literal): return literal
    case .integer(let number): return Array(String(number).utf8)
    case .boolean(let value): return Array((value ? "true" : "false").utf8)
    case .json(let text): return text
    // JSON has no numbers that are not finite.
    case .real, .null: return nil
    }
  }

  private static func parts(of text: [UInt8], _ separator: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = [], start = 0, at = 0
    while at + separator.count <= text.count {
      if text[at...].starts(with: separator) {
        parts.append(text[start..<at])
        at += separator.count
        start = at
      } else {
        at += 1
      }
    }
    return parts + [text[start...]]
  }

  private static func trimmed(_ text: [UInt8]) -> [UInt8] {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
    guard let last = text.lastIndex(where: { !isSpace($0) }) else { return [] }
    return Array(text[...last].drop(while: isSpace))
  }

  private static func bytes(hexadecimal text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let byte = UInt8(String(decoding: text[index...index + 1], as: UTF8.self), radix: 16), text[index] != 43
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
