import Codecs
import Rows

/// An encoder that refuses bytes among JSON values: its format would write them as a text in base64, like any other
/// text.
struct TypeGuard: RowEncoder {
  private let encoder: any RowEncoder
  private let schema: Schema
  private let columns: [Int]
  private let format: String

  /// The encoder itself if its format can tell bytes from text, or shows values without keeping them, or no column can
  /// have both.
  static func around(
    _ encoder: any RowEncoder, of schema: Schema, _ descriptor: ExporterDescriptor
  ) -> any RowEncoder {
    let columns = schema.columns.indices.filter { schema.columns[$0].type == .json }
    guard descriptor.isExact, !descriptor.isTypedByValue, !columns.isEmpty else { return encoder }
    return TypeGuard(encoder: encoder, schema: schema, columns: columns, format: descriptor.name)
  }

  var separator: StaticString { encoder.separator }
  func begin(_ out: inout ByteBuffer) throws(Problem) { try encoder.begin(&out) }
  var groupBytes: Int { encoder.groupBytes }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try check(batch)
    return try encoder.encode(batch, &out)
  }
  func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    var rows = 0
    for batch in group {
      do throws(Problem) { try check(batch) } catch { throw error.following(rows: rows) }
      rows += batch.count
    }
    return try encoder.encode(group, &out)
  }
  private func check(_ batch: RowBatch) throws(Problem) {
    for row in 0..<batch.count {
      for column in columns {
        guard case .bytes = batch[row, column] else { continue }
        throw Problem(
          .badData, "column \(schema.columns[column].name): \(format) cannot distinguish bytes from text in one column",
          hint: [.set(.outputFormat, to: "sqlite", "sql"), .set(.columns, for: "exclude the column")], record: row)
      }
    }
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) { try encoder.finish(all, &out) }
  func warning(_ all: EncodedPart) -> Warning? { encoder.warning(all) }
  func footer(_ all: EncodedPart) -> Warning? { encoder.footer(all) }
}
