import Codecs
import Conformance
import Domain
import Rows

/// How documents of exact formats are read back with bb's own readers.
enum Readers {
  static func reader(
    of exporter: any Exporter, _ options: ExportOptions = ExportOptions()
  ) -> ExporterFixture.Reader? {
    switch exporter.descriptor.name {
    case "json":
      { document, schema in
        let source = MemoryByteSource(document, name: "json")
        return try await rows(JSONRowStream(source, schema: schema, JSONReading(form: .array)))
      }
    case "ndjson":
      { document, schema in
        let source = MemoryByteSource(document, name: "ndjson")
        return try await rows(JSONRowStream(source, schema: schema, JSONReading(form: .lines)))
      }
    case "singer":
      { document, schema throws in
        let messages = try lines(document)
        guard messages.first?["type"] == .string("SCHEMA"), messages.last?["type"] == .string("STATE") else {
          throw LawViolation("no SCHEMA first or no STATE last")
        }
        let records = messages.dropFirst().dropLast()
        let name = schema.name
        guard messages.last?["value"]?["bb_export"]?["records"]?[name] == .number(Int64(records.count)) else {
          throw LawViolation("the STATE does not count the records")
        }
        return try records.map { try row(of: $0["record"] ?? .null, schema) }
      }
    case "geojson":
      { document, schema throws in
        let features = try JSON.parse(document, name: "geojson")["features"]?.arrayValue ?? []
        return try features.map { feature in
          let place = feature["geometry"]?["coordinates"], properties = feature["properties"]?.objectMembers ?? []
          var members = properties
          // Puts the coordinates where their columns are, as literals without exponents.
          for (position, column) in schema.columns.enumerated() where ["latitude", "longitude"].contains(column.name) {
            let value = place?[column.name == "longitude" ? 0 : 1]?.realValue
            let number = value.map { JSON.number($0.canonicalText) } ?? .null
            members.insert(JSON.Member(Array(column.name.utf8), number), at: position)
          }
          return try row(of: .object(members), schema)
        }
      }
    case "csv", "tsv":
      { document, schema in
        var reading = CSVReading()
        let delimiter = exporter.descriptor.name == "tsv" ? "\t" : options.values["delimiter"] ?? ","
        reading.delimiter = Array(delimiter.utf8)[0]
        reading.nullTexts = options.values["null"].map { [Array($0.utf8)] } ?? []
        let source = MemoryByteSource(document, name: exporter.descriptor.name)
        return try await rows(try CSVRowStream(source, schema: schema, reading))
      }
    case "xlsx": { document, schema in try SheetReader.rows(document, schema) }
    default: nil
    }
  }

  private static func rows(_ stream: any RowStream) async throws -> [[Value]] {
    var rows: [[Value]] = []
    while let work = try await stream.next() {
      let batch = try work.batch()
      rows += (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
    }
    return rows
  }

  private static func lines(_ document: [UInt8]) throws -> [JSON] {
    try document.split(separator: 0x0A).map { try JSON.parse(Array($0), name: "line") }
  }

  private static func row(of record: JSON, _ schema: Schema) throws -> [Value] {
    let members = record.objectMembers ?? []
    guard members.map(\.name) == schema.columns.map(\.name) else {
      throw LawViolation("the keys are \(members.map(\.name))")
    }
    return zip(members, schema.columns).map { member, column in
      switch (member.value, column.type) {
      case (.null, _): .null
      case (_, .json), (_, .list): .json(member.value.canonicalBytes)
      case (.boolean(let value), _): .boolean(value)
      case (.number(let literal), _): .number(literal)
      case (.string(let text), .bytes): Base64.decode(text).map(Value.bytes) ?? .text(text)
      case (.string(let text), _): .text(text)
      case (.array, _), (.object, _): .json(member.value.canonicalBytes)
      }
    }
  }
}
