import Codecs
public import Domain
public import Rows

/// A YAML sequence of mappings, for readers of YAML 1.1 and 1.2.
public struct YAMLExporter: Exporter {
  /// The format.
  public init() {}

  /// `yaml`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "yaml", fileExtensions: ["yaml", "yml"], mediaType: "application/yaml",
      summary: "A YAML sequence of mappings; text is always quoted", isExact: true, options: [OptionKeys.nonfinite])
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let nonfinite = try options.choice(OptionKeys.nonfinite, default: NonfinitePolicy.error)
    return YAMLEncoder(writer: YAMLWriter(schema, nonfinite: nonfinite))
  }
}

private struct YAMLEncoder: RowEncoder {
  let writer: YAMLWriter

  func begin(_ out: inout ByteBuffer) {}
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try writer.write(batch, &out)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { writer.finish(isEmpty: all.rows == 0, &out) }
}
