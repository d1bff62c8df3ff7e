import Codecs
import Domain
import Rows
import Synchronization

/// The array of another format within an object that says what it is: `{"bb":1,"kind":"notes","items":[…]}`.
struct JSONEnvelopeExporter: Exporter {
  let inner: any Exporter
  let kind: String

  var descriptor: ExporterDescriptor { inner.descriptor }

  func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    let start = "{\"bb\":1,\"kind\":\(JSONText.quoted(kind)),\"items\":"
    return try await inner.sink(for: schema, options: options) { () throws(Problem) in
      Envelope(start: start, inner: try await open())
    }
  }

  private final class Envelope: ByteSink {
    private let inner: any ByteSink
    private let start: Mutex<String?>

    init(start: String, inner: any ByteSink) {
      self.inner = inner
      self.start = Mutex(start)
    }

    var name: String { inner.name }
    func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
      if let start = start.withLock({ $0.take() }) { try await put(start) }
      try await inner.write(bytes)
    }
    func commit() async throws(Problem) {
      try await put("}\n")
      try await inner.commit()
    }
    func abandon() async { await inner.abandon() }

    private func put(_ text: String) async throws(Problem) {
      var bytes = ByteBuffer(capacity: 128)
      bytes.append(text)
      try await inner.write(bytes)
    }
  }
}
