import Codecs
import Rows

/// The groups that one worker has found, with the states of their aggregates.
///
/// Above its share of memory it takes no new groups: rows of groups that it does not have go to temporary files, in
/// parts by the hash of the group.
final class GroupTable {
  private let plan: GroupPlan
  /// 0 for the input itself, 1 for rows that were set aside, and so on: each level looks at other bits of the hash.
  private let level: Int
  private let memoryLimit: Int
  private var keys = KeyTable()
  private var states: [any AggregateState]
  /// The place in the input of each group's first row.
  private var firsts: [UInt64] = []
  private var buffer = KeyBuffer()
  private var isFull = false
  /// Rows set aside, by part; empty if there are none.
  private(set) var spills: [SpillBuffer] = []
  private var spillBuilders: [SpillBuilder] = []

  private final class SpillBuilder {
    var rows: RowBatchBuilder
    init(width: Int) { rows = RowBatchBuilder(width: width) }
  }

  /// Parts that rows are divided into at each level.
  static let parts = 16

  init(_ plan: GroupPlan, level: Int, memoryLimit: Int) {
    self.plan = plan
    self.level = level
    self.memoryLimit = memoryLimit
    states = plan.aggregates.map { $0.state() }
    if plan.columns.isEmpty { addWhole() }
  }

  /// Without columns all rows are one group, also if there are none.
  private func addWhole() {
    buffer.finishKey()
    unsafe add(buffer.key(0), buffer.hash(0), first: 0, more: [])
    for state in states { state.reserve(1) }
    buffer.removeAll()
  }

  var count: Int { keys.count }
  var hasSpilled: Bool { !spills.isEmpty }

  /// The part of a hash at a level.
  static func part(of hash: UInt64, level: Int) -> Int { Int(hash >> UInt64(60 - 4 * level) & 15) }

  @discardableResult
  private func add(_ key: (UnsafePointer<UInt8>, Int), _ hash: UInt64, first: UInt64, more: [UInt8]) -> Int {
    firsts.append(first)
    return unsafe more.withUnsafeBufferPointer { more in
      unsafe keys.add(key.0, key.1, hash, more: more.baseAddress ?? key.0, more.count)
    }
  }

  /// Adds the rows of a batch. `start` is the place of its first row in the input; nil if the last column has the
  /// places.
  func add(_ batch: RowBatch, start: UInt64?) throws(Problem) {
    let reader = CellReader(batch)
    var rows: [Int32] = [], groups: [UInt32] = [], orders: [UInt64] = []
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
    groups.reserveCapacity(rows.count)
    let unknown = findGroups(reader, rows, orders, &groups)
    if !unknown.isEmpty {
      try setAside(unknown.map { (Int(rows[$0]), orders[$0], buffer.hash($0)) }, of: batch)
      let known = groups.indices.filter { groups[$0] != .max }
      rows = known.map { rows[$0] }
      orders = known.map { orders[$0] }
      groups = known.map { groups[$0] }
    }
    let grouped = GroupedBatch(reader: reader, rows: rows, groups: groups, orders: orders)
    for state in states {
      state.reserve(keys.count)
      try state.add(grouped)
    }
    if !isFull, level < 8, !plan.columns.isEmpty, plan.splits == nil {
      isFull = states.reduce(keys.memory + firsts.capacity * 8) { $0 + $1.memory } > memoryLimit
    }
  }

  /// Finds or adds the group of each key; returns the keys of unknown groups if there may be no new ones.
  private func findGroups(
    _ reader: CellReader, _ rows: [Int32], _ orders: [UInt64], _ groups: inout [UInt32]
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
        group = unsafe add(
          (key, length), hash, first: orders[number], more: plan.spelling(of: Int(rows[number]), reader))
      }
      groups.append(UInt32(truncatingIfNeeded: group))
    }
    return unknown
  }

  private func setAside(_ rows: [(row: Int, order: UInt64, hash: UInt64)], of batch: RowBatch) throws(Problem) {
    if spills.isEmpty {
      spills = (0..<Self.parts).map { _ in plan.spill() }
      spillBuilders = (0..<Self.parts).map { _ in SpillBuilder(width: plan.spillWidth) }
    }
    for (row, order, hash) in rows {
      let part = Self.part(of: hash, level: level)
      for column in 0..<plan.width { spillBuilders[part].rows.append(row, column, of: batch) }
      spillBuilders[part].rows.append(integer: Int64(bitPattern: order))
      if spillBuilders[part].rows.isFull { try spills[part].append(spillBuilders[part].rows.takeBatch()) }
    }
  }

  /// Writes what is left of the rows set aside.
  func finishSpilling() throws(Problem) {
    for part in spills.indices where spillBuilders[part].rows.count > 0 {
      try spills[part].append(spillBuilders[part].rows.takeBatch())
    }
    spillBuilders = []
  }

  /// Adds the groups of another table: those of a part of a level, or all of them.
  func merge(_ other: GroupTable, part: Int?, level: Int) throws(Problem) {
    var map = [UInt32](repeating: .max, count: other.count)
    for number in 0..<other.count {
      let hash = other.keys.hash(of: number)
      if let part, Self.part(of: hash, level: level) != part { continue }
      let (key, length) = unsafe other.keys.key(number), (more, moreLength) = unsafe other.keys.more(number)
      var group = unsafe keys.find(key, length, hash)
      if group < 0 {
        group = unsafe keys.add(key, length, hash, more: more, moreLength)
        firsts.append(other.firsts[number])
      } else if other.firsts[number] < firsts[group] {
        // The first row decides how a number is written.
        firsts[group] = other.firsts[number]
        if moreLength > 0 { unsafe keys.replace(more: more, moreLength, of: group) }
      }
      map[number] = UInt32(group)
    }
    for (mine, others) in zip(states, other.states) {
      mine.reserve(keys.count)
      try mine.merge(others, map)
    }
  }

  /// Calls `body` with batches of groups and their results.
  func forEachBatch(_ body: (RowBatch) throws(Problem) -> Void) throws(Problem) {
    var builder = RowBatchBuilder(width: plan.schema.width)
    for group in 0..<keys.count {
      let (key, length) = unsafe keys.key(group), (more, moreLength) = unsafe keys.more(group)
      unsafe plan.append(
        UnsafeRawBufferPointer(start: key, count: length), UnsafeRawBufferPointer(start: more, count: moreLength),
        to: &builder)
      for state in states { try state.append(group, to: &builder) }
      if builder.isFull { try body(builder.takeBatch()) }
    }
    if builder.count > 0 { try body(builder.finish()) }
  }
}

extension CellReader {
  /// The place in the input of a row that was set aside.
  fileprivate func order(_ row: Int, _ column: Int) -> UInt64 {
    if case .integer(let value) = cell(row, column) { UInt64(bitPattern: value) } else { 0 }
  }
}
