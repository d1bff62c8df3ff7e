import CSearch

/// A hash table from keys, which are byte strings, to numbers: 0, 1, 2 … in the order in which the keys were added.
///
/// A key may carry further bytes that do not take part in comparisons. At most 2^32 − 1 keys.
@safe struct KeyTable: ~Copyable, @unchecked Sendable {
  private(set) var count = 0
  /// A slot is 0 if it is free, else 32 bits of the hash, then the number of the key plus 1.
  private var slots: UnsafeMutablePointer<UInt64>
  private var slotCount: Int
  private var entries: UnsafeMutablePointer<Entry>
  private var entryCapacity: Int
  private var arena: UnsafeMutablePointer<UInt8>
  private var used = 0
  private var arenaCapacity: Int

  /// A key: its hash, and the place in the arena of its length, the length of its further bytes, and both.
  private struct Entry {
    var hash: UInt64
    var place: Int
  }
  private static let header = 8
  /// Reads of keys may run this far past their ends.
  private static let slack = 16

  init(slots: Int = 1 << 10) {
    slotCount = slots
    unsafe self.slots = .allocate(capacity: slots)
    unsafe self.slots.initialize(repeating: 0, count: slots)
    entryCapacity = slots / 2
    unsafe entries = .allocate(capacity: entryCapacity)
    arenaCapacity = slots * 16
    unsafe arena = .allocate(capacity: arenaCapacity + Self.slack)
  }

  deinit {
    unsafe slots.deallocate()
    unsafe entries.deallocate()
    unsafe arena.deallocate()
  }

  mutating func removeAll() {
    unsafe slots.update(repeating: 0, count: slotCount)
    count = 0
    used = 0
  }

  /// The memory held, in bytes.
  var memory: Int { slotCount * 8 + entryCapacity * MemoryLayout<Entry>.stride + arenaCapacity }

  /// The hash of a key whose buffer can be read 16 bytes past its end.
  @inline(__always) static func hash(_ key: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    let raw = unsafe UnsafeRawPointer(key)
    var hash = bb_mix(UInt64(truncatingIfNeeded: count) ^ 0xA076_1D64_78BD_642F, seed), at = 0
    while count &- at > 16 {
      let a = unsafe raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      let b = unsafe raw.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self)
      hash = bb_mix(a ^ 0xE703_7ED1_A0B4_28DB, b ^ hash)
      at &+= 16
    }
    // The last 1 to 16 bytes, with zeros in place of those that follow.
    let left = count &- at
    var a = unsafe raw.loadUnaligned(fromByteOffset: at, as: UInt64.self), b: UInt64 = 0
    if left < 8 {
      a &= ~0 &>> UInt64(truncatingIfNeeded: 64 &- 8 &* left) & (left == 0 ? 0 : ~0)
    } else if left > 8 {
      b = unsafe raw.loadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self)
      if left < 16 { b &= ~0 &>> UInt64(truncatingIfNeeded: 128 &- 8 &* left) }
    }
    return bb_mix(a ^ 0x8EBC_6AF0_9C88_C6E3, b ^ hash)
  }
  /// Different in each process, so that colliding keys cannot be prepared.
  private static let seed = UInt64.random(in: 0 ... .max) | 1

  /// Fetches the slot of a hash ahead of its use.
  @inline(__always) func prefetch(_ hash: UInt64) {
    unsafe bb_prefetch(slots + Int(truncatingIfNeeded: hash) & (slotCount &- 1))
  }

  /// Fetches the key that may have a hash, and the place of one that may have another hash, ahead of their use.
  @inline(__always) func prefetchKey(of hash: UInt64, andPlaceOf later: UInt64) {
    guard let number = candidate(hash), let later = candidate(later) else { return }
    _ = unsafe (bb_prefetch(entries + later), bb_prefetch(arena + entries[number].place))
  }
  /// The number of the key in the first slot for a hash.
  @inline(__always) private func candidate(_ hash: UInt64) -> Int? {
    let slot = unsafe slots[Int(truncatingIfNeeded: hash) & (slotCount &- 1)]
    return slot == 0 ? nil : Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1
  }

  /// The number of a key; -1 if it is not in the table.
  @inline(__always) func find(_ key: UnsafePointer<UInt8>, _ length: Int, _ hash: UInt64) -> Int {
    let mask = slotCount &- 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = unsafe slots[at]
      if slot == 0 { return -1 }
      if slot >> 32 == hash >> 32 {
        let number = Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1
        if unsafe isKey(number, key, length) { return number }
      }
      at = (at &+ 1) & mask
    }
  }

  @inline(__always) private func isKey(_ number: Int, _ key: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    let place = unsafe UnsafeRawPointer(arena + entries[number].place)
    guard unsafe place.load(as: UInt32.self) == UInt32(truncatingIfNeeded: length) else { return false }
    let other = unsafe place + Self.header, raw = unsafe UnsafeRawPointer(key)
    var at = 0
    while at &+ 8 <= length {
      let a = unsafe raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      if unsafe a != other.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return false }
      at &+= 8
    }
    if at == length { return true }
    let a = unsafe raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    let b = unsafe other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    return (a ^ b) << UInt64(truncatingIfNeeded: 64 &- 8 &* (length &- at)) == 0
  }

  /// Adds a key that is not in the table, and returns its number.
  /// - Parameter more: further bytes, kept with the key.
  mutating func add(
    _ key: UnsafePointer<UInt8>, _ length: Int, _ hash: UInt64, more: UnsafePointer<UInt8>, _ moreLength: Int
  ) -> Int {
    precondition(count < Int(UInt32.max) - 1, "internal error: too many keys")
    if count == entryCapacity { grow() }
    unsafe entries[count] = Entry(hash: hash, place: store(key, length, more, moreLength))
    let mask = slotCount &- 1
    var at = Int(truncatingIfNeeded: hash) & mask
    while unsafe slots[at] != 0 { at = (at &+ 1) & mask }
    unsafe slots[at] = hash & ~0xFFFF_FFFF | UInt64(count &+ 1)
    count &+= 1
    return count &- 1
  }

  private mutating func store(
    _ key: UnsafePointer<UInt8>, _ length: Int, _ more: UnsafePointer<UInt8>, _ moreLength: Int
  ) -> Int {
    let size = (Self.header + length + moreLength + 7) & ~7
    if used + size > arenaCapacity {
      let capacity = max(arenaCapacity * 2, used + size)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.slack)
      unsafe larger.update(from: arena, count: used)
      unsafe arena.deallocate()
      unsafe arena = larger
      arenaCapacity = capacity
    }
    let place = unsafe UnsafeMutableRawPointer(arena + used)
    unsafe place.storeBytes(of: UInt32(length), as: UInt32.self)
    unsafe place.storeBytes(of: UInt32(moreLength), toByteOffset: 4, as: UInt32.self)
    let target = unsafe arena + used + Self.header
    unsafe copyBytes(key, to: target, length)
    unsafe (target + length).update(from: more, count: moreLength)
    used += size
    return used - size
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity * 2)
    unsafe larger.update(from: entries, count: count)
    unsafe entries.deallocate()
    unsafe entries = larger
    entryCapacity *= 2
    unsafe slots.deallocate()
    slotCount *= 2
    unsafe slots = .allocate(capacity: slotCount)
    unsafe slots.initialize(repeating: 0, count: slotCount)
    let mask = slotCount - 1
    for number in 0..<count {
      let hash = unsafe entries[number].hash
      var at = Int(truncatingIfNeeded: hash) & mask
      while unsafe slots[at] != 0 { at = (at &+ 1) & mask }
      unsafe slots[at] = hash & ~0xFFFF_FFFF | UInt64(number &+ 1)
    }
  }

  func hash(of number: Int) -> UInt64 { unsafe entries[number].hash }

  /// The bytes of a key.
  func key(_ number: Int) -> (UnsafePointer<UInt8>, Int) {
    let place = unsafe arena + entries[number].place
    return unsafe (UnsafePointer(place + Self.header), Int(UnsafeRawPointer(place).load(as: UInt32.self)))
  }
  /// The further bytes of a key.
  func more(_ number: Int) -> (UnsafePointer<UInt8>, Int) {
    let place = unsafe arena + entries[number].place
    let length = unsafe Int(UnsafeRawPointer(place).load(as: UInt32.self))
    let moreLength = unsafe Int(UnsafeRawPointer(place).load(fromByteOffset: 4, as: UInt32.self))
    return unsafe (UnsafePointer(place + Self.header + length), moreLength)
  }
}
