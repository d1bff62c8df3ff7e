import Rows
import Synchronization

/// Sorted rows in memory or in a file.
enum SortPart: Sendable {
  case run(SortRun)
  case file(SpilledRun)

  var count: Int {
    switch self {
    case .run(let run): run.count
    case .file(let file): file.count
    }
  }
  var bytes: Int {
    switch self {
    case .run(let run): run.rowBytes
    case .file(let file): file.bytes
    }
  }
  var isDecided: Bool {
    switch self {
    case .run(let run): run.isDecided
    case .file(let file): file.isDecided
    }
  }
}

/// Sorted parts, given out in ranges of the whole order. The task that takes a range merges and copies it, or makes
/// other rows of it.
///
/// Of equal rows, those of the earlier part come first.
final class RangedRows: ExactRowStream {
  let schema: Schema
  private let order: SortOrder
  private let parts: [SortPart]
  /// The first rows of all ranges but the first one. They are rows rather than values, so that ranges stay small where
  /// values are few.
  private let splitters: [Splitter]
  private let isDecided: Bool
  /// The number of ranges given out, or that of rows if they are merged, and where the next one begins in each part
  /// that is in memory.
  private let state: Mutex<(range: Int, cuts: [Int])>
  /// Rows that may be needed; ranges after them are not made.
  private let limit: Int
  private let make: Make?, fold: Make?
  /// The rows, if they are too large for ranges.
  private let merged: MergedParts?
  /// Makes rows of a range. Equal rows are in the same range then.
  typealias Make = @Sendable (_ places: [SortPlace], _ runs: [SortRun]) throws(Problem) -> RowBatch
  private static let samples = 32

  private struct Splitter: Sendable {
    let place: SortPlace
    /// The run that has it as row `place.row`.
    let run: SortRun
    let part: Int, number: Int
    /// The number of rows that it was chosen from.
    var weight: Int
  }

  /// - Parameters:
  ///   - schema: of the rows that come out.
  ///   - parts: in the order in which their rows came in.
  ///   - make: nil for the rows as they are.
  ///   - fold: makes rows such as those of the parts, one of equal ones.
  /// - Throws: `io`.
  init(
    schema: Schema, order: SortOrder, parts: [SortPart], limit: Int? = nil, make: Make? = nil, fold: Make? = nil
  ) throws(Problem) {
    self.schema = schema
    self.order = order
    self.parts = parts
    self.limit = limit ?? .max
    (self.make, self.fold) = (make, fold)
    isDecided = parts.allSatisfy(\.isDecided)
    state = Mutex((0, Array(repeating: 0, count: parts.count)))
    let rows = parts.reduce(0) { $0 + $1.count }, bytes = parts.reduce(0) { $0 + $1.bytes }
    let files = parts.count { if case .file = $0 { true } else { false } }
    let isWide = parts.contains { if case .file(let file) = $0 { file.isWide } else { false } }
    merged = isWide ? try MergedParts(parts, order) : nil
    if isWide {
      splitters = []
      return
    }
    // A range reads about one block of each file too many.
    let size = max(192 << 10, files * SpilledRun.blockSize * 2)
    let ranges = max(1, min(bytes / size, rows), files == 0 ? rows / 8192 : 0)
    let samples = Self.samples(of: parts, each: max(1, rows / (ranges * Self.samples)))
    splitters = Self.splitters(samples, ranges, order, isDecided)
  }

  private static func samples(of parts: [SortPart], each step: Int) -> [Splitter] {
    var samples: [Splitter] = [], skip = step / 2
    for (index, part) in parts.enumerated() {
      var last = -1
      while skip < part.count {
        switch part {
        case .run(let run):
          samples.append(Splitter(place: run.view.place(skip, run: 0), run: run, part: index, number: skip, weight: 1))
        case .file(let file):
          let block = file.blocks.firstIndex(after: skip) - 1
          if block == last {
            samples[samples.count - 1].weight += 1
          } else {
            let run = file.firsts[block]
            samples.append(
              Splitter(
                place: run.view.place(0, run: 0), run: run, part: index, number: file.blocks[block].firstRow, weight: 1)
            )
          }
          last = block
        }
        skip += step
      }
      skip -= part.count
    }
    return samples
  }

  /// Samples that divide the rows into ranges of about the same size.
  private static func splitters(
    _ samples: [Splitter], _ ranges: Int, _ order: SortOrder, _ isDecided: Bool
  ) -> [Splitter] {
    let views = samples.map(\.run.view)
    var places = samples.enumerated().map { index, sample in
      SortPlace(head: sample.place.head, next: sample.place.next, run: Int32(index), row: sample.place.row)
    }
    RadixSort.sort(&places, isDecided: isDecided) { a, b in
      order.compare(views[Int(a.run)], Int(a.row), views[Int(b.run)], Int(b.row))
    }
    let total = samples.reduce(0) { $0 + $1.weight }
    var result: [Splitter] = [], seen = 0
    for place in places {
      let sample = samples[Int(place.run)]
      seen += sample.weight
      if result.count + 1 < ranges, seen * ranges > total * (result.count + 1) { result.append(sample) }
    }
    return result
  }

  /// Whether a row comes before a splitter.
  private func isBefore(
    _ row: Int, of view: SortRun.View, part: Int, firstRow: Int, _ splitter: Splitter, _ splitterView: SortRun.View
  ) -> Bool {
    let place = view.place(row, run: 0)
    if place.head != splitter.place.head { return place.head < splitter.place.head }
    if place.next != splitter.place.next { return place.next < splitter.place.next }
    let result = isDecided ? 0 : order.compare(view, row, splitterView, Int(splitter.place.row))
    if result != 0 || make != nil { return result < 0 }
    return part == splitter.part ? firstRow + row < splitter.number : part < splitter.part
  }

  /// The first row of a run, from `start` on, that does not come before a splitter.
  private func cut(_ run: SortRun, part: Int, firstRow: Int = 0, from start: Int = 0, _ splitter: Splitter) -> Int {
    let view = run.view, other = splitter.run.view
    func isBefore(_ at: Int) -> Bool { self.isBefore(at, of: view, part: part, firstRow: firstRow, splitter, other) }
    var low = start, step = 1
    while low + step <= run.count, isBefore(low + step - 1) {
      low += step
      step *= 2
    }
    var high = min(low + step - 1, run.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    withExtendedLifetime((run, splitter)) {}
    return low
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let merged else { return nextTask() }
    guard state.withLock({ $0.range }) < limit, let (places, runs) = try merged.next(folding: fold) else {
      return nil
    }
    state.withLock { $0.range += places.count }
    return BatchTask { () throws(Problem) in
      try self.make?(places, runs) ?? RowBatch(gathering: places, of: runs, width: self.schema.width)
    }
  }

  /// The next range, without waiting.
  private func nextTask() -> BatchTask? {
    let piece: (range: Int, starts: [Int], ends: [Int])? = state.withLock { state in
      guard state.range <= splitters.count, state.cuts.reduce(0, +) < limit else { return nil }
      let starts = state.cuts, range = state.range
      for (index, part) in parts.enumerated() {
        switch part {
        case .run(let run):
          state.cuts[index] =
            range < splitters.count ? cut(run, part: index, from: starts[index], splitters[range]) : run.count
        case .file: break
        }
      }
      state.range += 1
      return (range, starts, state.cuts)
    }
    guard let piece else { return nil }
    return BatchTask { () throws(Problem) in
      let (places, runs) = try self.places(piece.range, piece.starts, piece.ends)
      return try self.make?(places, runs) ?? RowBatch(gathering: places, of: runs, width: self.schema.width)
    }
  }

  /// Writes all rows to a file.
  /// - Throws: `io`.
  func write(to file: inout SpilledRun) throws(Problem) {
    if let merged {
      while let (places, runs) = try merged.next(folding: nil) { try file.append(places, of: runs) }
      return
    }
    var starts = Array(repeating: 0, count: parts.count)
    for range in 0...splitters.count {
      var ends = starts
      for (index, part) in parts.enumerated() {
        guard case .run(let run) = part else { continue }
        ends[index] = range < splitters.count ? cut(run, part: index, from: starts[index], splitters[range]) : run.count
      }
      let (places, runs) = try places(range, starts, ends)
      try file.append(places, of: runs)
      starts = ends
    }
  }

  /// The rows of a range, in order.
  /// - Throws: `io`.
  private func places(_ range: Int, _ starts: [Int], _ ends: [Int]) throws(Problem) -> ([SortPlace], [SortRun]) {
    var runs: [SortRun] = [], ranges: [Range<Int>] = []
    func add(_ run: SortRun, _ rows: Range<Int>) {
      if rows.isEmpty { return }
      runs.append(run)
      ranges.append(rows)
    }
    for (index, part) in parts.enumerated() {
      switch part {
      case .run(let run): add(run, starts[index]..<ends[index])
      case .file(let file):
        let first = range == 0 ? nil : splitters[range - 1], end = range < splitters.count ? splitters[range] : nil
        // The block that a splitter falls into is read by both ranges.
        let lowest = first.map { max(0, self.block(of: $0, in: file, part: index) - 1) } ?? 0
        let highest = end.map { self.block(of: $0, in: file, part: index) } ?? file.blocks.count
        for block in file.blocks[lowest..<max(lowest, highest)] {
          let run = try file.read(block)
          let lower = first.map { cut(run, part: index, firstRow: block.firstRow, $0) } ?? 0
          let upper = end.map { cut(run, part: index, firstRow: block.firstRow, from: lower, $0) } ?? run.count
          add(run, lower..<upper)
        }
      }
    }
    let views = runs.map(\.view)
    var places: [SortPlace] = []
    places.reserveCapacity(ranges.reduce(0) { $0 + $1.count })
    for (number, rows) in ranges.enumerated() {
      let view = views[number]
      view.prefetch(rows)
      for row in rows { places.append(view.place(row, run: number)) }
    }
    RadixSort.sort(&places, isDecided: isDecided) { a, b in
      order.compare(views[Int(a.run)], Int(a.row), views[Int(b.run)], Int(b.row))
    }
    return (places, runs)
  }

  /// The first block of a file whose first row does not come before a splitter.
  private func block(of splitter: Splitter, in file: SpilledRun, part: Int) -> Int {
    let other = splitter.run.view
    var low = 0, high = file.blocks.count
    while low < high {
      let middle = (low + high) / 2
      let isBefore = isBefore(
        0, of: file.firsts[middle].view, part: part, firstRow: file.blocks[middle].firstRow, splitter, other)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension [SpilledRun.Block] {
  /// The first block that begins after a row; the last one of the file if there is none, plus one.
  fileprivate func firstIndex(after row: Int) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].firstRow <= row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
