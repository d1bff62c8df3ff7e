import Rows

/// The keys of groups, and the place in the input of the first row of each.
struct GroupIndex: ~Copyable {
  private var keys = KeyTable()
  private var firsts: [UInt64] = []
  /// The keys of the rows of a batch.
  private var buffer = KeyBuffer()
  private var spelling: [UInt8] = []

  var count: Int { keys.count }
  var memory: Int { keys.memory + firsts.capacity * 8 }

  mutating func addWhole() {
    buffer.finishKey()
    unsafe add(buffer.key(0), buffer.hash(0), first: 0)
    buffer.removeAll()
  }

  mutating func removeAll() {
    keys.removeAll()
    firsts.removeAll(keepingCapacity: true)
  }

  @discardableResult
  private mutating func add(_ key: (UnsafePointer<UInt8>, Int), _ hash: UInt64, first: UInt64) -> Int {
    firsts.append(first)
    return unsafe spelling.withUnsafeBufferPointer { more in
      unsafe keys.add(key.0, key.1, hash, more: more.baseAddress ?? key.0, more.count)
    }
  }

  /// Finds or adds the groups of the rows of a batch.
  mutating func groups(of batch: RowBatch, _ start: UInt64, _ plan: GroupPlan) -> GroupedBatch {
    let reader = CellReader(batch)
    var rows: [Int32] = [], groups: [UInt32] = []
    rows.reserveCapacity(batch.count)
    buffer.removeAll()
    for row in 0..<batch.count {
      let before = buffer.count
      plan.putKeys(of: row, reader, &buffer)
      for _ in before..<buffer.count { rows.append(Int32(row)) }
    }
    let count = buffer.count
    groups.reserveCapacity(count)
    for number in 0..<count {
      if number &+ 12 < count { keys.prefetch(buffer.hash(number &+ 12)) }
      let (key, length) = unsafe buffer.key(number), hash = buffer.hash(number)
      var group = unsafe keys.find(key, length, hash)
      if group < 0 {
        plan.spell(Int(rows[number]), reader, &spelling)
        group = unsafe add((key, length), hash, first: start + UInt64(rows[number]))
      }
      groups.append(UInt32(truncatingIfNeeded: group))
    }
    return GroupedBatch(reader: reader, rows: rows, start: start, groups: groups)
  }

  /// Appends the values of a group, and the place of its first row.
  func append(_ group: Int, _ plan: GroupPlan, to builder: inout RowBatchBuilder) {
    let (key, length) = unsafe keys.key(group), (more, moreLength) = unsafe keys.more(group)
    unsafe plan.append(
      UnsafeRawBufferPointer(start: key, count: length), UnsafeRawBufferPointer(start: more, count: moreLength),
      to: &builder)
    builder.append(integer: Int64(bitPattern: firsts[group]))
  }
}
