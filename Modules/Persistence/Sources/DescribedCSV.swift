import Codecs
import Dialects
import Rows

/// A CSV file with metadata next to it.
struct DescribedCSV: Sendable {
  private let metadata: CSVMetadata
  private let bytes: any ByteSource
  private let table: String
  private var reading: CSVReading
  private let types: ColumnTypes
  private let report: @Sendable (Warning) -> Void

  /// - Parameters:
  ///   - options: the user's choice, which wins over the metadata.
  ///   - types: the user's choice, by column.
  ///   - log: where records go that repair changes or drops.
  init(
    _ metadata: CSVMetadata, _ bytes: any ByteSource, table: String, _ reading: CSVReading, _ options: DialectOptions,
    types: ColumnTypes, log: RejectLog?, report: @escaping @Sendable (Warning) -> Void
  ) throws(Problem) {
    self.metadata = metadata
    self.table = table
    self.types = types
    self.report = report
    self.reading = reading
    var dialect = metadata.dialect
    if !metadata.hasDelimiter { dialect.delimiter = [reading.delimiter] }
    dialect = options.applied(to: dialect)
    self.reading.delimiter = dialect.plainDelimiter
    self.reading.hasHeader = dialect.headerRows > 0
    self.reading.names = options.names ?? metadata.columns.map(\.name)
    if reading.nullTexts.isEmpty { self.reading.nullTexts = metadata.nullText.map { [$0] } ?? [] }
    let encoding = options.encoding ?? metadata.encoding
    let text: any ByteSource =
      encoding == .utf8
      ? bytes
      : try TranscodingSource(
        bytes, encoding, mark: 0,
        invalid: .init(repairs: options.repairs, replaces: reading.replacesBadEncoding))
    self.bytes =
      dialect.isPlain && !options.repairs
      ? text
      : ConvertingSource(
        text, dialect, repairs: options.repairs, maximumField: reading.maximumField,
        log: options.repairs ? log : nil)
  }

  /// The rows, with what the metadata says and the program does not do reported once.
  func rows() throws(Problem) -> any RowStream {
    // A command that states all types does not want them, or applies the rules itself.
    if !metadata.ignored.isEmpty, !metadata.columns.allSatisfy({ types[$0.name] != nil }) {
      report(
        Warning(
          "\(bytes.name)-metadata.json: not applied: \(metadata.ignored.joined(separator: ", "))",
          hint: .run(Action("checkFile", on: bytes.name), "check the rules")))
    }
    var reading = reading, converted: [(name: String, column: CSVWColumn)] = []
    for (name, rule) in try rules(reading) {
      reading.annotations.append(ColumnDescription(name, .text).annotated(as: metadata.columns[rule.position]))
      if types[name] != nil { continue }
      if let column = rule.column {
        converted.append((name, column))
        reading.types[name] = .text
      } else if let type = rule.type {
        reading.types.merge(ColumnTypes([ColumnDescription(name, type).spelled(rule.spelling)]))
      }
    }
    reading.types.merge(types)
    let first = try CSVRowStream.inferring(bytes, table: table, reading)
    for warning in first.warnings { report(warning.located(at: bytes.name)) }
    guard !converted.isEmpty else { return first }
    let bytes = self.bytes, table = self.table, settled = reading
    return try CSVWRows(name: bytes.name, converted, first: first) { () throws(Problem) in
      try CSVRowStream.inferring(try bytes.reopened() ?? bytes, table: table, settled)
    }
  }

  /// The rules of the columns by their names in the header: a rule with such a title, else that of the same position.
  private func rules(_ reading: CSVReading) throws(Problem) -> [(name: String, rule: CSVMetadata.Rule)] {
    guard reading.hasHeader else { return zip(metadata.columns.map(\.name), metadata.rules).map { ($0, $1) } }
    var reading = reading
    if metadata.rules.contains(where: { $0.titles.contains("") }) { reading.types[""] = .text }
    guard let beginning = try bytes.reopened() else { return [] }
    let names = try CSVRowStream.names(beginning, reading)
    return names.enumerated().compactMap { position, name in
      let rule = metadata.rules.first { rule in rule.titles.contains { $0.utf8.elementsEqual(name.utf8) } }
      if let rule { return (name, rule) }
      return names.count == metadata.rules.count ? (name, metadata.rules[position]) : nil
    }
  }
}
