import Rows
import Testing

/// Calls with a count, a position or a capacity. Whatever the number, a call returns or stops the process; it never
/// reads or writes outside a block, which the address sanitizer would see.
enum Boundary {
  /// A call, and the numbers that it accepts, of those below.
  struct Call: Sendable {
    let name: String
    let accepted: Set<Int>
    let run: @Sendable (Int) -> Void
  }

  /// The values that are read and written have three rows, bytes or cells.
  static let numbers = [Int.min, -1, 0, 1, 3, 4, .max]
  private static let all = Set(numbers), below: Set = [0, 1], upTo: Set = [0, 1, 3]

  private static var batch: RowBatch {
    var builder = RowBatchBuilder(width: 1)
    for text in ["a", "b", "c"] { builder.append(text: text) }
    return builder.finish()
  }
  private static var arena: ArenaBuilder {
    var builder = ArenaBuilder(capacity: 3)
    builder.append(Array("abc".utf8))
    return builder
  }
  private static var cells: CellsBuilder {
    var builder = CellsBuilder(capacity: 3)
    for number in 0..<3 { builder.append(.integer(Int64(number))) }
    return builder
  }
  private static var buffer: ByteBuffer {
    var buffer = ByteBuffer(capacity: 3)
    buffer.append(bytes: Array("abc".utf8))
    return buffer
  }
  private static var source: MemoryByteSource { MemoryByteSource("abc", name: "abc") }

  static let calls: [Call] = [
    Call(name: "RowBatch.subscript(row:)", accepted: below) { _ = batch[$0, 0] },
    Call(name: "RowBatch.subscript(column:)", accepted: [0]) { _ = batch[0, $0] },
    Call(name: "RowBatch.value(row:)", accepted: below) { _ = batch.value($0, 0) },
    Call(name: "RowBatch.value(column:)", accepted: [0]) { _ = batch.value(0, $0) },
    Call(name: "RowBatch.textBytes", accepted: below) { _ = batch.textBytes(ofRow: $0) },
    Call(name: "RowBatch.projected", accepted: [0]) { _ = batch.projected(to: [$0]) },
    Call(name: "RowBatch.selecting", accepted: below) { _ = batch.selecting([$0]) },
    Call(name: "RowBatch.init(width:)", accepted: [1]) { width in
      _ = RowBatch(width: width, count: 3, cells: batch.cells, arena: batch.arena)
    },
    Call(name: "RowBatch.init(count:)", accepted: [3]) { count in
      _ = RowBatch(width: 1, count: count, cells: batch.cells, arena: batch.arena)
    },
    Call(name: "RowBatch.bytes(length:)", accepted: [.min, -1, 0, 1, 3]) { _ = batch.bytes(0, UInt32(clamping: $0)) },
    Call(name: "Arena.bytes(start:)", accepted: [.min, -1, 0, 1]) { _ = batch.arena.bytes(UInt32(clamping: $0), 1) },
    Call(name: "RowBatchBuilder.append(row:)", accepted: below) { row in
      var builder = RowBatchBuilder(width: 1)
      builder.append(row: row, of: batch)
    },
    Call(name: "RowBatchBuilder.append(column:)", accepted: [0]) { column in
      var builder = RowBatchBuilder(width: 1)
      builder.append(0, column, of: batch)
    },
    Call(name: "ArenaBuilder.truncate", accepted: upTo) { count in
      var arena = arena
      arena.truncate(to: count)
    },
    Call(name: "ArenaBuilder.removeFirst", accepted: upTo) { count in
      var arena = arena
      arena.removeFirst(count)
    },
    Call(name: "ArenaBuilder.reserve", accepted: [.min, -1, 0, 1, 3, 4]) { count in
      var arena = arena
      arena.reserve(count)
    },
    Call(name: "ByteBuffer.truncate", accepted: upTo) { count in
      var buffer = buffer
      buffer.truncate(to: count)
    },
    Call(name: "ByteBuffer.room", accepted: [.min, -1, 0, 1, 3, 4]) { count in
      var buffer = buffer
      _ = unsafe buffer.room(count)
    },
    Call(name: "CellsBuilder.truncate", accepted: upTo) { count in
      var cells = cells
      cells.truncate(to: count)
    },
    Call(name: "CellsBuilder.subscript", accepted: below) { position in
      var cells = cells
      cells[position] = cells[position]
    },
    Call(name: "Cells.subscript", accepted: below) { _ = batch.cells[$0] },
    Call(name: "ColumnSet.insert", accepted: [0, 1, 3, 4]) { position in
      var set = ColumnSet()
      set.insert(position)
    },
    Call(name: "ColumnSet.contains", accepted: all) { _ = ColumnSet().contains($0) },
    Call(name: "DecimalSize.init(precision:)", accepted: all) { _ = DecimalSize(precision: $0, scale: 0) },
    Call(name: "DecimalSize.init(scale:)", accepted: all) { _ = DecimalSize(precision: 3, scale: $0) },
    Call(name: "Schema.projected", accepted: [0]) { position in
      _ = Schema("t", columns: [ColumnDescription("c", .text)]).projected(to: [position])
    },
    Call(name: "MemoryByteSource.read(limit:)", accepted: all) { limit in
      var arena = arena
      _ = try? source.read(into: &arena, limit: limit)
    },
    Call(name: "MemoryByteSource.read(at:)", accepted: [0, 1, 3, 4, .max]) { offset in
      var arena = arena
      _ = try? source.read(at: offset, count: 1, into: &arena)
    },
    Call(name: "MemoryByteSource.read(count:)", accepted: all) { count in
      var arena = arena
      _ = try? source.read(at: 0, count: count, into: &arena)
    },
    Call(name: "RandomAccessSource.bytes(at:)", accepted: all) { _ = try? source.bytes(at: $0, count: 1) },
    Call(name: "RandomAccessSource.bytes(count:)", accepted: all) { _ = try? source.bytes(at: 0, count: $0) },
  ]
}

@Suite("counts and positions") struct BoundaryTests {
  @Test("a call accepts what there is, and stops the process otherwise", arguments: Boundary.calls.indices)
  func boundary(index: Int) async {
    let call = Boundary.calls[index]
    for number in Boundary.numbers {
      if call.accepted.contains(number) {
        call.run(number)
      } else {
        await #expect(processExitsWith: .failure, "\(call.name) accepts \(number)") {
          [index = index as Int, number = number as Int] in
          Boundary.calls[index].run(number)
        }
      }
    }
  }
}
