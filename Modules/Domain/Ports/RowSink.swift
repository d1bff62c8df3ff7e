public import Rows

/// An output that takes rows: an encoded file, a table of a server, the files of partitions.
///
/// `begin`, `open`, then `write` for each group of rows in order, `finish`, and `commit`; or `abandon` at any time. One
/// task at a time calls them, except `measure` and `prepare`.
public protocol RowSink: Sendable {
  /// The columns by which the rows must be sorted; usually none.
  var order: [String] { get }
  /// Whether rows are wanted; false if the output has them already.
  var needsRows: Bool { get }
  /// The rows that are measured before the first one is written.
  var measuring: ExporterDescriptor.Measuring { get }
  /// Adds the measurements of a batch to `metrics`. Called for every batch, in any order, if all rows are measured.
  func measure(_ batch: RowBatch, into metrics: inout ColumnMetrics)
  /// Checks the format's options, and that it can have such rows. Nothing is written yet.
  /// - Parameter metrics: the measurements; empty ones if there was nothing to measure.
  /// - Throws: `usage`, `badData`.
  func begin(_ metrics: ColumnMetrics) async throws(Problem)
  /// The size in memory from which on batches are prepared together, in bytes; 0 for each batch by itself. Known after
  /// `begin`.
  var groupBytes: Int { get }
  /// Opens the output, and writes what precedes the first row.
  func open() async throws(Problem)
  /// Does the work that depends on no other rows, such as encoding. Any core may prepare any rows.
  /// - Throws: `badData` with `record` set for a value that the output cannot have.
  func prepare(_ rows: PreparedRows) throws(Problem)
  /// Writes rows that were prepared.
  /// - Throws: `endOfPipe` if the reader of the output wants no more; `io`, `badData`.
  func write(_ rows: PreparedRows) async throws(Problem)
  /// The number of bytes written so far; 0 for outputs without bytes.
  var bytes: Int { get }
  /// Writes what follows the last row.
  func finish() async throws(Problem)
  /// The rows that the output will have, after `finish`; nil if they can be read only after `commit`.
  func uncommitted() async throws(Problem) -> (any RowStream)?
  func commit() async throws(Problem) -> WrittenRows
  /// Removes what was written. Does nothing after `commit`.
  func abandon() async
}

extension RowSink {
  /// Any order.
  public var order: [String] { [] }
  /// All rows.
  public var needsRows: Bool { true }
  /// Nothing.
  public var measuring: ExporterDescriptor.Measuring { .none }
  /// Nothing to measure.
  public func measure(_ batch: RowBatch, into metrics: inout ColumnMetrics) {}
  /// Any rows.
  public func begin(_ metrics: ColumnMetrics) async throws(Problem) {}
  /// Each batch by itself.
  public var groupBytes: Int { 0 }
  /// Nothing precedes the rows.
  public func open() async throws(Problem) {}
  /// Nothing to prepare.
  public func prepare(_ rows: PreparedRows) throws(Problem) {}
  /// No bytes.
  public var bytes: Int { 0 }
  /// Nothing follows the rows.
  public func finish() async throws(Problem) {}
  /// Outputs are read once they are there.
  public func uncommitted() async throws(Problem) -> (any RowStream)? { nil }

  /// Writes a whole table that is in memory; removes the output after an error.
  public func write(all batches: [RowBatch]) async throws(Problem) -> WrittenRows {
    do throws(Problem) {
      var metrics = ColumnMetrics()
      switch measuring {
      case .none: break
      case .all: for batch in batches { measure(batch, into: &metrics) }
      case .head(let rows):
        var head = ColumnMetrics.Head(rows: rows)
        for batch in batches { head.append(batch) }
        (metrics.head, metrics.isWhole) = (head.batches, !head.isFull)
      }
      try await begin(metrics)
      try await open()
      var count = 0
      for group in groupBytes > 0 ? [batches] : batches.map({ [$0] }) {
        let rows = PreparedRows(group, capacity: 1 << 12)
        do throws(Problem) { try prepare(rows) } catch { throw error.following(rows: count) }
        try await write(rows)
        count += group.reduce(0) { $0 + $1.count }
      }
      try await finish()
      return try await commit()
    } catch {
      await abandon()
      throw error
    }
  }
}

extension PreparedRows {
  /// Calls `body` for each batch; records in its problems count from the first batch.
  package func forEach(_ body: (Int, RowBatch) throws(Problem) -> Void) throws(Problem) {
    var count = 0
    for (index, batch) in batches.enumerated() {
      do throws(Problem) { try body(index, batch) } catch { throw error.following(rows: count) }
      count += batch.count
    }
  }
}

/// A group of batches on its way to an output. The task that prepares it owns it until it is written.
public final class PreparedRows: @unchecked Sendable {
  /// The batches; a sink may replace them when it prepares them.
  public var batches: [RowBatch]
  /// Their encoded form, for outputs of bytes.
  public var bytes: ByteBuffer
  /// The report of the encoder on them.
  public var part = EncodedPart()

  /// Rows that are not prepared.
  /// The initial size of `bytes` is `capacity`.
  public init(_ batches: [RowBatch] = [], capacity: Int = 1 << 19) {
    self.batches = batches
    bytes = ByteBuffer(capacity: capacity)
  }
}

/// The outcome of writing rows.
public struct WrittenRows: Sendable {
  let name: String
  /// Bytes written, before compression.
  public var bytes = 0
  /// The merged reports on all rows.
  public var part = EncodedPart()
  /// The warning for the user: `3 cells begin like a formula`.
  public var warning: Warning?
  /// The note below the rows on a terminal: `29 rows`.
  var footer: Warning?
  /// The files of an output of several files.
  public var files: [PartitionFile]?
  /// Reads the rows again, for outputs that are not files; its result is nil if the output had them before, or if they
  /// were read before the commit.
  public var reading: (@Sendable (_ threads: Int) async throws(Problem) -> (any RowStream)?)?

  /// An output without bytes.
  public init(_ name: String) { self.name = name }
}
