public import Rows

/// A JSON value in memory, for small documents such as responses and configurations; tables are read as streams.
///
/// Text is kept as UTF-8 bytes and numbers as their literal, so nothing is lost; objects keep the order of their
/// members.
public enum JSON: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// The literal of a number, in JSON's grammar.
  case number([UInt8])
  /// Text as valid UTF-8, its escapes decoded.
  case string([UInt8])
  /// The elements in order.
  case array([JSON])
  /// The members in order.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable, Hashable {
    /// The key as valid UTF-8, its escapes decoded.
    public let key: [UInt8]
    /// The value.
    public let value: JSON

    /// A member.
    public init(_ key: [UInt8], _ value: JSON) {
      self.key = key
      self.value = value
    }
    /// A member whose key is a text of the program.
    public init(_ key: String, _ value: JSON) { self.init(Array(key.utf8), value) }
    /// The key as text.
    public var name: String { String(decoding: key, as: UTF8.self) }
  }

  /// A string.
  public static func string(_ text: String) -> JSON { .string(Array(text.utf8)) }
  /// A number.
  public static func number(_ value: Int64) -> JSON { .number(Array(String(value).utf8)) }
  /// An object; the keys must differ.
  public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
    .object(members.map { Member(Array($0.key.utf8), $0.value) })
  }

  /// A value as stores write it down; with its type it can be read back.
  public init(stored value: Value) {
    switch value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .number(value)
    case .real(let value): self = .number(value.canonicalText)
    case .number(let literal): self = .number(literal)
    // Nested values stay text, so that they come back byte for byte, and null differs from none.
    case .text(let text), .json(let text): self = .string(text)
    case .bytes(let bytes): self = .string(Base64.encoded(bytes))
    }
  }

  /// A value as JSON; that of a nested column is not a text.
  package init(_ value: Value) {
    if case .json(let text) = value, let document = try? JSON.parse(text, name: "") {
      self = document
    } else {
      self.init(stored: value)
    }
  }

  /// Whether this is `null`.
  public var isNull: Bool { self == .null }
  /// The Boolean; nil for any other value.
  public var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
  /// The text; nil for anything but a string.
  public var stringValue: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }
  /// The text's bytes; nil for anything but a string.
  public var stringBytes: [UInt8]? { if case .string(let bytes) = self { bytes } else { nil } }
  /// The number's literal; nil for anything but a number.
  public var numberLiteral: [UInt8]? { if case .number(let literal) = self { literal } else { nil } }
  /// The number as Int64, when its literal has neither fraction nor exponent and it fits; else nil.
  public var integerValue: Int64? { numberLiteral.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }
  /// The number as a count, a size, a version or a time: an integer from 0 to 2^48, so that sums and products of such
  /// numbers from files do not overflow; else nil.
  public var countValue: Int? {
    integerValue.flatMap { (0...Self.largestCount).contains($0) ? Int($0) : nil }
  }
  /// The greatest count.
  public static let largestCount: Int64 = 1 << 48
  /// The number nearest to the literal, when it is finite; nil for anything but a number.
  public var realValue: Double? {
    guard let literal = numberLiteral, let value = Double(String(decoding: literal, as: UTF8.self)), value.isFinite
    else { return nil }
    return value
  }
  /// The elements; nil for anything but an array.
  public var arrayValue: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
  /// The members; nil for anything but an object.
  public var objectMembers: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The value of the member `key`, compared byte by byte; nil if it is missing or this is not an object.
  public subscript(_ key: String) -> JSON? {
    objectMembers?.first { $0.key.elementsEqual(key.utf8) }?.value
  }
  /// The element at `index`; nil if it is missing or this is not an array.
  public subscript(_ index: Int) -> JSON? {
    guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The kind of the value for messages: `an object`, `a number`.
  public var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
