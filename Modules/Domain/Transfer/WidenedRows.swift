package import Rows

/// Rows as rows of a schema that has more columns, or others in between: null where there is none.
package struct WidenedRows: DerivedRowStream {
  package let schema: Schema
  package let inner: any RowStream
  private let positions: [Int?]

  /// `rows` with the columns of `schema`.
  package static func of(_ rows: any RowStream, as schema: Schema) -> any RowStream {
    let positions = schema.columns.map { rows.schema.position(of: $0.name) }
    if positions.elementsEqual(rows.schema.columns.indices.map(Optional.some)) { return rows }
    return WidenedRows(schema: schema, inner: rows, positions: positions)
  }

  package func next() async throws(Problem) -> BatchTask? {
    let positions = self.positions
    return try await inner.next()?.followed { (batch) throws(Problem) in
      batch.projected(to: positions)
    }
  }
}
