import CommandLineKit
import Domain
import Query
import Rows

/// Shows records: as a table, in any format, or for scripts.
struct Listing {
  private let desk: Desk
  /// The kind of the records, for scripts: `notes`.
  private let kind: String
  /// The default columns for scripts; nil for all.
  private let usualColumns: [String]?
  /// The default columns for the user; nil for those of scripts.
  private let userColumns: [String]?
  /// The default format for display; nil for a table on a terminal, and markdown elsewhere.
  private let usualFormat: String?

  /// A list of `kind`. Formats of files get every column, scripts `usualColumns`, the user `userColumns`.
  init(
    _ desk: Desk, kind: String, columns usualColumns: [String]? = nil, user userColumns: [String]? = nil,
    format usualFormat: String? = nil
  ) {
    self.userColumns = userColumns
    self.usualFormat = usualFormat
    self.desk = desk
    self.kind = kind
    self.usualColumns = usualColumns
  }

  /// The selection from the options in `Options.selecting`.
  static func selection(_ invocation: Invocation) throws(Problem) -> Selection {
    var selection = Selection()
    for text in invocation.all(Options.filter) { selection.conditions.append(try Condition(parsing: text)) }
    selection.sort = try invocation.sortKeys(Options.sort)
    selection.columns = try invocation.names(Options.columns)
    selection.limit = try invocation.integer(Options.limit, in: 0...Int.max)
    selection.offset = try invocation.integer(Options.offset, in: 0...Int.max) ?? 0
    return selection
  }

  /// The reader of a list.
  private enum Audience { case user, scripts, files }

  /// The requested format and its reader.
  private func exporter() throws(Problem) -> (exporter: any Exporter, audience: Audience) {
    let said = [Options.format, Options.json, Options.plain].filter(desk.has)
    if said.count > 1 {
      throw Problem(
        .usage, "--\(said[0].name) and --\(said[1].name) cannot be used together", hint: "use only one of them")
    }
    if desk.has(Options.json) { return (Envelope(try desk.environment.exporter("json"), kind: kind), .files) }
    if desk.has(Options.plain) { return (PlainLines(), .scripts) }
    if let name = desk[Options.format] { return (try desk.environment.exporter(name), .files) }
    // A script that sets a format wants all columns, as with --format.
    if let name = desk.invocation.setting(Options.format) { return (try desk.environment.exporter(name), .files) }
    let usual = usualFormat ?? (desk.environment.terminalWidth == nil ? "markdown" : "table")
    return (try desk.environment.exporter(usual), .user)
  }

  /// Writes what `selection` makes of `rows` to standard output.
  /// - Returns: how many rows that are.
  @discardableResult
  func write(_ rows: any RowStream, _ selection: Selection = Selection()) async throws(Problem) -> Int {
    let (exporter, audience) = try exporter()
    var selection = selection
    if selection.columns == nil, audience != .files {
      selection.columns = audience == .user ? userColumns ?? usualColumns : usualColumns
    }
    let environment = desk.environment
    let name = exporter.descriptor.name
    var options =
      try environment.formatOptions(
        desk.invocation.all(Options.formatOption), desk.has(Options.format) ? [exporter] : [])[
        name] ?? ExportOptions()
    options.terminalWidth = environment.terminalWidth
    let wanted = selection
    let output = Export.Output(exporter, options) { () throws(Problem) in try environment.standardOutput() }
    let export = Export(to: [output], threads: 1, scratch: environment.scratch)
    let summary = try await export.run(rows) { (stream) throws(Problem) in
      let chosen = try wanted.apply(to: stream, scratch: environment.scratch)
      return audience == .user ? LocalTimeRows(chosen) : chosen
    }
    for warning in summary.warnings { desk.report.warning(warning) }
    return summary.rows
  }

  /// Writes records of `schema` to standard output, in the order given.
  func write(_ records: [StoredRecord], of schema: Schema, _ selection: Selection = Selection()) async throws(Problem) {
    var builder = RowBatchBuilder(width: schema.width), batches: [RowBatch] = []
    for record in records {
      for column in schema.columns { builder.append(value: record[column.name]) }
      if builder.isFull { batches.append(builder.finish()) }
    }
    batches.append(builder.finish())
    try await write(BufferedRows(schema: schema, batches: batches), selection)
  }
}
