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
