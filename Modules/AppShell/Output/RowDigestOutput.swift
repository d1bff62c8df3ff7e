import Domain
import Query
import Rows
import Synchronization

/// An output that keeps nothing but the digest of the rows.
struct RowDigestOutput: Exporter {
  /// The digest of the rows; of an export that begins again, of the last attempt.
  final class Result: Sendable {
    private let state = Mutex(RowDigest())
    var digest: RowDigest { state.withLock { $0 } }
    fileprivate func begin() { state.withLock { $0 = RowDigest() } }
    fileprivate func add(_ digest: RowDigest) { state.withLock { $0.add(digest) } }
  }

  let result = Result()
  let descriptor = ExporterDescriptor(
    "digest", fileExtensions: [], mediaType: "application/octet-stream", summary: "digest of the rows", isExact: false)

  func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder { Encoder(schema: schema) }

  /// The output for `Export`.
  var output: Export.Output {
    let result = self.result
    return Export.Output(self, ExportOptions()) { () throws(Problem) in
      result.begin()
      return Sink(result: result)
    }
  }

  /// Writes the digest of each batch, so that it counts only if the batch is written.
  private struct Encoder: RowEncoder {
    let schema: Schema

    func begin(_ out: inout ByteBuffer) {}
    func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
      var digest = RowDigest()
      digest.add(batch, of: schema)
      digest.append(to: &out)
      return EncodedPart(rows: batch.count)
    }
    func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
  }

  private final class Sink: ByteSink {
    let name = "digest"
    let result: Result
    init(result: Result) { self.result = result }
    func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { result.add(RowDigest(bytes: bytes.bytes())) }
    func commit() async throws(Problem) {}
    func abandon() async {}
  }
}
