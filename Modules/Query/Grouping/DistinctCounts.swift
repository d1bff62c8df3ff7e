import Rows

extension GroupPlan {
  /// The result of an aggregate: a column of the groups, the number of rows of a stream of values, or one of the values
  /// of a stream, for a part of those that a column of the groups counts.
  enum Source: Sendable {
    case column(Int), values(Int), quantile(Int, counted: Int, part: Double, isReal: Bool)
  }

  /// The same grouping in parts that need little memory: the groups with the other aggregates, and for each count of
  /// distinct values and each quantile one whose groups are the values of each group. Nil if there is none of these.
  func parts(of input: Schema) -> (groups: GroupPlan, values: [GroupPlan], sources: [Source])? {
    func isSplit(_ aggregate: Computed) -> Bool { [.distinct, .median, .quantile].contains(aggregate.function) }
    guard aggregates.contains(where: isSplit) else { return nil }
    var values: [GroupPlan] = [], sources: [Source] = [], counted: [Int] = []
    let kept = aggregates.indices.filter { !isSplit(aggregates[$0]) }
    for (place, aggregate) in aggregates.enumerated() {
      guard isSplit(aggregate), let column = aggregate.column else {
        sources.append(.column(columns.count + (kept.firstIndex(of: place) ?? 0)))
        continue
      }
      if aggregate.function == .distinct {
        sources.append(.values(values.count))
      } else {
        let count = columns.count + kept.count + counted.count
        sources.append(
          .quantile(values.count, counted: count, part: aggregate.part, isReal: aggregate.type == .real))
        counted.append(column)
      }
      values.append(adding(column, input.columns[column], counts: aggregate.function != .distinct))
    }
    return (keeping(kept, counting: counted), values, sources)
  }
}

/// Groups with the numbers of their distinct values, and with quantiles of their values. These are rows of streams in
/// the order of the groups, so that they need not be in memory.
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
      let reader = CellReader(batch)
      for column in 0..<width { builder.append(reader.cell(row, column), of: reader) }
      for source in sources {
        switch source {
        case .column(let column): builder.append(reader.cell(row, column), of: reader)
        case .values(let number):
          var count = 0
          try await walk(row, of: batch, &cursors.all[number]) { (_, _) in count += 1 }
          builder.append(integer: Int64(count))
        case .quantile(let number, let counted, let part, let isReal):
          guard case .integer(let count) = reader.cell(row, counted) else { continue }
          let place = part * Double(count - 1), low = Int64(place.rounded(.down))
          var seen: Int64 = 0, first = Value.null, second = Value.null
          try await walk(row, of: batch, &cursors.all[number]) { (values, row) in
            guard case .integer(let more) = CellReader(values).cell(row, width + 1) else { return }
            // The values at `low` and after it.
            if seen <= low, low < seen + more { first = values.value(row, width) }
            if seen <= low + 1, low + 1 < seen + more { second = values.value(row, width) }
            seen += more
          }
          let value = Quantile.between(first, second, place - Double(low), isReal: isReal)
          builder.append(value: count == 0 || !(0...1).contains(part) ? .null : value)
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

  /// Calls `body` with the values of a group that are not null. They are next in their stream.
  private func walk(
    _ group: Int, of batch: RowBatch, _ cursor: inout Cursor, _ body: (_ values: RowBatch, _ row: Int) -> Void
  ) async throws(Problem) {
    while true {
      if cursor.batch.map({ cursor.row == $0.count }) ?? true {
        guard let next = try await cursor.stream.next()?.batch() else { return }
        (cursor.batch, cursor.row) = (next, 0)
        continue
      }
      guard let values = cursor.batch else { return }
      let reader = CellReader(values), groups = CellReader(batch)
      var isSame = true
      while cursor.row < values.count {
        isSame = self.isSame(group, groups, cursor.row, reader)
        guard isSame else { break }
        if !reader.cell(cursor.row, width).isNull { body(values, cursor.row) }
        cursor.row += 1
      }
      withExtendedLifetime((values, batch)) {}
      if !isSame { return }
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
