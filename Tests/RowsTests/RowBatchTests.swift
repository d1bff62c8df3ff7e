import Rows
import Testing

/// What safe code does wrong with batches stops the process at once. That a builder cannot be used after `freeze` or
/// `finish` is checked by the compiler.
@Suite("row batches") struct RowBatchTests {
  private static func cells(_ cells: [Cell]) -> Cells {
    var builder = CellsBuilder(capacity: 1)
    for cell in cells { builder.append(cell) }
    return builder.freeze()
  }

  @Test("builders grow, and keep what they hold") func growth() {
    var arena = ArenaBuilder(capacity: 1), cells = CellsBuilder(capacity: 0)
    for number in 0..<1000 {
      cells.append(.text(UInt32(arena.count), 4))
      arena.append(Array("\(1000 + number)".utf8))
    }
    cells[7] = .null
    let batch = RowBatch(width: 10, count: 100, cells: cells.freeze(), arena: arena.freeze())
    #expect(batch.value(99, 9) == .text("1999"))
    #expect(batch.value(0, 7) == .null)
    #expect(batch.arena.count == 4000)
  }

  @Test("a batch taken from a builder does not change when the builder is filled again") func taken() {
    var builder = RowBatchBuilder(width: 1)
    builder.append(text: "first")
    let first = builder.takeBatch()
    builder.append(text: "other")
    #expect(first.value(0, 0) == .text("first"))
    #expect(builder.finish().value(0, 0) == .text("other"))
  }

  @Test("removing bytes keeps the others") func removal() {
    var arena = ArenaBuilder(capacity: 8)
    arena.append(Array("abcdef".utf8))
    arena.removeFirst(2)
    arena.truncate(to: 3)
    #expect(arena.bytes == Array("cde".utf8))
    arena.removeAll()
    #expect(arena.bytes.isEmpty)
  }

  /// The limit of these builders is 64 bytes instead of 4 GiB.
  @Test("a builder holds as many bytes as its limit", arguments: [0, 1, 63, 64]) func limit(size: Int) {
    for start in [0, 1, 40] where start <= size {
      var asked = ArenaBuilder(capacity: 1, limit: 64), appended = ArenaBuilder(capacity: start, limit: 64)
      var reserved = ArenaBuilder(capacity: 64, limit: 64)
      for _ in 0..<start { asked.append([1]) }
      let count = unsafe asked.appendBytes(atMost: size - start) { room in
        for place in room.indices { unsafe room[place] = 7 }
        return room.count
      }
      appended.append([UInt8](repeating: 7, count: start))
      appended.append([UInt8](repeating: 7, count: size - start))
      reserved.reserve(size)
      #expect(count == size - start && asked.count == size && appended.count == size)
      #expect(asked.capacity <= 64 && appended.capacity <= 64 && reserved.capacity == 64)
    }
  }

  @Test("a request beyond the limit stops the process", arguments: [65, Int.max]) func beyondLimit(size: Int) async {
    await #expect(processExitsWith: .failure) { [size = size as Int] in _ = ArenaBuilder(capacity: size, limit: 64) }
    await #expect(processExitsWith: .failure) { [size = size as Int] in
      var arena = ArenaBuilder(capacity: 1, limit: 64)
      arena.reserve(size)
    }
    for start in [1, 40] {
      await #expect(processExitsWith: .failure) { [size = size as Int, start = start as Int] in
        var arena = ArenaBuilder(capacity: 1, limit: 64)
        arena.append([UInt8](repeating: 1, count: start))
        _ = unsafe arena.appendBytes(atMost: size - start) { _ in 0 }
      }
      await #expect(processExitsWith: .failure) { [size = size as Int, start = start as Int] in
        var arena = ArenaBuilder(capacity: 1, limit: 64)
        arena.append([UInt8](repeating: 1, count: start))
        arena.append([UInt8](repeating: 1, count: min(size, 1 << 20) - start))
      }
    }
    await #expect(processExitsWith: .failure) {
      var arena = ArenaBuilder(capacity: 1, limit: 64)
      _ = unsafe arena.appendBytes(atMost: -1) { _ in 0 }
    }
  }

  @Test("a capacity, width or position without end stops the process") func endless() async {
    await #expect(processExitsWith: .failure) { _ = ArenaBuilder(capacity: .max) }
    await #expect(processExitsWith: .failure) { _ = ByteBuffer(capacity: .max) }
    await #expect(processExitsWith: .failure) { _ = CellsBuilder(capacity: .max) }
    await #expect(processExitsWith: .failure) { _ = RowBatchBuilder(width: .max) }
    await #expect(processExitsWith: .failure) {
      var set = ColumnSet()
      set.insert(.max)
    }
    await #expect(processExitsWith: .failure) {
      var set = ColumnSet()
      set.insert(-1)
    }
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer()
      buffer.append(byte: 1)
      _ = unsafe buffer.room(.max)
    }
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer()
      buffer.truncate(to: 1)
    }
    #expect(!ColumnSet().contains(.max) && !ColumnSet().contains(-1))
  }

  @Test("a buffer of no capacity grows", arguments: [-1, 0, 1]) func noCapacity(capacity: Int) {
    var buffer = ByteBuffer(capacity: capacity), arena = ArenaBuilder(capacity: capacity)
    var cells = CellsBuilder(capacity: capacity)
    for byte in UInt8(0)..<200 {
      buffer.append(byte: byte)
      arena.append([byte])
      cells.append(.integer(Int64(byte)))
    }
    #expect(buffer.bytes() == Array(0..<200) && arena.bytes == Array(0..<200) && cells[199] == .integer(199))
  }

  @Test("reading or writing a missing cell stops the process") func missingCell() async {
    await #expect(processExitsWith: .failure) { _ = Self.cells([.null])[1 << 28] }
    await #expect(processExitsWith: .failure) { _ = Self.cells([.null])[-1] }
    await #expect(processExitsWith: .failure) {
      var builder = CellsBuilder(capacity: 100)
      builder[1 << 28] = .null
    }
    await #expect(processExitsWith: .failure) {
      _ = RowBatch(width: 1, count: 1, cells: Self.cells([.null]), arena: Arena([]))[0, 1]
    }
  }

  @Test("a range outside the arena stops the process") func rangeOutside() async {
    await #expect(processExitsWith: .failure) { _ = Arena([1]).bytes(0, 2) }
    await #expect(processExitsWith: .failure) {
      _ = RowBatch(width: 1, count: 1, cells: Self.cells([.text(1 << 28, 1)]), arena: Arena([1]))
    }
    await #expect(processExitsWith: .failure) {
      var arena = ArenaBuilder()
      arena.truncate(to: 1)
    }
    await #expect(processExitsWith: .failure) {
      var arena = ArenaBuilder()
      arena.removeFirst(1)
    }
  }

  @Test("an incomplete row stops the process") func incompleteRow() async {
    await #expect(processExitsWith: .failure) {
      _ = RowBatch(width: 2, count: 1, cells: Self.cells([.null]), arena: Arena([]))
    }
    await #expect(processExitsWith: .failure) {
      var builder = RowBatchBuilder(width: 2)
      builder.appendNull()
      _ = builder.finish()
    }
  }
}
