import Codecs
import Domain

/// Any bytes at all, as a document and as a table. What must hold: nothing traps; canonical text is read as the same value and is canonical
/// again; a table that is read record by record holds what the whole document holds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let document = try? JSON.parse(bytes, name: "fuzz")
  if let document {
    let canonical = document.canonicalBytes
    let again = try? JSON.parse(canonical, name: "canonical")
    precondition(again == document && again?.canonicalBytes == canonical, "canonical text is another value")
  }
  let source = MemoryByteSource(bytes, name: "fuzz")
  guard let stream = try? JSONRowStream.inferring(source, table: "t"), let records = rows(stream) else { return 0 }
  guard let elements = document?.arrayValue else { return 0 }
  precondition(records.count == elements.count, "another number of records")
  for (record, element) in zip(records, elements) {
    for (value, column) in zip(record, stream.schema.columns) {
      let expected = element[column.name] ?? .null
      switch value {
      case .null: precondition(expected.isNull, "a value is lost")
      case .text(let text): precondition(expected.stringBytes == text, "another text")
      case .number(let literal): precondition(expected.numberLiteral == literal, "another number")
      case .boolean(let truth): precondition(expected.booleanValue == truth, "another truth value")
      case .json(let text): precondition(expected.canonicalBytes == text, "another nested value")
      case .bytes, .integer, .real: preconditionFailure("nothing is inferred as this")
      }
    }
  }
  return 0
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

/// libFuzzer's own loop, from its library.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Where SwiftPM expects a program to begin.
@_cdecl("JSONFuzz_main")
public func begin(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var count = count
  var arguments = unsafe arguments
  return unsafe runDriver(&count, &arguments) { start, count in unsafe fuzzJSON(start, count) }
}
