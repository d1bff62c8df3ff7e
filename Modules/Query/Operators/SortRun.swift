import CSearch
import Rows

/// Rows in order in one block: first where each of them begins (4 bytes), then their words (16 bytes), then the rows
/// one after the other. In a temporary file a run is the same bytes.
///
/// A row is its packed cells, 8 bytes each, and then their bytes, so that it is copied as a whole. Packed rows need
/// about half the memory of a batch.
struct SortRun: Sendable {
  let width: Int
  let count: Int
  /// Whether rows with the same words are equal.
  let isDecided: Bool
  let block: Arena
  /// The bytes of all rows together.
  let rowBytes: Int

  /// A run that was read from a file.
  init(width: Int, count: Int, rowBytes: Int, isDecided: Bool, block: Arena) {
    precondition(block.count == Self.size(count, rowBytes), "internal error: a run has the wrong size")
    self.width = width
    self.count = count
    self.rowBytes = rowBytes
    self.isDecided = isDecided
    self.block = block
  }

  /// The bytes of a run.
  private static func size(_ count: Int, _ rowBytes: Int) -> Int { rows(count) + rowBytes }
  /// Where the rows begin in the block.
  fileprivate static func rows(_ count: Int) -> Int { (count + 1) * 4 + count * 16 }

  init(_ batch: RowBatch, _ order: SortOrder) {
    let reader = CellReader(batch)
    var places: [SortPlace] = [], isDecided = true
    places.reserveCapacity(batch.count)
    for row in 0..<batch.count {
      let words = order.words(reader, row)
      isDecided = isDecided && words.isDecided
      places.append(SortPlace(head: words.head, next: words.next, run: 0, row: Int32(row)))
    }
    RadixSort.sort(&places, isDecided: isDecided) { a, b in
      order.compare(reader, Int(a.row), reader, Int(b.row))
    }
    let width = batch.width, cells = unsafe batch.cells.base, text = unsafe batch.arena.base
    var rowBytes = 0
    for at in 0..<batch.cells.count { rowBytes += unsafe PackedCell.size(of: cells[at]) }
    block = unsafe Self.block(places, rowBytes: rowBytes) { place, target in
      var end = unsafe target + width * 8
      for column in 0..<width {
        let cell = unsafe cells[Int(place.row) &* width &+ column]
        unsafe PackedCell.store(cell, text, at: target + column &* 8, in: target, &end)
      }
      return unsafe end
    }
    self.rowBytes = rowBytes
    self.width = width
    count = batch.count
    self.isDecided = isDecided
  }

  /// Rows of several runs, in the order of their places.
  init(gathering places: [SortPlace], of runs: [SortRun], width: Int) {
    let views = runs.map(\.view)
    rowBytes = places.reduce(0) { $0 + views[Int($1.run)].range(Int($1.row)).count }
    block = unsafe Self.block(places, rowBytes: rowBytes) { place, target in
      let view = views[Int(place.run)], range = view.range(Int(place.row))
      unsafe copyBytes(view.rows + range.lowerBound, to: target, range.count)
      return unsafe target + range.count
    }
    self.width = width
    count = places.count
    isDecided = runs.allSatisfy(\.isDecided)
    withExtendedLifetime(runs) {}
  }

  /// A block of rows, which `write` writes one after the other; it returns the end of each.
  private static func block(
    _ places: [SortPlace], rowBytes: Int,
    _ write: (SortPlace, UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) -> Arena {
    let size = size(places.count, rowBytes)
    var builder = ArenaBuilder(capacity: size)
    _ = unsafe builder.appendBytes(atMost: size) { memory in
      guard let block = unsafe memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      let header = UnsafeMutableRawPointer(block), words = unsafe header + (places.count + 1) * 4
      let first = unsafe block + rows(places.count)
      var end = unsafe first
      for (index, place) in places.enumerated() {
        unsafe header.storeBytes(of: UInt32(end - first), toByteOffset: index &* 4, as: UInt32.self)
        unsafe words.storeBytes(of: place.head, toByteOffset: index &* 16, as: UInt64.self)
        unsafe words.storeBytes(of: place.next, toByteOffset: index &* 16 &+ 8, as: UInt64.self)
        unsafe end = write(place, end)
      }
      precondition(unsafe end - first == rowBytes, "internal error: rows have another size")
      unsafe header.storeBytes(of: UInt32(rowBytes), toByteOffset: places.count * 4, as: UInt32.self)
      return size
    }
    return builder.freeze()
  }

  /// The memory in use, in bytes.
  var memory: Int { block.capacity }

  /// The rows without their owner, for as long as the run exists.
  var view: View { View(self) }

  @safe struct View: ReadableRows {
    let rows: UnsafePointer<UInt8>
    private let starts: UnsafeRawPointer
    private let words: UnsafeRawPointer
    private let width: Int

    fileprivate init(_ run: SortRun) {
      unsafe starts = UnsafeRawPointer(run.block.base)
      unsafe words = starts + (run.count + 1) * 4
      unsafe rows = run.block.base + SortRun.rows(run.count)
      width = run.width
    }

    @inline(__always) func range(_ row: Int) -> Range<Int> {
      let start = unsafe starts.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self)
      let end = unsafe starts.loadUnaligned(fromByteOffset: row &* 4 &+ 4, as: UInt32.self)
      return Int(start)..<Int(end)
    }
    /// A row as one of `run`.
    @inline(__always) func place(_ row: Int, run: Int) -> SortPlace {
      unsafe SortPlace(
        head: words.loadUnaligned(fromByteOffset: row &* 16, as: UInt64.self),
        next: words.loadUnaligned(fromByteOffset: row &* 16 &+ 8, as: UInt64.self), run: Int32(run), row: Int32(row))
    }
    @inline(__always) func cell(_ row: Int, _ column: Int) -> Cell {
      let start = range(row).lowerBound
      return unsafe PackedCell.load(rows + start + column &* 8, of: rows + start, at: start)
    }
    var reader: CellReader { unsafe CellReader(bytes: rows) }

    /// Fetches rows ahead of their use: later they are read in another order, which no cache foresees.
    @inline(__always) func prefetch(_ rows: Range<Int>) {
      if rows.isEmpty { return }
      var at = range(rows.lowerBound).lowerBound
      let end = range(rows.upperBound &- 1).upperBound
      while at < end {
        unsafe bb_prefetch(self.rows + at)
        at &+= 64
      }
    }
  }
}

/// A row of a run, and its words.
struct SortPlace {
  var head: UInt64
  var next: UInt64
  var run: Int32
  var row: Int32
}

extension RowBatch {
  /// Rows of several runs in a batch of their own.
  init(gathering places: [SortPlace], of runs: [SortRun], width: Int) {
    let views = runs.map(\.view), fixed = width * 8
    let size = places.reduce(0) { $0 + views[Int($1.run)].range(Int($1.row)).count - fixed }
    var arena = ArenaBuilder(capacity: size), cells = CellsBuilder(capacity: places.count * width)
    _ = unsafe arena.appendBytes(atMost: size) { memory in
      guard let text = unsafe memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      var used = 0
      for place in places {
        let view = views[Int(place.run)], range = view.range(Int(place.row))
        let row = unsafe view.rows + range.lowerBound, target = unsafe cells.appendRow(width)
        for column in 0..<width {
          unsafe target[column] = PackedCell.load(row + column &* 8, of: row, at: used &- fixed)
        }
        let length = range.count &- fixed
        unsafe copyBytes(row + fixed, to: text + used, length)
        used &+= length
      }
      return used
    }
    withExtendedLifetime(runs) {}
    self = unsafe RowBatch(width: width, count: places.count, uncheckedCells: cells.freeze(), arena: arena.freeze())
  }
}
