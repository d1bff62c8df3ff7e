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
  private var index: GroupIndex
  private var states: [any AggregateState]
  private var isFull = false
  private let isRowCount: Bool
  /// Rows set aside, by part; empty if there are none.
  private(set) var spills: [SpillBuffer] = []
  private var spillBuilders: [SpillBuilder] = []

  private final class SpillBuilder {
    var rows: RowBatchBuilder
    init(width: Int) { rows = RowBatchBuilder(width: width) }
  }

  /// Parts that rows are divided into at each level.
  static let parts = 16

  /// - Parameter expected: the number of groups that are probably added.
  init(_ plan: GroupPlan, level: Int, memoryLimit: Int, expecting expected: Int = 0) {
    self.plan = plan
    self.level = level
    self.memoryLimit = memoryLimit
    isRowCount = plan.isRowCount
    index = GroupIndex(expecting: expected)
    states = plan.aggregates.map { $0.state() }
    if plan.columns.isEmpty { addWhole() }
  }

  /// Without columns all rows are one group, also if there are none.
  private func addWhole() {
    index.addWhole()
    for state in states { state.reserve(1) }
  }

  var count: Int { index.count }
  var hasSpilled: Bool { !spills.isEmpty }

  /// The part of a hash at a level.
  static func part(of hash: UInt64, level: Int) -> Int { Int(hash >> UInt64(60 - 4 * level) & 15) }

  /// Adds the rows of a batch. `start` is the place of its first row in the input; nil if the last column has the
  /// places.
  func add(_ batch: RowBatch, start: UInt64?) throws(Problem) {
    if isRowCount {
      for case let state as CountState in states { state.add(rows: batch.count) }
      return
    }
    let reader = CellReader(batch)
    var rows: [Int32] = [], groups: [UInt32] = [], orders: [UInt64] = []
    if plan.columns.isEmpty {
      rows = Array(0..<Int32(batch.count))
      orders = rows.map { row in start.map { $0 + UInt64(row) } ?? reader.order(Int(row), batch.width - 1) }
      groups = Array(repeating: 0, count: batch.count)
    } else {
      index.putKeys(of: batch, start, plan, &rows, &orders)
    }
    groups.reserveCapacity(rows.count)
    let unknown = index.findGroups(plan, reader, rows, orders, isFull: isFull, isLate: start == nil, &groups)
    if !unknown.isEmpty {
      try setAside(unknown.map { (Int(rows[$0]), orders[$0], index.hash(ofKey: $0)) }, of: batch)
      let known = groups.indices.filter { groups[$0] != .max }
      rows = known.map { rows[$0] }
      orders = known.map { orders[$0] }
      groups = known.map { groups[$0] }
    }
    let grouped = GroupedBatch(reader: reader, rows: rows, groups: groups, orders: orders)
    for state in states {
      state.reserve(index.count)
      try state.add(grouped)
    }
    if !isFull, level < 8, !plan.columns.isEmpty, plan.splits == nil {
      isFull = states.reduce(index.memory) { $0 + $1.memory } > memoryLimit
    }
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

  /// The numbers of the groups in each part of a level.
  func numbers(level: Int) -> [[UInt32]] {
    var numbers = [[UInt32]](repeating: [], count: Self.parts)
    for number in 0..<index.count {
      numbers[Self.part(of: index.hash(of: number), level: level)].append(UInt32(number))
    }
    return numbers
  }

  /// Adds groups of another table.
  /// - Parameter numbers: those of the groups; nil for all.
  func merge(_ other: GroupTable, _ numbers: [UInt32]? = nil) throws(Problem) {
    let numbers = numbers ?? Array(0..<UInt32(other.count))
    let map = GroupMap(numbers: numbers, targets: index.merge(other.index, numbers), count: other.count)
    for (mine, others) in zip(states, other.states) {
      mine.reserve(index.count)
      try mine.merge(others, map)
    }
  }

  /// Calls `body` with batches of groups and their results.
  func forEachBatch(_ body: (RowBatch) throws(Problem) -> Void) throws(Problem) {
    var builder = RowBatchBuilder(width: plan.schema.width)
    for group in 0..<index.count {
      index.append(group, plan, to: &builder)
      for state in states { try state.append(group, to: &builder) }
      if builder.isFull { try body(builder.takeBatch()) }
    }
    if builder.count > 0 { try body(builder.finish()) }
  }
}

extension CellReader {
  /// The place in the input of a row that was set aside.
  func order(_ row: Int, _ column: Int) -> UInt64 {
    if case .integer(let value) = cell(row, column) { UInt64(bitPattern: value) } else { 0 }
  }
}
