import Codecs
import Rows

/// How tables stand in the files of a folder.
protocol FolderFormat: Sendable {
  /// The scheme of locations, and the suffix of the files: `csv`.
  var name: String { get }
  /// The type of columns that a person added.
  var typeOfExtras: ColumnType { get }
  /// What describes the columns of a table in a file of its own, as the file at `path`; nil when the folder's own file does.
  func metadata(of schema: Schema, file: String) -> [UInt8]?
  /// The columns as `metadata` describes them; nil when there is none.
  func described(at path: String) throws(Problem) -> [ColumnDescription]?
  /// The names of all columns that the file has, of which some are `known`; reads as much of it as that takes.
  func columnNames(_ file: FileByteSource, known: [ColumnDescription]) async throws(Problem) -> [String]
  /// The records; the file has no other columns than `schema`.
  func rows(_ file: FileByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream
  /// Writes records.
  func encoder(_ schema: Schema) -> any FolderEncoder
  /// The lines on which two records of the file stand; nil when that cannot be told.
  func lines(of records: [Int], _ file: FileByteSource, _ schema: Schema) async throws(Problem) -> [Int]?
}

/// Records on their way into a file.
protocol FolderEncoder: Sendable {
  func begin(_ out: inout ByteBuffer) throws(Problem)
  func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem)
  func finish(isEmpty: Bool, _ out: inout ByteBuffer) throws(Problem)
}

/// Comma-separated values, with the types of the columns in metadata beside each file.
struct CSVFolder: FolderFormat {
  let name = "csv"
  let typeOfExtras = ColumnType.text

  func metadata(of schema: Schema, file: String) -> [UInt8]? { CSVWDocument.text(of: schema, file: file) }

  func described(at path: String) throws(Problem) -> [ColumnDescription]? { try CSVMetadata.beside(path)?.columns }

  func columnNames(_ file: FileByteSource, known: [ColumnDescription]) async throws(Problem) -> [String] {
    var reading = CSVReading()
    for column in known { reading.types[column.name] = column.type }
    return try CSVRowStream.names(file, reading)
  }

  func rows(_ file: FileByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream {
    let wanted = schema.columns.indices.filter { columns?.contains(schema.columns[$0].name) ?? true }
    return try CSVRowStream(file, schema: schema.projected(to: wanted))
  }

  func encoder(_ schema: Schema) -> any FolderEncoder { Encoder(writer: CSVWriter(schema)) }

  private struct Encoder: FolderEncoder {
    let writer: CSVWriter
    func begin(_ out: inout ByteBuffer) throws(Problem) { try writer.begin(&out) }
    func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem) {
      _ = try writer.write(batch, &out)
    }
    func finish(isEmpty: Bool, _ out: inout ByteBuffer) {}
  }

  func lines(of records: [Int], _ file: FileByteSource, _ schema: Schema) async throws(Problem) -> [Int]? {
    guard let again = file.again(), let text = file.again() else { return nil }
    let names = try CSVRowStream.names(again)
    let all = Schema(schema.name, columns: names.map { ColumnDescription($0, .text) })
    let stream = try CSVRowStream(text, schema: all)
    func ends(_ value: Value) -> Int {
      if case .text(let bytes) = value { bytes.count { $0 == 0x0A } } else { 0 }
    }
    var line = 2 + names.reduce(0) { $0 + $1.utf8.count { $0 == 0x0A } }, record = 0
    var found: [Int: Int] = [:]
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        if records.contains(record) { found[record] = line }
        line += 1 + (0..<batch.width).reduce(0) { $0 + ends(batch.value(row, $1)) }
        record += 1
      }
    }
    return records.compactMap { found[$0] }
  }
}

/// A JSON array with a record a line; the types of the columns are in the folder's own file.
struct JSONFolder: FolderFormat {
  let name = "json"
  let typeOfExtras = ColumnType.json

  func metadata(of schema: Schema, file: String) -> [UInt8]? { nil }

  func described(at path: String) -> [ColumnDescription]? { nil }

  func columnNames(_ file: FileByteSource, known: [ColumnDescription]) async throws(Problem) -> [String] {
    // Nothing is asked of the values but that they can be found again.
    var stream: any RowStream = try JSONRowStream.inferring(file, table: "", JSONReading(form: .array))
    while true {
      do throws(Problem) {
        while let work = try await stream.next() { _ = try work.batch() }
        return stream.schema.columns.map(\.name)
      } catch {
        guard error.kind == .badData, let wider = try await stream.widened() else { throw error }
        stream = wider
      }
    }
  }

  func rows(_ file: FileByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream {
    JSONRowStream(file, schema: schema, JSONReading(form: .array, columns: columns))
  }

  func encoder(_ schema: Schema) -> any FolderEncoder { Encoder(writer: JSONWriter(schema, framing: .array)) }

  private struct Encoder: FolderEncoder {
    let writer: JSONWriter
    func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
    func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem) {
      if !isFirst { out.append(writer.separator) }
      try writer.write(batch, &out)
    }
    func finish(isEmpty: Bool, _ out: inout ByteBuffer) { writer.finish(isEmpty: isEmpty, &out) }
  }

  func lines(of records: [Int], _ file: FileByteSource, _ schema: Schema) async throws(Problem) -> [Int]? {
    // bb writes a record a line; how a person laid the file out is not known.
    nil
  }
}
