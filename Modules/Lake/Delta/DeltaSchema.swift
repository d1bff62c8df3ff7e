import Codecs
import Domain
import Parquet
import Rows

/// The columns of a Delta table, as the log describes them.
struct DeltaSchema: Sendable, Hashable {
  struct Field: Sendable, Hashable {
    let name: String
    /// The name in data files and their statistics; the same unless the table maps its columns.
    let stored: String
    /// The name of a primitive type, or an object.
    let type: JSON
    var isNullable = true
    var metadata = JSON.object([])

    init(name: String, stored: String? = nil, type: JSON, isNullable: Bool = true, metadata: JSON = .object([])) {
      (self.name, self.stored, self.type) = (name, stored ?? name, type)
      (self.isNullable, self.metadata) = (isNullable, metadata)
    }

    /// The name of a primitive type; nil for a nested one.
    var primitive: String? { type.stringValue }

    /// The type of the column, with those that only bb distinguishes.
    /// - Throws: `badData` for an unknown type.
    func columnType() throws(Problem) -> ColumnType {
      let said = metadata[Self.typeKey]?.stringValue.flatMap { ColumnType(name: $0) }
      let usual: ColumnType, possible: [ColumnType]
      switch primitive {
      case "string": (usual, possible) = (.text, [.url, .json, .decimal, .date, .timestamp, .datetime])
      case "long", "integer", "short", "byte": (usual, possible) = (.integer, [])
      case "double", "float": (usual, possible) = (.real, [])
      case "boolean": (usual, possible) = (.boolean, [])
      case "binary": (usual, possible) = (.bytes, [])
      case "date": (usual, possible) = (.date, [])
      case "timestamp": (usual, possible) = (.timestamp, [])
      case "timestamp_ntz": (usual, possible) = (.datetime, [])
      case let name? where name.hasPrefix("decimal"): (usual, possible) = (.decimal, [])
      case let name?:
        throw Problem(.badData, "column \(self.name): unsupported type “\(name.prefix(40))”")
      case nil:
        usual = .json
        switch type["elementType"]?.stringValue {
        case "string": possible = [.list(.text), .list(.url)]
        case let name? where Self.integers.contains { $0.key == name }: possible = [.list(.integer)]
        default: possible = []
        }
      }
      return said.flatMap { possible.contains($0) ? $0 : nil } ?? usual
    }

    /// The type, if it says more than that of the column.
    var storedType: StoredType? {
      if let primitive {
        return primitive == "timestamp_ntz" ? .timestamp(perSecond: 1_000_000) : StoredType(primitive)
      }
      switch type["elementType"]?.stringValue {
      case "string": return (try? columnType()) == .json ? .nested : nil
      case let name? where Self.integers.contains { $0.key == name }:
        return Self.integers.first { $0.key == name }.map { .integers(bits: $0.value) }
      case "double": return .reals(bits: 64)
      case "float": return .reals(bits: 32)
      default: return .nested
      }
    }

    /// The integers of the protocol.
    static let integers: KeyValuePairs = ["byte": 8, "short": 16, "integer": 32, "long": 64]

    /// The key of the type in the metadata of a field.
    static let typeKey = "bb:type"
  }

  private(set) var fields: [Field]
  private var mapping: Mapping?

  /// What names the columns of a table with column mapping in its data files.
  enum Mapping: String, Sendable, Hashable { case name, id }
  private static let storedName = "delta.columnMapping.physicalName", storedID = "delta.columnMapping.id"

  /// The names of the columns by those of data files; nil if they are the same.
  var names: ParquetNames? {
    mapping.map { mapping in
      .structure(fields.map { Self.member($0.name, $0.type, $0.metadata, mapping) })
    }
  }

  private static func member(
    _ name: String, _ type: JSON, _ metadata: JSON?, _ mapping: Mapping
  ) -> ParquetNames.Member {
    let stored = metadata?[storedName]?.stringBytes ?? Array(name.utf8)
    let id = mapping == .id ? metadata?[storedID]?.countValue : nil
    return ParquetNames.Member(id.map { .id($0) } ?? .name(stored), as: name, names(type, mapping))
  }

  private static func names(_ type: JSON?, _ mapping: Mapping) -> ParquetNames {
    switch type?["type"]?.stringValue {
    case "struct":
      .structure(
        (type?["fields"]?.arrayValue ?? []).map { field in
          member(field["name"]?.stringValue ?? "", field["type"] ?? .null, field["metadata"], mapping)
        })
    case "array": .list(names(type?["elementType"], mapping))
    case "map": .map(key: names(type?["keyType"], mapping), value: names(type?["valueType"], mapping))
    default: .value
    }
  }

  /// Parses the text of `metaData`.
  /// - Parameter mapping: nil for a table that does not map its columns.
  /// - Throws: `badData`.
  init(parsing text: [UInt8], mapping: Mapping? = nil) throws(Problem) {
    self.mapping = mapping
    let json: JSON
    do throws(Problem) { json = try JSON.parse(text, name: "") } catch {
      throw Problem(.badData, "schemaString\(error.place): \(error.message)")
    }
    guard json["type"]?.stringValue == "struct", let list = json["fields"]?.arrayValue else {
      throw Problem(.badData, "the schema of the table is not a structure")
    }
    var fields: [Field] = [], names: Set<[UInt8]> = []
    for field in list {
      guard let name = field["name"]?.stringValue, let type = field["type"], names.insert(Array(name.utf8)).inserted
      else { throw Problem(.badData, "the schema of the table has a column without name or type, or two of one name") }
      fields.append(
        Field(
          name: name, stored: mapping == nil ? nil : field["metadata"]?[Self.storedName]?.stringValue, type: type,
          isNullable: field["nullable"]?.booleanValue ?? true,
          metadata: field["metadata"] ?? .object([])))
    }
    self.fields = fields
  }

  /// The text of `metaData`.
  var text: String {
    let json = JSON.object([
      "type": .string("struct"),
      "fields": .array(
        fields.map { field in
          .object([
            "name": .string(field.name), "type": field.type, "nullable": .boolean(field.isNullable),
            "metadata": field.metadata,
          ])
        }),
    ])
    return String(decoding: json.canonicalBytes, as: UTF8.self)
  }

  /// The field called `name`, byte for byte.
  /// Whether columns have other names in the log and in files.
  var hasStoredNames: Bool { fields.contains { $0.stored != $0.name } }

  /// Partition values of the log by the names of the table.
  func named(_ values: [PartitionValue]) -> [PartitionValue] {
    values.map { value in
      let field = fields.first { $0.stored.utf8.elementsEqual(value.column.utf8) }
      return PartitionValue(column: field?.name ?? value.column, text: value.text)
    }
  }

  func field(_ name: String) -> Field? { fields.first { $0.name.utf8.elementsEqual(name.utf8) } }

  func table(_ name: String) throws(Problem) -> Schema {
    var columns: [ColumnDescription] = []
    for field in fields {
      columns.append(
        ColumnDescription(field.name, try field.columnType(), field.metadata["comment"]?.stringValue ?? "")
          .stored(as: field.storedType))
    }
    return Schema(name, columns: columns)
  }

  // MARK: - Columns of bb

  /// The columns of a new table.
  /// - Parameters:
  ///   - types: the types that the user gave columns, with the sizes of decimals.
  ///   - isNative: whether a column of dates or timestamps fits a type of its own.
  /// - Throws: `badData` for a name that requires column mapping.
  ///   - decimals: the types that store columns of decimals, by position; text for others.
  init(
    _ schema: Schema, types: ColumnTypes = [:], decimals: [Int: DecimalShape.Storage] = [:],
    isStored: (ColumnDescription) -> Bool = { _ in false }, isNative: (Int) -> Bool
  ) throws(Problem) {
    fields = []
    var names: [String: String] = [:]
    for (position, column) in schema.columns.enumerated() {
      if let character = column.name.first(where: { " ,;{}()\n\t=".contains($0) }) {
        let shown = character == "\n" ? "a line feed" : character == "\t" ? "a tab" : "“\(character)”"
        throw Problem(
          .badData, "column “\(column.name)”: names in Delta tables cannot contain \(shown)",
          hint: .set(.columns, for: "exclude the column"))
      }
      if let other = names.updateValue(column.name, forKey: column.name.lowercased()) {
        throw Problem(
          .badData, "columns “\(other)” and “\(column.name)”: names in Delta tables must differ in more than case",
          hint: .set(.columns, for: "exclude one of them"))
      }
      var (type, isImplied) = Self.type(of: column.type, isNative: isNative(position))
      if column.type == .decimal, let size = types.decimalSize(of: column.name) {
        (type, isImplied) = (.string(size.description), true)
      } else if isStored(column), let stored = Self.type(stored: column, isNative: isNative(position)) {
        (type, isImplied) = (stored, true)
      } else {
        switch decimals[position] {
        case .double: (type, isImplied) = (.string("double"), true)
        case .decimal(let size): (type, isImplied) = (.string(size.description), true)
        case .text, nil: break
        }
      }
      var metadata: [JSON.Member] = []
      if !isImplied { metadata.append(.init(Array(Field.typeKey.utf8), .string(column.type.name))) }
      if !column.summary.isEmpty { metadata.append(.init(Array("comment".utf8), .string(column.summary))) }
      fields.append(Field(name: column.name, type: type, metadata: .object(metadata)))
    }
  }

  /// The Delta type of a column that has another type in its source; nil if it is that of its type.
  private static func type(stored column: ColumnDescription, isNative: Bool) -> JSON? {
    func list(_ element: String) -> JSON {
      .object(["type": .string("array"), "elementType": .string(element), "containsNull": .boolean(true)])
    }
    func integer(_ bits: Int) -> String { Field.integers.first { $0.value == bits }?.key ?? "long" }
    return switch (column.stored, column.type) {
    case (.integer(let bits), .integer): .string(integer(bits))
    case (.float, .real): .string("float")
    case (.decimal(let size), .decimal): .string(size.description)
    case (.unsigned, .decimal): .string("decimal(20,0)")
    case (.timestamp, .datetime) where isNative: .string("timestamp_ntz")
    case (.integers(let bits), .json), (.integers(let bits), .list(.integer)): list(integer(bits))
    case (.reals(let bits), .json): list(bits == 32 ? "float" : "double")
    default: nil
    }
  }

  private static func type(of type: ColumnType, isNative: Bool) -> (JSON, isImplied: Bool) {
    switch type {
    case .integer: (.string("long"), true)
    case .real: (.string("double"), true)
    case .boolean: (.string("boolean"), true)
    case .text: (.string("string"), true)
    case .bytes: (.string("binary"), true)
    case .date: (.string(isNative ? "date" : "string"), isNative)
    case .timestamp: (.string(isNative ? "timestamp" : "string"), isNative)
    case .url, .json, .decimal, .datetime: (.string("string"), false)
    case .list(let element):
      (
        .object([
          "type": .string("array"), "elementType": .string(element == .integer ? "long" : "string"),
          "containsNull": .boolean(false),
        ]), false
      )
    }
  }

  /// The type as which a column of records is written into a field; nil if the field cannot hold its values.
  static func written(_ column: ColumnDescription, into field: Field) -> ColumnType? {
    let type = column.type
    switch (field.primitive, type) {
    case ("string", .text), ("string", .url), ("string", .json), ("string", .decimal), ("string", .date),
      ("string", .timestamp), ("string", .datetime):
      return .text
    case ("long", .integer), ("double", .real), ("boolean", .boolean), ("binary", .bytes), ("date", .date),
      ("timestamp", .timestamp), ("timestamp_ntz", .datetime):
      return type
    case ("integer", .integer), ("short", .integer), ("byte", .integer), ("float", .real): return type
    // A double that does not hold a number refuses it.
    case ("double", .decimal), ("double", .integer): return .decimal
    case (let name?, .decimal), (let name?, .integer), (let name?, .real):
      if case .decimal? = StoredType(name) { return .decimal }
      return nil
    case (nil, .list), (nil, .json):
      guard field.type["type"]?.stringValue == "array" else { return nil }
      let element = field.type["elementType"]?.stringValue
      switch (type, column.stored) {
      case (.list(.integer), _), (_, .integers): return Field.integers.contains { $0.key == element } ? type : nil
      case (.list, _): return element == "string" ? type : nil
      case (_, .reals): return element == "double" || element == "float" ? type : nil
      default: return nil
      }
    default: return nil
    }
  }
}
