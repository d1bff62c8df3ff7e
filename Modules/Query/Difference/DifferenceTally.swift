import Synchronization

/// The numbers of rows that a comparison of two tables has found so far.
public final class DifferenceTally: Sendable {
  /// Numbers of rows.
  public struct Counts: Sendable, Hashable {
    /// Rows that only the new table has.
    public var added = 0
    /// Rows with the same key and other values.
    public var changed = 0
    /// Rows that only the old table has.
    public var removed = 0
    /// Rows that are equal.
    public var same = 0
    /// The positions of columns that differ, in the rows of the differences.
    public var columns: Set<Int> = []
    /// Whether there is a difference.
    public var isDifferent: Bool { added + changed + removed > 0 }
  }
  private let state = Mutex(Counts())

  /// Creates a tally of nothing.
  public init() {}

  /// The numbers so far.
  public internal(set) var counts: Counts {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
