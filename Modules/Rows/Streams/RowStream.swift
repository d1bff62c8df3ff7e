/// Rows in batches, pulled: nothing is read before it is asked for, so back-pressure is the default.
///
/// One consumer at a time calls `next` (the pipeline pulls in turn). What `next` gives is work that may be done on any core: a
/// stream that can split its input cheaply leaves the parsing to that work; any other gives batches that are ready.
public protocol RowStream: Sendable {
  /// The schema of the rows.
  var schema: Schema { get }
  /// The next piece, in order; nil at the end, and ever after.
  func next() async throws(Problem) -> BatchWork?
  /// After a `badData` problem of this stream or its work: a stream that begins again with types that hold the value that did
  /// not fit; nil when the problem stands.
  func widened() async throws(Problem) -> (any RowStream)?
  /// Whether types were guessed, so that `widened` may be needed: output that cannot be taken back is held until it is whole.
  var isOptimistic: Bool { get }
  /// Deviations accepted in the rows read so far, one sentence each without a period.
  var notes: [String] { get }
}

extension RowStream {
  /// The problem stands.
  public func widened() async throws(Problem) -> (any RowStream)? { nil }
  /// Types are known.
  public var isOptimistic: Bool { false }
  /// No deviations.
  public var notes: [String] { [] }
}

/// A batch, or the work that makes it. Work is pure: it may run on any core, before or after its neighbours, once or twice.
public struct BatchWork: Sendable {
  private let make: @Sendable () throws(Problem) -> RowBatch

  /// Work that is still to be done.
  public init(_ make: @escaping @Sendable () throws(Problem) -> RowBatch) { self.make = make }
  /// A batch that is ready.
  public init(ready batch: RowBatch) { make = { () throws(Problem) in batch } }

  /// Does the work.
  public func batch() throws(Problem) -> RowBatch { try make() }

  /// The same work followed by `step`, for filters and projections.
  public func followed(by step: @escaping @Sendable (RowBatch) throws(Problem) -> RowBatch) -> BatchWork {
    let make = self.make
    return BatchWork { () throws(Problem) in try step(try make()) }
  }
}
