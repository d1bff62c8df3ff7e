import Rows

/// The distinct values of a column chunk, numbered in the order seen, and the number of each value.
@safe struct ParquetDictionary {
  /// A dictionary with more entries, or more bytes of entries, does not pay.
  private static let maximumEntries = 1 << 16, maximumBytes = 1 << 20
  /// After so many values, a dictionary with more than three quarters as many entries is given up.
  private static let sample = 4096

  /// The position of the first occurrence of each entry among the values.
  private(set) var firsts: [Int32] = []
  /// The entry of each value.
  private(set) var indices: [UInt32] = []

  /// The dictionary of integers, or of the bit patterns of reals; nil if it does not pay.
  init?(_ values: UnsafeBufferPointer<UInt64>) {
    self.init(
      count: values.count, size: { _ in 8 }, hash: { unsafe Self.mixed(values[$0]) },
      isEqual: { unsafe values[$0] == values[$1] })
  }

  /// The dictionary of byte strings; nil if it does not pay.
  init?(_ values: UnsafeBufferPointer<ByteRun>) {
    self.init(
      count: values.count, size: { unsafe values[$0].count + 4 }, hash: { unsafe Self.hash(values[$0]) },
      isEqual: {
        let a = unsafe values[$0], b = unsafe values[$1]
        guard a.count == b.count else { return false }
        return ByteOrder.compare(a, b) == 0
      })
  }

  @inline(__always)
  private init?(
    count: Int, size: (Int) -> Int, hash: (Int) -> UInt64, isEqual: (Int, Int) -> Bool
  ) {
    guard count > 0 else { return nil }
    indices.reserveCapacity(count)
    var slots = [UInt32](repeating: 0, count: 1 << 10), tags = [UInt32](repeating: 0, count: 1 << 10)
    var mask = slots.count - 1, bytes = 0
    for value in 0..<count {
      let code = hash(value), tag = UInt32(truncatingIfNeeded: code >> 32)
      var slot = Int(truncatingIfNeeded: code) & mask
      while slots[slot] != 0, tags[slot] != tag || !isEqual(Int(firsts[Int(slots[slot] - 1)]), value) {
        slot = (slot + 1) & mask
      }
      if slots[slot] == 0 {
        bytes += size(value)
        guard firsts.count < Self.maximumEntries, bytes <= Self.maximumBytes,
          value < Self.sample || firsts.count < value / 4 * 3
        else { return nil }
        firsts.append(Int32(truncatingIfNeeded: value))
        slots[slot] = UInt32(firsts.count)
        tags[slot] = tag
        indices.append(UInt32(firsts.count - 1))
        if firsts.count * 2 > slots.count {
          mask = slots.count * 4 - 1
          slots = [UInt32](repeating: 0, count: mask + 1)
          tags = slots
          for (entry, first) in firsts.enumerated() {
            let code = hash(Int(first))
            var slot = Int(truncatingIfNeeded: code) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(entry + 1)
            tags[slot] = UInt32(truncatingIfNeeded: code >> 32)
          }
        }
      } else {
        indices.append(slots[slot] - 1)
      }
    }
  }

  @inline(__always) private static func mixed(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  @inline(__always) private static func hash(_ slice: ByteRun) -> UInt64 {
    var rest = slice.count, next = unsafe UnsafeRawPointer(slice.start)
    var state = UInt64(truncatingIfNeeded: slice.count)
    while rest >= 8 {
      state = unsafe mixed(state ^ next.loadUnaligned(as: UInt64.self)) &+ 0x2545_F491_4F6C_DD1D
      unsafe next += 8
      rest -= 8
    }
    var tail: UInt64 = 0
    while rest > 0 {
      rest -= 1
      tail = unsafe tail << 8 | UInt64(next.load(fromByteOffset: rest, as: UInt8.self))
    }
    return mixed(state ^ tail &+ 0xD6E8_FEB8_6659_FD93)
  }
}

/// The unsigned order of byte strings.
enum ByteOrder {
  /// Negative, zero or positive as `a` is before, equal to or after `b`.
  @inline(__always) static func compare(_ a: ByteRun, _ b: ByteRun) -> Int {
    let common = min(a.count, b.count)
    var at = 0
    while at + 8 <= common {
      let x = unsafe UnsafeRawPointer(a.start + at).loadUnaligned(as: UInt64.self)
      let y = unsafe UnsafeRawPointer(b.start + at).loadUnaligned(as: UInt64.self)
      if x != y { return x.bigEndian < y.bigEndian ? -1 : 1 }
      at += 8
    }
    while at < common {
      let x = unsafe a.start[at], y = unsafe b.start[at]
      if x != y { return x < y ? -1 : 1 }
      at += 1
    }
    return a.count - b.count
  }
}
