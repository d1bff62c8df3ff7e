import Rows

extension GroupPlan {
  /// The result of an aggregate: the numbers are those of the columns of the groups, and of the streams of values.
  enum Source: Sendable {
    case column(Int), values(Int)
  }

  /// The same grouping in parts that need little memory: the groups with the other aggregates, and for each count of
  /// distinct values one whose groups are the values of each group. Nil if there is no such count.
  func parts(of input: Schema) -> (groups: GroupPlan, values: [GroupPlan], sources: [Source])? {
    guard aggregates.contains(where: { $0.function == .distinct }) else { return nil }
    var values: [GroupPlan] = [], sources: [Source] = [], kept: [Int] = []
    for (place, aggregate) in aggregates.enumerated() {
      if aggregate.function == .distinct, let column = aggregate.column {
        sources.append(.values(values.count))
        values.append(adding(column, input.columns[column]))
      } else {
        sources.append(.column(columns.count + kept.count))
        kept.append(place)
      }
    }
    return (keeping(kept), values, sources)
  }
}

/// Groups with the numbers of their distinct values. The values are rows of streams in the order of the groups, so that
/// they need not be in memory.
final class DistinctCounts: ExactRowStream {
  let schema: Schema
  private let width: Int
  private let areTimes: [Bool]
  private let groups: any RowStream
  private let sources: [GroupPlan.Source]
  private let cursors: Cursors

  /// Where each stream of values is, used by one task at a time.
  private final class Cursors: @unchecked Sendable {
    var all: [Cursor]
    init(_ all: [Cursor]) { self.all = all }
  }

  /// - Parameters:
  ///   - width: the number of columns of the groups, with which all streams begin.
  ///   - areTimes: whether each of these has timestamps.
  ///   - values: for each count a stream of the groups' columns and a value, each of them once.
  init(
    schema: Schema, width: Int, areTimes: [Bool], groups: any RowStream, values: [any RowStream],
    sources: [GroupPlan.Source]
  ) {
    (self.schema, self.width, self.areTimes, self.groups, self.sources) = (schema, width, areTimes, groups, sources)
    cursors = Cursors(values.map { Cursor(stream: $0) })
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let batch = try await groups.next()?.batch() else { return nil }
    var builder = RowBatchBuilder(width: schema.width)
    for row in 0..<batch.count {
      var counts: [Int] = []
      for place in cursors.all.indices { counts.append(try await count(row, of: batch, &cursors.all[place])) }
      let reader = CellReader(batch)
      for column in 0..<width { builder.append(reader.cell(row, column), of: reader) }
      for source in sources {
        switch source {
        case .column(let column): builder.append(reader.cell(row, column), of: reader)
        case .values(let number): builder.append(integer: Int64(counts[number]))
        }
      }
    }
    withExtendedLifetime(batch) {}
    return BatchTask(ready: builder.finish())
  }

  /// A place in a stream of values.
  private struct Cursor {
    let stream: any RowStream
    var batch: RowBatch?
    var row = 0
  }

  /// The number of values of a group that are not null. They are next in their stream.
  private func count(_ group: Int, of batch: RowBatch, _ cursor: inout Cursor) async throws(Problem) -> Int {
    var count = 0
    while true {
      if cursor.batch.map({ cursor.row == $0.count }) ?? true {
        guard let next = try await cursor.stream.next()?.batch() else { return count }
        (cursor.batch, cursor.row) = (next, 0)
        continue
      }
      guard let values = cursor.batch else { return count }
      let reader = CellReader(values), groups = CellReader(batch)
      var isSame = true
      while cursor.row < values.count {
        isSame = self.isSame(group, groups, cursor.row, reader)
        guard isSame else { break }
        if !reader.cell(cursor.row, width).isNull { count += 1 }
        cursor.row += 1
      }
      withExtendedLifetime((values, batch)) {}
      if !isSame { return count }
    }
  }

  private func isSame(_ a: Int, _ groups: CellReader, _ b: Int, _ values: CellReader) -> Bool {
    for column in 0..<width {
      let x = groups.cell(a, column), y = values.cell(b, column)
      if x.isNull || y.isNull {
        if x.isNull != y.isNull { return false }
      } else if areTimes[column] {
        if SortOrder.compare(groups, groups.time(x), values, values.time(y)) != 0 { return false }
      } else if SortOrder.compare(groups, x, values, y) != 0 {
        return false
      }
    }
    return true
  }
}
