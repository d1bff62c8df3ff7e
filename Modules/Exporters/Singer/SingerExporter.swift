import Codecs
public import Domain
public import Rows

/// A Singer stream: a SCHEMA message, a RECORD for each row, and a STATE that says how many there were.
///
/// Every target that follows the Singer specification can read it, and so can bb's own external exporters. Messages
/// are one line each, types in upper case, the schema comes once and before all records. Dates carry a format if the
/// first rows have whole days only.
public struct SingerExporter: ByteFormat {
  private enum Nested: String, CaseIterable { case keep, json }
  private enum Formats: String, CaseIterable { case keep, none }

  private static let nested = ExporterDescriptor.Option(
    "nested", "keep|json", "Write lists and JSON values as they are, or as JSON text [default: keep]")
  private static let formats = ExporterDescriptor.Option(
    "formats", "keep|none", "Declare dates as date and timestamps as date-time in the schema [default: keep]")

  private let earlier: [(stream: String, records: Int)]

  /// The format.
  /// - Parameter earlier: the streams that went before this one into the same pipe, and their records; the STATE counts
  ///   them too.
  public init(after earlier: [(stream: String, records: Int)] = []) { self.earlier = earlier }

  /// `singer`.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      "singer", fileExtensions: ["singer"], mediaType: "application/x-ndjson",
      summary: "Singer messages (SCHEMA, RECORD, STATE) for a Singer target", isExact: true,
      measuring: .head(rows: 10_000),
      options: [Self.nested, Self.formats, OptionKeys.nonfinite])
  }

  /// An encoder.
  /// - Throws: `usage` for a table whose name cannot be a stream's.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    guard Self.isStreamName(schema.name) else {
      throw Problem(
        .usage, "invalid Singer stream name “\(schema.name)”",
        hint: .set(.tableName, for: "choose another: lowercase letters, digits and _, at most 63, the first a letter"))
    }
    let nested = try options.choice(Self.nested, default: Nested.keep)
    let formats = try options.choice(Self.formats, default: Formats.keep)
    let writer = JSONWriter(
      schema.inUsualSpelling, framing: .lines, nonfinite: try options.choice(OptionKeys.nonfinite, default: .error),
      nestsAsText: nested == .json, prefix: "{\"type\":\"RECORD\",\"stream\":\"\(schema.name)\",\"record\":",
      suffix: "}")
    let days = schema.columns.indices.filter {
      formats == .keep && schema.columns[$0].type == .date && EpochTime.isNative($0, of: schema, in: layout.head)
    }
    return SingerEncoder(
      schema: schema, description: Self.message(schema, nested, formats, days), days: days, writer: writer,
      earlier: earlier)
  }

  /// Names that targets make files and tables of: nothing else is safe everywhere.
  private static func isStreamName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 63, (0x61...0x7A).contains(first) else { return false }
    return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
  }

  private static func message(_ schema: Schema, _ nested: Nested, _ formats: Formats, _ days: [Int]) -> JSON {
    .object([
      "type": .string("SCHEMA"), "stream": .string(schema.name), "schema": record(schema, nested, formats, days),
      "key_properties": .array(schema.key.map { JSON.string(schema.columns[$0].name) }),
    ])
  }

  /// The JSON Schema of the records, with the usual options.
  static func record(_ schema: Schema) -> JSON { record(schema, .keep, .keep, []) }

  private static func record(_ schema: Schema, _ nested: Nested, _ formats: Formats, _ days: [Int]) -> JSON {
    let properties = schema.columns.enumerated().map { position, column in
      let format = days.contains(position) ? [JSON.Member(Array("format".utf8), .string("date"))] : []
      return JSON.Member(Array(column.name.utf8), .object(property(column, nested, formats) + format))
    }
    return .object(["type": .string("object"), "properties": .object(properties)])
  }

  private static func property(_ column: ColumnDescription, _ nested: Nested, _ formats: Formats) -> [JSON.Member] {
    var types: [String], more: [(String, JSON)] = []
    switch column.type {
    case .integer: types = ["integer"]
    case .real, .decimal: types = ["number"]
    case .boolean: types = ["boolean"]
    case .text, .date, .datetime, .url: types = ["string"]
    case .bytes:
      types = ["string"]
      more = [("contentEncoding", .string("base64"))]
    case .timestamp:
      types = ["string"]
      if formats == .keep { more = [("format", .string("date-time"))] }
    case .list where nested == .json, .json where nested == .json: types = ["string"]
    case .list(let element):
      types = ["array"]
      let item = element == .integer ? "integer" : "string"
      more = [("items", .object(["type": .array([.string("null"), .string(item)])]))]
    case .json: types = ["object", "array", "string", "number", "boolean"]
    }
    // Records that users write by hand in the files of a store have no times.
    if column.isNullable || ["created_at", "updated_at"].contains(column.name) { types.insert("null", at: 0) }
    let type: JSON = types.count == 1 ? .string(types[0]) : .array(types.map { .string($0) })
    return ([("type", type)] + more).map { JSON.Member(Array($0.0.utf8), $0.1) }
  }
}

private struct SingerEncoder: RowEncoder {
  let schema: Schema
  let description: JSON
  /// The columns that are declared to have whole days.
  let days: [Int]
  let writer: JSONWriter
  let earlier: [(stream: String, records: Int)]

  func begin(_ out: inout ByteBuffer) {
    out.append(bytes: description.canonicalBytes)
    out.append("\n")
  }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    for column in days {
      for row in 0..<batch.count {
        guard case .text(_, let length) = batch[row, column], length != 10 else { continue }
        throw Problem(
          .badData, "column \(schema.columns[column].name): a date that is not a whole day, in a column of days",
          hint: .set(.formatOption("singer.formats"), to: "none"), record: row)
      }
    }
    try writer.write(batch, &out)
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
    let records = JSON.object(
      (earlier + [(schema.name, all.rows)]).map { JSON.Member(Array($0.stream.utf8), .number(Int64($0.records))) })
    let state = JSON.object([
      "type": .string("STATE"),
      "value": .object(["bookmarks": .object([]), "bb_export": .object(["records": records])]),
    ])
    out.append(bytes: state.canonicalBytes)
    out.append("\n")
  }
}
