import Codecs
import Rows

/// The columns and partitions of a table in the terms of Iceberg.
///
/// A column keeps its number as long as its name and type do. Data files have no numbers: names lead to them.
struct IcebergColumns {
  private struct Column {
    let name: String
    let type: IcebergType
    let id: Int64, element: Int64
  }
  private let columns: [Column]
  /// The partition columns, with their values' numbers.
  private let parts: [(column: Column, id: Int64)]
  /// All schemas and partitionings so far, and the numbers of the current ones.
  let schemas: [JSON], specifications: [JSON]
  let schemaID: Int64, specification: Int64
  /// The last numbers of columns and of partition values.
  let lastID: Int64, lastPartitionID: Int64
  private let current: JSON, partitioning: JSON

  /// - Parameter earlier: the metadata before.
  /// - Throws: `badData` for a type that Iceberg does not have.
  init(_ metadata: DeltaMetadata, after earlier: JSON?) throws(Problem) {
    let known = earlier?["schemas"]?.arrayValue ?? []
    let last = known.first { $0["schema-id"] == earlier?["current-schema-id"] }?["fields"]?.arrayValue ?? []
    var next = earlier?["last-column-id"]?.integerValue ?? 0, columns: [Column] = []
    for field in metadata.schema.fields {
      guard let type = IcebergType(delta: field.type) else {
        throw Problem(.badData, "column \(field.name): Iceberg metadata are not written for its type")
      }
      let before = last.first { $0["name"]?.stringValue == field.name }
      let id = before?["id"]?.integerValue, element = before?["type"]?["element-id"]?.integerValue ?? 0
      if let id, before?["type"] == type.json(element: element) {
        columns.append(Column(name: field.name, type: type, id: id, element: element))
      } else {
        var isList = false
        if case .list = type { isList = true }
        columns.append(Column(name: field.name, type: type, id: next + 1, element: isList ? next + 2 : 0))
        next += isList ? 2 : 1
      }
    }
    (self.columns, lastID) = (columns, next)
    let fields = JSON.array(
      columns.map { column in
        .object([
          "id": .number(column.id), "name": .string(column.name), "required": .boolean(false),
          "type": column.type.json(element: column.element),
        ])
      })
    schemaID = known.first { $0["fields"] == fields }?["schema-id"]?.integerValue ?? Int64(known.count)
    current = .object(["type": .string("struct"), "schema-id": .number(schemaID), "fields": fields])
    schemas = Int(schemaID) < known.count ? known : known + [current]

    let specs = earlier?["partition-specs"]?.arrayValue ?? []
    let taken = specs.flatMap { $0["fields"]?.arrayValue ?? [] }
    var nextPart = earlier?["last-partition-id"]?.integerValue ?? 999, parts: [(column: Column, id: Int64)] = []
    for name in metadata.partitionColumns {
      guard let column = columns.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
      let id = taken.first { $0["source-id"]?.integerValue == column.id }?["field-id"]?.integerValue
      if id == nil { nextPart += 1 }
      parts.append((column, id ?? nextPart))
    }
    (self.parts, lastPartitionID) = (parts, nextPart)
    partitioning = .array(
      parts.map { part in
        .object([
          "source-id": .number(part.column.id), "field-id": .number(part.id), "name": .string(part.column.name),
          "transform": .string("identity"),
        ])
      })
    let partitioning = self.partitioning
    specification = specs.first { $0["fields"] == partitioning }?["spec-id"]?.integerValue ?? Int64(specs.count)
    specifications =
      Int(specification) < specs.count
      ? specs : specs + [.object(["spec-id": .number(specification), "fields": partitioning])]
  }

  /// The numbers of the columns by their names in data files.
  var names: JSON {
    .array(
      columns.map { column in
        let element = JSON.object(["field-id": .number(column.element), "names": .array([.string("element")])])
        return .object([
          "field-id": .number(column.id), "names": .array([.string(column.name)]),
          "fields": .array(column.element > 0 ? [element] : []),
        ])
      })
  }

  // MARK: - Manifests

  /// The entry of a data file.
  /// - Throws: `badData` for a partition value that is not of its type.
  func entry(_ file: DeltaFile, _ url: String, rows: Int, _ snapshot: Int64) throws(Problem) -> [UInt8] {
    var entry = AvroValues()
    // Added; the numbers of the sequence are those of the manifest.
    for value in [1, 1, snapshot, 0, 0, 0] { entry.append(value) }
    entry.append(url)
    entry.append("PARQUET")
    for (column, _) in parts {
      guard let text = file.value(of: column.name) else {
        entry.append(0)
        continue
      }
      entry.append(1)
      guard column.type.append(text, to: &entry) else {
        throw Problem(.badData, "column \(column.name): invalid partition value of \(file.path)")
      }
    }
    entry.append(Int64(rows))
    entry.append(file.size)
    let statistics = file.statistics.flatMap { try? JSON.parse($0, name: "") }
    func map(_ value: (Column) -> [UInt8]?) {
      entry.append(1)
      entry.append(
        array: columns.compactMap { column in
          value(column).map { value in
            AvroValues.encoding {
              $0.append(column.id)
              $0.append(fixed: value)
            }
          }
        })
    }
    map { column in
      statistics?["nullCount"]?[column.name]?.integerValue.map { count in AvroValues.encoding { $0.append(count) } }
    }
    for (key, isUpper) in [("minValues", false), ("maxValues", true)] {
      map { column in
        column.type.bound(statistics?[key]?[column.name], isUpper: isUpper).map { bound in
          AvroValues.encoding { $0.append(bound) }
        }
      }
    }
    return entry.bytes
  }

  /// A manifest of entries.
  func manifest(_ entries: [[UInt8]]) -> [UInt8] {
    func text(_ json: JSON) -> String { String(decoding: json.canonicalBytes, as: UTF8.self) }
    return AvroValues.file(
      entrySchema,
      [
        "schema": text(current), "schema-id": "\(schemaID)", "partition-spec": text(partitioning),
        "partition-spec-id": "\(specification)", "format-version": "2", "content": "data",
      ], records: entries)
  }

  private static func record(_ name: String, _ fields: [JSON]) -> JSON {
    .object(["type": .string("record"), "name": .string(name), "fields": .array(fields)])
  }

  private static func field(_ name: String, _ id: Int64, _ type: JSON, isOptional: Bool = false) -> JSON {
    var members = [
      JSON.Member(Array("name".utf8), .string(name)), JSON.Member(Array("field-id".utf8), .number(id)),
      JSON.Member(Array("type".utf8), isOptional ? .array([.string("null"), type]) : type),
    ]
    if isOptional { members.append(JSON.Member(Array("default".utf8), .null)) }
    return .object(members)
  }

  /// A map by the numbers of columns.
  private static func map(_ name: String, _ id: Int64, _ key: Int64, of value: String) -> JSON {
    let pair = record(
      "k\(key)_v\(key + 1)", [field("key", key, .string("int")), field("value", key + 1, .string(value))])
    return field(
      name, id, .object(["type": .string("array"), "logicalType": .string("map"), "items": pair]), isOptional: true)
  }

  private var entrySchema: JSON {
    let partition = Self.record(
      "r102", parts.map { Self.field("_\($0.id)", $0.id, $0.column.type.avro($0.id), isOptional: true) })
    let file = Self.record(
      "r2",
      [
        Self.field("content", 134, .string("int")), Self.field("file_path", 100, .string("string")),
        Self.field("file_format", 101, .string("string")), Self.field("partition", 102, partition),
        Self.field("record_count", 103, .string("long")), Self.field("file_size_in_bytes", 104, .string("long")),
        Self.map("null_value_counts", 110, 121, of: "long"), Self.map("lower_bounds", 125, 126, of: "bytes"),
        Self.map("upper_bounds", 128, 129, of: "bytes"),
      ])
    return Self.record(
      "manifest_entry",
      [
        Self.field("status", 0, .string("int")), Self.field("snapshot_id", 1, .string("long"), isOptional: true),
        Self.field("sequence_number", 3, .string("long"), isOptional: true),
        Self.field("file_sequence_number", 4, .string("long"), isOptional: true), Self.field("data_file", 2, file),
      ])
  }

  /// The schema of a list of manifests.
  static let listSchema = record(
    "manifest_file",
    [
      ("manifest_path", 500, "string"), ("manifest_length", 501, "long"), ("partition_spec_id", 502, "int"),
      ("content", 517, "int"), ("sequence_number", 515, "long"), ("min_sequence_number", 516, "long"),
      ("added_snapshot_id", 503, "long"), ("added_files_count", 504, "int"), ("existing_files_count", 505, "int"),
      ("deleted_files_count", 506, "int"), ("added_rows_count", 512, "long"), ("existing_rows_count", 513, "long"),
      ("deleted_rows_count", 514, "long"),
    ].map { field($0.0, $0.1, .string($0.2)) })
}
