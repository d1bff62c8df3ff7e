import Rows

/// The keys of groups, and the place in the input of the first row of each.
struct GroupIndex: ~Copyable {
  private var keys = KeyTable()
  private var firsts: [UInt64] = []
  /// The keys of the rows of a batch.
  private var buffer = KeyBuffer()
  private var spelling: [UInt8] = []
  /// Texts of the current batch by their places, which cells share if they are entries of a dictionary.
  private var known: [(start: UInt32, length: UInt32, group: UInt32)] = []

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
    if plan.isOneValue, Self.sharesTexts(batch.count, reader, plan.columns[0]) {
      return sharedGroups(reader, batch.count, start, plan)
    }
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
      groups.append(group(of: number, Int(rows[number]), reader, start, plan))
    }
    return GroupedBatch(reader: reader, rows: rows, start: start, groups: groups)
  }

  /// Finds or adds the group of a key in the buffer, that of a row.
  @inline(__always) private mutating func group(
    of number: Int, _ row: Int, _ reader: CellReader, _ start: UInt64, _ plan: GroupPlan
  ) -> UInt32 {
    let (key, length) = unsafe buffer.key(number), hash = buffer.hash(number)
    var group = unsafe keys.find(key, length, hash)
    if group < 0 {
      plan.spell(row, reader, &spelling)
      group = unsafe add((key, length), hash, first: start + UInt64(row))
    }
    return UInt32(truncatingIfNeeded: group)
  }

  /// Whether cells refer to texts of earlier ones, as the last rows show: other texts are one after the other.
  private static func sharesTexts(_ count: Int, _ reader: CellReader, _ column: Int) -> Bool {
    var last: UInt32 = 0
    for row in max(0, count - 64)..<count {
      guard case .text(let start, _) = reader.cell(row, column) else { continue }
      if start < last { return true }
      last = start
    }
    return false
  }

  private mutating func sharedGroups(
    _ reader: CellReader, _ count: Int, _ start: UInt64, _ plan: GroupPlan
  ) -> GroupedBatch {
    let none = (start: UInt32.max, length: UInt32.max, group: UInt32(0)), column = plan.columns[0]
    var known = known, groups: [UInt32] = []
    self.known = []
    if known.isEmpty {
      known = Array(repeating: none, count: 1 << 13)
    } else {
      for slot in known.indices { known[slot] = none }
    }
    groups.reserveCapacity(count)
    for row in 0..<count {
      var slot = 0, place = none
      if case .text(let start, let length) = reader.cell(row, column) {
        slot = Int((start &* 0x9E37_79B1) &>> 19)
        place = known[slot]
        if place.start == start, place.length == length {
          groups.append(place.group)
          continue
        }
        place = (start, length, 0)
      }
      buffer.removeAll()
      plan.putKeys(of: row, reader, &buffer)
      let group = group(of: 0, row, reader, start, plan)
      if place.start != .max { known[slot] = (place.start, place.length, group) }
      groups.append(group)
    }
    self.known = known
    return GroupedBatch(reader: reader, rows: Array(0..<Int32(count)), start: start, groups: groups)
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
