import Codecs
import Rows

/// Any bytes at all, as a document and as a table. What must hold: nothing traps; canonical text is read as the same
/// value and is canonical again; a table that is read record by record holds what the whole document holds.
func json(_ bytes: [UInt8]) {
  let document = try? JSON.parse(bytes, name: "fuzz")
  if let document {
    let canonical = document.canonicalBytes
    let again = try? JSON.parse(canonical, name: "canonical")
    precondition(again == document && again?.canonicalBytes == canonical, "canonical text is another value")
  }
  let source = MemoryByteSource(bytes, name: "fuzz")
  guard let stream = try? JSONRowStream.inferring(source, table: "t"), let records = rows(stream) else { return }
  if let elements = document?.arrayValue { compare(records, stream.schema, elements) }
}

/// Any bytes, as one record per line: the result equals that of each line.
func ndjson(_ bytes: [UInt8]) {
  let source = MemoryByteSource(bytes, name: "fuzz"), reading = JSONReading(form: .lines)
  guard let stream = try? JSONRowStream.inferring(source, table: "t", reading), let records = rows(stream) else {
    return
  }
  let lines = bytes.split(separator: 10).filter { !$0.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 } }
  let elements = lines.compactMap { try? JSON.parse(Array($0), name: "fuzz") }
  // A record may span several lines; then its lines are not documents.
  if elements.count == lines.count { compare(records, stream.schema, elements) }
}

private func compare(_ records: [[Value]], _ schema: Schema, _ elements: [JSON]) {
  precondition(records.count == elements.count, "another number of records")
  for (record, element) in zip(records, elements) {
    for (value, column) in zip(record, schema.columns) {
      let expected = element[column.name] ?? .null
      switch value {
      case .null: precondition(expected.isNull, "a value is lost")
      case .text(let text): precondition(expected.stringBytes == text, "another text")
      case .number(let literal): precondition(expected.numberLiteral == literal, "another number")
      case .boolean(let truth): precondition(expected.booleanValue == truth, "a different Boolean")
      case .json(let text): precondition(expected.canonicalBytes == text, "another nested value")
      case .bytes, .integer, .real: preconditionFailure("nothing is inferred as this")
      }
    }
  }
}

/// All rows; nil when the document is refused.
private func rows(_ stream: JSONRowStream) -> [[Value]]? {
  var rows: [[Value]] = []
  do throws(Problem) {
    while let work = try stream.nextWork() {
      let batch = try work.batch()
      for row in 0..<batch.count { rows.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    return rows
  } catch {
    precondition(error.kind == .badData, "\(error)")
    return nil
  }
}
