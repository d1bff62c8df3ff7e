import Codecs
import Glibc
import Rows

/// A folder's `bb.json`: the format's version, and of each table its key, where it was loaded from, and, where the files do not say it, its columns.
struct FolderManifest: Equatable {
  /// The version of the format that this program writes; it reads none that is newer.
  static let version: Int64 = 1

  /// What is said of a table.
  struct Table: Equatable {
    /// The names of the key's columns.
    var key: [String]
    /// Where its rows were loaded from.
    var source: String?
    /// Its columns; nil when a file beside the table describes them.
    var columns: [ColumnDescription]?
  }

  /// The tables by name.
  var tables: [String: Table] = [:]

  init() {}

  /// The file in the folder at `path`; nil when there is none.
  /// - Throws: `configuration` for a newer version, `badData` for what bb does not write.
  init?(folder path: String) throws(Problem) {
    let place = path + "/bb.json"
    guard try FileStamp.now(at: place) != nil else { return nil }
    let document = try JSON.parse(try FileByteSource(path: place).bytes(limit: 16 << 20), name: place)
    guard let version = document["format"]?.integerValue, version > 0 else {
      throw Problem(.badData, "“format” is missing", at: place)
    }
    guard version <= Self.version else {
      throw Problem(
        .configuration, "the storage has format \(version), and this program knows up to \(Self.version)", at: place,
        hint: "use a newer bb")
    }
    for member in document["datasets"]?.objectMembers ?? [] {
      let damage = Problem(.badData, "what is said of “\(member.name)” cannot be understood", at: place)
      var columns: [ColumnDescription]?
      if let list = member.value["columns"]?.arrayValue {
        columns = []
        for column in list {
          guard let name = column["name"]?.stringValue,
            let type = column["type"]?.stringValue.flatMap(ColumnType.init(name:))
          else { throw damage }
          columns?.append(
            ColumnDescription(
              name, type, nullable: column["required"]?.booleanValue != true, column["summary"]?.stringValue ?? "",
              unit: column["unit"]?.stringValue ?? "", extra: column["extra"]?.booleanValue ?? false))
        }
      }
      let key = member.value["key"]?.arrayValue?.compactMap(\.stringValue)
      guard let key, Set(columns?.map { Array($0.name.utf8) } ?? []).count == columns?.count ?? 0 else { throw damage }
      tables[member.name] = Table(key: key, source: member.value["source"]?.stringValue, columns: columns)
    }
  }

  /// Refuses a folder whose tables are in files of another format than `format`: it would come to hold two tables of one name.
  func check(_ format: any FolderFormat, folder: String) throws(Problem) {
    let other = format.name == "csv" ? "json" : "csv"
    // Only JSON has its columns described here.
    for (name, table) in tables where (table.columns == nil) == (other == "csv") {
      let file = "\(folder)/\(FolderPath.stem(of: name))."
      guard try FileStamp.now(at: file + format.name) == nil, try FileStamp.now(at: file + other) != nil else {
        continue
      }
      throw Problem(
        .usage, "the storage is a folder of \(other) files", at: "\(format.name):\(folder)",
        hint: "say \(other):\(folder)")
    }
  }

  /// The text of the file: a line for each table, in order of name.
  var bytes: [UInt8] {
    let lines = tables.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, table in
      var members = [JSON.Member(Array("key".utf8), .array(table.key.map { .string($0) }))]
      if let source = table.source { members.append(JSON.Member(Array("source".utf8), .string(source))) }
      if let columns = table.columns {
        members.append(JSON.Member(Array("columns".utf8), .array(columns.map(Self.json))))
      }
      return "  " + Self.text(.string(name)) + ": " + Self.text(.object(members))
    }
    let datasets = lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n}"
    return Array("{\"format\": \(Self.version), \"datasets\": \(datasets)}\n".utf8)
  }

  private static func text(_ json: JSON) -> String { String(decoding: json.canonicalBytes, as: UTF8.self) }

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
    return .object(members)
  }
}
