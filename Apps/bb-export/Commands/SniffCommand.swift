import AppShell
import Codecs
import CommandLineKit
import Dialects
import Domain
import Query
import Rows

/// `bb-export sniff`: says what a CSV file is.
struct SniffCommand {
  private static let size = Option.value(
    "bytes", "SIZE", default: "256K", in: "Source", "look at the first SIZE bytes of the file")
  private static let isJSON = Option.flag("json", in: "Output", "print one JSON object for each file")

  static let command = Command(
    "sniff", "detect the encoding, dialect and columns of CSV files",
    discussion: """
      Reads the first 256 KiB of each file and prints its encoding, delimiter, quote, header and columns with types, how \
      certain that is, and the options that read the file so. Options state what is known.
      """,
    arguments: [Argument("FILE", takesFiles: true, count: .any, "files to look at, or - for standard input")],
    options: [isJSON, size] + FileInputOptions.options + Options.apiOptions,
    examples: ["sniff prices.csv", "sniff export.txt --json"])

  private let invocation: Invocation, services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  func run() async throws(Problem) {
    guard !invocation.arguments.isEmpty else {
      throw Problem(
        .usage, "missing argument FILE", hint: "usage: \(BBExport.program.usage(of: Self.command, path: ["sniff"]))")
    }
    let size = try invocation.size(Self.size) ?? DialectSniffer.sampleSize
    guard 1...DialectSniffer.sampleSize ~= size else {
      throw Problem(.usage, "--bytes \(size) is out of range (1 to \(DialectSniffer.sampleSize))")
    }
    for path in invocation.arguments { try await sniff(path, size) }
  }

  private func sniff(_ path: String, _ size: Int) async throws(Problem) {
    let options = try FileInputOptions(invocation), reader = SourceOptions(invocation)
    var choice = try reader.file(path, options)
    if case .file(let location, let options) = choice { choice = .written(location, options) }
    let source = try await services.sources.open(choice)
    guard let sample = try (source as? any SampledFile)?.sample(size) else {
      throw Problem(.usage, "sniff applies only to csv and tsv", at: source.name)
    }
    let input = try sample.input(options.dialect), finding = input.finding
    guard finding.confidence >= 0.05 || finding.isClean else {
      throw Problem(
        .badData, "no dialect fits the file", at: source.name, hint: .set(.inputDelimiter, for: "say how to read it"))
    }
    var reading = options.csv
    (reading.delimiter, reading.hasHeader, reading.names) = (input.delimiter, input.hasHeader, input.names)
    reading.keepsSpellings = true
    let rows = try CSVRowStream.inferring(input.source, table: "sample", reading), columns = rows.schema.columns
    let notes = try await Self.notes(on: rows)
    let words = words(input, options.dialect)
    try services.terminal.write(
      invocation.has(Self.isJSON) ? Self.json(input, columns, notes, words) : text(input, columns, notes, words))
  }

  /// Notes on columns of text whose first values are nearly of another type.
  private static func notes(on rows: CSVRowStream) async throws(Problem) -> [String] {
    guard let batch = try await rows.next()?.batch() else { return [] }
    return rows.schema.columns.enumerated().compactMap { position, column in
      guard column.type == .text else { return nil }
      var near = NearType()
      for row in 0..<batch.count { near.add(batch[row, position], batch.arena) }
      return near.note(column.name, option: FileInputOptions.text(of:value:)).map { "\(column.name): \($0)" }
    }
  }

  /// The options that read the file so: those of the command line, and what was found.
  private func words(_ input: CSVInput, _ known: DialectOptions) -> [String] {
    FileInputOptions.dialectOptions.flatMap { option in
      invocation.all(option).flatMap { ["--\(option.name)"] + (option.placeholder == nil ? [] : [$0]) }
    }
      + input.finding.settings(input.encoding, known).flatMap {
        FileInputOptions.option(for: $0.setting, value: $0.value) ?? []
      }
  }

  /// Returns the findings, in the order of the output.
  private static func facts(
    _ input: CSVInput, _ columns: [ColumnDescription], _ near: [String], _ words: [String]
  ) -> KeyValuePairs<String, JSON> {
    let dialect = input.finding.dialect, runner = input.finding.runnerUp
    func quote(_ dialect: CSVDialect) -> JSON { .string(dialect.quote.map { [$0] } ?? []) }
    let notes = (input.finding.doubts + input.finding.notes).map(\.message) + near
    return [
      "encoding": .string(input.encoding.encoding.rawValue), "bom": .boolean(input.encoding.mark > 0),
      "line_ending": .string(dialect.endsWithReturn ? "cr" : input.finding.hasReturns ? "crlf" : "lf"),
      "delimiter": .string(dialect.positions.isEmpty ? dialect.delimiter : []), "quote": quote(dialect),
      "escape": .string(dialect.escape.rawValue), "sep_line": .boolean(dialect.separatorLine > 0),
      "comment": .string(dialect.comment), "preamble": .number(Int64(dialect.skippedRows)),
      "header_rows": .number(Int64(dialect.headerRows)),
      "columns": .array(columns.map { .object(["name": .string($0.name), "type": .string($0.type.name)]) }),
      "confidence": .number(Array(String(Double(Int(input.finding.confidence * 1000)) / 1000).utf8)),
      "runner_up": runner.map { .object(["delimiter": .string($0.delimiter), "quote": quote($0)]) } ?? .null,
      "clean": .boolean(input.finding.isClean), "notes": .array(notes.map(JSON.string)),
      "options": .array(words.map(JSON.string)),
    ]
  }

  private static func json(
    _ input: CSVInput, _ columns: [ColumnDescription], _ near: [String], _ words: [String]
  ) -> String {
    String(decoding: JSON.object(facts(input, columns, near, words)).canonicalBytes, as: UTF8.self) + "\n"
  }

  private func text(
    _ input: CSVInput, _ columns: [ColumnDescription], _ near: [String], _ words: [String]
  ) -> String {
    var lines = "\(input.source.name):\n"
    func add(_ name: String, _ text: String) {
      lines += "  \(name):" + String(repeating: " ", count: max(1, 12 - name.count)) + text + "\n"
    }
    for (name, value) in Self.facts(input, columns, near, words) {
      switch (name, value) {
      case ("delimiter", .string(let bytes)): add(name, DialectSniffer.name(bytes))
      case ("columns", _): add(name, columns.map { "\($0.name) (\($0.type.name))" }.joined(separator: ", "))
      case ("runner_up", .object): add(name, (input.finding.runnerUp?.delimiter).map(DialectSniffer.name) ?? "")
      case ("options", _):
        add(name, words.map { $0.hasPrefix("--") ? $0 : Remedy.shellWord($0) }.joined(separator: " "))
      case (_, .array(let notes)): for note in notes { add("note", note.stringValue ?? "") }
      case (_, .string(let bytes)): add(name, bytes.isEmpty ? "none" : String(decoding: bytes, as: UTF8.self))
      case (_, .boolean(let value)): add(name, value ? "yes" : "no")
      case (_, .number(let literal)): add(name, String(decoding: literal, as: UTF8.self))
      default: break
      }
    }
    return lines
  }
}
