public import Rows

extension Value {
  /// The value as plain UTF-8 text: empty for null, the shortest literal of a real, raw bytes as they are.
  public var plainText: [UInt8] {
    switch self {
    case .null: []
    case .boolean(let value): Array(String(value).utf8)
    case .integer(let value): Array(String(value).utf8)
    case .real(let value): Array(value.description.utf8)
    case .number(let bytes), .text(let bytes), .json(let bytes), .bytes(let bytes): bytes
    }
  }
  /// The bytes of a value of any length; 0 for other values.
  package var byteCount: Int {
    switch self {
    case .null, .boolean, .integer, .real: 0
    case .number, .text, .json, .bytes: plainText.count
    }
  }
}
