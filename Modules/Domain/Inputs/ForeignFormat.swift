import Codecs
public import Rows

/// Formats that tables are not read from, by the extension and the first bytes of a file.
public struct ForeignFormat: Sendable {
  /// The problem, after the place: `is a tar archive`.
  private let problem: String
  private let hint: Remedy
  /// Whether a table is never of this format, whatever its extension says.
  private var isCertain = false

  /// Extensions of formats that are not tables, in small letters.
  static let suffixes = [
    "xls", "xlsb", "xml", "pdf", "zip", "tar", "tgz", "7z", "rar", "arrow", "feather", "ipc", "orc", "avro",
  ]

  /// Refuses a file that would otherwise be read as CSV.
  /// - Parameters:
  ///   - place: the place of the file, for the message.
  ///   - path: the path of the file for commands; nil if the file is not the user's.
  ///   - suffix: the extension, without that of a compression; nil if there is none.
  ///   - bytes: the first bytes, decompressed; 512 suffice.
  ///   - isNamed: whether the extension is one of a table.
  /// - Throws: `usage` with the way to convert the file; `badData` for UTF-16.
  public static func refuse(
    _ place: String, path: String?, suffix: String?, beginning bytes: [UInt8], isNamed: Bool = false
  ) throws(Problem) {
    guard let found = packed(path, bytes) ?? marked(path, bytes) ?? named(path, suffix, bytes),
      found.isCertain || !isNamed
    else { return }
    throw Problem(.usage, found.problem, at: place, hint: found.hint)
  }

  /// A compression that is not read.
  private static func packed(_ path: String?, _ bytes: [UInt8]) -> ForeignFormat? {
    let tools: [(mark: [UInt8], suffix: String, tool: String)] = [
      (Array("BZh".utf8), "bz2", "bzip2"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz", "xz"),
    ]
    guard let packing = tools.first(where: { bytes.starts(with: $0.mark) }) else { return nil }
    let suffix = ".\(packing.suffix)", file = path.map(Remedy.shellWord) ?? "FILE"
    let plain = path.flatMap { $0.hasSuffix(suffix) ? Remedy.shellWord(String($0.dropLast(suffix.count))) : nil }
    return ForeignFormat(
      problem: "is a file compressed with \(packing.tool)",
      hint: "decompress it first: \(packing.tool) -dc \(file) > \(plain ?? "FILE.csv")")
  }

  /// A format that the first bytes show.
  private static func marked(_ path: String?, _ bytes: [UInt8]) -> ForeignFormat? {
    let file = path.map(Remedy.shellWord) ?? "FILE"
    if bytes.count >= 262, bytes[257..<262].elementsEqual("ustar".utf8) {
      return ForeignFormat(problem: "is a tar archive", hint: "extract it first: tar -xf \(file)")
    }
    let archives: [(mark: [UInt8], name: String, command: String)] = [
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", "7z x"), (Array("Rar!".utf8), "a RAR archive", "unrar x"),
    ]
    if let archive = archives.first(where: { bytes.starts(with: $0.mark) }) {
      return ForeignFormat(problem: "is \(archive.name)", hint: "extract it first: \(archive.command) \(file)")
    }
    let tables: [(mark: [UInt8], name: String)] = [
      (Array("ARROW1".utf8), "an Arrow file"), (Array("FEA1".utf8), "a Feather file"),
      (Array("ORC".utf8), "an ORC file"),
      (Array("Obj\u{1}".utf8), "an Avro file"),
    ]
    if let table = tables.first(where: { bytes.starts(with: $0.mark) }), bytes.contains(where: { $0 < 9 }) {
      return ForeignFormat(
        problem: "is \(table.name), which cannot be read", hint: "convert it to Parquet or CSV first")
    }
    if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) { return workbook("xls", file) }
    let start = bytes.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let text = String(decoding: start.prefix(15), as: UTF8.self).lowercased()
    let isXML = text.hasPrefix("<?xml")
    guard isXML || text.hasPrefix("<!doctype html") || text.hasPrefix("<html") else { return nil }
    return ForeignFormat(
      problem: "is an \(isXML ? "XML document" : "HTML page"), not a table",
      hint: [
        path == nil ? "check the URL: some servers respond with a page for signing in" : "save the table as CSV",
        .set(.inputFormat, to: isXML ? "csv" : "html", for: isXML ? "read it anyway" : "read its tables"),
      ], isCertain: true)
  }

  private static func named(_ path: String?, _ suffix: String?, _ bytes: [UInt8]) -> ForeignFormat? {
    let file = path.map(Remedy.shellWord) ?? "FILE"
    if let suffix, ["xls", "xlsb"].contains(suffix), bytes.contains(0) { return workbook(suffix, file) }
    if suffix == "zip" {
      return ForeignFormat(problem: "cannot read .zip archives", hint: "extract it first: unzip \(file)")
    }
    guard let suffix, suffixes.contains(suffix) else { return nil }
    let formats = FileFormat.all.map(\.name).joined(separator: ", ")
    return ForeignFormat(
      problem: "cannot read .\(suffix) files; supported: \(formats)",
      hint: ["save it as CSV", .set(.inputFormat, to: "csv", for: "read it anyway")])
  }

  private static func workbook(_ suffix: String, _ file: String) -> ForeignFormat {
    ForeignFormat(
      problem: "cannot read .\(suffix) workbooks",
      hint: "convert it first: soffice --headless --convert-to xlsx \(file)")
  }
}
