public import Codecs

/// The values of a column chunk. As long as it pays, each distinct value is kept once, in the order seen.
struct ParquetEntries<Value: ParquetEntry> {
  /// A dictionary with more entries, or more bytes of entries, does not pay.
  private static var maximumEntries: Int { 1 << 16 }
  private static var maximumBytes: Int { 1 << 20 }
  /// After so many values, a dictionary with more than three quarters as many entries is given up.
  private static var sample: Int { 4096 }

  /// The entries of the dictionary; without one, the values.
  private(set) var entries: [Value] = []
  /// The position among the entries of each value; empty without a dictionary.
  private(set) var indices: [UInt32] = []
  private(set) var isDictionary: Bool
  /// Open addressing: the upper half of an entry's hash, and below it its position plus 1; 0 where free.
  private var slots: [UInt64]
  private var byteCount = 0

  /// No values yet. `capacity` is the number of values expected.
  init(dictionary: Bool, capacity: Int) {
    isDictionary = dictionary
    slots = Array(repeating: 0, count: dictionary ? 1 << 10 : 0)
    if dictionary { indices.reserveCapacity(capacity) } else { entries.reserveCapacity(capacity) }
  }

  var count: Int { isDictionary ? indices.count : entries.count }

  @inline(__always) subscript(place: Int) -> Value { entries[isDictionary ? Int(indices[place]) : place] }

  @inline(__always) mutating func append(_ value: Value) {
    guard isDictionary else { return entries.append(value) }
    let tag = value.dictionaryHash & ~0xFFFF_FFFF, mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: tag >> 32) & mask
    while slots[slot] != 0 {
      let entry = Int(truncatingIfNeeded: slots[slot] & 0xFFFF_FFFF) - 1
      if slots[slot] & ~0xFFFF_FFFF == tag, entries[entry].isSame(as: value) {
        return indices.append(UInt32(truncatingIfNeeded: entry))
      }
      slot = (slot + 1) & mask
    }
    insert(value, tag, slot)
  }

  @inline(never) private mutating func insert(_ value: Value, _ tag: UInt64, _ slot: Int) {
    byteCount += value.plainSize
    guard entries.count < Self.maximumEntries, byteCount <= Self.maximumBytes,
      indices.count < Self.sample || entries.count < indices.count / 4 * 3
    else {
      removeDictionary()
      return entries.append(value)
    }
    entries.append(value)
    indices.append(UInt32(entries.count - 1))
    slots[slot] = tag | UInt64(entries.count)
    if entries.count * 2 > slots.count { growSlots() }
  }

  private mutating func growSlots() {
    let mask = slots.count * 4 - 1
    var grown = [UInt64](repeating: 0, count: mask + 1)
    for entry in slots where entry != 0 {
      var slot = Int(truncatingIfNeeded: entry >> 32) & mask
      while grown[slot] != 0 { slot = (slot + 1) & mask }
      grown[slot] = entry
    }
    slots = grown
  }

  /// Keeps each value by itself from now on.
  mutating func removeDictionary() {
    guard isDictionary else { return }
    var values: [Value] = []
    values.reserveCapacity(indices.capacity)
    for index in indices { values.append(entries[Int(index)]) }
    (entries, indices, slots, isDictionary) = (values, [], [], false)
  }
}

/// A value that a dictionary can have.
protocol ParquetEntry {
  /// A hash whose upper half is well mixed.
  var dictionaryHash: UInt64 { get }
  /// The size in a page of plain values.
  var plainSize: Int { get }
  /// Whether a reader could not tell the values apart.
  func isSame(as other: Self) -> Bool
}

extension Int64: ParquetEntry {
  @inline(__always) var dictionaryHash: UInt64 { UInt64(bitPattern: self).mixed }
  @inline(__always) var plainSize: Int { 8 }
  @inline(__always) func isSame(as other: Int64) -> Bool { self == other }
}

extension Double: ParquetEntry {
  @inline(__always) var dictionaryHash: UInt64 { bitPattern.mixed }
  @inline(__always) var plainSize: Int { 8 }
  @inline(__always) func isSame(as other: Double) -> Bool { bitPattern == other.bitPattern }
}

extension ByteRun: ParquetEntry {
  @inline(__always) var dictionaryHash: UInt64 {
    var rest = count, next = unsafe UnsafeRawPointer(start)
    var state = UInt64(truncatingIfNeeded: count)
    while rest >= 8 {
      state = unsafe (state ^ next.loadUnaligned(as: UInt64.self)).mixed &+ 0x2545_F491_4F6C_DD1D
      unsafe next += 8
      rest -= 8
    }
    // At least 32 readable bytes follow each run.
    let tail = unsafe next.loadUnaligned(as: UInt64.self).littleEndian & ~(~0 &<< UInt64(truncatingIfNeeded: rest * 8))
    return (state ^ tail &+ 0xD6E8_FEB8_6659_FD93).mixed
  }
  @inline(__always) var plainSize: Int { count + 4 }
  @inline(__always) func isSame(as other: ByteRun) -> Bool {
    count == other.count && ByteOrder.compare(self, other) == 0
  }
}

extension UInt64 {
  @inline(__always) fileprivate var mixed: UInt64 {
    let product = multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
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
