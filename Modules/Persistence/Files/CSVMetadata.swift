import Codecs
import Glibc
import Rows

/// What a metadata file beside a CSV file says about its columns (W3C CSV on the Web): `NAME.csv-metadata.json`.
struct CSVMetadata {
  /// Types by column, where the file says one that bb has.
  private(set) var types: ColumnTypes = [:]
  /// The columns in the file's order, with all that it says of them; of those without a type that bb has, text.
  private(set) var columns: [ColumnDescription] = []
  /// What separates fields; nil when the file does not say.
  private(set) var delimiter: UInt8?
  /// Whether the first line names the columns; nil when the file does not say.
  private(set) var hasHeader: Bool?
  /// The text that means null; nil when the file does not say.
  private(set) var nullText: [UInt8]?

  /// The metadata of the file at `path`; nil when there is none.
  /// - Throws: `badData` when it cannot be understood.
  static func beside(_ path: String) throws(Problem) -> CSVMetadata? {
    let place = path + "-metadata.json"
    guard unsafe access(place, F_OK) == 0 else { return nil }
    return try CSVMetadata(try FileByteSource(path: place).bytes(limit: 16 << 20), name: place)
  }

  /// What `bytes` say.
  init(_ bytes: [UInt8], name: String) throws(Problem) {
    let document = try JSON.parse(bytes, name: name)
    guard let schema = document["tableSchema"] ?? document["tables"]?[0]?["tableSchema"] else {
      throw Problem(.badData, "there is no tableSchema", at: name)
    }
    for column in schema["columns"]?.arrayValue ?? [] {
      // The title is what the header says; the name may be another.
      guard
        let called = column["titles"]?.stringValue ?? column["titles"]?[0]?.stringValue ?? column["name"]?.stringValue
      else { throw Problem(.badData, "a column has neither name nor titles", at: name) }
      if let word = column["bb:type"]?.stringValue {
        guard let type = ColumnType(name: word) else {
          throw Problem(.badData, "column “\(called)” has the type “\(word)”, which does not exist", at: name)
        }
        types[called] = type
      } else if let datatype = column["datatype"] {
        types[called] = Self.type(of: datatype)
      }
      columns.append(
        ColumnDescription(
          called, types[called] ?? .text, nullable: column["required"]?.booleanValue != true,
          column["dc:description"]?.stringValue ?? "", unit: column["bb:unit"]?.stringValue ?? "",
          extra: column["bb:extra"]?.booleanValue ?? false))
    }
    if let text = document["dialect"]?["delimiter"]?.stringBytes {
      do throws(Problem) { delimiter = try CSVStyle.delimiter(named: String(decoding: text, as: UTF8.self)) } catch {
        throw Problem(.badData, error.message, at: name, hint: error.hint)
      }
    }
    hasHeader = document["dialect"]?["header"]?.booleanValue
    // Of several texts that mean null, the one that is none of the usual ones.
    let null = schema["null"] ?? document["null"]
    nullText = null?.stringBytes ?? null?.arrayValue?.compactMap(\.stringBytes).first { !$0.isEmpty }
  }

  /// The type for a datatype of the standard. Anything whose spelling bb would change, or that has a format of its own, is read as it stands.
  private static func type(of datatype: JSON) -> ColumnType? {
    if datatype["format"] != nil { return .text }
    switch datatype.stringValue ?? datatype["base"]?.stringValue {
    case "integer", "long", "int", "short", "byte": return .integer
    case "number", "decimal", "double", "float": return .decimal
    case "boolean": return .boolean
    case "date": return .date
    case "anyURI": return .url
    case "base64Binary", "binary": return .bytes
    case "json": return .json
    case "string": return .text
    default: return nil
    }
  }
}
