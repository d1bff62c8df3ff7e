import AppShell
import CommandLineKit
import Dialects
import Domain
import Query
import Rows

/// `bb-export check`: data quality problems of datasets, as an ordinary table.
struct CheckCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  /// The description that a file is checked against.
  static let description = Option.value(
    "schema", "FILE", values: .file, default: "FILE-metadata.json, if it exists", in: "Check",
    "check a file against a JSON Schema, a Table Schema (Frictionless) or CSVW metadata")

  /// Options that choose rows by columns findings do not have.
  static let without = [
    SharedOptions.production, Options.season, Options.episode, Options.name, Options.order, Options.with, Options.nest,
  ]

  static let discussion =
    "Reports one row per problem, with the columns \(Check.schema.columns.map(\.name).joined(separator: ", ")). "
    + "Checks: \((CheckRule.names + MemberFinding.Kind.allCases.map(\.rawValue)).joined(separator: ", "))."

  func run() async throws(Problem) {
    if let file = invocation[Options.from], invocation.has(Self.description) || !isOfDataset(file) {
      return try await check(file)
    }
    for word in invocation.arguments where !Catalog.all.contains(where: { $0.name == word }) {
      let isThere = try invocation.locations.location(word).place.isFile
      guard isThere || Listings.isFile(word) else { continue }
      return try await check(word)
    }
    if invocation.has(Self.description) {
      throw Problem(.usage, "--schema requires a file", hint: "name one: bb-export check FILE --schema DESCRIPTION")
    }
    let outputs = try OutputPlan(invocation, services)
    let selection = try SelectionOptions(invocation, services).read(for: Check.schema)
    let sources = try await self.sources(for: outputs)
    var tables: [String: CheckTables] = [:], findings: [CheckFinding] = []
    var failures: [Problem] = []
    let names = Set(sources.map(\.dataset))
    for (dataset, source) in sources {
      do throws(Problem) {
        findings += try await Check().findings(
          in: dataset, &tables[source.name, default: CheckTables()], report: services.report.warning
        ) {
          (name) throws(Problem) in
          guard try await source.tables().contains(where: { $0.name == name }) else { return nil }
          return try await source.rows(of: name, RowRequest())
        }
      } catch {
        // Datasets that were not named may be missing, as long as at least one exists.
        guard invocation.arguments.isEmpty, error.kind == .unavailable else { throw error }
        failures.append(error)
      }
    }
    for note in tables.values.flatMap(\.notes) { services.report.warning(note) }
    if failures.count == sources.count, let first = failures.first { throw first }
    for failure in failures { services.report.warning("skipped: \(failure)") }
    findings += services.provenance.members.filter { names.contains($0.dataset) }.map { CheckFinding($0) }
    try await outputs.write(Check.rows(of: findings), selection: selection)
  }

  /// Whether a file of `--from` is checked as a dataset: one that is named, or one that has the file's name.
  private func isOfDataset(_ file: String) -> Bool {
    if !invocation.arguments.isEmpty { return true }
    let name = file.unicodeScalars.split(separator: "/").last.map(String.init) ?? file
    return Catalog.all.contains { name.utf8.starts(with: "\($0.name).".utf8) }
  }

  /// Writes a row for each violation of the rules of a file.
  private func check(_ file: String) async throws(Problem) {
    guard invocation.arguments.count + invocation.all(Options.from).count == 1 else {
      throw Problem(.usage, "only one file can be checked", hint: "run the command once for each file")
    }
    let beside = "\(file)-metadata.json", title = try invocation.locations.location(file).title
    let hasMetadata = try invocation.locations.location(beside).place.isFile
    let new = Remedy.shellWord("\(title).schema.json")
    guard let description = invocation[Self.description] ?? (hasMetadata ? beside : nil) else {
      throw Problem(
        .usage, "missing description of \(file)",
        hint: "use --schema FILE, or write one with: bb-export schema \(Remedy.shellWord(file)) -o \(new)")
    }
    let rules = try TableRules(try services.sources.bytes(of: description), name: description, of: title)
    for warning in rules.warnings { services.report.warning("\(description): \(warning)") }
    let (rows, format, own, name) = try await rows(of: file)
    let isText = Self.textFormats.contains(format), outputs = try OutputPlan(own, services)
    var referenced: [CheckedRows.Referenced] = []
    for reference in rules.references {
      let directory = description.split(at: "/").dropLast().map { $0 + "/" }.joined()
      let other = reference.path.map { $0.isEmpty ? file : directory + $0 }
      guard let other, other != "-", try invocation.locations.location(other).place.isFile else {
        let columns = reference.columns.map { $0[0] }.joined(separator: ",")
        services.report.warning(
          "\(description): not checked: the foreign key of \(columns), without “\(reference.resource)”")
        continue
      }
      referenced.append(
        try await CheckedRows.Referenced(
          reference, in: try await self.rows(of: other).rows, memoryLimit: outputs.memory))
    }
    let header = isText ? 1 : format == "ndjson" ? 0 : nil
    let checked = try CheckedRows(
      rows, rules, CheckedRows.Source(file: name, header: header, isText: isText), referenced,
      memoryLimit: outputs.memory)
    try await outputs.write(checked, selection: try SelectionOptions(own, services).read(for: checked.schema))
    if checked.count > 0 { services.exitCode.value = 1 }
  }

  private static let textFormats = ["csv", "tsv"]

  /// The rows of a file. Its texts have no types unless the command line gives some: the description says their types.
  private func rows(
    of file: String
  ) async throws(Problem) -> (rows: any RowStream, format: String, own: Invocation, name: String) {
    var own = invocation.replacing(arguments: [], option: Options.from, values: [file])
    let reader = SourceOptions(own)
    var format = invocation.value(of: "from-format") ?? "csv"
    if file != "-" {
      let first = try await services.sources.open(try reader.file(file, try reader.file()))
      format = (first as? any SampledFile)?.formatName ?? ""
    }
    if Self.textFormats.contains(format), !invocation.has(FileInputOptions.typesOption) {
      own = own.replacing(arguments: [], option: FileInputOptions.typesOption, values: ["*=text"])
    }
    let choice = try SourceOptions(own).file(file, try SourceOptions(own).file())
    let source = try await services.sources.open(choice)
    let table = try await TableCommand.table(of: source, choice, own, services.report)
    let threads = try OutputPlan(own, services).threads
    return (try await source.rows(of: table, RowRequest(cores: threads)), format, own, source.name)
  }

  /// The datasets to look at, each with the place its records come from.
  private func sources(for outputs: OutputPlan) async throws(Problem) -> [(dataset: String, source: any RecordSource)] {
    let names = invocation.arguments
    for (position, name) in names.enumerated() where names[..<position].contains(name) {
      throw Problem(.usage, "duplicate argument: \(name)")
    }
    if let word = names.first, let near = await InputFiles.nearestFile(to: word, invocation) {
      throw Problem(.usage, "unknown dataset “\(word)”", hint: near)
    }
    if let storage = invocation[Options.storage] { try services.require(storage) }
    if names.isEmpty {
      let source = try await services.sources.open(try await choice(for: Catalog.all[0].name, outputs))
      return try await source.tables().map { ($0.name, source) }
    }
    var opened: [SourceChoice: any RecordSource] = [:], sources: [(String, any RecordSource)] = []
    for name in names {
      let choice = try await choice(for: name, outputs)
      let source: any RecordSource
      if let known = opened[choice] { source = known } else { source = try await services.sources.open(choice) }
      opened[choice] = source
      let tables = try await source.tables().map(\.name)
      guard tables.contains(name) else {
        let hint = Remedy.nearest(name, among: tables)
        throw Problem(
          .noInput, "\(source.name) has no dataset \(name)",
          hint: hint
            ?? (tables.isEmpty ? "fetch datasets with bb-export sync" : "available: \(tables.joined(separator: ", "))"))
      }
      sources.append((name, source))
    }
    return sources
  }

  private func choice(for dataset: String, _ outputs: OutputPlan) async throws(Problem) -> SourceChoice {
    let choice = try await SourceOptions.guarding(
      try SourceOptions(invocation).choice(for: dataset), dataset, for: outputs)
    guard case .live(let name, var live) = choice else { return choice }
    live.asWritten = true
    return .live(name: name, live)
  }
}
