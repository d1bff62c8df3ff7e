import Codecs
import Rows

/// An encoder of columns with JSON values. It refuses bytes among them: its format would write them as base64 text,
/// like any other text. Numbers that are not finite become what `--nonfinite` says, at every depth.
struct TypeGuard: RowEncoder {
  private let encoder: any RowEncoder
  private let schema: Schema
  private let columns: [Int]
  private let format: String
  /// Whether the format cannot tell bytes from text, and keeps values.
  private let refusesBytes: Bool
  private let nonfinite: NonfinitePolicy

  /// The encoder itself if no column has JSON values.
  static func around(
    _ encoder: any RowEncoder, of schema: Schema, _ descriptor: ExporterDescriptor, _ options: ExportOptions
  ) -> any RowEncoder {
    let columns = schema.columns.indices.filter { schema.columns[$0].type.isNested }
    guard !columns.isEmpty else { return encoder }
    let key = "nonfinite", hasPolicy = descriptor.options.contains { $0.key == key }
    let policy = options.values[key].flatMap(NonfinitePolicy.init) ?? .error
    return TypeGuard(
      encoder: encoder, schema: schema, columns: columns, format: descriptor.name,
      refusesBytes: descriptor.isExact && !descriptor.isTypedByValue, nonfinite: hasPolicy ? policy : .string)
  }

  var separator: StaticString { encoder.separator }
  func begin(_ out: inout ByteBuffer) throws(Problem) { try encoder.begin(&out) }
  var groupBytes: Int { encoder.groupBytes }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    try encoder.encode(try checked(batch), &out)
  }
  func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    var rows = 0, checked: [RowBatch] = []
    for batch in group {
      do throws(Problem) { checked.append(try self.checked(batch)) } catch { throw error.following(rows: rows) }
      rows += batch.count
    }
    return try encoder.encode(checked, &out)
  }
  private func checked(_ batch: RowBatch) throws(Problem) -> RowBatch {
    var replaced: [Int: [UInt8]] = [:]
    for row in 0..<batch.count {
      for column in columns {
        let name = schema.columns[column].name
        switch batch[row, column] {
        case .json(let start, let length):
          replaced[row * batch.width + column] = try nonfinite.replacing(marksIn: batch.arena, start, length) {
            NonfinitePolicy.problem($0, column: name, record: row, format: format)
          }
        case .bytes where refusesBytes && schema.columns[column].type == .json:
          throw Problem(
            .badData, "column \(name): \(format) cannot distinguish bytes from text in one column",
            hint: [.set(.outputFormat, to: "sqlite", "sql"), .set(.columns, for: "exclude the column")], record: row)
        default: continue
        }
      }
    }
    if replaced.isEmpty { return batch }
    var builder = RowBatchBuilder(width: batch.width)
    for row in 0..<batch.count {
      for column in 0..<batch.width {
        if let json = replaced[row * batch.width + column] {
          builder.append(json: json)
        } else {
          builder.append(row, column, of: batch)
        }
      }
    }
    return builder.finish()
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) { try encoder.finish(all, &out) }
  func warning(_ all: EncodedPart) -> Warning? { encoder.warning(all) }
  func footer(_ all: EncodedPart) -> Warning? { encoder.footer(all) }
}
