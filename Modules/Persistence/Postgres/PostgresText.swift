import Codecs
import Rows

/// Values in the text form of COPY, for tables whose types bb did not choose.
enum PostgresText {
  /// Text as a literal of SQL, whatever it has; nil for text that the server cannot have.
  static func literal(_ text: String) -> String? {
    if text.utf8.contains(0) { return nil }
    let quote = UInt8(ascii: "'")
    var bytes = [quote]
    for byte in text.utf8 { bytes += byte == quote ? [quote, quote] : [byte] }
    return String(decoding: bytes + [quote], as: UTF8.self)
  }

  /// Appends a cell.
  /// - Throws: `badData` for U+0000.
  static func append(_ cell: Cell, _ arena: Arena, _ out: inout ByteBuffer) throws(PostgresBinary.Fault) {
    switch cell {
    case .null: out.append("\\N")
    case .integer(let value): out.append(integer: value)
    case .boolean(let value): out.append(value ? "t" : "f" as StaticString)
    case .real(let value):
      if value.isFinite { out.append(bytes: value.canonicalText) } else { out.append(NonfinitePolicy.word(for: value)) }
    case .number(let start, let length): out.append(bytes: arena.bytes(start, length))
    case .text(let start, let length), .json(let start, let length):
      let hasNUL = arena.read { bytes in
        append(escaped: bytes.extracting(Int(start)..<Int(start) + Int(length)), &out)
      }
      if hasNUL { throw .nul }
    case .bytes(let start, let length):
      out.append("\\\\x")
      arena.read { bytes in append(hex: bytes.extracting(Int(start)..<Int(start) + Int(length)), &out) }
    }
  }

  /// Appends a value without U+0000.
  static func append(_ value: Value, _ out: inout ByteBuffer) {
    switch value {
    case .null: out.append("\\N")
    case .integer(let value): out.append(integer: value)
    case .boolean(let value): out.append(value ? "t" : "f" as StaticString)
    case .real(let value): out.append(bytes: value.canonicalText)
    case .number(let bytes): out.append(bytes: bytes)
    case .text(let bytes), .json(let bytes): _ = unsafe append(escaped: bytes.span.bytes, &out)
    case .bytes(let bytes):
      out.append("\\\\x")
      unsafe append(hex: bytes.span.bytes, &out)
    }
  }

  /// The array of PostgreSQL with the elements of a JSON array; nil for other JSON, and for text with U+0000.
  static func array(_ json: [UInt8]) -> [UInt8]? {
    guard let elements = (try? JSON.parse(json, name: "", duplicateKeys: .kept))?.arrayValue else { return nil }
    var out: [UInt8] = []
    return append(elements, &out) ? out : nil
  }

  private static func append(_ elements: [JSON], _ out: inout [UInt8]) -> Bool {
    out.append(UInt8(ascii: "{"))
    for (place, element) in elements.enumerated() {
      if place > 0 { out.append(UInt8(ascii: ",")) }
      if element.isNull {
        out += Array("NULL".utf8)
      } else if let nested = element.arrayValue {
        guard append(nested, &out) else { return false }
      } else {
        let text = element.stringBytes ?? element.canonicalBytes
        if text.contains(0) { return false }
        out.append(UInt8(ascii: "\""))
        for byte in text {
          if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { out.append(UInt8(ascii: "\\")) }
          out.append(byte)
        }
        out.append(UInt8(ascii: "\""))
      }
    }
    out.append(UInt8(ascii: "}"))
    return true
  }

  /// Appends text with its special characters escaped; returns whether it has U+0000.
  private static func append(escaped bytes: RawSpan, _ out: inout ByteBuffer) -> Bool {
    var start = 0, hasNUL = false
    for position in 0..<bytes.byteCount {
      let byte = bytes[position], letter: UInt8
      switch byte {
      case 0:
        hasNUL = true
        continue
      case UInt8(ascii: "\\"): letter = byte
      case 8: letter = UInt8(ascii: "b")
      case 9: letter = UInt8(ascii: "t")
      case 10: letter = UInt8(ascii: "n")
      case 11: letter = UInt8(ascii: "v")
      case 12: letter = UInt8(ascii: "f")
      case 13: letter = UInt8(ascii: "r")
      default: continue
      }
      out.append(bytes.extracting(start..<position))
      out.append(byte: UInt8(ascii: "\\"))
      out.append(byte: letter)
      start = position + 1
    }
    out.append(bytes.extracting(start..<bytes.byteCount))
    return hasNUL
  }

  private static func append(hex bytes: RawSpan, _ out: inout ByteBuffer) {
    for position in 0..<bytes.byteCount {
      for digit in [bytes[position] >> 4, bytes[position] & 15] {
        out.append(byte: digit < 10 ? 48 + digit : 87 + digit)
      }
    }
  }
}

extension RawSpan {
  /// The byte at `position`.
  fileprivate subscript(position: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: position, as: UInt8.self) }
}
