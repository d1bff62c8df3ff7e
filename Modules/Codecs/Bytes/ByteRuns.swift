internal import CMasks
public import Rows

extension ByteRun {
  /// The number of bytes before the first `byte`; `count` if there is none.
  @inline(__always) package func distance(to byte: UInt8) -> Int { unsafe Int(bb_find_byte(start, count, byte)) }

  /// Whether the bytes are those of `word`.
  @inlinable @inline(__always) package func equals(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for index in 0..<count where unsafe self[index] != word.utf8Start[index] { return false }
    return true
  }

  /// The bytes of a date and time with a space instead of `T`.
  var spaced: [UInt8] {
    var text = bytes
    if text.count > 10, text[10] == UInt8(ascii: "T") { text[10] = UInt8(ascii: " ") }
    return text
  }

  /// Whether a number has no zero before its point, `.5`, as JSON does not allow.
  @inline(__always) var isBareNumber: Bool {
    self[0] == UInt8(ascii: ".") || self[0] == UInt8(ascii: "-") && count > 1 && self[1] == UInt8(ascii: ".")
  }

  /// The bytes as text; what is not UTF-8 is replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension ArenaBuilder {
  /// The byte at `position`, which must be below `count`.
  @inlinable @inline(__always) package subscript(position: Int) -> UInt8 {
    precondition(UInt(bitPattern: position) < UInt(bitPattern: count), "internal error: position outside the bytes")
    return unsafe base[position]
  }

  /// `length` bytes at `start`, valid until the builder changes.
  @inlinable @inline(__always) package func run(_ start: Int, _ length: Int) -> ByteRun {
    precondition(start >= 0 && length >= 0 && start + length <= count, "internal error: range outside the bytes")
    return unsafe ByteRun(start: base + start, count: length)
  }
}

extension ByteBuffer {
  /// The bytes from `start` on, valid until the buffer changes. A NUL follows them.
  package mutating func run(from start: Int) -> ByteRun {
    precondition(start >= 0 && start <= count, "internal error: position outside the bytes")
    let end = unsafe room(1)
    unsafe end.pointee = 0
    return unsafe ByteRun(start: end - (count - start), count: count - start)
  }
}

extension ByteBuffer {
  /// The number of bytes before the first `byte`; all of them if there is none.
  package borrowing func distance(to byte: UInt8) -> Int { run { $0.distance(to: byte) } }

  /// Appends the lowest `count` bytes of a number, the lowest first.
  package mutating func append(littleEndian value: UInt64, count: Int) {
    for byte in 0..<count { append(byte: UInt8(truncatingIfNeeded: value >> UInt64(byte * 8))) }
  }
}
