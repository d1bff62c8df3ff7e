public import Rows

/// An output of bytes: what an encoder makes of the rows.
@safe public final class EncodedFile: RowSink, @unchecked Sendable {
  private let format: any ByteFormat
  private let schema: Schema
  private let options: ExportOptions
  private let openSink: OpenBytes
  private var encoder: (any RowEncoder)?
  private var sink: (any ByteSink)?
  private var text = ByteBuffer(capacity: 1 << 12)
  private var all = EncodedPart()
  /// The columns whose binary values become text.
  private let binary: [Int]
  /// The number of bytes before compression.
  public private(set) var bytes = 0

  /// Creates an output.
  /// `open` opens the destination of the bytes, once the format and its options have been checked.
  public init(
    _ format: any ByteFormat, of schema: Schema, _ options: ExportOptions, open: @escaping OpenBytes
  ) {
    (self.format, self.schema, self.options, openSink) = (format, schema, options, open)
    let columns = schema.columns
    binary =
      format.descriptor.losesBytes
      ? columns.indices.filter { columns[$0].type == .bytes || columns[$0].isMixed } : []
  }

  /// The measurements of the format.
  public var measuring: ExporterDescriptor.Measuring { format.measuring(with: options) }
  /// As the format.
  public func measure(_ batch: RowBatch, into metrics: inout ColumnMetrics) {
    format.measure(batch, of: schema, options: options, into: &metrics)
  }
  /// Creates the encoder.
  public func begin(_ metrics: ColumnMetrics) async throws(Problem) {
    encoder = try format.encoder(for: schema, options: options, layout: metrics)
  }
  /// As the encoder.
  public var groupBytes: Int { encoder?.groupBytes ?? 0 }

  private func begun() throws(Problem) -> any RowEncoder {
    guard let encoder else { throw Problem(.bug, "internal error: the output has not begun") }
    return encoder
  }

  /// Opens the destination.
  public func open() async throws(Problem) {
    let encoder = try begun()
    sink = try await openSink()
    try await put { (text) throws(Problem) in try encoder.begin(&text) }
  }

  /// Encodes the batches.
  public func prepare(_ rows: PreparedRows) throws(Problem) {
    rows.bytes.removeAll()
    rows.part = try begun().encode(rows.batches, &rows.bytes)
    for batch in rows.batches {
      for column in binary {
        for row in 0..<batch.count { if case .bytes = batch[row, column] { rows.part.binaryValues += 1 } }
      }
    }
    // The encoded form is all that is needed.
    rows.batches = []
  }

  /// Writes the encoded form.
  public func write(_ rows: PreparedRows) async throws(Problem) {
    let separator = try begun().separator
    if all.rows > 0, rows.part.rows > 0, separator.utf8CodeUnitCount > 0 {
      try await put { (text) in text.append(separator) }
    }
    if rows.bytes.count > 0 { try await sink?.write(rows.bytes) }
    bytes += rows.bytes.count
    all.merge(rows.part)
  }

  /// Writes the end of the document.
  public func finish() async throws(Problem) {
    let encoder = try begun(), all = self.all
    try await put { (text) throws(Problem) in try encoder.finish(all, &text) }
  }

  private func put(_ make: (inout ByteBuffer) throws(Problem) -> Void) async throws(Problem) {
    text.removeAll()
    try make(&text)
    guard text.count > 0 else { return }
    try await sink?.write(text)
    bytes += text.count
  }

  /// Publishes the file.
  public func commit() async throws(Problem) -> WrittenRows {
    let encoder = try begun()
    try await sink?.commit()
    var written = WrittenRows(sink?.name ?? "")
    (written.bytes, written.part) = (bytes, all)
    (written.warning, written.footer) = (encoder.warning(all), encoder.footer(all))
    if all.binaryValues > 0 {
      let noun = all.binaryValues == 1 ? "value" : "values", other = written.warning
      written.warning = Warning(
        (other.map { "\($0.message); " } ?? "") + "\(all.binaryValues) binary \(noun), written as Base64 text",
        hint: other?.hint ?? Remedy())
    }
    return written
  }

  /// Gives the file up.
  public func abandon() async {
    await sink?.abandon()
    sink = nil
  }
}
