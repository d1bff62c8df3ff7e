public import Rows

/// A format that tables are read from.
public enum FileFormat: String, Sendable, Hashable, CaseIterable {
  /// Fields separated by commas.
  case csv
  /// Fields separated by tabs.
  case tsv
  /// A JSON array of objects.
  case json
  /// One JSON object per line.
  case ndjson
  /// An SQLite database.
  case sqlite
  /// A workbook of Excel, LibreOffice or another spreadsheet.
  case xlsx
  /// An Apache Parquet file.
  case parquet
  /// Tables of GitHub Flavored Markdown.
  case markdown
  /// Tables of an HTML page.
  case html
  /// A YAML sequence of mappings.
  case yaml
  /// The features of GeoJSON.
  case geojson
  /// GPX waypoints, routes and tracks.
  case gpx
  /// KML placemarks.
  case kml
  /// vCards.
  case vcard
  /// Messages of the Singer specification.
  case singer
  /// `INSERT` statements.
  case sql

  /// Whether a file is not read from its beginning to its end.
  public var isRandomAccess: Bool { self == .xlsx || self == .parquet }

  /// Suffixes that choose it, in small letters.
  var suffixes: [String] {
    switch self {
    case .csv: ["csv"]
    case .tsv: ["tsv", "tab"]
    case .json: ["json"]
    case .ndjson: ["ndjson", "jsonl"]
    case .sqlite: ["db", "sqlite", "sqlite3", "db3"]
    case .xlsx: ["xlsx", "xlsm", "xltx", "xltm"]
    case .parquet: ["parquet"]
    case .markdown: ["md", "markdown"]
    case .html: ["html", "htm"]
    case .yaml: ["yaml", "yml"]
    case .geojson: ["geojson"]
    case .gpx: ["gpx"]
    case .kml: ["kml"]
    case .vcard: ["vcf"]
    case .singer: ["singer"]
    case .sql: ["sql"]
    }
  }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest name.
  public init(named name: String) throws(Problem) {
    guard let format = Self(rawValue: name) ?? Self(suffix: name) else {
      let names = Self.allCases.map(\.rawValue)
      throw Problem(
        .usage, "unknown input format “\(name)”", hint: .choose(name, from: names, "available formats"))
    }
    self = format
  }

  /// The format of a suffix; nil when no format has it.
  public init?(suffix: String) {
    guard let format = Self.allCases.first(where: { $0.suffixes.contains(suffix.lowercased()) }) else { return nil }
    self = format
  }

  /// The format that the first bytes of a file suggest; nil if they suggest none.
  public init?(beginning bytes: [UInt8], suffix: String? = nil) {
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      self = .sqlite
      return
    }
    if bytes.starts(with: "PAR1".utf8) {
      self = .parquet
      return
    }
    if bytes.starts(with: [0x50, 0x4B, 3, 4]), !ForeignFormat.suffixes.contains(suffix ?? "") {
      self = .xlsx
      return
    }
    var text = bytes[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    text = text.drop { spaces.contains($0) }
    switch text.first {
    case UInt8(ascii: "["): self = .json
    // A file with one object per line does not end the line after the first brace.
    case UInt8(ascii: "{"): self = text.dropFirst().prefix { spaces.contains($0) }.contains(0x0A) ? .json : .ndjson
    default: return nil
    }
  }
}
