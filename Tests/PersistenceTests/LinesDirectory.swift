import Codecs
import Persistence
import Rows

extension DirectoryFormat {
  /// A kind of directory store that only tests know, added as documented: this value, and nothing else.
  static let lines = DirectoryFormat(
    scheme: "ndjson", summary: "a directory with an NDJSON file for each dataset", tableSuffix: ".ndjson",
    typeOfExtras: .json, codec: LinesCodec())
}

private struct LinesCodec: DirectoryCodec {
  func sidecar(of schema: Schema, file: String) -> [UInt8]? { nil }
  func columns(ofSidecar bytes: [UInt8], name: String) -> [ColumnDescription] { [] }

  func columnNames(_ file: any ByteSource, known: [ColumnDescription]) async throws(Problem) -> [String] {
    var stream: any RowStream = try JSONRowStream.inferring(file, table: "", JSONReading(form: .lines))
    while true {
      do throws(Problem) {
        while let work = try await stream.next() { _ = try work.batch() }
        return stream.schema.columns.map(\.name)
      } catch {
        guard error.kind == .badData, let wider = try await stream.widened() else { throw error }
        stream = wider
      }
    }
  }

  func rows(_ file: any ByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream {
    JSONRowStream(file, schema: schema, JSONReading(form: .lines, columns: columns))
  }

  func encoder(_ schema: Schema) -> any DirectoryEncoder { Encoder(writer: JSONWriter(schema, framing: .lines)) }

  private struct Encoder: DirectoryEncoder {
    let writer: JSONWriter
    var separator: String { "" }
    func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
    func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem) {
      if !isFirst { out.append(writer.separator) }
      try writer.write(batch, &out)
    }
    func finish(isEmpty: Bool, _ out: inout ByteBuffer) { writer.finish(isEmpty: isEmpty, &out) }
  }

  func lines(of records: [Int], _ file: any ByteSource, _ schema: Schema) async throws(Problem) -> [Int]? { nil }
}
