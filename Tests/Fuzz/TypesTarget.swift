import Codecs
import Rows

/// Any bytes at all, as a column of numbers, dates and words. What must hold: whatever type is found in a part of the
/// values or in all of them, the values are written as they were spelled.
func types(_ bytes: [UInt8]) {
  let signs = Array("0123456789012345678901234567890120242024//..--:: +TZeE%$AMPtrue".utf8)
  var text = Array("k,v\n".utf8)
  for line in bytes.split(separator: 0, maxSplits: 200) {
    text += Array("k,".utf8) + line.prefix(40).map { signs[Int($0) % signs.count] } + [0x0A]
  }
  let rows: CSVRowStream
  do throws(Problem) { rows = try CSVRowStream.inferring(MemoryByteSource(text, name: "fuzz"), table: "t") } catch {
    preconditionFailure("\(error)")
  }
  do throws(Problem) {
    let writer = CSVWriter(rows.schema)
    var out = ByteBuffer()
    try writer.begin(&out)
    while let task = try rows.nextWork() { _ = try writer.write(try task.batch(), &out) }
    precondition(out.bytes() == text, "\(rows.schema.columns[1].type) is spelled otherwise")
  } catch {
    preconditionFailure("\(error)")
  }
}
