import Rows

/// The numbers of the states that a table of a store has had.
public struct TableStates: Sendable, Hashable {
  /// The number of the current state; 0 before the first change.
  public fileprivate(set) var current: Int64 = 0
  private var marks: [Int64: Int64] = [0: 0]

  /// A random number that the change to a state has, at least 0: two stores may have changed their tables at one time.
  /// Nil if the table never had the state.
  public func mark(of state: Int64) -> Int64? { marks[state] }

  fileprivate mutating func add(_ state: Int64, mark: Int64) {
    current = Swift.max(current, state)
    marks[state] = mark
  }
}

extension Sequence<HistoryEntry> {
  /// The numbers of the states of a table.
  ///
  /// Every change of the table has a greater number than those before it, also if another store continues its history:
  /// the time of the entry in milliseconds, and its position among the entries of the same time. The entries are oldest
  /// first.
  public func states(of table: String) -> TableStates {
    var states = TableStates(), time: Int64 = 0, position: Int64 = 0
    for entry in self {
      let digits = entry.id.filter { $0 != "-" }
      let milliseconds = Int64(digits.prefix(12), radix: 16) ?? 0
      position = milliseconds == time ? position + 1 : 0
      time = milliseconds
      guard entry.tables.contains(where: { $0.schema.name == table }) else { continue }
      states.add(time << 15 | Swift.min(position, 0x7FFF), mark: Int64(digits.suffix(15), radix: 16) ?? 0)
    }
    return states
  }
}
