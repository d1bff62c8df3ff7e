import Codecs
import Query
import Rows

/// Returns the records of a CSV text for which a condition holds, as JSON Lines.
func jsonLines(fromCSV text: String, where condition: String) async throws(Problem) -> String {
  let source = MemoryByteSource(Array(text.utf8), name: "people.csv")
  let rows = try CSVRowStream.inferring(source, table: "people")
  var selection = Selection()
  selection.conditions = [try Condition(parsing: condition)]
  let selected = try selection.apply(to: rows, scratch: NoScratch())
  let writer = JSONWriter(selected.schema, framing: .lines)
  var output = ByteBuffer()
  while let work = try await selected.next() { try writer.write(try work.batch(), &output) }
  return String(decoding: output.bytes(), as: UTF8.self)
}
