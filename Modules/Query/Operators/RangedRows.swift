import Rows
import Synchronization

/// Sorted runs, given out in ranges of the whole order. The task that takes a range merges and copies it.
///
/// Of equal rows, those of the earlier run come first.
final class RangedRows: RowStream {
  let schema: Schema
  private let order: SortOrder
  private let runs: [SortRun]
  private let readers: [CellReader]
  /// The first rows of all ranges but the first one. They are rows rather than values, so that ranges stay small where
  /// values are few.
  private let splitters: [SortPlace]
  private let isDecided: Bool
  /// The number of ranges given out, and where the next one begins in each run.
  private let state: Mutex<(range: Int, cuts: [Int])>
  /// Rows that may be needed; ranges after them are not made.
  private let limit: Int
  private static let samples = 32

  /// - Parameter runs: in the order in which their rows came in.
  init(schema: Schema, order: SortOrder, runs: [SortRun], limit: Int? = nil) {
    self.schema = schema
    self.order = order
    self.runs = runs
    self.limit = limit ?? .max
    let isDecided = runs.allSatisfy(\.isDecided), readers = runs.map { CellReader($0.batch) }
    self.isDecided = isDecided
    self.readers = readers
    state = Mutex((0, Array(repeating: 0, count: runs.count)))
    let rows = runs.reduce(0) { $0 + $1.places.count }
    let bytes = runs.reduce(0) { $0 + $1.batch.textSize }
    let ranges = max(1, bytes / (192 << 10), rows / 8192)
    var sample: [SortPlace] = []
    let step = max(1, rows / (ranges * Self.samples))
    var skip = step / 2
    for (index, run) in runs.enumerated() {
      while skip < run.places.count {
        var place = run.places[skip]
        place.run = Int32(index)
        sample.append(place)
        skip += step
      }
      skip -= run.places.count
    }
    // Places of one run are in order, but equal rows need not be in order of their numbers among the samples.
    RadixSort.sort(&sample, isDecided: isDecided) { a, b in
      order.compare(readers[Int(a.run)], Int(a.row), readers[Int(b.run)], Int(b.row))
    }
    splitters =
      sample.isEmpty ? [] : (1..<max(ranges, 1)).map { sample[min($0 * sample.count / ranges, sample.count - 1)] }
  }

  private func compare(_ a: SortPlace, _ b: SortPlace) -> Int {
    order.compare(readers[Int(a.run)], Int(a.row), readers[Int(b.run)], Int(b.row))
  }

  /// The first place of a run, from `start` on, that does not come before a splitter.
  private func cut(_ index: Int, from start: Int, _ splitter: SortPlace) -> Int {
    let places = runs[index].places
    func isBefore(_ at: Int) -> Bool {
      var place = places[at]
      place.run = Int32(index)
      if place.head != splitter.head { return place.head < splitter.head }
      if place.next != splitter.next { return place.next < splitter.next }
      let result = isDecided ? 0 : compare(place, splitter)
      if result != 0 { return result < 0 }
      return place.run == splitter.run ? place.row < splitter.row : place.run < splitter.run
    }
    var low = start, step = 1
    while low + step <= places.count, isBefore(low + step - 1) {
      low += step
      step *= 2
    }
    var high = min(low + step - 1, places.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func next() async throws(Problem) -> BatchTask? { nextTask() }

  /// The next range, without waiting.
  func nextTask() -> BatchTask? {
    let piece: (starts: [Int], ends: [Int])? = state.withLock { state in
      guard state.range <= splitters.count, state.cuts.reduce(0, +) < limit else { return nil }
      let starts = state.cuts
      for run in runs.indices {
        state.cuts[run] =
          state.range < splitters.count
          ? cut(run, from: starts[run], splitters[state.range]) : runs[run].places.count
      }
      state.range += 1
      return (starts, state.cuts)
    }
    guard let piece else { return nil }
    return BatchTask { () throws(Problem) in self.batch(piece.starts, piece.ends) }
  }

  /// The rows of a range, in order.
  private func batch(_ starts: [Int], _ ends: [Int]) -> RowBatch {
    var places: [SortPlace] = []
    places.reserveCapacity(zip(starts, ends).reduce(0) { $0 + $1.1 - $1.0 })
    for run in runs.indices {
      for at in starts[run]..<ends[run] {
        var place = runs[run].places[at]
        place.run = Int32(run)
        places.append(place)
      }
    }
    RadixSort.sort(&places, isDecided: isDecided, compare)
    return RowBatch(gathering: places, of: runs, width: schema.width)
  }
}
