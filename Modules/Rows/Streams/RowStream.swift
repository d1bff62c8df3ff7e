/// Rows in batches, pulled: nothing is read ahead of demand, so back-pressure is the default.
///
/// One consumer at a time calls `next`. The result is work that may run on any core: a stream that can split its input
/// cheaply leaves the parsing to that work; any other returns finished batches.
public protocol RowStream: Sendable {
  var schema: Schema { get }
  /// The next piece, in order; nil at the end, and ever after.
  func next() async throws(Problem) -> BatchTask?
  /// After a `badData` problem of this stream or its work: a stream that restarts with types that fit the failing
  /// value; nil if the problem is final.
  func widened() async throws(Problem) -> (any RowStream)?
  /// The stream from its beginning once more, with the same types, for an output that cannot hold a value as it stored
  /// the values before; nil if it cannot be read again.
  func reopened() async throws(Problem) -> (any RowStream)?
  /// Whether types were inferred, so that `widened` may be needed. Output that cannot be undone is then buffered until
  /// it is complete.
  var mayWiden: Bool { get }
  /// Deviations accepted in the rows read so far.
  var notes: [Warning] { get }
}

/// Rows with no deviations: computed, or in a format that leaves nothing to interpret.
public protocol ExactRowStream: RowStream {}

extension ExactRowStream {
  /// None.
  public var notes: [Warning] { [] }
}

/// Rows made of those of another stream, with its deviations.
public protocol DerivedRowStream: RowStream {
  var inner: any RowStream { get }
}

extension DerivedRowStream {
  /// The other stream's.
  public var notes: [Warning] { inner.notes }
}

/// Rows that are the same whenever those of another stream are.
public protocol RewrittenRowStream: DerivedRowStream {
  /// The same for other rows of that kind.
  func over(_ rows: any RowStream) -> any RowStream
}

extension RewrittenRowStream {
  /// Whether the other stream's types may change.
  public var mayWiden: Bool { inner.mayWiden }
  /// The same for the widened rows of the other stream.
  public func widened() async throws(Problem) -> (any RowStream)? { try await inner.widened().map(over) }
  /// The same for the rows of the other stream, from the beginning.
  public func reopened() async throws(Problem) -> (any RowStream)? { try await inner.reopened().map(over) }
}

extension RowStream {
  /// The problem is final.
  public func widened() async throws(Problem) -> (any RowStream)? { nil }
  /// It cannot be read again.
  public func reopened() async throws(Problem) -> (any RowStream)? { nil }
  /// Types are known.
  public var mayWiden: Bool { false }

  /// Calls `body` with this stream. After a `badData` problem calls it again with the widened stream, as long as there
  /// is one; `body` must then undo what it did.
  /// - Returns: the result of the call that succeeded.
  public func withWidening<Result>(
    _ body: (any RowStream) async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    var stream: any RowStream = self
    while true {
      do throws(Problem) { return try await body(stream) } catch {
        guard error.kind == .badData, let wider = try await stream.widened() else { throw error }
        stream = wider
      }
    }
  }

  /// Reads all rows, and widened ones again, to find out whether they can be read.
  /// - Returns: the schema with which every row was read.
  public func validate() async throws(Problem) -> Schema {
    try await withWidening { (stream) throws(Problem) in
      while let work = try await stream.next() { _ = try work.batch() }
      return stream.schema
    }
  }
}

/// A batch, or the work that makes it. Work is pure: it may run on any core, in any order, and more than once.
public struct BatchTask: Sendable {
  private let make: @Sendable () throws(Problem) -> RowBatch

  /// Work that is still to be done.
  public init(_ make: @escaping @Sendable () throws(Problem) -> RowBatch) { self.make = make }
  /// A batch that is ready.
  public init(ready batch: RowBatch) { make = { () throws(Problem) in batch } }

  /// Does the work.
  public func batch() throws(Problem) -> RowBatch { try make() }

  /// The same work followed by `step`, for filters and projections.
  public func followed(by step: @escaping @Sendable (RowBatch) throws(Problem) -> RowBatch) -> BatchTask {
    let make = self.make
    return BatchTask { () throws(Problem) in try step(try make()) }
  }
}
