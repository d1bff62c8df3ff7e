import Codecs
import Rows

/// Any bytes at all, as a table. What must hold: nothing traps; a table that is read, written and read again has the
/// same names, types and values; and written again it is the same text.
func csv(_ bytes: [UInt8]) {
  guard let first = table(bytes) else { return }
  let text = written(first)
  guard let second = table(text) else { preconditionFailure("what was written is refused") }
  precondition(first.schema == second.schema, "other names or types")
  precondition(first.rows == second.rows, "other values")
  precondition(written(second) == text, "another text")
}

private struct Table {
  let schema: Schema
  var batches: [RowBatch] = []
  var rows: [[Value]] = []
}

/// The table of a text; nil when it is refused.
private func table(_ bytes: [UInt8]) -> Table? {
  do throws(Problem) {
    let stream = try CSVRowStream.inferring(MemoryByteSource(bytes, name: "fuzz"), table: "t")
    var table = Table(schema: stream.schema)
    while let work = try stream.nextWork() {
      let batch = try work.batch()
      table.batches.append(batch)
      for row in 0..<batch.count { table.rows.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    return table
  } catch {
    precondition(error.kind == .badData, "\(error)")
    return nil
  }
}

private func written(_ table: Table) -> [UInt8] {
  do throws(Problem) {
    let writer = CSVWriter(table.schema)
    var out = ByteBuffer()
    try writer.begin(&out)
    for batch in table.batches {
      _ = try writer.write(batch, &out)
    }
    return out.bytes()
  } catch {
    preconditionFailure("\(error)")
  }
}
