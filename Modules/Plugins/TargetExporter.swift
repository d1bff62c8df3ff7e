import Codecs
package import Domain
import Glibc
package import Rows
import Synchronization

/// A Singer target as a format: the target stores the records where its configuration says, and the document consists
/// of the states that it returns.
///
/// It has succeeded only if it exits with 0 and its last line is the state that was sent last, which counts every
/// record.
package struct TargetExporter: Exporter {
  /// `singer:PROGRAM`.
  package let descriptor: ExporterDescriptor
  private let path: String
  private let stream: any ByteFormat
  private let runner: PluginRunner

  private static let configuration = ExporterDescriptor.Option(
    "config", "FILE", "Configuration file of the target [default: none]")

  /// - Throws: `noInput` when there is no such program.
  init(
    _ program: String, searching directories: String, stream: any ByteFormat, runner: PluginRunner
  ) throws(Problem) {
    let places = program.contains("/") ? [program] : directories.split(separator: ":").map { "\($0)/\(program)" }
    guard let path = places.first(where: Self.isProgram) else {
      throw Problem(
        .noInput, "Singer target not found: “\(program)”",
        hint: "use the name of a program on PATH, for example singer:target-jsonl")
    }
    self.path = path
    self.stream = stream
    self.runner = runner
    descriptor = ExporterDescriptor(
      "singer:\(program)", fileExtensions: [], mediaType: "application/x-ndjson",
      summary: "Singer target \(program)", isExact: false,
      options: [Self.configuration] + stream.descriptor.options)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// The target in front of a destination.
  /// - Throws: `plugIn` when it cannot be started.
  package func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink {
    let arguments = options.values[Self.configuration.key].map { ["--config", $0] } ?? []
    var own = options
    own.values[Self.configuration.key] = nil
    return EncodedFile(stream, of: schema, own) { () throws(Problem) in
      let acknowledgement = Acknowledgement(path, try await open())
      return TargetSink(try runner.program(path, arguments, into: acknowledgement), acknowledgement)
    }
  }
}

/// The last line of some bytes, as they pass.
private struct LastLine {
  private var bytes: [UInt8] = []

  /// The last complete line, or the incomplete one after it.
  var text: [UInt8] { Array(bytes.split(separator: UInt8(ascii: "\n")).last ?? []) }

  mutating func add(_ more: [UInt8]) {
    bytes += more
    // Enough for any state; a line that is longer is none.
    if bytes.count > 1 << 20 { bytes.removeFirst(bytes.count - 1 << 16) }
  }
}

/// The messages to a target; it must return the last one.
private final class TargetSink: ByteSink {
  let name: String
  private let program: any ByteSink
  private let acknowledgement: Acknowledgement
  private let last = Mutex(LastLine())

  init(_ program: any ByteSink, _ acknowledgement: Acknowledgement) {
    name = program.name
    self.program = program
    self.acknowledgement = acknowledgement
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let copy = bytes.bytes()
    last.withLock { $0.add(copy) }
    try await program.write(bytes)
  }
  func commit() async throws(Problem) {
    acknowledgement.expect(last.withLock { $0.text })
    try await program.commit()
  }
  func abandon() async { await program.abandon() }
}

/// The messages of a target, on their way to the output.
private final class Acknowledgement: ByteSink {
  let name: String
  private let path: String
  private let inner: any ByteSink
  private let last = Mutex(LastLine())
  private let expected = Mutex<[UInt8]>([])

  init(_ path: String, _ inner: any ByteSink) {
    name = inner.name
    self.path = path
    self.inner = inner
  }

  func expect(_ message: [UInt8]) { expected.withLock { $0 = message } }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    let copy = bytes.bytes()
    last.withLock { $0.add(copy) }
    try await inner.write(bytes)
  }
  func commit() async throws(Problem) {
    let sent = Self.document(expected.withLock { $0 })?["value"], answered = Self.document(last.withLock { $0.text })
    guard let sent, answered?.sorted == sent.sorted else {
      throw Problem(
        .plugIn, "exited without acknowledging every record", at: path,
        hint: "check what it stored, and run the command again")
    }
    try await inner.commit()
  }
  func abandon() async { await inner.abandon() }

  /// A line as JSON; nil for anything else, which acknowledges nothing.
  private static func document(_ line: [UInt8]) -> JSON? {
    do throws(Problem) {
      return try JSON.parse(line, name: "state")
    } catch {
      return nil
    }
  }
}

extension JSON {
  /// The value with the members of every object in the order of their keys: programs write them in any.
  fileprivate var sorted: JSON {
    switch self {
    case .object(let members):
      .object(
        members.map { Member($0.key, $0.value.sorted) }.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }
}
