import Query
public import Rows
internal import Synchronization

/// Exports the rows of a stream, through encoders, to outputs: concurrently, in order.
///
/// A few workers take batches in order, process and encode them concurrently, and write them in order. Memory is
/// bounded by the number of workers, whatever the size of the input.
public struct Export: Sendable {
  /// One output: a format, its options, and where its rows go.
  public struct Output: Sendable {
    let format: ExporterDescriptor, options: ExportOptions, name: String
    let open: @Sendable (_ schema: Schema) async throws(Problem) -> any RowSink

    /// Creates an output. `open` is called when the columns are known, and again when the export restarts.
    public init(
      _ format: ExporterDescriptor, _ options: ExportOptions, name: String = "",
      open: @escaping @Sendable (_ schema: Schema) async throws(Problem) -> any RowSink
    ) { (self.format, self.options, self.name, self.open) = (format, options, name, open) }

    /// Creates an output of a format. `open` is called when the format and its options have been validated, and again
    /// when the export restarts.
    public init(_ exporter: any Exporter, _ options: ExportOptions, open: @escaping OpenBytes) {
      self.init(exporter.descriptor, options) { (schema) throws(Problem) in
        try await exporter.sink(for: schema, options: options, into: open)
      }
    }
  }

  /// The outcome of an export.
  public struct Summary: Sendable {
    /// Rows written to each output.
    public var rows = 0
    /// The outcome of each output, in the order given.
    public var outputs: [WrittenRows] = []
    /// Warnings for the user: counts of cells that look like formulas and similar.
    public var warnings: [Warning] = []
    /// Notes below the rows on a terminal.
    public var footers: [Warning] = []
  }

  /// Work that must succeed before the outputs appear.
  public typealias Step = @Sendable () async throws(Problem) -> Void

  let outputs: [Output]
  let threads: Int
  /// The step that runs when all rows were written, before the outputs appear.
  public var beforeCommit: Step = {}
  let scratch: any ScratchSpace
  private let progress: @Sendable (_ rows: Int, _ bytes: Int) -> Void

  /// An export to `outputs`.
  ///
  /// - Parameters:
  ///   - outputs: the outputs, written in one pass.
  ///   - threads: workers, at least 1.
  ///   - scratch: for formats that must see all rows before the first byte.
  ///   - progress: told after each batch how many rows were written and how many bytes the first output has.
  public init(
    to outputs: [Output], threads: Int, scratch: any ScratchSpace,
    progress: @escaping @Sendable (_ rows: Int, _ bytes: Int) -> Void = { _, _ in }
  ) {
    self.outputs = outputs
    self.threads = max(1, threads)
    self.scratch = scratch
    self.progress = progress
  }

  /// Exports what `select` makes of `source`; begins again, into new outputs, when the source can be read with wider
  /// types.
  ///
  /// Either every output is committed, or none was touched.
  public func run(
    _ source: any RowStream, select: (any RowStream) async throws(Problem) -> any RowStream
  ) async throws(Problem) -> Summary {
    var source = source, knowsDigits = false
    while true {
      do throws(Problem) {
        let rows = try await select(source)
        var summary = try await attempt(rows, knowsDigits: knowsDigits)
        summary.warnings.insert(contentsOf: rows.notes, at: 0)
        return summary
      } catch {
        guard error.kind == .badData else { throw error }
        // Outputs of streams that may be read again are not shown before they are complete.
        if error.needsAllRows, !knowsDigits, source.mayWiden, let again = try await source.reopened() {
          (source, knowsDigits) = (again, true)
        } else if let wider = try await source.widened() {
          source = wider
        } else {
          throw error
        }
      }
    }
  }

  private func attempt(_ stream: any RowStream, knowsDigits: Bool) async throws(Problem) -> Summary {
    // Before a byte is written.
    for output in outputs { try output.format.check(columns: stream.schema.width) }
    let guards = outputs.map { JSONGuard(stream.schema, $0.format, $0.options) }
    var sinks: [any RowSink] = []
    do throws(Problem) {
      for output in outputs { sinks.append(try await output.open(stream.schema)) }
      let (rows, metrics) = try await measured(try ordered(stream, for: sinks), sinks, knowsDigits: knowsDigits)
      for (sink, metrics) in zip(sinks, metrics) { try await sink.begin(metrics) }
      let writer = OrderedWriter(sinks, beforeCommit: beforeCommit, progress: progress)
      try await writer.open()
      let groupBytes = sinks.map(\.groupBytes).max() ?? 0
      let worker = Worker(
        dispenser: BatchDispenser(rows), groups: groupBytes > 0 ? BatchGroups(bytes: groupBytes) : nil,
        writer: writer, sinks: sinks, guards: guards)
      let failures = await withTaskGroup(of: Problem?.self) { group in
        for _ in 0..<threads { group.addTask { await worker.run() } }
        var failures: [Problem] = []
        for await case let failure? in group {
          failures.append(failure)
          // It is the first in the data; the others need not wait for more of that.
          group.cancelAll()
        }
        return failures
      }
      if let failure = failures.first { throw failure }
      return try await writer.finish()
    } catch {
      for sink in sinks { await sink.abandon() }
      throw error
    }
  }

  /// The rows in the order that an output needs; none if no output needs them.
  private func ordered(_ stream: any RowStream, for sinks: [any RowSink]) throws(Problem) -> any RowStream {
    guard sinks.contains(where: \.needsRows) else { return BufferedRows(schema: stream.schema, batches: []) }
    guard let sorted = sinks.firstIndex(where: { !$0.order.isEmpty }) else { return stream }
    guard sinks.count == 1 else {
      throw Problem(
        .usage, "a partitioned table must be the only output", at: outputs[sorted].name,
        hint: "run one command per output")
    }
    return try PartitionOrder.rows(of: stream, by: sinks[sorted].order, scratch: scratch, threads: threads)
  }
}

/// A worker: takes batches in order, processes them and encodes groups of them concurrently with the others, writes the
/// groups in order.
private struct Worker: Sendable {
  let dispenser: BatchDispenser
  /// Nil for groups of one batch.
  let groups: BatchGroups?
  let writer: OrderedWriter
  let sinks: [any RowSink]
  let guards: [JSONGuard?]

  /// Encodes batches until the stream ends, a worker fails, or the task is cancelled.
  /// - Returns: the error, if this worker's batch failed first.
  func run() async -> Problem? {
    let lanes = sinks.map { _ in PreparedRows() }
    while true {
      if Task.isCancelled { return await writer.fail(nil, Problem(.cancelled, "interrupted")) }
      let (index, pulled) = await dispenser.next()
      var group = BatchGroups.Group(index: index, batches: [], rows: 0)
      do throws(Problem) {
        let batch = try pulled.get()?.batch()
        if let groups {
          guard let joined = await groups.add(index, batch) else {
            if batch == nil { return nil }
            continue
          }
          group = joined
        } else {
          guard let batch else { return nil }
          group = BatchGroups.Group(index: index, batches: [batch], rows: batch.count)
        }
      } catch {
        let (index, problem) = await groups?.fail(index, error) ?? (index, error)
        return await writer.fail(index, problem)
      }
      do throws(Problem) {
        for (position, lane) in lanes.enumerated() {
          lane.batches = try guards[position]?.checked(group.batches) ?? group.batches
          try sinks[position].prepare(lane)
        }
        group.batches = []
        guard try await writer.write(group.index, rows: group.rows, lanes) else { return nil }
        // Their memory is for the next.
        for lane in lanes { lane.batches = [] }
      } catch {
        return await writer.fail(group.index, error)
      }
    }
  }
}

/// Gives out a stream's pieces one at a time, numbered from 0.
private final class BatchDispenser: Sendable {
  private let stream: any RowStream
  private let mutex = AsyncMutex()
  private let nextIndex = Mutex(0)

  init(_ stream: any RowStream) { self.stream = stream }

  func next() async -> (Int, Result<BatchTask?, Problem>) {
    await mutex.enter()
    defer { mutex.leave() }
    let index = nextIndex.withLock { index in
      defer { index += 1 }
      return index
    }
    do throws(Problem) {
      return (index, .success(try await stream.next()))
    } catch {
      return (index, .failure(error))
    }
  }
}
