/// The keys of the objects that are open while text is scanned, to find one that comes twice.
///
/// Objects are small as a rule: their keys are compared one by one. From `hashedFrom` keys on a set is used, so that an object of
/// hundreds of thousands of keys takes no longer per key.
struct JSONKeys {
  private static let hashedFrom = 24

  /// Keys of all open objects, innermost last, as ranges of the text between the quotes.
  private var keys: [Key] = []
  /// The sets of the open objects that have one, by the position of their first key.
  private var sets: [Int: Set<[UInt8]>] = [:]

  private struct Key {
    let start: Int, count: Int, escaped: Bool
  }

  /// Marks the beginning of an object; give the mark to `insert` and `end`.
  @inline(__always) func begin() -> Int { keys.count }

  /// Forgets the keys of the object that began at `mark`.
  @inline(__always) mutating func end(_ mark: Int) {
    keys.removeLast(keys.count &- mark)
    if !sets.isEmpty { sets[mark] = nil }
  }

  /// Adds the key between `start` and `end`; false when the object has it already.
  mutating func insert(
    _ base: UnsafePointer<UInt8>, from start: Int, to end: Int, escaped: Bool, objectAt mark: Int
  ) -> Bool {
    let key = Key(start: start, count: end - start, escaped: escaped)
    if keys.count - mark < Self.hashedFrom {
      for other in keys[mark...] where unsafe Self.areEqual(base, key, other) { return false }
    } else {
      if sets[mark] == nil {
        sets[mark] = Set(keys[mark...].map { unsafe Self.text(base, $0) })
      }
      guard unsafe sets[mark]?.insert(Self.text(base, key)).inserted == true else { return false }
    }
    keys.append(key)
    return true
  }

  private static func areEqual(_ base: UnsafePointer<UInt8>, _ a: Key, _ b: Key) -> Bool {
    if a.escaped || b.escaped { return unsafe text(base, a) == text(base, b) }
    guard a.count == b.count else { return false }
    for i in 0..<a.count where unsafe base[a.start &+ i] != base[b.start &+ i] { return false }
    return true
  }

  private static func text(_ base: UnsafePointer<UInt8>, _ key: Key) -> [UInt8] {
    unsafe JSONScanner.text(base, from: key.start, to: key.start + key.count, escaped: key.escaped)
  }
}

extension JSONScanner {
  /// The bytes of the string whose text stands between two offsets, decoded.
  static func text(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int, escaped: Bool) -> [UInt8] {
    guard escaped else { return unsafe Array(UnsafeBufferPointer(start: base + start, count: end - start)) }
    return unsafe Array(unsafeUninitializedCapacity: end - start) { buffer, count in
      guard let target = buffer.baseAddress else { return }
      count = unsafe JSONEscapes.decode(base + start, count: end - start, to: target)
    }
  }
}
