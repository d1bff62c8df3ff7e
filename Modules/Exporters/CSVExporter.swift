import Codecs
public import Domain
public import Rows

/// Comma-separated values (`csv`), and the same with tabs (`tsv`): RFC 4180 quoting, so that every value and every
/// null reads back.
public struct CSVExporter: ByteFormat {
  private let isTabbed: Bool

  private init(isTabbed: Bool) { self.isTabbed = isTabbed }

  /// Commas, or the delimiter asked for.
  public static let csv = CSVExporter(isTabbed: false)
  /// Tabs; a field with a tab, quote or line end is quoted as in CSV.
  public static let tsv = CSVExporter(isTabbed: true)

  static let names = [csv, tsv].map(\.descriptor.name)

  /// `csv` or `tsv`.
  public var descriptor: ExporterDescriptor {
    let shared = [
      OptionKeys.lineEnding, OptionKeys.null, OptionKeys.headers, OptionKeys.nested, OptionKeys.formulas,
      OptionKeys.nonfinite,
    ]
    let limits = ExporterDescriptor.Limits(columns: CSVReading.maximumColumns)
    var descriptor =
      isTabbed
      ? ExporterDescriptor(
        "tsv", fileExtensions: ["tsv", "tab"], mediaType: "text/tab-separated-values; charset=utf-8",
        summary: "Tab-separated values, with the quoting rules of CSV", isExact: true, options: shared, limits: limits)
      : ExporterDescriptor(
        "csv", fileExtensions: ["csv"], mediaType: "text/csv; charset=utf-8; header=present",
        summary: "Comma-separated values; null is an empty field, empty text is \"\"", isExact: true,
        options: [OptionKeys.delimiter] + shared + [OptionKeys.excel], limits: limits)
    descriptor.neededTypes = .text
    return descriptor
  }

  /// Whether nested values are spread over columns, which must be known first.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring {
    options.values[OptionKeys.nested.key] == CSVStyle.Nested.flatten.rawValue ? .all : .none
  }

  /// Collects the columns that nested values fall into.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {
    CSVWriter.collectParts(of: batch, schema, into: &layout.parts)
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    let style = try options.csvStyle(isTabbed: isTabbed)
    // Nested values that are spread over columns.
    if style.nested == .flatten { try descriptor.check(columns: layout.parts.reduce(0) { $0 + max($1.count, 1) }) }
    return CSVEncoder(
      writer: CSVWriter(schema, style: style, parts: layout.parts), isEscaped: style.formulas == .escape)
  }
}

private struct CSVEncoder: RowEncoder {
  let writer: CSVWriter
  let isEscaped: Bool

  func begin(_ out: inout ByteBuffer) throws(Problem) { try writer.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    EncodedPart(rows: batch.count, reportedCells: try writer.write(batch, &out))
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {}
  func warning(_ all: EncodedPart) -> Warning? {
    if all.reportedCells == 0 { return nil }
    let found = "\(counted(all.reportedCells, "cell")) a spreadsheet would treat as a formula"
    if isEscaped { return Warning("\(found): prefixed with '") }
    return Warning(
      "\(found), written unchanged",
      hint: .set(
        .formatOption("formulas"), to: "escape", for: "make \(all.reportedCells == 1 ? "it" : "them") safe"))
  }
}

extension ExportOptions {
  /// The style that the options ask for.
  func csvStyle(isTabbed: Bool) throws(Problem) -> CSVStyle {
    let isExcel = try flag(OptionKeys.excel, default: false)
    var style = CSVStyle(delimiter: UInt8(ascii: isTabbed ? "\t" : ","))
    if let text = values[OptionKeys.delimiter.key] { style.delimiter = try CSVStyle.delimiter(named: text) }
    style.hasByteOrderMark = isExcel
    style.lineEnding = try choice(OptionKeys.lineEnding, default: isExcel ? .crlf : .lf)
    style.formulas = try choice(OptionKeys.formulas, default: isExcel ? .escape : .keep)
    style.nested = try choice(OptionKeys.nested, default: .json)
    style.nonfinite = try choice(OptionKeys.nonfinite, default: .error)
    style.hasHeader = try flag(OptionKeys.headers, default: true)
    style.keepsTitles = keepsTitles
    style.nullText = try Self.nullText(values[OptionKeys.null.key] ?? "", style.delimiter)
    return style
  }

  /// The text for null, which must be no value of its own and need no quotes.
  private static func nullText(_ text: String, _ delimiter: UInt8) throws(Problem) -> [UInt8] {
    let bytes = Array(text.utf8)
    if bytes.contains(where: { $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }) {
      throw Problem(.usage, "the null text must not contain the delimiter, a quote or a line break")
    }
    let afterSign = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst().first : bytes.first
    let isLikeNumber = afterSign.map { (0x30...0x39).contains($0) } ?? false
    if isLikeNumber || text == "true" || text == "false" || bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw Problem(.usage, "the null text “\(text)” could be read as a value", hint: "use a word such as NULL or \\N")
    }
    return bytes
  }
}
