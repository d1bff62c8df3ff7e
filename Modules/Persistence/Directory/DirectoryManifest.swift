import Codecs
import Rows

/// A directory's `bb.json`: the version of the format, the kind of store, and for each table its key, its source, and
/// its columns unless a file next to the table describes them.
struct DirectoryManifest: Equatable {
  /// The version of the format that this program writes; it reads none that is newer.
  ///
  /// 1: history as one file, `.bb/history.ndjson`, and no kind. 2: history as a file for each entry, and the kind.
  static let version: Int64 = 2
  static let name = "bb.json"
  /// Bytes of the file at most.
  static let limit = 16 << 20

  struct Table: Equatable {
    /// The names of the key's columns.
    var key: [String]
    /// Where its rows were loaded from.
    var source: String?
    /// Its columns; nil if a file next to the table describes them.
    var columns: [ColumnDescription]?
    /// Members that a later version of this format added; they are preserved.
    var others: [JSON.Member] = []
  }

  private(set) var version = Self.version
  /// The kind of store, as `DirectoryFormat.scheme`; nil in version 1.
  private(set) var storage: String?
  var tables: [String: Table] = [:]

  init(storage: String) { self.storage = storage }

  /// The manifest that `bytes` hold.
  /// - Throws: `configuration` for a newer version, `badData` for what bb does not write.
  init(_ bytes: [UInt8], at place: String) throws(Problem) {
    let document: JSON
    do throws(Problem) { document = try JSON.parse(bytes, name: place) } catch {
      if let conflict = MergeConflict.problem(in: bytes, at: place) { throw conflict }
      guard let repaired = try MergedManifest.repaired(bytes, at: place) else { throw error }
      document = repaired
    }
    guard let version = document["format"]?.integerValue, version > 0 else {
      throw Problem(.badData, "missing “format”", at: place)
    }
    guard version <= Self.version else {
      throw Problem(
        .configuration, "unsupported store format \(version); this program supports up to \(Self.version)", at: place,
        hint: "use a newer version of bb")
    }
    self.version = version
    if version > 1 {
      guard let storage = document["storage"]?.stringValue else {
        throw Problem(.badData, "missing “storage”", at: place)
      }
      self.storage = storage
    }
    for member in document["datasets"]?.objectMembers ?? [] {
      guard let table = Table(member.value) else {
        throw Problem(.badData, "invalid description of “\(member.name)”", at: place)
      }
      tables[member.name] = table
    }
  }

  /// The same in the version that this program writes.
  func upgraded(to storage: String) -> DirectoryManifest {
    var next = self
    (next.version, next.storage) = (Self.version, storage)
    return next
  }

  /// The text of the file: a line for each table, in order of name, so that merges keep the lines of both sides.
  var bytes: [UInt8] {
    let lines = tables.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, table in
      "  " + Self.text(.string(name)) + ": " + Self.text(table.json)
    }
    let datasets = lines.isEmpty ? "" : lines.joined(separator: ",\n") + "\n"
    let storage = Self.text(.string(storage ?? ""))
    return Array("{\"format\": \(version), \"storage\": \(storage), \"datasets\": {\n\(datasets)}}\n".utf8)
  }

  private static func text(_ json: JSON) -> String { String(decoding: json.canonicalBytes, as: UTF8.self) }
}

extension DirectoryManifest.Table {
  /// The key and the columns of a schema.
  init(_ schema: Schema) {
    self.init(key: schema.key.map { schema.columns[$0].name }, columns: schema.columns)
  }
  /// The schema of a table `name`; nil if its columns are described elsewhere.
  func schema(_ name: String) -> Schema? { columns.map { Schema(name, key: key, columns: $0) } }

  init?(_ json: JSON) {
    guard let key = json["key"]?.arrayValue?.compactMap(\.stringValue) else { return nil }
    self.key = key
    source = json["source"]?.stringValue
    if let list = json["columns"]?.arrayValue {
      var columns: [ColumnDescription] = []
      for column in list {
        guard let name = column["name"]?.stringValue, !columns.has(name),
          let type = column["type"]?.stringValue.flatMap(ColumnType.init(name:))
        else { return nil }
        columns.append(
          ColumnDescription(
            name, type, nullable: column["required"]?.booleanValue != true, column["summary"]?.stringValue ?? "",
            unit: column["unit"]?.stringValue ?? "", extra: column["extra"]?.booleanValue ?? false,
            role: column["role"]?.stringValue.flatMap(ColumnRole.init)))
      }
      self.columns = columns
    }
    others = (json.objectMembers ?? []).filter { !["key", "source", "columns"].contains($0.name) }
  }

  var json: JSON {
    var members = [JSON.Member(Array("key".utf8), .array(key.map { .string($0) }))]
    if let source { members.append(JSON.Member(Array("source".utf8), .string(source))) }
    if let columns {
      members.append(JSON.Member(Array("columns".utf8), .array(columns.map { Self.json($0.withoutRequiredTime) })))
    }
    return .object(members + others)
  }

  private static func json(_ column: ColumnDescription) -> JSON {
    var members: [JSON.Member] = []
    func put(_ key: String, _ value: JSON?) {
      if let value { members.append(JSON.Member(Array(key.utf8), value)) }
    }
    put("name", .string(column.name))
    put("type", .string(column.type.name))
    put("required", column.isNullable ? nil : .boolean(true))
    put("summary", column.summary.isEmpty ? nil : .string(column.summary))
    put("unit", column.unit.isEmpty ? nil : .string(column.unit))
    put("extra", column.isExtra ? .boolean(true) : nil)
    put("role", column.role.map { .string($0.rawValue) })
    return .object(members)
  }
}

extension ColumnDescription {
  /// The column as directories describe it: a record that the user wrote by hand needs no times.
  var withoutRequiredTime: ColumnDescription {
    guard ["created_at", "updated_at"].contains(name), !isNullable else { return self }
    return ColumnDescription(name, type, nullable: true, summary, unit: unit, extra: isExtra, role: role)
  }
}
