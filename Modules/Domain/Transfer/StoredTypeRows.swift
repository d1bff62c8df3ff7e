import Codecs
import Rows

/// Rows with the types of a stored table, which keeps its own: numbers and dates that it can have become its values.
struct StoredTypeRows: DerivedRowStream {
  let inner: any RowStream
  let schema: Schema

  /// The rows, whose columns have the types of those of `known` if some of their values may be of these.
  static func of(_ rows: any RowStream, in known: Schema) -> any RowStream {
    let schema = rows.schema.retyped { position in
      let column = rows.schema.columns[position]
      guard let type = known.position(of: column.name).map({ known.columns[$0].type }) else { return nil }
      return type != column.type && mayBecome(column.type, type) ? type : nil
    }
    let isSame = zip(schema.columns, rows.schema.columns).allSatisfy { $0.type == $1.type }
    return isSame ? rows : StoredTypeRows(inner: rows, schema: schema)
  }

  private static func mayBecome(_ type: ColumnType, _ stored: ColumnType) -> Bool {
    switch stored {
    case .integer, .real, .decimal: type.isNumeric
    case .datetime: type == .date
    case .text: !type.isNested && type != .bytes
    default: false
    }
  }

  func next() async throws(Problem) -> BatchTask? {
    try await inner.next()?.followed { (batch) throws(Problem) in
      var builder = RowBatchBuilder(width: batch.width)
      for row in 0..<batch.count {
        for (column, stored) in schema.columns.enumerated() {
          let own = inner.schema.columns[column]
          if own.type == stored.type || batch[row, column].isNull {
            builder.append(row, column, of: batch)
          } else if let value = Self.value(batch.value(row, column), of: own, as: stored.type) {
            builder.append(value: value)
          } else {
            let shown = String(decoding: batch.value(row, column).plainText.prefix(40), as: UTF8.self)
            throw Problem(
              .badData, "column \(own.name): \(shown) in a stored column of type \(stored.type.name)",
              hint: .set(
                .columnTypes, to: "\(NameListParser.written(own.name))=\(own.type.name)", for: "begin another store"),
              record: row)
          }
        }
      }
      return builder.finish()
    }
  }

  /// A value as one of another type; nil if it is none.
  private static func value(_ value: Value, of column: ColumnDescription, as type: ColumnType) -> Value? {
    let text = value.plainText
    switch type {
    case .integer:
      let number = DecimalNumber(text)?.unscaled(precision: 19, scale: 0)
      return number.flatMap { Int64(exactly: $0) }.map { .integer($0) }
    case .real:
      var shape = DecimalShape()
      return shape.add(.number(0, UInt32(text.count)), Arena(text)).map { .real($0) }
    case .decimal: return .number(text)
    case .datetime: return text.count == 10 ? value : nil
    default: return .text(column.spelling.written(value))
    }
  }
}
