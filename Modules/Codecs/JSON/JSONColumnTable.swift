internal import CMasks
import Rows

/// The column data that the inner loop of a parser needs, in unmanaged memory: no reference counting, no bounds checks.
///
/// Copies share the table; the creator deallocates it.
@safe struct JSONColumnTable {
  /// The kind of values that a column accepts.
  enum Kind { case text, integer, real, decimal, boolean, json, other }

  private struct Entry {
    let kind: Kind
    let isNullable: Bool
    /// The position in the row, -1 for none.
    let slot: Int32
    /// `"key":` in the key text.
    let keyStart: Int32
    let keyCount: Int32
    /// The row in which the key was last seen.
    var lastSeen: Int
  }

  let count: Int
  private let entries: UnsafeMutablePointer<Entry>
  private let keyText: UnsafeMutablePointer<UInt8>

  init(_ layout: JSONLayout) {
    count = layout.columns.count
    unsafe entries = .allocate(capacity: max(count, 1))
    for (position, column) in layout.columns.enumerated() {
      let kind: Kind =
        switch column.type {
        case .text, .url: .text
        case .integer: .integer
        case .real: .real
        case .decimal: .decimal
        case .boolean: .boolean
        case .json: .json
        case .bytes, .date, .timestamp, .datetime, .list: .other
        }
      let entry = Entry(
        kind: kind, isNullable: column.isNullable, slot: Int32(column.slot ?? -1), keyStart: Int32(column.keyStart),
        keyCount: Int32(column.keyCount), lastSeen: -1)
      unsafe (entries + position).initialize(to: entry)
    }
    unsafe keyText = .allocate(capacity: layout.keyText.count)
    for (position, byte) in layout.keyText.enumerated() { unsafe keyText[position] = byte }
  }

  /// Gives the memory back.
  func deallocate() {
    unsafe entries.deallocate()
    unsafe keyText.deallocate()
  }

  // Positions below are those of columns: 0 to count - 1.

  /// Whether the key at hand is that of the column at `position`, written as it usually is; if so, steps over it and
  /// its colon.
  @inline(__always) func skipKey(_ position: Int, _ scanner: inout JSONScanner) -> Bool {
    let entry = unsafe entries + position
    let length = unsafe Int(entry.pointee.keyCount)
    guard unsafe bb_same(scanner.base + scanner.at, keyText + Int(entry.pointee.keyStart), length) != 0 else {
      return false
    }
    scanner.at &+= length
    return true
  }
  /// Notes that `row` has the key; false when it had it before.
  @inline(__always) func markSeen(_ position: Int, in row: Int) -> Bool {
    if unsafe entries[position].lastSeen == row { return false }
    unsafe entries[position].lastSeen = row
    return true
  }
  /// Whether `row` has the key.
  @inline(__always) func isSeen(_ position: Int, in row: Int) -> Bool { unsafe entries[position].lastSeen == row }
  /// The position in the row, -1 for none.
  @inline(__always) func slot(_ position: Int) -> Int { unsafe Int(entries[position].slot) }
  /// The kind of values that the column accepts.
  @inline(__always) func kind(_ position: Int) -> Kind { unsafe entries[position].kind }
  /// Whether it may be null.
  @inline(__always) func isNullable(_ position: Int) -> Bool { unsafe entries[position].isNullable }
}
