import Codecs
import Dialects
import Domain
import Query
import Rows
import Synchronization

/// The SHA-256 digests of outputs, for `--summary json`.
final class OutputDigests: Sendable {
  /// The sinks by path; the last one if an output was opened again.
  private let sinks = Mutex<[[UInt8]: DigestSink]>([:])

  /// A sink in front of `sink` that computes the digest of the output at `path`.
  func sink(_ sink: any ByteSink, for path: String) -> DigestSink {
    let digest = DigestSink(sink)
    sinks.withLock { $0[Array(path.utf8)] = digest }
    return digest
  }

  /// The summary as a JSON object.
  func text(
    of targets: [OutputTarget], _ summary: Export.Summary, _ verified: RowDigest?,
    _ inputs: [(file: String, digest: String)], _ services: AppServices
  ) -> String {
    let (seconds, attoseconds) = services.started.duration(to: .now).components
    let thousandths = String(1000 + attoseconds / 1_000_000_000_000_000).dropFirst()
    var files = zip(targets, summary.outputs).map { target, written in
      let sink = sinks.withLock { $0[Array(target.path.utf8)] }
      let format = target.exporter.descriptor.name, bytes = sink?.count ?? written.bytes
      return
        "{\"file\":\(JSONText.quoted(target.path)),\"format\":\"\(format)\",\"rows\":\(summary.rows),\"bytes\":\(bytes),\"sha256\":\(sink.map { "\"\($0.digest)\"" } ?? "null")}"
    }
    if let parts = summary.outputs.first?.files, let format = targets.first?.exporter.descriptor.name {
      files = parts.map { entry(of: $0, format) }
    }
    let source = services.provenance.source.map { JSONText.quoted($0) } ?? "null"
    let fetched = services.provenance.fetchedAt.map { JSONText.quoted($0) } ?? "null"
    let failures = services.provenance.failures.map { failure in
      let status = failure.status.map(String.init) ?? "null"
      return "{\"url\":\(JSONText.quoted(failure.url)),\"status\":\(status),\"key\":\(JSONText.quoted(failure.key))}"
    }
    let failed = failures.isEmpty ? "" : "\"failed\":[\(failures.joined(separator: ","))],"
    let read = services.rejects.counts.map { file, kinds in
      let list = kinds.map { kind, records in
        "{\"reason\":\"\(kind.reason.rawValue)\",\"action\":\"\(kind.action.rawValue)\",\"records\":\(records)}"
      }
      let digest = inputs.first { $0.file == file }.map { ",\"sha256\":\"\($0.digest)\"" } ?? ""
      return "{\"file\":\(JSONText.quoted(file)),\"rejects\":[\(list.joined(separator: ","))]\(digest)}"
    }
    let converted = read.isEmpty ? "" : "\"converted\":[\(read.joined(separator: ","))],"
    let digest = verified.map { "\"row_digest\":\"\($0.text)\"," } ?? ""
    return
      "{\"bb\":1,\"seconds\":\(seconds).\(thousandths),\"source\":\(source),\"fetched_at\":\(fetched),\"complete\":\(failures.isEmpty),\(failed)\(converted)\(digest)\"outputs\":[\(files.joined(separator: ","))]}"
  }

  private func entry(of file: PartitionFile, _ format: String) -> String {
    let sink = sinks.withLock { $0[Array(file.path.utf8)] }
    let values = file.values.map { value in
      let text = value.text.map { JSONText.quoted(String(decoding: $0, as: UTF8.self)) } ?? "null"
      return "\(JSONText.quoted(value.column)):\(text)"
    }
    return
      "{\"file\":\(JSONText.quoted(file.path)),\"format\":\"\(format)\",\"rows\":\(file.rows),\"bytes\":\(sink?.count ?? 0),\"sha256\":\(sink.map { "\"\($0.digest)\"" } ?? "null"),\"partition\":{\(values.joined(separator: ","))}}"
  }
}
