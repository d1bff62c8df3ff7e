internal import CMasks
import Rows

/// Pending changes of the text of a piece: doubled quotes, decoded and canonical values, each in place and never longer
/// than before; and values that are longer, which follow the text.
///
/// Changes are applied only after the whole piece was found valid. Until then the text is that of the file, so
/// positions of errors can be counted in it.
struct CSVChanges {
  /// Cells that hold doubled quotes.
  private var folds: [Int] = []
  private var values: [UInt8] = []
  /// Where each value goes, and how long it is.
  private var places: [(start: Int, count: Int)] = []
  /// The values that follow the text, and their cells.
  private(set) var tail: [UInt8] = []
  private var followers: [(cell: Int, start: Int, count: Int)] = []

  /// The text cell at `cell` holds doubled quotes.
  @inline(__always) mutating func fold(cell: Int) { folds.append(cell) }

  /// Schedules `value` to be written at `start`.
  mutating func put(_ value: [UInt8], at start: Int) {
    values += value
    places.append((start, value.count))
  }

  /// Schedules `value` to follow the text.
  mutating func append(_ value: [UInt8], cell: Int) {
    followers.append((cell, tail.count, value.count))
    tail += value
  }

  /// Makes all changes, of text and cells; `tail` will follow the text, which ends at `end`.
  func apply(to base: UnsafeMutablePointer<UInt8>, end: Int, _ cells: inout CellsBuilder) {
    for cell in folds {
      guard case .text(let start, let length) = cells[cell] else { continue }
      let count = unsafe Self.fold(base + Int(start), Int(length))
      cells[cell] = .text(start, UInt32(count))
    }
    for (cell, start, count) in followers { cells[cell] = .text(UInt32(end + start), UInt32(count)) }
    var from = 0
    for (start, count) in places {
      for index in 0..<count { unsafe base[start + index] = values[from + index] }
      from += count
    }
  }

  /// `""` becomes `"`, in place; the new length.
  static func fold(_ text: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
    var from = 0, to = 0
    while from < length {
      // The text up to its next quote and one of the two.
      let run = unsafe min(Int(bb_find_byte(text + from, length - from, UInt8(ascii: "\""))) + 1, length - from)
      if to < from { unsafe (text + to).update(from: text + from, count: run) }
      to += run
      from += run + 1
    }
    return to
  }
}
