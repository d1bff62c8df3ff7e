/// Sorts places by their words, and where these are equal and do not decide, by comparing rows. It is stable.
enum RadixSort {
  /// - Parameter compare: below, at or above zero as the first row comes before, with or after the second one.
  static func sort(
    _ places: inout [SortPlace], isDecided: Bool, _ compare: (SortPlace, SortPlace) -> Int
  ) {
    byHead(&places)
    let count = places.count
    var start = 0
    while start < count {
      let head = places[start].head
      var end = start &+ 1
      while end < count, places[end].head == head { end &+= 1 }
      if end &- start > 1 { settle(&places, start..<end, isDecided, compare) }
      start = end
    }
  }

  /// Orders rows whose first words are equal.
  private static func settle(
    _ places: inout [SortPlace], _ range: Range<Int>, _ isDecided: Bool, _ compare: (SortPlace, SortPlace) -> Int
  ) {
    func order(_ a: SortPlace, _ b: SortPlace) -> Int {
      if a.next != b.next { return a.next < b.next ? -1 : 1 }
      return isDecided ? 0 : compare(a, b)
    }
    // They often are in order.
    var ordered = range.lowerBound + 1
    while ordered < range.upperBound, order(places[ordered - 1], places[ordered]) <= 0 { ordered += 1 }
    if ordered == range.upperBound { return }
    if range.count < 16 {
      for index in ordered..<range.upperBound { insert(&places, index, from: range.lowerBound, order) }
      return
    }
    var part = places[range].map { SortPlace(head: $0.next, next: $0.head, run: $0.run, row: $0.row) }
    byHead(&part)
    for (index, place) in part.enumerated() {
      places[range.lowerBound + index] = SortPlace(head: place.next, next: place.head, run: place.run, row: place.row)
    }
    if isDecided { return }
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      while end < range.upperBound, places[end].next == places[start].next { end += 1 }
      var isOrdered = true
      for index in (start + 1)..<max(end, start + 1) where compare(places[index - 1], places[index]) > 0 {
        isOrdered = false
        break
      }
      if !isOrdered { places[start..<end].sort { compare($0, $1) < 0 } }
      start = end
    }
  }

  @inline(__always)
  private static func insert(
    _ places: inout [SortPlace], _ index: Int, from start: Int, _ order: (SortPlace, SortPlace) -> Int
  ) {
    let place = places[index]
    var at = index
    while at > start, order(places[at - 1], place) > 0 {
      places[at] = places[at - 1]
      at -= 1
    }
    places[at] = place
  }

  /// By the first words, a byte at a time from the last; bytes that all have in common are skipped.
  private static func byHead(_ places: inout [SortPlace]) {
    let count = places.count
    guard count > 1 else { return }
    if count < 64 {
      for index in 1..<count { insert(&places, index, from: 0) { $0.head <= $1.head ? 0 : 1 } }
      return
    }
    unsafe withUnsafeTemporaryAllocation(of: SortPlace.self, capacity: count) { other in
      unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2048) { counts in
        unsafe places.withUnsafeMutableBufferPointer { places in
          guard let first = places.baseAddress, let second = other.baseAddress, let counts = counts.baseAddress else {
            return
          }
          unsafe distribute(first, second, counts, count)
        }
      }
    }
  }

  private static func distribute(
    _ first: UnsafeMutablePointer<SortPlace>, _ second: UnsafeMutablePointer<SortPlace>,
    _ counts: UnsafeMutablePointer<UInt32>, _ count: Int
  ) {
    var from = unsafe first, to = unsafe second
    unsafe counts.initialize(repeating: 0, count: 2048)
    for at in 0..<count {
      var head = unsafe from[at].head, base = 0
      while base < 2048 {
        unsafe counts[base &+ Int(head & 255)] &+= 1
        head >>= 8
        base &+= 256
      }
    }
    for byte in 0..<8 {
      let mine = unsafe counts + byte * 256, shift = UInt64(byte * 8)
      if unsafe mine[Int(from[0].head >> shift & 255)] == UInt32(count) { continue }
      var sum: UInt32 = 0
      for value in 0..<256 {
        let many = unsafe mine[value]
        unsafe mine[value] = sum
        sum &+= many
      }
      for at in 0..<count {
        let place = unsafe from[at]
        let digit = Int(truncatingIfNeeded: place.head &>> shift & 255)
        let target = unsafe mine[digit]
        unsafe mine[digit] = target &+ 1
        unsafe to[Int(target)] = place
      }
      unsafe swap(&from, &to)
    }
    if unsafe from != first { unsafe first.update(from: from, count: count) }
  }
}
