import Rows
import Synchronization

/// Sorted parts with large rows, merged row by row.
///
/// Ranges of the order need the first row of each block of a file in memory; of large rows these would be most of all
/// bytes. A merge needs one block of each file.
final class MergedParts: Sendable {
  private let order: SortOrder
  private let isDecided: Bool
  private let state: Mutex<State>
  /// Bytes and rows after which a piece ends.
  private static let pieceBytes = 1 << 20, pieceRows = 8192

  private struct State: Sendable {
    var cursors: [Cursor] = []
    /// The parts that have a row, in the order of these rows.
    var queue: [Int] = []
  }

  private struct Cursor: Sendable {
    let part: SortPart
    /// The run of the row; nil after the last row.
    var run: SortRun?
    var row = 0
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
    var state = State()
    for part in parts { state.cursors.append(try Cursor(part)) }
    let order = order, isDecided = isDecided
    for index in parts.indices { Self.enqueue(index, &state, order, isDecided) }
    self.state = Mutex(state)
  }

  /// The next rows, in order; nil after the last ones.
  /// - Parameter fold: makes one row of equal ones, which are in the same piece then; nil if they need not be.
  /// - Throws: `io`.
  func next(folding fold: RangedRows.Make?) throws(Problem) -> (places: [SortPlace], runs: [SortRun])? {
    try state.withLock { (state) throws(Problem) in
      var places: [SortPlace] = [], runs: [SortRun] = [], bytes = 0, folded = (bytes: 0, rows: 0)
      for index in state.cursors.indices { state.cursors[index].number = nil }
      while let index = state.queue.first, let run = state.cursors[index].run {
        let row = state.cursors[index].row, view = run.view
        if bytes >= Self.pieceBytes || places.count >= Self.pieceRows {
          guard let fold, let last = places.last else { break }
          if Self.compare(runs[Int(last.run)], Int(last.row), run, row, order, isDecided) != 0 { break }
          if bytes >= folded.bytes * 2, places.count >= folded.rows * 2 || bytes >= Self.pieceBytes {
            let run = SortRun(try fold(places, runs), order)
            places = (0..<run.count).map { run.view.place($0, run: 0) }
            (runs, bytes, folded) = ([run], run.rowBytes, (run.rowBytes, run.count))
            for index in state.cursors.indices { state.cursors[index].number = nil }
          }
        }
        if state.cursors[index].number == nil {
          state.cursors[index].number = runs.count
          runs.append(run)
        }
        places.append(view.place(row, run: state.cursors[index].number ?? 0))
        bytes += view.range(row).count
        try state.cursors[index].advance()
        state.queue.removeFirst()
        Self.enqueue(index, &state, order, isDecided)
      }
      return places.isEmpty ? nil : (places, runs)
    }
  }

  /// Puts a part in its place in the queue; of equal rows, that of the earlier part comes first.
  private static func enqueue(_ index: Int, _ state: inout State, _ order: SortOrder, _ isDecided: Bool) {
    guard let run = state.cursors[index].run else { return }
    var low = 0, high = state.queue.count
    while low < high {
      let middle = (low + high) / 2, other = state.cursors[state.queue[middle]]
      guard let next = other.run else { return }
      let order = compare(run, state.cursors[index].row, next, other.row, order, isDecided)
      if order < 0 || order == 0 && index < state.queue[middle] { high = middle } else { low = middle + 1 }
    }
    state.queue.insert(index, at: low)
  }

  private static func compare(
    _ a: SortRun, _ row: Int, _ b: SortRun, _ other: Int, _ order: SortOrder, _ isDecided: Bool
  ) -> Int {
    let left = a.view, right = b.view
    defer { withExtendedLifetime((a, b)) {} }
    let x = left.place(row, run: 0), y = right.place(other, run: 0)
    if x.head != y.head { return x.head < y.head ? -1 : 1 }
    if x.next != y.next { return x.next < y.next ? -1 : 1 }
    return isDecided ? 0 : order.compare(left, row, right, other)
  }
}
