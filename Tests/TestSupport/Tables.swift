package import Rows
import Synchronization

/// Small tables for tests, made from values.
package struct Table {
  package let schema: Schema
  package let rows: [[Value]]

  package init(schema: Schema, rows: [[Value]]) {
    self.schema = schema
    self.rows = rows
  }

  /// A stream of the rows in batches of `size`.
  package func stream(_ size: Int = 2) -> any RowStream {
    var batches: [RowBatch] = []
    for start in stride(from: 0, to: rows.count, by: size) {
      var builder = RowBatchBuilder(width: schema.width)
      for row in rows[start..<min(start + size, rows.count)] { for value in row { builder.append(value: value) } }
      batches.append(builder.finish())
    }
    return BufferedRows(schema: schema, batches: batches)
  }
}

extension RowStream {
  /// Every row that is left, as values.
  package func values() async throws -> [[Value]] {
    try await collect().flatMap { batch in
      (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
    }
  }
}

/// Scratch files in memory.
package struct MemoryScratch: ScratchSpace {
  package init() {}
  package func makeFile() throws(Problem) -> any ScratchFile { MemoryScratchFile() }
}

/// Scratch files in memory that are counted.
package final class CountingScratch: ScratchSpace {
  package init() {}
  private let made = Mutex(0)
  package var files: Int { made.withLock { $0 } }
  package func makeFile() throws(Problem) -> any ScratchFile {
    made.withLock { $0 += 1 }
    return MemoryScratchFile()
  }
}

final class MemoryScratchFile: ScratchFile, @unchecked Sendable {
  private var bytes: [UInt8] = []
  var count: Int { bytes.count }
  func append(_ more: borrowing ByteBuffer) throws(Problem) { bytes += more.bytes() }
  func read(at offset: Int, length: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    let count = min(length, bytes.count - offset)
    if count > 0 { text.append(bytes[offset..<offset + count]) }
    return max(count, 0)
  }
}
