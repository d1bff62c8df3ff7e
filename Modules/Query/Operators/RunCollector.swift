import CSearch
import Rows
import Synchronization

/// Sorted runs in memory, until there are too many: then those of the beginning go to a file together. So of equal
/// rows, those of an earlier file come first.
final class RunCollector: Sendable {
  private let schema: Schema
  private let order: SortOrder
  private let width: Int
  private let scratch: any ScratchSpace
  private let memoryLimit: Int
  private let state = Mutex(State())

  private struct State {
    /// The number of runs that were added.
    var count = 0
    var runs: [Int: SortRun] = [:]
    var memory = 0
    /// Runs up to here have gone to files; up to there they have all arrived.
    var written = 0, complete = 0
    /// Files by their number; nil while they are written.
    var files: [SpilledRun?] = []
  }

  /// - Parameters:
  ///   - width: the number of cells of a row; nil for that of the schema.
  ///   - memoryLimit: for all runs together, in bytes; those above it go to `scratch`.
  init(_ schema: Schema, _ order: SortOrder, width: Int? = nil, scratch: any ScratchSpace, memoryLimit: Int) {
    self.schema = schema
    self.order = order
    self.width = width ?? schema.width
    self.scratch = scratch
    self.memoryLimit = memoryLimit
  }

  /// Takes in a run. Several workers may do so at the same time.
  /// - Parameter number: where it comes among all runs, from 0 on without gaps; nil if that does not matter.
  /// - Throws: `io`.
  func add(_ run: SortRun, number: Int? = nil) throws(Problem) {
    // Runs leave gaps that fit no others: half as much memory again as is in use.
    if try writeIfFull(adding: run, number) { bb_trim_memory() }
  }

  /// - Returns: whether runs were written to a file, and removed.
  private func writeIfFull(adding run: SortRun, _ number: Int?) throws(Problem) -> Bool {
    guard let full = full(adding: run, number) else { return false }
    var file = try SpilledRun(width: width, scratch: scratch)
    try RangedRows(schema: schema, order: order, parts: full.runs).write(to: &file)
    state.withLock { $0.files[full.number] = file }
    return true
  }

  /// The runs that must go to a file now, in order, and the number of that file. Half of the memory is for those that
  /// are being written; an eighth is for writing them.
  private func full(adding run: SortRun, _ number: Int?) -> (runs: [SortPart], number: Int)? {
    state.withLock { state in
      state.runs[number ?? state.count] = run
      state.count += 1
      state.memory += run.memory
      while state.runs[state.complete] != nil { state.complete += 1 }
      guard state.memory > memoryLimit / 16 * 7, state.complete > state.written else { return nil }
      let runs = (state.written..<state.complete).compactMap { state.runs.removeValue(forKey: $0) }
      state.memory -= runs.reduce(0) { $0 + $1.memory }
      state.written = state.complete
      state.files.append(nil)
      return (runs.map { .run($0) }, state.files.count - 1)
    }
  }

  /// All rows, in the order of the runs, when all have arrived.
  /// - Throws: `io`.
  func parts() throws(Problem) -> [SortPart] {
    let (files, runs) = state.withLock { state in
      (state.files.compactMap(\.self), state.runs.sorted { $0.key < $1.key }.map { SortPart.run($0.value) })
    }
    return try merged(files) + runs
  }

  /// At most 64 files, whose blocks are in memory at the same time; more are merged.
  private func merged(_ files: [SpilledRun]) throws(Problem) -> [SortPart] {
    let largest = files.flatMap(\.blocks).reduce(1) { max($0, $1.size) }, most = max(2, min(64, memoryLimit / largest))
    guard files.count > most else { return files.map { .file($0) } }
    var larger: [SpilledRun] = []
    for start in stride(from: 0, to: files.count, by: most) {
      var file = try SpilledRun(width: width, scratch: scratch)
      let group = files[start..<min(start + most, files.count)].map { SortPart.file($0) }
      try RangedRows(schema: schema, order: order, parts: group).write(to: &file)
      larger.append(file)
    }
    return try merged(larger)
  }
}
