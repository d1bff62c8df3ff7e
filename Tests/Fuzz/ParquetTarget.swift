import Parquet
import Rows

/// Any bytes at all, as a Parquet file, and as its metadata. What must hold: nothing traps; rows have the width of
/// their schema, texts are UTF-8.
func parquet(_ bytes: [UInt8]) {
  readParquet(bytes)
  // The metadata at the end, with its size after it; the pages before it are the same bytes.
  let size = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
  readParquet(ParquetFile.mark + bytes + bytes + size + ParquetFile.mark)
}

private func readParquet(_ bytes: [UInt8]) {
  do throws(Problem) {
    let file = try ParquetFile(MemoryByteSource(bytes, name: "fuzz"))
    var reading = ParquetReading()
    reading.maximumField = 1 << 20
    let stream = try ParquetRowStream(file, table: "t", reading)
    var rows = 0
    while rows < 10_000, let task = try stream.nextWork() {
      let batch = try task.batch()
      precondition(batch.width == stream.schema.width, "another width")
      rows += batch.count
      for row in 0..<min(batch.count, 1000) {
        for column in 0..<batch.width {
          guard case .text(let text) = batch.value(row, column) else { continue }
          precondition(String(validating: text, as: UTF8.self) != nil, "a text that is not UTF-8")
        }
      }
    }
  } catch {
    precondition([.badData, .unavailable].contains(error.kind) && error.message != "", "\(error)")
  }
}
