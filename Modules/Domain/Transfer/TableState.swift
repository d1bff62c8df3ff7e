import Rows

extension Sequence<HistoryEntry> {
  /// The number of the state of a table; 0 before its first change.
  ///
  /// Every change of the table has a greater number than those before it, also if another store continues its history:
  /// the time of the entry in milliseconds, and its position among the entries of the same time. The entries are oldest
  /// first.
  public func state(of table: String) -> Int64 {
    var state: Int64 = 0, time: Int64 = 0, position: Int64 = 0
    for entry in self {
      let milliseconds = Int64(String(entry.id.filter { $0 != "-" }.prefix(12)), radix: 16) ?? 0
      position = milliseconds == time ? position + 1 : 0
      time = milliseconds
      guard entry.tables.contains(where: { $0.schema.name == table }) else { continue }
      state = Swift.max(state, time << 15 | Swift.min(position, 0x7FFF))
    }
    return state
  }
}
