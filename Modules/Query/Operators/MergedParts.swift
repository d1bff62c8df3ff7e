import Rows
import Synchronization

/// Sorted parts with large rows, merged row by row.
///
/// Ranges of the order need the first row of each block of a file in memory; of large rows these would be most of all
/// bytes. A merge needs one block of each file.
final class MergedParts: Sendable {
  private let order: SortOrder
  private let isDecided: Bool
  private let state: Mutex<[Cursor]>
  /// Bytes and rows after which a piece ends.
  private static let pieceBytes = 1 << 20, pieceRows = 8192

  /// The next row of a part.
  private struct Cursor: Sendable {
    let part: SortPart
    /// The run of the row; nil after the last row.
    var run: SortRun?
    var row = 0
    /// The next block of a file.
    var block = 0
    /// The run's number in the piece that is being made.
    var number: Int?

    init(_ part: SortPart) throws(Problem) {
      self.part = part
      if case .run(let run) = part { self.run = run.count > 0 ? run : nil }
      if case .file = part { try readBlock() }
    }

    mutating func advance() throws(Problem) {
      row += 1
      if let run, row == run.count { try readBlock() }
    }

    private mutating func readBlock() throws(Problem) {
      (run, row, number) = (nil, 0, nil)
      guard case .file(let file) = part, block < file.blocks.count else { return }
      run = try file.read(file.blocks[block])
      block += 1
    }
  }

  /// - Throws: `io`.
  init(_ parts: [SortPart], _ order: SortOrder) throws(Problem) {
    self.order = order
    isDecided = parts.allSatisfy(\.isDecided)
    var cursors: [Cursor] = []
    for part in parts { cursors.append(try Cursor(part)) }
    state = Mutex(cursors)
  }

  /// The next rows, in order; nil after the last ones.
  /// - Parameter keepsEqual: whether equal rows are in the same piece.
  /// - Throws: `io`.
  func next(keepsEqual: Bool) throws(Problem) -> (places: [SortPlace], runs: [SortRun])? {
    try state.withLock { (cursors) throws(Problem) in
      var places: [SortPlace] = [], runs: [SortRun] = [], bytes = 0
      for index in cursors.indices { cursors[index].number = nil }
      while let index = first(of: cursors), let run = cursors[index].run {
        let row = cursors[index].row, view = run.view
        if bytes >= Self.pieceBytes || places.count == Self.pieceRows {
          guard keepsEqual, let last = places.last else { break }
          if compare(runs[Int(last.run)], Int(last.row), run, row) != 0 { break }
        }
        if cursors[index].number == nil {
          cursors[index].number = runs.count
          runs.append(run)
        }
        places.append(view.place(row, run: cursors[index].number ?? 0))
        bytes += view.range(row).count
        try cursors[index].advance()
      }
      return places.isEmpty ? nil : (places, runs)
    }
  }

  /// The part whose row comes first; of equal rows, that of the earlier part.
  private func first(of cursors: [Cursor]) -> Int? {
    var best: (index: Int, run: SortRun)?
    for (index, cursor) in cursors.enumerated() {
      guard let run = cursor.run else { continue }
      if let best, compare(run, cursor.row, best.run, cursors[best.index].row) >= 0 { continue }
      best = (index, run)
    }
    return best?.index
  }

  private func compare(_ a: SortRun, _ row: Int, _ b: SortRun, _ other: Int) -> Int {
    let left = a.view, right = b.view
    defer { withExtendedLifetime((a, b)) {} }
    let x = left.place(row, run: 0), y = right.place(other, run: 0)
    if x.head != y.head { return x.head < y.head ? -1 : 1 }
    if x.next != y.next { return x.next < y.next ? -1 : 1 }
    return isDecided ? 0 : order.compare(left, row, right, other)
  }
}
