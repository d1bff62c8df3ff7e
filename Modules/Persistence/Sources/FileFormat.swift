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

  /// Suffixes that choose it, in small letters.
  public var suffixes: [String] {
    switch self {
    case .csv: ["csv"]
    case .tsv: ["tsv", "tab"]
    case .json: ["json", "geojson"]
    case .ndjson: ["ndjson", "jsonl"]
    case .sqlite: ["db", "sqlite", "sqlite3", "db3"]
    }
  }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest name.
  public init(named name: String) throws(Problem) {
    guard let format = Self(rawValue: name) ?? Self(suffix: name) else {
      let names = Self.allCases.map(\.rawValue)
      let near = SpellingSuggestion.word(to: name, among: names).map { "did you mean \($0)?" }
      throw Problem(
        .usage, "unknown input format “\(name)”", hint: near ?? "available formats: \(names.joined(separator: ", "))")
    }
    self = format
  }

  /// The format of a suffix; nil when no format has it.
  init?(suffix: String) {
    guard let format = Self.allCases.first(where: { $0.suffixes.contains(suffix.lowercased()) }) else { return nil }
    self = format
  }

  /// Refuses formats that are not tables, by the extension and the first bytes of a file, rather than reading them as
  /// CSV.
  static func refuse(_ path: String, suffix: String?, beginning bytes: [UInt8]) throws(Problem) {
    let unread = [
      "xlsx", "xls", "ods", "html", "htm", "md", "markdown", "yaml", "yml", "sql", "xml", "gpx", "kml", "vcf", "pdf",
      "parquet",
    ]
    let formats = allCases.map(\.rawValue).joined(separator: ", ")
    if bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      throw Problem(
        .usage, "is a compressed file", at: path,
        hint: "decompress it first: \(bytes[0] == 0x1F ? "gzip" : "zstd") -dc FILE | … -")
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]), !unread.contains(suffix ?? "") {
      throw Problem(
        .usage, "is a ZIP archive (for example a spreadsheet)", at: path,
        hint: "extract it, or save the spreadsheet as CSV")
    }
    if let order = [[0xFF, 0xFE], [0xFE, 0xFF]].firstIndex(where: bytes.starts) {
      throw Problem(
        .badData, "is UTF-16; input must be UTF-8", at: path,
        hint: "convert it: iconv -f UTF-16\(order == 0 ? "LE" : "BE") -t UTF-8")
    }
    if let suffix, unread.contains(suffix) {
      throw Problem(
        .usage, "cannot read .\(suffix) files; supported: \(formats)", at: path,
        hint: "save it as CSV; if it already is one of these formats, use --from-format, for example --from-format csv")
    }
  }

  /// The format that the first bytes of a file suggest; nil if they suggest none.
  init?(beginning bytes: [UInt8]) {
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      self = .sqlite
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
