import Rows

/// Rows of groups that were made from some of the input each, and the numbers of the groups that they belong to.
struct PartialGroups {
  private let places: [SortPlace]
  private let views: [SortRun.View]
  private let groups: [UInt32]

  /// Rows in their order. `runs` must exist for as long as this is used.
  init(_ places: [SortPlace], _ views: [SortRun.View], groups: [UInt32]) {
    (self.places, self.views, self.groups) = (places, views, groups)
  }

  struct Row {
    fileprivate let view: SortRun.View
    fileprivate let row: Int

    func cell(_ column: Int) -> Cell { view.cell(row, column) }
    /// The integer in a column; 0 if there is none.
    func integer(_ column: Int) -> Int { if case .integer(let value) = cell(column) { Int(value) } else { 0 } }
    var reader: CellReader { view.reader }
  }

  /// Calls `body` with each row and its group.
  @inline(__always) func forEach(_ body: (_ group: Int, _ row: Row) -> Void) {
    for (place, group) in zip(places, groups) {
      body(Int(group), Row(view: views[Int(place.run)], row: Int(place.row)))
    }
  }
}

extension GroupPlan {
  /// The results of groups, of rows that workers made of them: rows of equal groups come one after another.
  /// - Parameter isPartial: whether rows as workers make them are the result.
  func merged(_ places: [SortPlace], of runs: [SortRun], isPartial: Bool = false) throws(Problem) -> RowBatch {
    defer { withExtendedLifetime(runs) {} }
    let views = runs.map(\.view), isDecided = runs.allSatisfy(\.isDecided), width = columns.count
    func first(_ place: SortPlace) -> UInt64 {
      guard case .integer(let value) = views[Int(place.run)].cell(Int(place.row), width) else { return 0 }
      return UInt64(bitPattern: value)
    }
    // The row that has the first row of the input is that whose values are spelt as the result.
    var heads: [SortPlace] = [], groups: [UInt32] = []
    heads.reserveCapacity(places.count)
    groups.reserveCapacity(places.count)
    for (index, place) in places.enumerated() {
      if index > 0, isSame(places[index - 1], place, views, isDecided) {
        if first(place) < first(heads[heads.count - 1]) { heads[heads.count - 1] = place }
      } else {
        heads.append(place)
      }
      groups.append(UInt32(heads.count - 1))
    }
    let partial = PartialGroups(places, views, groups: groups)
    var states: [any AggregateState] = [], column = width + 1
    for aggregate in aggregates {
      let state = aggregate.state()
      state.reserve(heads.count)
      state.add(partial, column)
      states.append(state)
      column += aggregate.function.partialWidth
    }
    var builder = RowBatchBuilder(width: isPartial ? partialWidth : schema.width)
    for (group, head) in heads.enumerated() {
      let view = views[Int(head.run)]
      for column in 0..<(isPartial ? width + 1 : width) {
        builder.append(view.cell(Int(head.row), column), of: view.reader)
      }
      for state in states {
        if isPartial { state.appendPartial(group, to: &builder) } else { try state.append(group, to: &builder) }
      }
    }
    return builder.finish()
  }

  @inline(__always)
  private func isSame(_ a: SortPlace, _ b: SortPlace, _ views: [SortRun.View], _ isDecided: Bool) -> Bool {
    if a.head != b.head || a.next != b.next { return false }
    return isDecided || order.compare(views[Int(a.run)], Int(a.row), views[Int(b.run)], Int(b.row)) == 0
  }
}

extension RowBatchBuilder {
  /// Appends a cell, copying its bytes.
  mutating func append(_ cell: Cell, of reader: CellReader) {
    guard let bytes = unsafe reader.bytes(of: cell) else { return append(cell) }
    let span = unsafe RawSpan(_unsafeBytes: bytes)
    switch cell {
    case .number: append(number: span)
    case .json: append(json: span)
    case .bytes: append(bytes: span)
    default: append(text: span)
    }
  }
}
