import Codecs
public import Domain
public import Rows
import Synchronization

/// Writes the rows of each partition to files of their own, in any format. The rows of a partition must come one after
/// another.
public struct PartitionedExporter: Exporter {
  /// The contents of the files, and their places.
  public struct Configuration: Sendable {
    /// The options of the format.
    public var options = ExportOptions()
    /// The most rows of a file, and the bytes from which on it is complete.
    public var maximumRows = Int.max, completeBytes = Int.max
    /// Whether a file may have some more groups, so that these are encoded concurrently.
    var isSizeApproximate = false
    /// The date of the export, for `{date}`.
    public var date = ""
    /// The number of row groups that are encoded at the same time, at least 1.
    public var threads = 1
    /// Wraps the sink of a file: compression, digests.
    public var wrap: @Sendable (_ sink: any ByteSink, _ path: String) throws(Problem) -> any ByteSink = {
      (sink, _) throws(Problem) in sink
    }
    /// Opens the files; called again when the export restarts.
    var open: @Sendable () throws(Problem) -> any OutputFileSet

    /// Creates a configuration.
    public init(open: @escaping @Sendable () throws(Problem) -> any OutputFileSet) { self.open = open }
  }

  /// The description of the format.
  public var descriptor: ExporterDescriptor { format.descriptor }
  /// The files of the last export.
  public var files: [PartitionFile] { written.withLock { $0 } }
  private let format: any Exporter
  private let pattern: PathPattern
  private let configuration: Configuration
  private let handoff = BatchHandoff()
  private let written = WrittenFiles()

  /// Creates an exporter of files of a format.
  public init(_ format: any Exporter, to pattern: PathPattern, _ configuration: Configuration) {
    (self.format, self.pattern, self.configuration) = (format, pattern, configuration)
  }

  /// The rows that the format measures.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring { format.measuring(with: options) }
  /// Adds the measurements of the columns of the files.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {
    let kept = fileColumns(of: schema)
    format.measure(batch.projected(to: kept), of: schema.projected(to: kept), options: options, into: &layout)
  }

  /// The positions of the columns that are in the files.
  private func fileColumns(of schema: Schema) -> [Int] {
    schema.columns.indices.filter { !pattern.isHive(schema.columns[$0].name) }
  }

  /// An encoder that passes the batches on to the sink.
  /// - Throws: `usage` for a column that the table does not have, or whose values cannot be in a path.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let names = schema.columns.map(\.name)
    for name in pattern.columns {
      guard let position = schema.position(of: name) else {
        throw Problem(
          .usage, "\(schema.name) has no column “\(name)” for the path",
          hint: .choose(name, from: names, "available columns"))
      }
      let type = schema.columns[position].type
      if type.isNested || type == .bytes {
        throw Problem(.usage, "column “\(name)” of type \(type.name) cannot be part of a path")
      }
    }
    if pattern.hiveColumns.count == schema.width {
      throw Problem(.usage, "no column is left for the files: all are in the path", hint: "omit one from the path")
    }
    var own = layout
    let kept = fileColumns(of: schema)
    own.head = layout.head.map { $0.projected(to: kept) }
    handoff.layout = own
    return handoff
  }

  /// The sink that writes the files; `sink` receives nothing.
  public func sink(around sink: any ByteSink, of schema: Schema, options: ExportOptions) throws(Problem) -> any ByteSink
  {
    let kept = fileColumns(of: schema)
    let inner = schema.projected(to: kept)
    return PartitionSink(
      handoff,
      PartitionWriter(
        format, try format.encoder(for: inner, options: configuration.options, layout: handoff.layout), schema, inner,
        kept, pattern, configuration, try configuration.open()), written)
  }
}

/// The files of an export.
final class WrittenFiles: Sendable {
  private let state = Mutex<[PartitionFile]>([])
  func withLock<Result>(_ body: (inout sending [PartitionFile]) -> sending Result) -> Result { state.withLock(body) }
}

/// Batches on their way from the workers to the sink, each in place of eight bytes.
final class BatchHandoff: RowEncoder {
  private struct State {
    var next: UInt64 = 0
    var batches: [UInt64: RowBatch] = [:]
    var layout = ColumnMetrics()
    var note: Warning?
  }
  private let state = Mutex(State())

  /// The warning after the export.
  var note: Warning? {
    get { state.withLock { $0.note } }
    set { state.withLock { $0.note = newValue } }
  }
  func warning(_ all: EncodedPart) -> Warning? { note }

  /// The measurements of the rows.
  var layout: ColumnMetrics {
    get { state.withLock { $0.layout } }
    set { state.withLock { $0.layout = newValue } }
  }

  func begin(_ out: inout ByteBuffer) {}
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    let number = state.withLock { state in
      state.next += 1
      state.batches[state.next] = batch
      return state.next
    }
    for shift in stride(from: UInt64(0), to: 64, by: 8) { out.append(byte: UInt8(truncatingIfNeeded: number >> shift)) }
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}

  /// The batches that `bytes` stand for, in order; each can be taken once.
  func take(_ bytes: [UInt8]) -> [RowBatch] {
    stride(from: 0, to: bytes.count, by: 8).compactMap { start in
      let number = bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return state.withLock { $0.batches.removeValue(forKey: number) }
    }
  }
  func removeAll() { state.withLock { $0.batches = [:] } }
}

/// The sink of an export into partitions. One task at a time uses it.
final class PartitionSink: ByteSink {
  let name = "partitions"
  private let handoff: BatchHandoff
  private let writer: PartitionWriter
  private let written: WrittenFiles

  init(_ handoff: BatchHandoff, _ writer: PartitionWriter, _ written: WrittenFiles) {
    (self.handoff, self.writer, self.written) = (handoff, writer, written)
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    for batch in handoff.take(bytes.bytes()) { try await writer.write(batch) }
  }
  func commit() async throws(Problem) {
    let files = try await writer.publish()
    written.withLock { $0 = files }
  }
  func abandon() async {
    handoff.removeAll()
    await writer.abandon()
  }
}
