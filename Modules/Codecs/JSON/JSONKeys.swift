/// The keys of the objects that are open while text is scanned, to find duplicates.
///
/// Objects are small as a rule: their keys are compared one by one. From `hashedFrom` keys on a hash table is used, so
/// that an object of hundreds of thousands of keys takes no longer per key.
struct JSONKeys {
  private static let hashedFrom = 24
  /// The most keys of all objects that are open, so that memory is bounded.
  static let maximum = 500_000

  /// Keys of all open objects, innermost last, as ranges of the text between the quotes.
  private var keys: [Key] = []
  /// The tables of the open objects that have one, by the position of their first key.
  private var tables: [Int: Table] = [:]

  private struct Key {
    let start: UInt32, count: UInt32, escaped: Bool
  }

  /// Positions in `keys`, each after the hash of its key, with linear probing; at least half of the places are free.
  private struct Table {
    var places: [UInt32]
    var used = 0
    static let free = UInt32.max
  }

  /// Marks the beginning of an object; give the mark to `insert` and `end`.
  @inline(__always) func begin() -> Int { keys.count }

  /// Forgets the keys of the object that began at `mark`.
  @inline(__always) mutating func end(_ mark: Int) {
    keys.removeLast(keys.count &- mark)
    if !tables.isEmpty { tables[mark] = nil }
  }

  /// The reason why `insert` returned false.
  var refusal: String {
    keys.count >= Self.maximum ? "more than \(Self.maximum) keys in one object" : "duplicate key in object"
  }

  /// Adds the key between `start` and `end`; false when the object has it already or there are too many.
  mutating func insert(
    _ base: UnsafePointer<UInt8>, from start: Int, to end: Int, escaped: Bool, objectAt mark: Int
  ) -> Bool {
    let key = Key(start: UInt32(start), count: UInt32(end - start), escaped: escaped)
    guard keys.count < Self.maximum else { return false }
    if keys.count - mark < Self.hashedFrom {
      for other in keys[mark...] where unsafe Self.areEqual(base, key, other) { return false }
    } else {
      guard unsafe insertHashed(key, base, mark) else { return false }
    }
    keys.append(key)
    return true
  }

  private mutating func insertHashed(_ key: Key, _ base: UnsafePointer<UInt8>, _ mark: Int) -> Bool {
    var table = tables.removeValue(forKey: mark) ?? Table(places: [])
    defer { tables[mark] = table }
    if (table.used + 1) * 2 > table.places.count {
      let count = keys.count - mark
      table.places = Array(repeating: Table.free, count: max(64, count * 4))
      table.used = count
      for position in mark..<keys.count {
        let place = unsafe freePlace(for: keys[position], base, in: table)
        if let place { table.places[place] = UInt32(position) }
      }
    }
    guard let place = unsafe freePlace(for: key, base, in: table) else { return false }
    table.places[place] = UInt32(keys.count)
    table.used += 1
    return true
  }

  /// The place of a key that the table does not have; nil when it has it.
  private func freePlace(for key: Key, _ base: UnsafePointer<UInt8>, in table: Table) -> Int? {
    var hasher = Hasher()
    if key.escaped {
      unsafe Self.text(base, key).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    } else {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(start: base + Int(key.start), count: Int(key.count)))
    }
    var place = Int(UInt(bitPattern: hasher.finalize()) % UInt(table.places.count))
    while table.places[place] != Table.free {
      if unsafe Self.areEqual(base, keys[Int(table.places[place])], key) { return nil }
      place = place + 1 == table.places.count ? 0 : place + 1
    }
    return place
  }

  private static func areEqual(_ base: UnsafePointer<UInt8>, _ a: Key, _ b: Key) -> Bool {
    if a.escaped || b.escaped { return unsafe text(base, a) == text(base, b) }
    guard a.count == b.count else { return false }
    for i in 0..<Int(a.count) where unsafe base[Int(a.start) &+ i] != base[Int(b.start) &+ i] { return false }
    return true
  }

  private static func text(_ base: UnsafePointer<UInt8>, _ key: Key) -> [UInt8] {
    unsafe JSONScanner.text(base, from: Int(key.start), to: Int(key.start + key.count), escaped: key.escaped)
  }
}

extension JSONScanner {
  /// The decoded bytes of the string between two offsets.
  static func text(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int, escaped: Bool) -> [UInt8] {
    guard escaped else { return unsafe Array(UnsafeBufferPointer(start: base + start, count: end - start)) }
    return unsafe Array(unsafeUninitializedCapacity: end - start) { buffer, count in
      guard let target = buffer.baseAddress else { return }
      count = unsafe JSONEscapes.decode(base + start, count: end - start, to: target)
    }
  }
}
