import Codecs
import Rows

/// Rows whose decimals have at most the digits that the user said.
struct SizedDecimalRows: DerivedRowStream {
  let inner: any RowStream
  private let sizes: [(column: Int, size: DecimalSize)]
  private let place: String

  /// The rows of a stream, checked if the user gave the size of a column.
  static func checking(_ rows: any RowStream, _ types: ColumnTypes, at place: String) -> any RowStream {
    let sizes = rows.schema.columns.enumerated().compactMap { position, column in
      types.decimalSize(of: column.name).map { (position, $0) }
    }
    return sizes.isEmpty ? rows : SizedDecimalRows(inner: rows, sizes: sizes, place: place)
  }

  var schema: Schema { inner.schema }
  var mayWiden: Bool { inner.mayWiden }

  func widened() async throws(Problem) -> (any RowStream)? {
    try await inner.widened().map { SizedDecimalRows(inner: $0, sizes: sizes, place: place) }
  }

  func reopened() async throws(Problem) -> (any RowStream)? {
    try await inner.reopened().map { SizedDecimalRows(inner: $0, sizes: sizes, place: place) }
  }

  func next() async throws(Problem) -> BatchTask? {
    try await inner.next()?.followed { (batch) throws(Problem) in
      for (column, size) in sizes {
        for row in 0..<batch.count {
          guard let literal = batch.literal(row, column),
            DecimalNumber(literal)?.unscaled(precision: size.precision, scale: size.scale) == nil
          else { continue }
          let name = schema.columns[column].name, shown = String(decoding: literal.prefix(60), as: UTF8.self)
          throw Problem(
            .badData, "invalid value “\(shown)” for “\(name)”: expected \(size)", at: place,
            hint: .set(.columnTypes, to: "\(NameListParser.written(name))=decimal", for: "allow any number"),
            record: row)
        }
      }
      return batch
    }
  }
}

extension RowBatch {
  /// The text of a number; nil for another value.
  fileprivate func literal(_ row: Int, _ column: Int) -> [UInt8]? {
    switch self[row, column] {
    case .integer(let value): Array(String(value).utf8)
    case .real(let value): value.canonicalText
    case .number(let start, let length): bytes(start, length)
    default: nil
    }
  }
}
