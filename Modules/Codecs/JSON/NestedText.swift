package import Rows

/// Walks over canonical JSON, which is what `json` cells hold: no white space outside strings. Bounds are kept
/// whatever the bytes are.
package struct NestedText {
  private let text: ByteRun
  private var position = 0

  /// A walk over the value `text`.
  package init(_ text: ByteRun) { self.text = text }

  package var isArray: Bool { text.first == UInt8(ascii: "[") }
  package var isObject: Bool { text.first == UInt8(ascii: "{") }

  /// The next element of an array, or the next key or value of an object (they alternate); nil at the end.
  package mutating func next() -> ByteRun? {
    position += 1  // the opening bracket, or the separator after the last value
    guard position < text.count - 1 else { return nil }
    let start = position
    var depth = 0, isInString = false
    while position < text.count - 1 {
      let byte = text[position]
      if isInString {
        if byte == UInt8(ascii: "\\") { position += 1 }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ","), UInt8(ascii: ":"):
          if depth == 0 { return text.slice(from: start, atMost: position - start) }
        default: break
        }
      }
      position += 1
    }
    return text.slice(from: start, atMost: text.count - 1 - start)
  }

  /// Appends a value as people read it: a string without quotes and escapes, anything else as it is.
  package static func appendPlain(_ value: ByteRun, to out: inout ByteBuffer) {
    guard value.count >= 2, value.first == UInt8(ascii: "\"") else { return out.append(value) }
    let end = value.count - 1
    var position = 1
    while position < end {
      var stop = position
      while stop < end, value[stop] != UInt8(ascii: "\\") { stop += 1 }
      out.append(value.slice(from: position, atMost: stop - position))
      position = stop + 1
      if stop < end, position < end { appendEscaped(value, &position, end, to: &out) }
    }
  }

  /// Appends what the escape after a backslash at `position - 1` stands for; canonical text has `\u` only for control
  /// bytes.
  private static func appendEscaped(_ value: ByteRun, _ position: inout Int, _ end: Int, to out: inout ByteBuffer) {
    let byte = value[position]
    position += 1
    switch byte {
    case UInt8(ascii: "b"): out.append(byte: 0x08)
    case UInt8(ascii: "f"): out.append(byte: 0x0C)
    case UInt8(ascii: "n"): out.append(byte: 0x0A)
    case UInt8(ascii: "r"): out.append(byte: 0x0D)
    case UInt8(ascii: "t"): out.append(byte: 0x09)
    case UInt8(ascii: "u"):
      var scalar: UInt32 = 0
      for _ in 0..<4 where position < end {
        let digit = value[position]
        scalar = scalar << 4 | UInt32(digit <= 57 ? digit &- 48 : (digit | 0x20) &- 87)
        position += 1
      }
      let shown = Unicode.Scalar(scalar) ?? "\u{FFFD}"
      for byte in UTF8.encode(shown) ?? UTF8.encodedReplacementCharacter { out.append(byte: byte) }
    default: out.append(byte: byte)
    }
  }

  /// Appends a list as its elements joined by `; `, any other value as people read it.
  static func appendJoined(_ value: ByteRun, to out: inout ByteBuffer) {
    var walk = NestedText(value)
    guard walk.isArray else { return appendPlain(value, to: &out) }
    var isFirst = true
    while let element = walk.next() {
      if !isFirst { out.append("; ") }
      isFirst = false
      appendPlain(element, to: &out)
    }
  }
}

extension ByteBuffer {
  package mutating func append(_ run: ByteRun) {
    let start = unsafe room(run.count)
    unsafe start.update(from: run.start, count: run.count)
    unsafe commit(start + run.count)
  }
  /// Gives the bytes as a run, good for the time of the call.
  package borrowing func run<Result>(_ body: (ByteRun) -> Result) -> Result {
    read { bytes in
      unsafe bytes.withUnsafeBytes { raw in
        guard let start = raw.baseAddress else { return body(unsafe ByteRun(start: Self.nothing, count: 0)) }
        return body(unsafe ByteRun(start: start.assumingMemoryBound(to: UInt8.self), count: raw.count))
      }
    }
  }
  private static var nothing: UnsafePointer<UInt8> {
    let empty: StaticString = "                                "
    return unsafe empty.utf8Start
  }
}
