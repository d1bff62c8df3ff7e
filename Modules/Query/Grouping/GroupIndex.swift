import Rows

/// The keys of groups, and the place in the input of the first row of each.
struct GroupIndex: ~Copyable {
  private var keys: KeyTable
  private var firsts: [UInt64] = []
  /// The keys of the rows of a batch.
  private var buffer = KeyBuffer()
  private var spelling: [UInt8] = []

  /// - Parameter expected: the number of groups that are probably added.
  init(expecting expected: Int) { keys = KeyTable(expecting: expected) }

  var count: Int { keys.count }
  var memory: Int { keys.memory + firsts.capacity * 8 }
  func hash(of group: Int) -> UInt64 { keys.hash(of: group) }
  func hash(ofKey number: Int) -> UInt64 { buffer.hash(number) }

  /// Adds the group of all rows.
  mutating func addWhole() {
    buffer.finishKey()
    _ = unsafe add(buffer.key(0), buffer.hash(0), first: 0)
    buffer.removeAll()
  }

  private mutating func add(_ key: (UnsafePointer<UInt8>, Int), _ hash: UInt64, first: UInt64) -> Int {
    firsts.append(first)
    return unsafe spelling.withUnsafeBufferPointer { more in
      unsafe keys.add(key.0, key.1, hash, more: more.baseAddress ?? key.0, more.count)
    }
  }

  /// Puts the keys of the rows of a batch.
  mutating func putKeys(
    of batch: RowBatch, _ start: UInt64?, _ plan: GroupPlan, _ rows: inout [Int32], _ orders: inout [UInt64]
  ) {
    let reader = CellReader(batch)
    rows.reserveCapacity(batch.count)
    orders.reserveCapacity(batch.count)
    buffer.removeAll()
    for row in 0..<batch.count {
      let order = start.map { $0 + UInt64(row) } ?? reader.order(row, batch.width - 1)
      let before = buffer.count
      plan.putKeys(of: row, reader, &buffer)
      for _ in before..<buffer.count {
        rows.append(Int32(row))
        orders.append(order)
      }
    }
  }

  /// Finds or adds the group of each key; returns the keys of unknown groups if there may be no new ones.
  /// - Parameter isLate: whether the rows may come before others that were added earlier.
  mutating func findGroups(
    _ plan: GroupPlan, _ reader: CellReader, _ rows: [Int32], _ orders: [UInt64], isFull: Bool, isLate: Bool,
    _ groups: inout [UInt32]
  ) -> [Int] {
    var unknown: [Int] = []
    let count = buffer.count
    for number in 0..<count {
      if number &+ 12 < count { keys.prefetch(buffer.hash(number &+ 12)) }
      let (key, length) = unsafe buffer.key(number), hash = buffer.hash(number)
      var group = unsafe keys.find(key, length, hash)
      if group < 0 {
        if isFull {
          unknown.append(number)
          groups.append(.max)
          continue
        }
        plan.spell(Int(rows[number]), reader, &spelling)
        group = unsafe add((key, length), hash, first: orders[number])
      } else if isLate, orders[number] < firsts[group] {
        firsts[group] = orders[number]
        plan.spell(Int(rows[number]), reader, &spelling)
        unsafe spelling.withUnsafeBufferPointer { unsafe keys.replace(more: $0, of: group) }
      }
      groups.append(UInt32(truncatingIfNeeded: group))
    }
    return unknown
  }

  /// Adds groups of another index, and returns their numbers here.
  mutating func merge(_ other: borrowing GroupIndex, _ numbers: [UInt32]) -> [UInt32] {
    var targets: [UInt32] = []
    targets.reserveCapacity(numbers.count)
    for (position, number) in numbers.enumerated() {
      // The groups of a part are far apart in the other table.
      if position &+ 36 < numbers.count {
        other.keys.prefetchKey(Int(numbers[position &+ 24]), andPlaceOf: Int(numbers[position &+ 36]))
      }
      if position &+ 12 < numbers.count { keys.prefetch(other.hash(of: Int(numbers[position &+ 12]))) }
      let number = Int(number), hash = other.hash(of: number)
      let (key, length) = unsafe other.keys.key(number), (more, moreLength) = unsafe other.keys.more(number)
      var group = unsafe keys.find(key, length, hash)
      if group < 0 {
        group = unsafe keys.add(key, length, hash, more: more, moreLength)
        firsts.append(other.firsts[number])
      } else if other.firsts[number] < firsts[group] {
        // The first row decides how a number or a time is written.
        firsts[group] = other.firsts[number]
        unsafe keys.replace(more: UnsafeBufferPointer(start: more, count: moreLength), of: group)
      }
      targets.append(UInt32(group))
    }
    return targets
  }

  /// Appends the values of a group.
  func append(_ group: Int, _ plan: GroupPlan, to builder: inout RowBatchBuilder) {
    let (key, length) = unsafe keys.key(group), (more, moreLength) = unsafe keys.more(group)
    unsafe plan.append(
      UnsafeRawBufferPointer(start: key, count: length), UnsafeRawBufferPointer(start: more, count: moreLength),
      to: &builder)
  }
}
