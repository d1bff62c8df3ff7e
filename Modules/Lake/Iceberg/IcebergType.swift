import Codecs
import Rows

/// A type of Iceberg.
enum IcebergType: Hashable {
  case boolean, int, long, float, double, decimal(DecimalSize), date, timestamp, timestamptz, string, binary
  indirect case list(IcebergType)

  /// The type of a column of a Delta table; nil if bb writes none.
  init?(delta type: JSON) {
    switch type.stringValue {
    case "boolean": self = .boolean
    case "integer", "short", "byte": self = .int
    case "long": self = .long
    case "float": self = .float
    case "double": self = .double
    case "date": self = .date
    case "timestamp": self = .timestamptz
    case "timestamp_ntz": self = .timestamp
    case "string": self = .string
    case "binary": self = .binary
    case let name?:
      guard let size = DecimalSize(name) else { return nil }
      self = .decimal(size)
    case nil:
      guard type["type"]?.stringValue == "array", let element = type["elementType"].flatMap(IcebergType.init)
      else { return nil }
      self = .list(element)
    }
  }

  /// The type in a schema.
  /// - Parameter element: the identifier of the elements of a list.
  func json(element: Int64) -> JSON {
    switch self {
    case .decimal(let size): .string("decimal(\(size.precision), \(size.scale))")
    case .list(let type):
      .object([
        "type": .string("list"), "element-id": .number(element), "element-required": .boolean(false),
        "element": type.json(element: 0),
      ])
    default: .string("\(self)")
    }
  }

  /// The type of a partition value in a manifest.
  /// - Parameter id: the number of the value.
  func avro(_ id: Int64) -> JSON {
    switch self {
    case .boolean, .int, .long, .float, .double, .string: .string("\(self)")
    case .binary, .list: .string("bytes")
    case .date: .object(["type": .string("int"), "logicalType": .string("date")])
    case .timestamp, .timestamptz:
      .object([
        "type": .string("long"), "logicalType": .string("timestamp-micros"),
        "adjust-to-utc": .boolean(self == .timestamptz),
      ])
    case .decimal(let size):
      .object([
        "type": .string("fixed"), "name": .string("d\(id)"),
        "size": .number(Int64(Self.bytes(of: size))), "logicalType": .string("decimal"),
        "precision": .number(Int64(size.precision)), "scale": .number(Int64(size.scale)),
      ])
    }
  }

  /// The bytes that hold all decimals of a size.
  private static func bytes(of size: DecimalSize) -> Int {
    var bytes = 1, most = Int128(127), value = Int128(1)
    for _ in 0..<size.precision { value *= 10 }
    while bytes < 16, most < value {
      bytes += 1
      most = most << 8 | 255
    }
    return bytes
  }

  /// Appends a value of a partition, which is text in Delta; false if the text has none of this type.
  func append(_ text: [UInt8], to values: inout AvroValues) -> Bool {
    let string = String(decoding: text, as: UTF8.self)
    switch self {
    case .boolean:
      guard let value = ["true": UInt8(1), "false": 0][string.lowercased()] else { return false }
      values.append(fixed: [value])
    case .int, .long:
      guard let number = Int64(string) else { return false }
      values.append(number)
    case .float, .double, .decimal:
      guard let bytes = bytes(of: text) else { return false }
      values.append(fixed: bytes)
    case .date, .timestamp, .timestamptz:
      guard let count = count(of: text) else { return false }
      values.append(count)
    case .string: values.append(text)
    case .binary, .list: return false
    }
    return true
  }

  /// The days or microseconds since 1970 that a text names.
  private func count(of text: [UInt8]) -> Int64? {
    guard let days = Dates.daysSince1970(Array(text.prefix(10))) else { return nil }
    if self == .date { return text.count == 10 ? Int64(days) : nil }
    var time = Array(text.prefix(19))
    guard time.count == 19 else { return nil }
    time[10] = UInt8(ascii: "T")
    guard let instant = Instant(timestamp: String(decoding: time, as: UTF8.self) + "Z") else { return nil }
    let rest = text[19...].drop { $0 == UInt8(ascii: ".") }.prefix { 48...57 ~= $0 }
    guard rest.count <= 6,
      let part = Int64(String(decoding: rest, as: UTF8.self) + String(repeating: "0", count: 6 - rest.count))
    else { return nil }
    return instant.seconds * 1_000_000 + part
  }

  /// The encoding of a bound, or of a value of fixed size.
  private func bytes(of text: [UInt8]) -> [UInt8]? {
    func little(_ bits: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }
    let string = String(decoding: text, as: UTF8.self)
    switch self {
    case .int: return Int32(string).map { little(UInt64(UInt32(bitPattern: $0)), 4) }
    case .long: return Int64(string).map { little(UInt64(bitPattern: $0), 8) }
    case .float: return Float(string).map { little(UInt64($0.bitPattern), 4) }
    case .double: return Double(string).map { little($0.bitPattern, 8) }
    case .date: return count(of: text).map { little(UInt64(bitPattern: $0), 4) }
    case .timestamp, .timestamptz: return count(of: text).map { little(UInt64(bitPattern: $0), 8) }
    case .decimal(let size):
      guard let (isNegative, digits, exponent) = DecimalNumber(text)?.parts else { return nil }
      let zeros = size.scale + exponent - digits.count
      guard digits.count + zeros <= size.precision, zeros >= 0 else { return nil }
      var value = digits.reduce(Int128(0)) { $0 * 10 + Int128($1) }
      for _ in 0..<zeros { value *= 10 }
      if isNegative { value = -value }
      return (0..<Self.bytes(of: size)).reversed().map { UInt8(truncatingIfNeeded: value >> Int128(8 * $0)) }
    default: return nil
    }
  }

  /// The least or the greatest value of a file, which Delta has as JSON; nil if it is not known.
  func bound(_ value: JSON?, isUpper: Bool) -> [UInt8]? {
    guard let value, let text = value.numberLiteral ?? value.stringBytes else { return nil }
    if self != .string { if case .decimal = self { return nil } else { return bytes(of: text) } }
    var scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    guard scalars.count > 16 else { return text }
    scalars = Array(scalars.prefix(16))
    if isUpper {
      // No value is greater than one whose last character follows.
      var next: Unicode.Scalar?
      while next == nil, let last = scalars.popLast() {
        next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1)
      }
      guard let next else { return nil }
      scalars.append(next)
    }
    var bound = String.UnicodeScalarView()
    bound.append(contentsOf: scalars)
    return Array(String(bound).utf8)
  }
}
