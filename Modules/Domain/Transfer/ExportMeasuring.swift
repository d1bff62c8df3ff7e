import Codecs
import Rows
import Synchronization

extension Export {
  /// Measures rows before the first one is encoded: all, which are buffered for that, or the first ones.
  /// - Parameter knowsDigits: whether formats that measure rows know the digits of all decimals.
  func measured(
    _ stream: any RowStream, _ sinks: [any RowSink], knowsDigits: Bool
  ) async throws(Problem) -> (any RowStream, [ColumnMetrics]) {
    let kinds = sinks.map(\.measuring)
    var layouts = sinks.map { _ in ColumnMetrics() }
    guard kinds.contains(where: { $0 != .none }) else { return (stream, layouts) }
    var heads = kinds.map { kind in
      if case .head(let rows) = kind { ColumnMetrics.Head(rows: rows) } else { ColumnMetrics.Head(rows: 0) }
    }
    let buffer = SpillBuffer(schema: stream.schema, scratch: scratch, memoryLimit: 8 << 20)
    var isRead = false
    let needsAll = knowsDigits || kinds.contains(.all)
    var digits = ColumnMetrics()
    while needsAll || kinds.indices.contains(where: { kinds[$0] != .none && !heads[$0].isFull }) {
      let tasks = await Round(stream, atMost: needsAll ? threads * 4 : 1)
      for measured in try await tasks.measured(by: sinks, kinds, threads) {
        let (batch, metrics) = try measured.get()
        for position in sinks.indices where kinds[position] != .none {
          if kinds[position] == .all {
            layouts[position].merge(metrics[position])
          } else {
            heads[position].append(batch)
          }
        }
        if knowsDigits {
          digits.merge(ColumnMetrics(decimals: DecimalShape.shapes(of: stream.schema, in: [batch])))
        }
        try buffer.append(batch)
      }
      if let problem = tasks.problem { throw problem }
      if tasks.isLast {
        isRead = true
        break
      }
    }
    for position in sinks.indices {
      layouts[position].decimals =
        knowsDigits ? digits.decimals : DecimalShape.shapes(of: stream.schema, in: heads[position].batches)
      layouts[position].head = heads[position].batches
      layouts[position].isWhole = !heads[position].isFull
    }
    return (isRead ? buffer.stream() : ChainedRows(buffer.stream(), stream), layouts)
  }

  /// Some batches, which are measured at the same time.
  private struct Round {
    private var tasks: [BatchTask] = []
    /// Whether the stream has ended.
    private(set) var isLast = false
    /// The error after these batches.
    private(set) var problem: Problem?

    init(_ stream: any RowStream, atMost count: Int) async {
      do throws(Problem) {
        while tasks.count < count, !isLast {
          if let task = try await stream.next() { tasks.append(task) } else { isLast = true }
        }
      } catch { problem = error }
    }

    /// The batches in order, each with its figures for the outputs that measure all rows.
    func measured(
      by sinks: [any RowSink], _ kinds: [ExporterDescriptor.Measuring], _ threads: Int
    ) async throws(Problem) -> [Result<(RowBatch, [ColumnMetrics]), Problem>] {
      let measured: @Sendable (BatchTask) -> Result<(RowBatch, [ColumnMetrics]), Problem> = { task in
        Result { () throws(Problem) in
          let batch = try task.batch()
          var metrics = kinds.map { _ in ColumnMetrics() }
          for (position, sink) in sinks.enumerated() where kinds[position] == .all {
            sink.measure(batch, into: &metrics[position])
          }
          return (batch, metrics)
        }
      }
      return try await tasks.mapInParallel(most: threads, on: []) { (task) throws(Problem) in measured(task) }
    }
  }
}

/// The rows of a buffer, then those of the stream that it was filled from.
private final class ChainedRows: RowStream {
  let schema: Schema
  private let first: any RowStream
  private let rest: any RowStream
  private let isInRest = Mutex(false)

  init(_ first: any RowStream, _ rest: any RowStream) {
    schema = rest.schema
    self.first = first
    self.rest = rest
  }

  var notes: [Warning] { rest.notes }

  func next() async throws(Problem) -> BatchTask? {
    if !isInRest.withLock({ $0 }) {
      if let work = try await first.next() { return work }
      isInRest.withLock { $0 = true }
    }
    return try await rest.next()
  }
}
