import Codecs
import Domain
import Rows

/// The array of another format within an object that says what it is: `{"bb":1,"kind":"notes","items":[…]}`.
struct JSONEnvelopeExporter: Exporter {
  private let inner: any Exporter
  private let kind: String

  /// The array that `inner` (JSON) writes, of items of `kind`.
  init(_ inner: any Exporter, kind: String) {
    self.inner = inner
    self.kind = kind
  }

  /// The inner format's.
  var descriptor: ExporterDescriptor { inner.descriptor }

  /// An encoder.
  func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    Encoder(inner: try inner.makeEncoder(for: schema, options: options, layout: layout), kind: kind)
  }

  private struct Encoder: RowEncoder {
    let inner: any RowEncoder
    let kind: String

    func begin(_ out: inout ByteBuffer) throws(Problem) {
      out.append("{\"bb\":1,\"kind\":\(JSONText.quoted(kind)),\"items\":")
      try inner.begin(&out)
    }
    var separator: StaticString { inner.separator }
    func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
      try inner.encode(batch, &out)
    }
    func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) {
      try inner.finish(all, &out)
      out.append("}\n")
    }
  }
}
