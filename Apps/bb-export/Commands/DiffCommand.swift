import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export diff OLD NEW`: the differences between two tables, as a table.
struct DiffCommand {
  private let invocation: Invocation
  private let services: AppServices

  static let key = Option.value(
    "key", "A,B", values: .list("column"), default: "the declared key, otherwise the first unique column",
    in: "Comparison",
    "columns that identify a row")
  static let ignore = Option.value(
    "ignore", "A,B", values: .list("column"), in: "Comparison", "columns that do not count")

  /// Options that do not apply to differences.
  static let without = [
    SharedOptions.production, Options.season, Options.episode, Options.name, Options.order, Options.favourites,
    Options.with, Options.nest,
  ]

  static let discussion = """
    OLD and NEW are files, patterns such as 'logs/*.csv', - for standard input, stores (sqlite:FILE, csv:DIR, json:DIR), \
    datasets, or snapshot for the built-in data. Each difference is a row: the column change is added, changed or \
    removed, changed lists the columns that differ, and before has their old values. The other columns have the new \
    values, of removed rows the old ones. Rows belong together if their keys are equal; numbers are compared by value. \
    Both tables are sorted, in temporary files if necessary, so that memory does not depend on their size. Rows whose \
    key is not unique are compared as a whole. The exit status is 1 if there is a difference.
    """

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  func run() async throws(Problem) {
    let words = invocation.arguments
    if words == ["-", "-"] {
      throw Problem(.usage, "standard input can be read only once", hint: "save it to a file first")
    }
    var policy = OutputPolicy()
    policy.choosesColumns = true
    policy.follow(invocation, first: words.first)
    let outputs = try OutputPlan(invocation, services, policy)
    let selection = try SelectionOptions(invocation, services)
    var comparison = DifferenceRows.Comparison()
    comparison.key = try invocation.names(Self.key) ?? []
    comparison.ignored = try invocation.names(Self.ignore) ?? []
    comparison.types = try SourceOptions(invocation).file().types
    comparison.threads = outputs.threads
    var files: [String] = []
    for word in words where try isFile(word) { files += try await InputFiles.expand(word, invocation) }
    try SourceOptions(invocation).checkOwnOptions(of: files)
    let tally = DifferenceTally()
    let parts = [
      try await part(words[0], other: words[1], outputs), try await part(words[1], other: words[0], outputs),
    ]
    if comparison.key.isEmpty, words.contains("-") {
      services.report.warning(
        Warning("standard input is read only once: whole rows are compared", hint: "use --key A,B"))
    } else if comparison.key.isEmpty {
      switch try await RowIdentity.find(
        in: parts[0], parts[1], types: comparison.types, memoryLimit: outputs.memory / 2)
      {
      case .declared: break
      case .column(let name) where !comparison.ignored.contains(name):
        comparison.key = [name]
        services.report.result("rows are identified by \(name), which is unique in both tables")
      case .column, .none:
        services.report.warning(
          Warning("no column is unique in both tables: whole rows are compared", hint: "use --key A,B"))
      }
    }
    let services = self.services, wanted = comparison
    let rows = try await withTaskExecutorPreference(outputs.threads > 1 ? services.workers : nil) {
      () async throws(Problem) in
      try await DifferenceRows(from: parts[0], to: parts[1], wanted, scratch: services.scratch, tally: tally)
    }
    var chosen = try selection.read(for: rows.schema), shown: any RowStream = rows
    if outputs.audience == .user, services.terminal.width != nil, chosen.columns == nil, chosen.grouping == nil,
      !chosen.steps.hasOwnColumns
    {
      // What changed is seen first, also where not all columns fit.
      shown = try await rows.withWidening { (rows) throws(Problem) in
        try await PeekedRows(rows, rows.schema.titled(by: rows.schema.width - 1))
      }
      let names = shown.schema.columns.map(\.name)
      let first = names.prefix(1) + rows.keyColumns + names.suffix(1) + tally.counts.columns.sorted().map { names[$0] }
      chosen.columns = first + names.filter { !first.contains($0) }
    }
    try await outputs.write(shown, selection: chosen)
    let counts = tally.counts
    services.report.result(Self.sentence(counts))
    if counts.isDifferent { services.exitCode.value = 1 }
  }

  private static func sentence(_ counts: DifferenceTally.Counts) -> String {
    guard counts.isDifferent else { return "no differences in \(counts.same) \(counts.same == 1 ? "row" : "rows")" }
    return [(counts.added, "added"), (counts.changed, "changed"), (counts.removed, "removed")]
      .map { "\($0.0) \($0.1)" }.joined(separator: ", ") + ", \(counts.same) unchanged"
  }

  /// A table, which can be opened again with other types.
  private func part(
    _ word: String, other: String, _ outputs: OutputPlan
  ) async throws(Problem) -> UnionRows.Part {
    let reader = SourceOptions(invocation), services = self.services
    let files = try isFile(word) ? await InputFiles.expand(word, invocation) : []
    // The tables of files are not named by the arguments.
    let own = invocation.replacing(arguments: [], option: Options.from, values: files)
    if files.count > 1 {
      return UnionRows.Part(name: try invocation.locations.location(word).shown) { (types) async throws(Problem) in
        try await InputFiles.union(own, services, types: types)
      }
    }
    if let file = files.first {
      return try InputFiles.part(file, named: word == "-" ? "standard input" : nil, try reader.file(), own, services)
    }
    let choice: SourceChoice
    if word == "snapshot" {
      choice = .snapshot
    } else if isDataset(word) {
      choice = try await SourceOptions.guarding(try reader.live(for: word), word, for: outputs)
    } else {
      try services.require(word)
      choice = .storage(word)
    }
    let source = try await services.sources.open(choice)
    let table = try await table(of: source, [word, other].first(where: isDataset))
    return UnionRows.Part(name: services.shown(word)) { (_) async throws(Problem) in
      try await source.rows(of: table, RowRequest())
    }
  }

  /// The table of a store or an API: that of `--table`, the dataset that an argument names, or the only one.
  private func table(of source: any RecordSource, _ dataset: String?) async throws(Problem) -> String {
    if let name = invocation[Options.sheet] ?? dataset { return name }
    let tables = try await source.tables().map(\.name)
    guard tables.count == 1, let only = tables.first else {
      throw Problem(
        .usage, tables.isEmpty ? "the store has no tables" : "the input has several tables", at: source.name,
        hint: tables.isEmpty ? "" : .severalTables(tables, invocation))
    }
    return only
  }

  private func isDataset(_ word: String) -> Bool { Catalog.all.contains { $0.name == word } }

  private func isFile(_ word: String) throws(Problem) -> Bool {
    if word == "snapshot" || isDataset(word) { return false }
    let location = try invocation.locations.location(word)
    if location.isTable { return true }
    return services.stores.isNamed(word) ? location.place.isFile : !services.documents.isStore(word)
  }
}
