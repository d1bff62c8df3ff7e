import Codecs
import Domain
import Exporters
import Rows
import Synchronization

/// A requested conversion.
struct Request {
  private let from: String
  private let to: [any Exporter]
  private let types: ColumnTypes
  private let threads: Int
  /// Bytes of text that follow.
  let count: Int

  /// The members of a line of JSON.
  init(_ line: [UInt8]) throws(Problem) {
    let request = try JSON.parse(line, name: "request")
    from = request["from"]?.stringValue ?? ""
    threads = Int(request["threads"]?.integerValue ?? 1)
    count = Int(request["bytes"]?.integerValue ?? 0)
    let registry = ExporterRegistry()
    var exporters: [any Exporter] = []
    for name in request["to"]?.arrayValue ?? [] {
      exporters.append(try registry.exporter(named: name.stringValue ?? ""))
    }
    to = exporters
    var types: ColumnTypes = [:]
    for member in request["types"]?.objectMembers ?? [] {
      types[member.name] = ColumnType(name: member.value.stringValue ?? "")
    }
    self.types = types
  }

  /// The table that `text` is, and its texts in the formats asked for.
  func convert(_ text: [UInt8]) async throws(Problem) -> (Schema, [[UInt8]]) {
    let source = MemoryByteSource(text, name: "input")
    let rows: any RowStream
    switch from {
    case "json", "ndjson":
      let form: JSONForm = from == "json" ? .automatic : .lines
      rows = try JSONRowStream.inferring(source, table: "input", JSONReading(form: form, types: types))
    default:
      var reading = CSVReading()
      if from == "tsv" { reading.delimiter = 9 }
      reading.types = types
      rows = try CSVRowStream.inferring(source, table: "input", reading)
    }
    let sinks = to.map { _ in Memory() }
    let outputs = zip(to, sinks).map { exporter, sink in
      Export.Output(exporter, ExportOptions()) { () throws(Problem) in
        sink.clear()
        return sink
      }
    }
    let seen = Mutex(rows.schema)
    _ = try await Export(to: outputs, threads: threads, scratch: NoScratch()).run(rows) { (stream) throws(Problem) in
      seen.withLock { $0 = stream.schema }
      return stream
    }
    return (seen.withLock { $0 }, sinks.map(\.bytes))
  }
}

/// An output that stays in memory.
private final class Memory: ByteSink {
  private let written = Mutex<[UInt8]>([])
  let name = "memory"

  var bytes: [UInt8] { written.withLock { $0 } }
  func clear() { written.withLock { $0 = [] } }
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let bytes = bytes.bytes()
    written.withLock { $0 += bytes }
  }
  func commit() async throws(Problem) {}
  func abandon() async {}
}
