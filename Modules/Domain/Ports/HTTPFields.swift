/// One header field.
public struct HTTPHeader: Sendable, Hashable {
  /// The field's name as sent.
  public var name: String
  /// The field's value, without the line's end.
  public var value: String
  /// A field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the field has this name, ignoring ASCII case.
  public func isCalled(_ other: String) -> Bool { HTTPFields.isSame(name.utf8, other.utf8) }
}

/// The header fields of a response. They stay bytes until a value is read, because most responses are read for at most
/// two values.
public struct HTTPFields: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// `name:value` and a line feed, field after field, as they came.
  public private(set) var lines: [UInt8] = []

  /// No fields.
  public init() {}
  /// These fields.
  public init(_ fields: [HTTPHeader]) {
    for field in fields { append(line: unsafe Array("\(field.name):\(field.value)".utf8).span.bytes) }
  }
  /// These fields.
  public init(arrayLiteral fields: HTTPHeader...) { self.init(fields) }

  /// Appends a field, `name:value` without the line's end. What has no colon, or a line feed within, is none.
  public mutating func append(line: RawSpan) {
    unsafe line.withUnsafeBytes { line in
      guard unsafe line.contains(UInt8(ascii: ":")), unsafe !line.contains(10) else { return }
      // Mostly a few hundred bytes in all.
      if lines.isEmpty { lines.reserveCapacity(512) }
      unsafe lines.append(contentsOf: line)
      lines.append(10)
    }
  }

  /// Appends other fields.
  public mutating func append(_ other: HTTPFields) { lines += other.lines }

  /// The value of the first field with this name, ignoring ASCII case, without leading white space.
  public func value(of name: String) -> String? { fields(called: [name]).first.map(value) }

  /// The values of all fields called so, in order.
  public func values(of name: String) -> [String] { fields(called: [name]).map(value) }

  private func value(of field: Field) -> String {
    String(decoding: lines[(field.colon + 1)..<field.end].drop { $0 == 32 || $0 == 9 }, as: UTF8.self)
  }

  /// The fields called so alone.
  public func only(_ names: [String]) -> HTTPFields {
    var some = HTTPFields()
    for field in fields(called: names) { some.lines += lines[field.start...field.end] }
    return some
  }

  /// The position of a field in `lines`: its name up to the colon, its value up to the line feed.
  private struct Field {
    var start: Int, colon: Int, end: Int
  }

  private func fields(called names: [String]) -> [Field] {
    var found: [Field] = []
    unsafe lines.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        // Every line has both.
        var colon = start
        while unsafe bytes[colon] != UInt8(ascii: ":") { colon += 1 }
        var end = colon
        while unsafe bytes[end] != 10 { end += 1 }
        let name = unsafe UnsafeBufferPointer(rebasing: bytes[start..<colon])
        for wanted in names where unsafe Self.isSame(name, wanted.utf8) {
          found.append(Field(start: start, colon: colon, end: end))
          break
        }
        start = end + 1
      }
    }
    return found
  }

  fileprivate static func isSame(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
    a.count == b.count
      && a.elementsEqual(b) { a, b in a == b || (a ^ b == 32 && (a | 32) &- UInt8(ascii: "a") < 26) }
  }
}
