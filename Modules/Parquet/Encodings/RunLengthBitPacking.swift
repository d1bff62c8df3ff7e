import Rows

/// The hybrid of run lengths and bit packing that Parquet uses for levels and dictionary indices.
enum RunLengthBitPacking {
  /// Appends `values`, each below 2^`bits`: repetitions of at least eight as a run, all others in groups of eight.
  static func append(_ values: UnsafeBufferPointer<UInt32>, bits: Int, to out: inout ByteBuffer) {
    let count = values.count
    var at = 0
    while at < count {
      let run = unsafe runLength(values, at)
      if run >= 8 || at + run == count {
        unsafe append(run: run, of: values[at], bits: bits, to: &out)
        at += run
        continue
      }
      // Groups of eight until a run of at least eight begins at the border of a group.
      var end = at
      repeat {
        end = min(end + 8, count)
      } while unsafe end < count && !beginsRun(values, end)
      unsafe append(groups: UnsafeBufferPointer(rebasing: values[at..<end]), bits: bits, to: &out)
      at = end
    }
  }

  static func append(run length: Int, of value: UInt32, bits: Int, to out: inout ByteBuffer) {
    out.append(variable: UInt64(length) << 1)
    for byte in 0..<(bits + 7) / 8 { out.append(byte: UInt8(truncatingIfNeeded: value >> UInt32(byte * 8))) }
  }

  /// Appends values in groups of eight, the last one filled up with zeros.
  private static func append(groups values: UnsafeBufferPointer<UInt32>, bits: Int, to out: inout ByteBuffer) {
    let groups = (values.count + 7) / 8
    out.append(variable: UInt64(groups) << 1 | 1)
    BitPacking.append(values.count, filledTo: groups * 8, bits: bits, to: &out) { UInt64(unsafe values[$0]) }
  }

  private static func runLength(_ values: UnsafeBufferPointer<UInt32>, _ start: Int) -> Int {
    var end = start + 1
    while end < values.count, unsafe values[end] == values[start] { end += 1 }
    return end - start
  }

  private static func beginsRun(_ values: UnsafeBufferPointer<UInt32>, _ start: Int) -> Bool {
    guard start + 8 <= values.count else { return false }
    for place in start + 1..<start + 8 where unsafe values[place] != values[start] { return false }
    return true
  }
}

/// Values in as few bits as they need, the lowest bit first.
enum BitPacking {
  /// Appends `count` values of `bits` bits, at most 64, and zeros up to `filledTo` values, a multiple of eight.
  @inline(__always) static func append(
    _ count: Int, filledTo: Int, bits: Int, to out: inout ByteBuffer, _ value: (Int) -> UInt64
  ) {
    let size = filledTo * bits / 8
    var next = unsafe out.room(size + 16)
    let end = unsafe next + size
    var pending: UInt64 = 0, used = 0
    for place in 0..<count {
      let bitsOfValue = value(place)
      pending |= bitsOfValue &<< UInt64(truncatingIfNeeded: used)
      used &+= bits
      if used >= 64 {
        unsafe UnsafeMutableRawPointer(next).storeBytes(of: pending.littleEndian, as: UInt64.self)
        unsafe next += 8
        used &-= 64
        let taken = bits &- used
        pending = taken == 64 ? 0 : bitsOfValue &>> UInt64(truncatingIfNeeded: taken)
      }
    }
    while unsafe next < end {
      unsafe next.pointee = UInt8(truncatingIfNeeded: pending)
      unsafe next += 1
      pending &>>= 8
    }
    unsafe out.commit(end)
  }
}

extension ByteBuffer {
  /// Appends an unsigned number in groups of seven bits, the lowest first (ULEB128).
  mutating func append(variable value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(byte: UInt8(rest))
  }
}
