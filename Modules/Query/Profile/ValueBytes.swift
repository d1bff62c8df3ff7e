import Rows

/// The bytes of a value where they are kept: in a batch, a table of keys or an array. Valid as long as its owner.
@safe struct ValueBytes {
  fileprivate let bytes: UnsafeRawBufferPointer
  var count: Int { unsafe bytes.count }

  @inline(__always) init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  @inline(__always) fileprivate init(key: (UnsafePointer<UInt8>, Int)) {
    unsafe bytes = UnsafeRawBufferPointer(start: key.0, count: key.1)
  }
  var start: UnsafePointer<UInt8> { unsafe bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) }

  @inline(__always) init(start: UnsafeRawPointer?, count: Int) {
    unsafe bytes = UnsafeRawBufferPointer(start: start, count: count)
  }

  /// The first `length` bytes, at most all.
  @inline(__always) func prefix(_ length: Int) -> ValueBytes {
    unsafe ValueBytes(start: bytes.baseAddress, count: length)
  }
  /// The bytes from `start` on.
  @inline(__always) func dropping(_ start: Int) -> ValueBytes { unsafe ValueBytes(.init(rebasing: bytes[start...])) }
  @inline(__always) func byte(at position: Int) -> UInt8 { unsafe bytes[position] }
  /// Eight bytes, the first one lowest.
  @inline(__always) func word(at position: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// The first eight bytes, for comparisons.
  @inline(__always) var orderWord: UInt64 { unsafe OrderWord.word(of: bytes) }
  /// Below zero, zero or above as the bytes precede, equal or follow those of `other`.
  func order(to other: ValueBytes) -> Int { unsafe precedes(bytes, other.bytes) }
  var array: [UInt8] { unsafe Array(bytes) }
  /// The number that the text is; nil if it is not a number.
  @inline(__always) var number: NearestDouble? { unsafe NearestDouble(bytes) }

  /// The number of characters of a text in UTF-8.
  var length: Int {
    var more: UInt64 = 0, at = 0
    let ones: UInt64 = 0x0101_0101_0101_0101
    while at &+ 8 <= count {
      let word = word(at: at)
      more &+= ((word >> 7 & ~(word >> 6) & ones) &* ones) >> 56
      at &+= 8
    }
    while at < count {
      if byte(at: at) & 0xC0 == 0x80 { more &+= 1 }
      at &+= 1
    }
    return count &- Int(truncatingIfNeeded: more)
  }
}

extension [UInt8] {
  func withValueBytes<Result>(_ body: (ValueBytes) -> Result) -> Result {
    unsafe withUnsafeBytes { unsafe body(ValueBytes($0)) }
  }
}

extension CellReader {
  @inline(__always) func value(_ start: UInt32, _ length: UInt32) -> ValueBytes {
    unsafe ValueBytes(bytes(start, length))
  }
  /// The bytes of a text; nil for any other cell.
  @inline(__always) func text(of cell: Cell) -> ValueBytes? {
    if case .text(let start, let length) = cell { value(start, length) } else { nil }
  }
}

extension KeyBuffer {
  @inline(__always) mutating func put(_ kind: UInt8, _ value: ValueBytes) {
    unsafe put(kind, value.bytes)
  }
  @inline(__always) func value(_ number: Int) -> ValueBytes { unsafe ValueBytes(key: key(number)) }
}

extension KeyTable {
  @inline(__always) func value(_ number: Int) -> ValueBytes { unsafe ValueBytes(key: key(number)) }
  @inline(__always) func find(_ key: ValueBytes, _ hash: UInt64) -> Int { unsafe find(key.start, key.count, hash) }
  mutating func add(_ key: ValueBytes, _ hash: UInt64) {
    _ = unsafe add(key.start, key.count, hash, more: key.start, 0)
  }
}
