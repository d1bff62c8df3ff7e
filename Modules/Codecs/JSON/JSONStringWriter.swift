internal import CMasks
public import Rows

extension WriteCursor {
  /// Text as a JSON string with its quotes: the shortest escapes, everything else as it is. Asks for room itself.
  @inline(__always) mutating func putJSON(_ text: ByteRun, _ out: inout ByteBuffer) {
    ensure(Self.jsonRoom(min(text.count, Self.slice)), &out)
    put(UInt8(ascii: "\""))
    if text.count <= Self.slice { putJSONBody(text) } else { putLongJSONBody(text, &out) }
    put(UInt8(ascii: "\""))
  }

  /// Long text is written in slices, so that the reserved room depends on the output and not on the worst case.
  private static var slice: Int { 4096 }
  /// Every byte may become `\u0000`.
  @inline(__always) private static func jsonRoom(_ count: Int) -> Int { count &* 6 &+ 2 }

  @inline(never) private mutating func putLongJSONBody(_ text: ByteRun, _ out: inout ByteBuffer) {
    var position = 0
    while position < text.count {
      ensure(Self.jsonRoom(Self.slice), &out)
      putJSONBody(text.slice(from: position, atMost: Self.slice))
      position += Self.slice
    }
    ensure(2, &out)
  }

  @inline(__always) private mutating func putJSONBody(_ text: ByteRun) {
    var source = unsafe text.start, left = text.count
    while true {
      var mask = unsafe bb_json_mask32(source)
      unsafe next.store32(source)
      if left < 32 { mask &= 1 &<< UInt32(truncatingIfNeeded: left) &- 1 }
      if mask == 0 {
        if left <= 32 { break }
        unsafe next += 32
        unsafe source += 32
        left &-= 32
        continue
      }
      let plain = mask.trailingZeroBitCount
      unsafe next += plain
      unsafe source += plain
      putJSONEscape(unsafe source.pointee)
      unsafe source += 1
      left &-= plain &+ 1
    }
    unsafe next += left
  }

  @inline(never) private mutating func putJSONEscape(_ byte: UInt8) {
    put(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
    case 0x0A: put(UInt8(ascii: "n"))
    case 0x0D: put(UInt8(ascii: "r"))
    case 0x09: put(UInt8(ascii: "t"))
    case 0x08: put(UInt8(ascii: "b"))
    case 0x0C: put(UInt8(ascii: "f"))
    default:
      put("u00")
      put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 15
      put(low < 10 ? 48 + low : 87 + low)
    }
  }
}

extension ByteBuffer {
  /// Appends a JSON string with its quotes; for keys and the like, not for values.
  public mutating func append(jsonString text: String) {
    let bytes = Arena(Array(text.utf8))
    var cursor = WriteCursor(&self, margin: 0)
    unsafe cursor.putJSON(ByteRun(start: bytes.base, count: bytes.count), &self)
    cursor.commit(to: &self)
    withExtendedLifetime(bytes) {}
  }
}

extension ByteBuffer {
  /// Appends a cell as canonical JSON: raw bytes as base64, a literal verbatim, a number that is not finite as a mark.
  public mutating func append(jsonOf cell: Cell, _ arena: Arena) {
    var cursor = WriteCursor(&self, margin: NumberWriter.longest)
    switch cell {
    case .null: cursor.put("null")
    case .boolean(let value): cursor.put(value ? "true" : "false")
    case .integer(let value): cursor.put(value)
    case .real(let value) where !value.isFinite: cursor.put(NonfinitePolicy.mark(for: value))
    case .real(let value): cursor.put(value)
    case .text(let start, let length): cursor.putJSON(ByteRun(arena, start, length), &self)
    case .number(let start, let length), .json(let start, let length):
      cursor.ensure(Int(length), &self)
      cursor.put(ByteRun(arena, start, length))
    case .bytes(let start, let length):
      cursor.put(UInt8(ascii: "\""))
      cursor.putBase64(ByteRun(arena, start, length), &self)
      cursor.put(UInt8(ascii: "\""))
    }
    cursor.commit(to: &self)
  }
}
