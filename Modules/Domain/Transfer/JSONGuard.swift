import Codecs
package import Rows

/// Checks the JSON values on their way to an output, which gets only spellings of times that it keeps. It refuses bytes
/// among them: the format would write them as base64 text, like any other text. Numbers that are not finite become what
/// `--nonfinite` says, at every depth.
package struct JSONGuard: Sendable {
  private let schema: Schema
  private let columns: [Int]
  private let format: String
  /// Whether the format cannot tell bytes from text, and keeps values.
  private let refusesBytes: Bool
  private let nonfinite: NonfinitePolicy
  /// The columns whose own spellings the output does not have.
  private let spelled: [Int]

  /// Nil if no column has JSON values, or spellings that the output does not have.
  /// - Parameters:
  ///   - format: the format of the output; nil if values are only compared.
  ///   - options: its options.
  package init?(_ schema: Schema, _ format: ExporterDescriptor? = nil, _ options: ExportOptions = ExportOptions()) {
    columns = schema.columns.indices.filter { schema.columns[$0].type.isNested }
    spelled = format?.neededTypes == nil ? schema.ownSpellings : []
    if columns.isEmpty, spelled.isEmpty { return nil }
    let key = "nonfinite", hasPolicy = format?.options.contains { $0.key == key } ?? false
    let policy = options.values[key].flatMap(NonfinitePolicy.init) ?? .error
    (self.schema, self.format, nonfinite) = (schema, format?.name ?? "", hasPolicy ? policy : .string)
    refusesBytes = format.map { $0.isExact && !$0.isTypedByValue } ?? false
  }

  /// The batches as the output gets them.
  /// - Throws: `badData` with the record among those of all batches.
  package func checked(_ batches: [RowBatch]) throws(Problem) -> [RowBatch] {
    var rows = 0, checked: [RowBatch] = []
    for batch in batches {
      do throws(Problem) { checked.append(try self.checked(batch)) } catch { throw error.following(rows: rows) }
      rows += batch.count
    }
    return checked
  }

  /// The batch as the output gets it.
  package func checked(_ batch: RowBatch) throws(Problem) -> RowBatch {
    let batch = batch.unspelled(spelled)
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
}
