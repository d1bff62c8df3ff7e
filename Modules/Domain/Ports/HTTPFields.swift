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

  /// Whether the field has this name, without regard to the case of ASCII letters.
  public func isCalled(_ other: String) -> Bool { HTTPFields.isSame(name.utf8, other.utf8) }
}

/// The header fields of an answer: bytes until somebody asks for a value, since of most answers nobody asks for more than two.
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
      unsafe lines.append(contentsOf: line)
      lines.append(10)
    }
  }

  /// The value of the first field called `name`, without regard to the case of ASCII letters, nor the blanks before it.
  public func value(of name: String) -> String? {
    var rest = lines[...]
    while let line = Self.line(&rest) {
      guard Self.isSame(Self.name(of: line), name.utf8) else { continue }
      let value = line.drop { $0 != UInt8(ascii: ":") }.dropFirst()
      return String(decoding: value.drop { $0 == 32 || $0 == 9 }, as: UTF8.self)
    }
    return nil
  }

  /// The fields called so alone.
  public func only(_ names: [String]) -> HTTPFields {
    var fields = HTTPFields(), rest = lines[...]
    while let line = Self.line(&rest) {
      let name = Self.name(of: line)
      if names.contains(where: { Self.isSame(name, $0.utf8) }) {
        fields.lines += lines[line.startIndex...line.endIndex]
      }
    }
    return fields
  }

  /// Takes the first line off.
  private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: 10) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[..<end]
  }

  private static func name(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> { line.prefix { $0 != UInt8(ascii: ":") } }

  fileprivate static func isSame(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
    a.count == b.count
      && a.elementsEqual(b) { a, b in a == b || (a ^ b == 32 && (a | 32) &- UInt8(ascii: "a") < 26) }
  }
}
