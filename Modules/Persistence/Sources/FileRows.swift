import Codecs
import Query
import Rows

/// The rows of a file whose decimals have at most the digits that the user said, and whose times have no spellings of
/// their own unless they are requested.
struct FileRows: RewrittenRowStream {
  let inner: any RowStream
  let schema: Schema
  private let sizes: [(column: Int, size: DecimalSize)]
  private let spelled: [Int]
  private let types: ColumnTypes, request: RowRequest, place: String

  /// The rows of a stream, changed and checked if needed.
  static func of(
    _ rows: any RowStream, _ types: ColumnTypes, _ request: RowRequest, at place: String
  ) -> any RowStream {
    let own = FileRows(rows, types, request, at: place)
    let maySpell = !request.keepsSpellings && (rows.mayWiden || !own.spelled.isEmpty)
    return own.sizes.isEmpty && !maySpell ? rows : own
  }

  private init(_ rows: any RowStream, _ types: ColumnTypes, _ request: RowRequest, at place: String) {
    (inner, self.types, self.request, self.place) = (rows, types, request, place)
    spelled = request.keepsSpellings ? [] : rows.schema.ownSpellings
    var columns = rows.schema.columns
    for column in spelled { columns[column].spelling = .usual }
    schema = Schema(
      rows.schema.name, rows.schema.summary, key: rows.schema.key.map { columns[$0].name }, columns: columns)
    sizes = rows.schema.columns.enumerated().compactMap { position, column in
      types.decimalSize(of: column.name).map { (position, $0) }
    }
  }

  func over(_ rows: any RowStream) -> any RowStream { FileRows(rows, types, request, at: place) }

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
      return batch.unspelled(spelled)
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
