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

  /// Whether a file is not read from its beginning to its end.
  public var isRandomAccess: Bool { self == .xlsx || self == .parquet }

  /// Suffixes that choose it, in small letters.
  var suffixes: [String] {
    switch self {
    case .csv: ["csv"]
    case .tsv: ["tsv", "tab"]
    case .json: ["json", "geojson"]
    case .ndjson: ["ndjson", "jsonl"]
    case .sqlite: ["db", "sqlite", "sqlite3", "db3"]
    case .xlsx: ["xlsx", "xlsm", "xltx", "xltm"]
    case .parquet: ["parquet"]
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

  /// Formats that tables are not read from.
  private static let unread = [
    "xls", "xlsb", "ods", "html", "htm", "md", "markdown", "yaml", "yml", "sql", "xml", "gpx", "kml", "vcf", "pdf",
    "zip",
  ]

  /// Refuses formats that are not tables, by the extension and the first bytes of a file, rather than reading them as
  /// CSV.
  public static func refuse(_ path: String, suffix: String?, beginning bytes: [UInt8]) throws(Problem) {
    let file = path == "standard input" ? "FILE" : Remedy.shellWord(path)
    if let packing = Packing.all.first(where: { bytes.starts(with: $0.mark) }) {
      let suffix = ".\(packing.suffix)"
      let plain = path.hasSuffix(suffix) ? Remedy.shellWord(String(path.dropLast(suffix.count))) : "FILE.csv"
      throw Problem(
        .usage, "is a file compressed with \(packing.tool)", at: path,
        hint: "decompress it first: \(packing.tool) -dc \(file) > \(plain)")
    }
    if let suffix, ["xls", "xlsb", "ods"].contains(suffix) {
      throw Problem(
        .usage, "cannot read .\(suffix) workbooks", at: path,
        hint: "convert it first: soffice --headless --convert-to xlsx \(file)")
    }
    if suffix == "zip" {
      throw Problem(.usage, "cannot read .zip archives", at: path, hint: "extract it first: unzip \(file)")
    }
    if let order = [[0xFF, 0xFE], [0xFE, 0xFF]].firstIndex(where: bytes.starts) {
      throw Problem(
        .badData, "is UTF-16; input must be UTF-8", at: path,
        hint: "convert it: iconv -f UTF-16\(order == 0 ? "LE" : "BE") -t UTF-8 \(file) > FILE.csv")
    }
    if let suffix, unread.contains(suffix) {
      let formats = allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(
        .usage, "cannot read .\(suffix) files; supported: \(formats)", at: path,
        hint: ["save it as CSV", .set(.inputFormat, to: "csv", for: "read it anyway")])
    }
  }

  /// A compression that is not read: the first bytes, the suffix, and the program that undoes it.
  private struct Packing {
    let mark: [UInt8], suffix: String, tool: String

    static let all = [
      Packing(mark: Array("BZh".utf8), suffix: "bz2", tool: "bzip2"),
      Packing(mark: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], suffix: "xz", tool: "xz"),
    ]
  }

  /// The format that the first bytes of a file suggest; nil if they suggest none.
  public init?(beginning bytes: [UInt8], suffix: String? = nil) {
    if bytes.starts(with: "SQLite format 3\0".utf8) {
      self = .sqlite
      return
    }
    if bytes.starts(with: ParquetFile.mark) {
      self = .parquet
      return
    }
    if bytes.starts(with: [0x50, 0x4B, 3, 4]), !Self.unread.contains(suffix ?? "") {
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
