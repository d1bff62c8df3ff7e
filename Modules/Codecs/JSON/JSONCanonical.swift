extension JSON {
  /// The value as text in canonical form: no white space outside strings, members in order, the shortest escapes,
  /// numbers verbatim.
  public var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to out: inout [UInt8]) {
    switch self {
    case .null: out += Array("null".utf8)
    case .boolean(let value): out += Array((value ? "true" : "false").utf8)
    case .number(let literal): out += literal
    case .string(let text): Self.write(text, to: &out)
    case .array(let elements):
      out.append(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        if position > 0 { out.append(UInt8(ascii: ",")) }
        element.write(to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      for (position, member) in members.enumerated() {
        if position > 0 { out.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(to: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: [UInt8], to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in text {
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        out.append(byte)
      } else {
        out += JSONEscapes.shortest(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}

extension JSONEscapes {
  /// Rewrites `count` bytes of text that a `JSONScanner` has accepted in canonical form; returns how many were written,
  /// never more than were read, so `target` may be `source`.
  static func canonicalise(_ source: UnsafePointer<UInt8>, count: Int, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var from = 0
    var to = 0
    var isInside = false
    while from < count {
      let byte = unsafe source[from]
      if isInside, byte == UInt8(ascii: "\\") {
        let scalar = unsafe scalar(source, &from)
        if scalar < 0x20 || scalar == 0x22 || scalar == 0x5C {
          for byte in shortest(UInt8(scalar)) {
            unsafe target[to] = byte
            to += 1
          }
        } else {
          to += unsafe encode(scalar, target + to)
        }
        continue
      }
      from += 1
      if byte == UInt8(ascii: "\"") { isInside.toggle() }
      if !isInside, byte <= 0x20 { continue }
      unsafe target[to] = byte
      to += 1
    }
    return to
  }

  /// The shortest escape of a byte that must be escaped: `"`, `\` or one below 0x20.
  static func shortest(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case 0x08: Array("\\b".utf8)
    case 0x09: Array("\\t".utf8)
    case 0x0A: Array("\\n".utf8)
    case 0x0C: Array("\\f".utf8)
    case 0x0D: Array("\\r".utf8)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
    default:
      Array("\\u00".utf8)
        + [byte >> 4, byte & 15].map { $0 < 10 ? $0 + UInt8(ascii: "0") : $0 - 10 + UInt8(ascii: "a") }
    }
  }
}
