import Rows

extension CellReader {
  /// Appends a cell as canonical JSON: raw bytes as base64, a literal as it stands.
  func appendJSON(of cell: Cell, to json: inout [UInt8]) {
    switch cell {
    case .null: json += "null".utf8
    case .boolean(let value): json += value ? "true".utf8 : "false".utf8
    case .integer(let value): json += String(value).utf8
    case .real(let value): json += Self.canonical(value)
    case .number(let start, let length), .json(let start, let length): unsafe json += bytes(start, length)
    case .text(let start, let length): unsafe Self.appendString(bytes(start, length), to: &json)
    case .bytes(let start, let length): unsafe Self.appendBase64(bytes(start, length), to: &json)
    }
  }

  /// Appends text as a JSON string with the shortest escapes.
  package static func appendString(_ text: some Sequence<UInt8>, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      case 0x08: json += "\\b".utf8
      case 0x09: json += "\\t".utf8
      case 0x0A: json += "\\n".utf8
      case 0x0C: json += "\\f".utf8
      case 0x0D: json += "\\r".utf8
      case ..<0x20: json += ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8
      default: json.append(byte)
      }
    }
    json.append(UInt8(ascii: "\""))
  }

  /// The shortest digits that read back the same; the exponent without `+` and leading zeros.
  package static func canonical(_ value: Double) -> [UInt8] {
    let text = Array(value.description.utf8)
    guard let mark = text.firstIndex(of: UInt8(ascii: "e")) else { return text }
    let isDown = text[mark + 1] == UInt8(ascii: "-")
    let digits = text[(mark + 1)...].drop { !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    return text[...mark] + (isDown ? [UInt8(ascii: "-")] : []) + digits
  }

  private static func appendBase64(_ bytes: UnsafeRawBufferPointer, to json: inout [UInt8]) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    json.append(UInt8(ascii: "\""))
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var bits: UInt32 = 0
      for at in 0..<3 { bits = unsafe bits << 8 | (at < count ? UInt32(bytes[start + at]) : 0) }
      for at in 0..<4 {
        json.append(at <= count ? alphabet[Int(bits >> UInt32(18 - 6 * at) & 63)] : UInt8(ascii: "="))
      }
    }
    json.append(UInt8(ascii: "\""))
  }
}
