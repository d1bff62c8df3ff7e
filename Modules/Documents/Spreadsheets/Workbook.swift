public import Rows

/// An XLSX workbook (ISO/IEC 29500, transitional and strict) or an OpenDocument spreadsheet (ISO/IEC 26300): its
/// sheets, and what reading their cells needs.
public struct Workbook: Sendable {
  /// A sheet with cells.
  public struct Sheet: Sendable, Hashable {
    /// The name on its tab.
    public let name: String
    /// Whether the spreadsheet does not show it.
    let isHidden: Bool
    let part: String
    /// Its place among the sheets of the part.
    var position = 0
  }

  /// The sheets in the order of their tabs.
  public let sheets: [Sheet]
  let archive: ZipArchive
  let formats: [NumberFormat]
  /// Whether day 0 is 1904-01-01.
  let isFrom1904: Bool
  let stringsPart: String?
  /// Whether it is an OpenDocument spreadsheet.
  let isOpenDocument: Bool

  private static let mostSheets = 10_000, mostStyles = 1 << 17
  /// The most bytes of a tag or text in parts that hold no cells.
  private static let largest = 1 << 20

  /// Reads what the workbook says about itself.
  /// - Throws: `badData` for an archive that is damaged, encrypted or no workbook; `unavailable` if zlib is missing.
  public init(_ source: any RandomAccessSource) throws(Problem) {
    if let start = try source.bytes(at: 0, count: 8), start == [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] {
      throw Problem(
        .badData, "is an encrypted workbook, or one of Excel 97-2003 (.xls)", at: source.name,
        hint: "save it as .xlsx without a password")
    }
    archive = try ZipArchive(source)
    if let content = try archive.entry(named: Self.openContent) {
      sheets = try Self.openSheets(content, archive)
      (formats, isFrom1904, stringsPart, isOpenDocument) = ([], false, nil, true)
      return
    }
    isOpenDocument = false
    let root = try Self.relations(of: "", archive)
    guard let main = root.first(where: { $0.kind == "officeDocument" })?.target,
      let entry = try archive.entry(named: main)
    else {
      throw Problem(
        .badData, "is a ZIP archive, but not an xlsx workbook", at: source.name,
        hint: "extract it, or save the spreadsheet as .xlsx")
    }
    let relations = try Self.relations(of: main, archive)
    var listed: [(name: String, isHidden: Bool, id: String)] = [], isFrom1904 = false, isWorkbook = false
    var isInSheets = false
    try Self.read(entry, archive) { (xml) throws(Problem) in
      if xml.depth == 1 { isWorkbook = xml.isNamed("workbook") }
      if xml.depth == 2 { isInSheets = xml.isNamed("sheets") }
      if xml.depth == 2, xml.isNamed("workbookPr") { isFrom1904 = Self.isTrue(try xml.value("date1904")) }
      guard isInSheets, xml.depth == 3, xml.isNamed("sheet"), let name = try xml.value("name"),
        let id = try xml.value("id")
      else {
        return
      }
      listed.append((name, try xml.value("state").map { $0 != "visible" } ?? false, id))
      guard listed.count <= Self.mostSheets else { throw xml.problem("more than \(Self.mostSheets) sheets") }
    }
    guard isWorkbook else {
      throw Problem(
        .badData, "is an Office document, but not an xlsx workbook", at: source.name,
        hint: "save the spreadsheet as .xlsx")
    }
    self.isFrom1904 = isFrom1904
    sheets = listed.compactMap { sheet in
      relations.first { $0.kind == "worksheet" && $0.id == sheet.id }.map {
        Sheet(name: sheet.name, isHidden: sheet.isHidden, part: $0.target)
      }
    }
    // Sheets of charts alone are an empty table; a workbook that does not say where its sheets are is damaged.
    guard !sheets.isEmpty || !listed.isEmpty && listed.allSatisfy({ sheet in relations.contains { $0.id == sheet.id } })
    else { throw Problem(.badData, "the workbook has no sheets", at: source.name) }
    stringsPart = relations.first { $0.kind == "sharedStrings" }?.target
    if let styles = relations.first(where: { $0.kind == "styles" })?.target {
      formats = try Self.formats(styles, archive)
    } else {
      formats = []
    }
  }

  private static let openContent = "content.xml"

  /// The sheets of an OpenDocument spreadsheet, all of which are in one part.
  private static func openSheets(_ content: ZipArchive.Entry, _ archive: ZipArchive) throws(Problem) -> [Sheet] {
    var isEncrypted = false
    if let manifest = try archive.entry(named: "META-INF/manifest.xml") {
      try read(manifest, archive) { xml in isEncrypted = isEncrypted || xml.isNamed("encryption-data") }
    }
    guard !isEncrypted else {
      throw Problem(
        .badData, "is an encrypted workbook", at: archive.source.name, hint: "save it without a password")
    }
    let xml = try XMLStream(try ZipEntryReader(archive, content), limit: SheetReading().maximumField)
    var sheets: [Sheet] = [], hidden: Set<String> = [], style = "", isSpreadsheet = false
    loop: while true {
      switch try xml.next() {
      case .start:
        if xml.isNamed("spreadsheet"), xml.depth == 3 { isSpreadsheet = true }
        if xml.isNamed("style") { style = try xml.value("name") ?? "" }
        if xml.isNamed("table-properties"), try xml.value("display") == "false" { hidden.insert(style) }
        guard isSpreadsheet, xml.depth == 4, xml.isNamed("table") else { continue }
        guard sheets.count < mostSheets else { throw xml.problem("more than \(mostSheets) sheets") }
        let name = try xml.value("name") ?? "", isHidden = try hidden.contains(xml.value("style-name") ?? "")
        sheets.append(Sheet(name: name, isHidden: isHidden, part: openContent, position: sheets.count))
        try xml.skip()
      case .finished: break loop
      case .end, .text: break
      }
    }
    guard isSpreadsheet else {
      throw Problem(
        .badData, "is an OpenDocument file, but not a spreadsheet", at: archive.source.name,
        hint: "save the table as .ods or .xlsx")
    }
    return sheets
  }

  /// The sheet that is read if none is named: the first that the spreadsheet shows; nil if no sheet has cells.
  public var mainSheet: Sheet? { sheets.first { !$0.isHidden } ?? sheets.first }

  /// The sheet called `name`, ignoring case as spreadsheets do.
  public func sheet(named name: String) -> Sheet? {
    sheets.first { $0.name == name } ?? sheets.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Calls `body` at the start of each element of a part that is of its own namespace.
  private static func read(
    _ entry: ZipArchive.Entry, _ archive: ZipArchive, body: (XMLStream) throws(Problem) -> Void
  ) throws(Problem) {
    let xml = try XMLStream(try ZipEntryReader(archive, entry), limit: largest)
    while true {
      switch try xml.next() {
      case .start: if xml.isOfRoot { try body(xml) }
      case .finished: return
      default: break
      }
    }
  }

  private static func isTrue(_ text: String?) -> Bool { text == "1" || text == "true" || text == "on" }

  /// The relationships of a part: the last word of each kind, the identifier, and the name of the other part.
  private static func relations(
    of part: String, _ archive: ZipArchive
  ) throws(Problem) -> [(kind: String, id: String, target: String)] {
    var directory = part.split(separator: "/").dropLast().map(String.init)
    let name = part.split(separator: "/").last.map { "\($0).rels" } ?? ".rels"
    guard let entry = try archive.entry(named: (directory + ["_rels", name]).joined(separator: "/")) else { return [] }
    var relations: [(kind: String, id: String, target: String)] = []
    try read(entry, archive) { (xml) throws(Problem) in
      guard xml.depth == 2, xml.isNamed("Relationship"), let type = try xml.value("Type"),
        let target = try xml.value("Target"),
        try xml.value("TargetMode") != "External"
      else { return }
      guard relations.count < mostSheets * 2 else { throw xml.problem("more than \(mostSheets * 2) relationships") }
      directory = target.hasPrefix("/") ? [] : part.split(separator: "/").dropLast().map(String.init)
      for step in target.split(separator: "/") {
        if step == ".." { _ = directory.popLast() } else if step != "." { directory.append(String(step)) }
      }
      let kind = type.split(separator: "/").last.map(String.init) ?? ""
      relations.append((kind, try xml.value("Id") ?? "", directory.joined(separator: "/")))
    }
    return relations
  }

  private static func formats(_ part: String, _ archive: ZipArchive) throws(Problem) -> [NumberFormat] {
    guard let entry = try archive.entry(named: part) else { return [] }
    var codes: [Int: NumberFormat] = [:], formats: [NumberFormat] = [], isInCells = false
    try read(entry, archive) { (xml) throws(Problem) in
      if xml.depth == 2 { isInCells = xml.isNamed("cellXfs") }
      guard xml.depth == 3 else { return }
      if xml.isNamed("numFmt"), let id = try xml.value("numFmtId").flatMap({ Int($0) }) {
        codes[id] = NumberFormat(code: try xml.value("formatCode") ?? "")
      } else if isInCells, xml.isNamed("xf") {
        let id = try xml.value("numFmtId").flatMap { Int($0) } ?? 0
        formats.append(codes[id] ?? NumberFormat(builtIn: id))
      }
      guard max(codes.count, formats.count) <= mostStyles else { throw xml.problem("more than \(mostStyles) styles") }
    }
    return formats
  }
}
