public import Rows
internal import Synchronization

/// The rows of a CSV file some of whose columns are read by metadata: the others pass unchanged.
public final class CSVWRows: RowStream {
  /// The columns with the types of their values.
  public let schema: Schema
  private let rows: any RowStream
  private let name: String
  private let columns: [(name: String, column: CSVWColumn)]
  /// By position; nil for columns that pass unchanged.
  private let converters: [CSVWColumn?]
  private let open: (@Sendable () throws(Problem) -> any RowStream)?
  /// By the position of a column, its first value that contradicted its type.
  private let contradicted = Mutex<[Int: [UInt8]]>([:])
  /// The values that were read otherwise than the metadata says.
  private let remarks: [Warning]

  /// The rows of `first`, in which `columns` are texts.
  /// - `name`: how messages name the file.
  /// - `open`: begins to read the same rows again, if a value may contradict a type.
  public init(
    name: String, _ columns: [(name: String, column: CSVWColumn)], first: any RowStream,
    open: (@Sendable () throws(Problem) -> any RowStream)? = nil
  ) throws(Problem) {
    self.name = name
    self.columns = columns
    self.open = open
    rows = first
    remarks = []
    (schema, converters) = Self.described(rows.schema, columns)
  }

  private init(
    _ other: CSVWRows, _ columns: [(name: String, column: CSVWColumn)], rows: any RowStream, _ remarks: [Warning]
  ) {
    name = other.name
    open = other.open
    self.columns = columns
    self.rows = rows
    self.remarks = other.remarks + remarks
    (schema, converters) = Self.described(rows.schema, columns)
  }

  private static func described(
    _ schema: Schema, _ columns: [(name: String, column: CSVWColumn)]
  ) -> (Schema, [CSVWColumn?]) {
    let converters = schema.columns.map { column in
      columns.first { $0.name.utf8.elementsEqual(column.name.utf8) }?.column
    }
    let described = zip(schema.columns, converters).map { column, converter in
      converter.map { ColumnDescription(column.name, $0.type).annotated(as: column) } ?? column
    }
    return (Schema(schema.name, columns: described), converters)
  }

  /// Whether a value may contradict its type.
  public var mayWiden: Bool { rows.mayWiden || converters.contains { $0?.widened != nil } }

  /// Those of the file, and columns that could not be read as their metadata says.
  public var notes: [Warning] { rows.notes + remarks }

  /// The next rows.
  public func next() async throws(Problem) -> BatchTask? {
    try await rows.next()?.followed { [self] (batch) throws(Problem) in try converted(batch) }
  }

  private func converted(_ batch: RowBatch) throws(Problem) -> RowBatch {
    var builder = RowBatchBuilder(width: batch.width)
    for row in 0..<batch.count {
      for (column, converter) in converters.enumerated() {
        guard let converter else {
          builder.append(row, column, of: batch)
          continue
        }
        var field: [UInt8]?
        if case .text(let start, let length) = batch[row, column] { field = batch.bytes(start, length) }
        guard let value = converter.value(of: field) else {
          if converter.widened != nil { contradicted.withLock { $0[column] = $0[column] ?? field ?? [] } }
          throw misfit(field ?? [], converter, column, row)
        }
        builder.append(value: value)
      }
    }
    return builder.finish()
  }

  private func misfit(_ field: [UInt8], _ converter: CSVWColumn, _ column: Int, _ row: Int) -> Problem {
    let description = schema.columns[column]
    let isDefault = field.isEmpty && !converter.emptyMeans.isEmpty, text = isDefault ? converter.emptyMeans : field
    let shown = Self.shown(text)
    let source = converter.isDescribed ? ", as its metadata says" : ""
    return Problem(
      .badData,
      "invalid \(isDefault ? "default" : "value") “\(shown)” for \(description.name): expected \(converter.expected)\(source)",
      at: name,
      hint: .set(.columnTypes, to: "\(NameListParser.written(description.name))=text", for: "read it as text"),
      record: row)
  }

  private static func shown(_ text: [UInt8]) -> String {
    String(decoding: text.prefix(60), as: UTF8.self) + (text.count > 60 ? "…" : "")
  }

  /// The rows again from the beginning, with the same types.
  public func reopened() async throws(Problem) -> (any RowStream)? {
    guard let again = try await rows.reopened() else { return nil }
    return CSVWRows(self, columns, rows: again, [])
  }

  /// The rows again from the beginning, with types that hold the value which did not fit.
  public func widened() async throws(Problem) -> (any RowStream)? {
    let wider = contradicted.withLock { $0.sorted { $0.key < $1.key } }
    if wider.isEmpty { return try await rows.widened().map { CSVWRows(self, self.columns, rows: $0, []) } }
    var columns = columns, remarks: [Warning] = []
    for (position, value) in wider {
      let column = schema.columns[position].name
      for (number, entry) in columns.enumerated() where entry.name.utf8.elementsEqual(column.utf8) {
        let was = entry.column.type
        columns[number].column = entry.column.widened ?? entry.column
        // Dates and times of the standard may have a time zone.
        guard case .text = columns[number].column.datatype, !Dates.isDate(Array(value.prefix(10))) else { continue }
        remarks.append(
          Warning(
            "\(name): read \(column) as text: “\(Self.shown(value))” is not a \(was.name)",
            hint: .advice("state the format of \(column) in its metadata")))
      }
    }
    return try open.map { (open) throws(Problem) in CSVWRows(self, columns, rows: try open(), remarks) }
  }
}
