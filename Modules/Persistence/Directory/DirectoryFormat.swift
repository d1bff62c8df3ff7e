import Codecs
package import Rows

/// A kind of directory store: what its files are called, and what is in them. All that differs between kinds is here.
package struct DirectoryFormat: Sendable {
  /// The word before the colon of a location, which `bb.json` records: `csv`.
  package let scheme: String
  /// One sentence without a full stop, for the help.
  package let summary: String
  /// The extension of a table's file: `.csv`.
  package let tableSuffix: String
  /// The suffix of the file with a table's columns, after the name of the table's file; nil if `bb.json`
  /// describes them.
  package let sidecarSuffix: String?
  /// The type of columns that a user added.
  package let typeOfExtras: ColumnType
  /// Reads and writes the files.
  package let codec: any DirectoryCodec

  package init(
    scheme: String, summary: String, tableSuffix: String, sidecarSuffix: String? = nil, typeOfExtras: ColumnType,
    codec: any DirectoryCodec
  ) {
    self.scheme = scheme
    self.summary = summary
    self.tableSuffix = tableSuffix
    self.sidecarSuffix = sidecarSuffix
    self.typeOfExtras = typeOfExtras
    self.codec = codec
  }

  /// The suffix of the metadata of a CSV file, after the name of the file.
  static let metadataSuffix = "-metadata.json"

  /// Comma-separated values, with the types of the columns in metadata next to each file.
  package static let csv = DirectoryFormat(
    scheme: "csv", summary: "a directory with a CSV file for each dataset", tableSuffix: ".csv",
    sidecarSuffix: metadataSuffix, typeOfExtras: .text, codec: CSVDirectoryCodec())
  /// A JSON array with one record per line.
  package static let json = DirectoryFormat(
    scheme: "json", summary: "a directory with a JSON file for each dataset", tableSuffix: ".json",
    typeOfExtras: .json, codec: JSONDirectoryCodec())

  /// Every kind, in the order of the help.
  package static let all = [csv, json]
}

/// Reads and writes the files of a directory store.
package protocol DirectoryCodec: Sendable {
  /// The description of the columns of a table for a separate file next to the table's `file`; nil if `bb.json`
  /// contains it.
  func sidecar(of schema: Schema, file: String) -> [UInt8]?
  func columns(ofSidecar bytes: [UInt8], name: String) throws(Problem) -> [ColumnDescription]
  /// The names of all columns that the file has, of which some are `known`; reads as much of it as that takes.
  func columnNames(_ file: any ByteSource, known: [ColumnDescription]) async throws(Problem) -> [String]
  /// The records; the file has no other columns than `schema`.
  func rows(_ file: any ByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream
  func encoder(_ schema: Schema) -> any DirectoryEncoder
  /// The lines of two records of the file; nil when they cannot be determined.
  func lines(of records: [Int], _ file: any ByteSource, _ schema: Schema) async throws(Problem) -> [Int]?
}

/// Writes the records of one file.
package protocol DirectoryEncoder: Sendable {
  /// The text between two records.
  var separator: String { get }
  func begin(_ out: inout ByteBuffer) throws(Problem)
  func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem)
  func finish(isEmpty: Bool, _ out: inout ByteBuffer) throws(Problem)
}

struct CSVDirectoryCodec: DirectoryCodec {
  /// Files are read strictly: anything read loosely would be written back as something else. Earlier versions wrote
  /// `\N` for null in a file of one column.
  private static var reading: CSVReading {
    var reading = CSVReading()
    reading.isStrict = true
    reading.loneNullText = CSVStyle.loneNull
    return reading
  }

  func sidecar(of schema: Schema, file: String) -> [UInt8]? {
    CSVWDocument.text(of: schema.inUsualSpelling, file: file)
  }

  func columns(ofSidecar bytes: [UInt8], name: String) throws(Problem) -> [ColumnDescription] {
    try CSVMetadata(bytes, name: name).columns
  }

  func columnNames(_ file: any ByteSource, known: [ColumnDescription]) async throws(Problem) -> [String] {
    var reading = Self.reading
    for column in known { reading.types[column.name] = column.type }
    return try CSVRowStream.names(file, reading)
  }

  func rows(_ file: any ByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream {
    let wanted = schema.columns.indices.filter { columns?.contains(schema.columns[$0].name) ?? true }
    return try CSVRowStream(file, schema: schema.projected(to: wanted), Self.reading)
  }

  func encoder(_ schema: Schema) -> any DirectoryEncoder { Encoder(writer: CSVWriter(schema.inUsualSpelling)) }

  private struct Encoder: DirectoryEncoder {
    let writer: CSVWriter
    var separator: String { "" }
    func begin(_ out: inout ByteBuffer) throws(Problem) { try writer.begin(&out) }
    func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem) {
      _ = try writer.write(batch, &out)
    }
    func finish(isEmpty: Bool, _ out: inout ByteBuffer) {}
  }

  func lines(of records: [Int], _ file: any ByteSource, _ schema: Schema) async throws(Problem) -> [Int]? {
    guard let again = try file.reopened(), let text = try file.reopened() else { return nil }
    let names = try CSVRowStream.names(again, Self.reading)
    let all = Schema(schema.name, columns: names.map { ColumnDescription($0, .text) })
    let stream = try CSVRowStream(text, schema: all, Self.reading)
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

/// A JSON array with one record per line; the types of the columns are in `bb.json`.
struct JSONDirectoryCodec: DirectoryCodec {
  func sidecar(of schema: Schema, file: String) -> [UInt8]? { nil }

  func columns(ofSidecar bytes: [UInt8], name: String) -> [ColumnDescription] { [] }

  func columnNames(_ file: any ByteSource, known: [ColumnDescription]) async throws(Problem) -> [String] {
    let rows = try JSONRowStream.inferring(file, table: "", JSONReading(form: .array))
    return try await rows.validate().columns.map(\.name)
  }

  func rows(_ file: any ByteSource, _ schema: Schema, columns: [String]?) throws(Problem) -> any RowStream {
    JSONRowStream(file, schema: schema, JSONReading(form: .array, columns: columns))
  }

  func encoder(_ schema: Schema) -> any DirectoryEncoder {
    Encoder(writer: JSONWriter(schema.inUsualSpelling, framing: .array))
  }

  private struct Encoder: DirectoryEncoder {
    let writer: JSONWriter
    var separator: String { "," }
    func begin(_ out: inout ByteBuffer) { writer.begin(&out) }
    func write(_ batch: RowBatch, isFirst: Bool, _ out: inout ByteBuffer) throws(Problem) {
      if !isFirst { out.append(writer.separator) }
      try writer.write(batch, &out)
    }
    func finish(isEmpty: Bool, _ out: inout ByteBuffer) { writer.finish(isEmpty: isEmpty, &out) }
  }

  func lines(of records: [Int], _ file: any ByteSource, _ schema: Schema) async throws(Problem) -> [Int]? {
    // bb writes one record per line; the layout of a file edited by the user is unknown.
    nil
  }
}
