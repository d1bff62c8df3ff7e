import Codecs
import Rows

/// The versions and features of the protocol that a table requires.
struct DeltaProtocol: Sendable, Hashable {
  var reader: Int64
  var writer: Int64
  var readerFeatures: [String] = []
  var writerFeatures: [String] = []

  /// Those of a new table.
  static let usual = DeltaProtocol(reader: 1, writer: 2)

  private static let localTimes = "timestampNtz"
  /// Whether a table may have timestamps without a zone.
  var hasLocalTimes: Bool { readerFeatures.contains(Self.localTimes) }

  /// Those of a new table with columns.
  static func required(by schema: DeltaSchema) -> DeltaProtocol {
    guard schema.fields.contains(where: { $0.primitive == "timestamp_ntz" }) else { return usual }
    var versions = DeltaProtocol(reader: 3, writer: 7)
    (versions.readerFeatures, versions.writerFeatures) = ([localTimes], [localTimes])
    return versions
  }

  init(reader: Int64, writer: Int64) { (self.reader, self.writer) = (reader, writer) }

  init(_ action: JSON) throws(Problem) {
    guard let reader = action["minReaderVersion"]?.integerValue, let writer = action["minWriterVersion"]?.integerValue
    else { throw Problem(.badData, "the protocol of the table has no versions") }
    self.init(reader: reader, writer: writer)
    readerFeatures = (action["readerFeatures"]?.arrayValue ?? []).compactMap(\.stringValue)
    writerFeatures = (action["writerFeatures"]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  var action: JSON {
    var members = [
      JSON.Member(Array("minReaderVersion".utf8), .number(reader)),
      JSON.Member(Array("minWriterVersion".utf8), .number(writer)),
    ]
    if reader >= 3 {
      members.append(.init(Array("readerFeatures".utf8), .array(readerFeatures.map { .string($0) })))
      members.append(.init(Array("writerFeatures".utf8), .array(writerFeatures.map { .string($0) })))
    }
    return .object(["protocol": .object(members)])
  }

  /// Features that change nothing for readers, unless the metadata uses them.
  private static let unmapped = ["timestampNtz", "vacuumProtocolCheck"]
  private static let readable = unmapped + ["columnMapping", "deletionVectors", "v2Checkpoint"]
  private static let writable =
    unmapped + [
      "columnMapping", "appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns",
      "identityColumns",
    ]

  /// - Throws: `badData` naming a feature that is not supported.
  func checkReading(_ metadata: DeltaMetadata) throws(Problem) {
    guard (1...3).contains(reader) else { throw unsupported("reader version \(reader)") }
    if reader == 3, let feature = readerFeatures.first(where: { !Self.readable.contains($0) }) {
      throw unsupported("reader feature “\(feature)”")
    }
    if let mode = metadata.mappingMode, DeltaSchema.Mapping(rawValue: mode) == nil {
      throw unsupported("mode “\(mode.prefix(40))” of column mapping")
    }
    guard metadata.format == "parquet" else { throw unsupported("file format “\(metadata.format)”") }
  }

  /// - Throws: `badData` naming a feature that is not supported.
  func checkWriting(_ metadata: DeltaMetadata) throws(Problem) {
    try checkReading(metadata)
    guard (1...7).contains(writer) else { throw unsupported("writer version \(writer)") }
    if writer == 7, let feature = writerFeatures.first(where: { !Self.writable.contains($0) }) {
      throw unsupported("writer feature “\(feature)”")
    }
    if metadata.mappingMode != nil { throw unsupported("writer feature “columnMapping”") }
    if metadata.settings.contains(where: { $0.name.hasPrefix("delta.constraints.") }) {
      throw unsupported("writer feature “checkConstraints”")
    }
    for field in metadata.schema.fields {
      for (key, feature) in [
        ("delta.generationExpression", "generatedColumns"), ("delta.identity.start", "identityColumns"),
        ("delta.invariants", "invariants"),
      ] where field.metadata[key] != nil {
        throw unsupported("writer feature “\(feature)” (column \(field.name))")
      }
    }
  }

  private func unsupported(_ what: String) -> Problem {
    Problem(.badData, "unsupported \(what)", hint: "read or write the table with another program")
  }
}

/// The columns and the settings of a table.
struct DeltaMetadata: Sendable, Hashable {
  /// The action, whose unknown members are kept.
  let action: JSON
  let schema: DeltaSchema
  let partitionColumns: [String]

  init(_ action: JSON) throws(Problem) {
    self.action = action
    guard let text = action["schemaString"]?.stringBytes else {
      throw Problem(.badData, "the metadata of the table has no schema")
    }
    schema = try DeltaSchema(parsing: text, mapping: Self.mappingMode(action).flatMap(DeltaSchema.Mapping.init))
    partitionColumns = (action["partitionColumns"]?.arrayValue ?? []).compactMap(\.stringValue)
    for name in partitionColumns where schema.field(name) == nil {
      throw Problem(.badData, "the table has no column “\(name)”, by which it is partitioned")
    }
  }

  /// Metadata of a new table, or of an earlier one with other columns.
  init(_ schema: DeltaSchema, partitionColumns: [String], id: String, time: Int64, earlier: DeltaMetadata?) {
    (self.schema, self.partitionColumns) = (schema, partitionColumns)
    let own: [JSON.Member] = [
      .init(Array("schemaString".utf8), .string(schema.text)),
      .init(Array("partitionColumns".utf8), .array(partitionColumns.map { .string($0) })),
    ]
    if let members = earlier?.action.objectMembers {
      action = .object(members.filter { member in !own.contains { $0.key == member.key } } + own)
      return
    }
    action = .object(
      [
        .init(Array("id".utf8), .string(id)),
        .init(Array("format".utf8), .object(["provider": .string("parquet"), "options": .object([])])),
      ] + own + [
        .init(Array("configuration".utf8), .object([])), .init(Array("createdTime".utf8), .number(time)),
      ])
  }

  var format: String { action["format"]?["provider"]?.stringValue ?? "parquet" }
  /// The mode in which columns are mapped; nil if they are not.
  var mappingMode: String? { Self.mappingMode(action) }
  private static func mappingMode(_ action: JSON) -> String? {
    action["configuration"]?["delta.columnMapping.mode"]?.stringValue.flatMap { $0 == "none" ? nil : $0 }
  }
  var settings: [JSON.Member] { action["configuration"]?.objectMembers ?? [] }
  func setting(_ name: String) -> String? { action["configuration"]?[name]?.stringValue }
  /// The same with a setting.
  func setting(_ name: String, to value: String) throws(Problem) -> DeltaMetadata {
    let others = settings.filter { $0.name != name } + [JSON.Member(Array(name.utf8), .string(value))]
    let members = (action.objectMembers ?? []).filter { $0.name != "configuration" }
    return try DeltaMetadata(.object(members + [JSON.Member(Array("configuration".utf8), .object(others))]))
  }
  /// Whether rows may only be added.
  var isAppendOnly: Bool { setting("delta.appendOnly")?.lowercased() == "true" }
  /// Whether rows fit both.
  func isSame(as other: DeltaMetadata) -> Bool {
    schema == other.schema && partitionColumns.map { Array($0.utf8) } == other.partitionColumns.map { Array($0.utf8) }
  }
}
