import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export sync`: updates the tables of a store from a source.
struct SyncCommand {
  private let invocation: Invocation
  private let services: AppServices
  private let clock: any WallClock

  init(_ context: CommandContext) {
    (invocation, services, clock) = (context.invocation, context.services, context.clock)
  }

  func run() async throws(Problem) {
    if let file = invocation.arguments.first(where: Listings.isFile) {
      let store = invocation[Options.target] ?? "bb.db"
      throw Problem(
        .usage, "\(file) is a file, not a dataset",
        hint: "use bb-export sync --from \(Remedy.shellWord(file)) --storage \(Remedy.shellWord(store))")
    }
    var reporting = OutputPolicy.report
    reporting.isReport = true
    let outputs = try OutputPlan(invocation, services, reporting)
    try SourceOptions(invocation).check(
      places: [Options.from, Options.fromStorage, Options.source], invocation.has(Options.syncImages))
    let location: String
    if let named = invocation[Options.target] {
      location = named
    } else {
      location = try services.stores.defaultLocation().location
      services.report.result("store: \(services.shown(location))")
    }
    var policy = Sync.Policy()
    policy.allowsShrink = invocation.has(Options.allowShrink)
    policy.acceptsNulls = invocation.has(Options.acceptDrift)
    policy.replacesSource = invocation.has(Options.replace)
    policy.isDryRun = invocation.has(Options.dryRun)
    if invocation.has(Options.status) {
      if outputs.hasTables {
        throw Problem(.usage, "--status cannot be used with -o delta:…", hint: "omit one of them")
      }
      return try await writeStatus(of: location, outputs)
    }
    let options = try incrementalOptions()
    let pictures = try self.pictures(isDryRun: policy.isDryRun)
    if let from = invocation[Options.fromStorage] { try services.require(from) }
    if let from = invocation[Options.fromStorage], invocation.arguments.isEmpty, !policy.isDryRun,
      try !services.stores.exists(location)
    {
      // A complete copy of a store to a new one, including its history.
      let other = try services.stores.open(from)
      if outputs.hasTables {
        try await outputs.check(datasets: try await other.tables().count { $0.name != SyncState.table })
      }
      services.progress.begin("copying \(from)")
      let copied = try await services.stores.migrate(other, to: location)
      let results = copied.map { table, records in
        var outcome = TableOutcome()
        outcome.added = records
        return (table, outcome)
      }
      try await outputs.write(Self.table(results))
      let store = try services.stores.open(location)
      try await SyncedTables(store: store, services: services).write(copied.map(\.table), to: outputs)
      try await pictures?.fetch(copied.map(\.table), of: store, at: location)
      return
    }
    let store = try services.stores.open(location)
    let report = services.report, time = clock.now().timestamp, command = Sync.newCommand()
    let sync = Sync(into: store, policy, time: time, command: command) { report.warning($0) }
    let incremental = IncrementalSync(into: store, policy, options, time: time, command: command) { report.warning($0) }

    var unfinished: [Problem] = []
    var results: [(name: String, outcome: TableOutcome)] = [], problems: [Problem] = []
    let kept = try services.stores.exists(location) ? try await store.tables() : []
    let tables = try await tables(for: location, kept)
    try await outputs.check(datasets: tables.count)
    let progress = services.progress
    for table in tables {
      progress.begin(table.name)
      do throws(Problem) {
        if let (source, plan) = table.increment {
          let result = try await incremental.run(plan, from: source)
          results.append((table.name, result.outcome))
          if let problem = result.problem { unfinished.append(problem) }
          continue
        }
        let rows = CountedRows(try await table.rows()) { count in
          progress.update { $0.items += count }
        }
        let outcome = try await sync.run(
          rows, as: table.schema, key: table.key, from: table.source, scope: table.scope, mayBeNull: table.mayBeNull)
        results.append((table.name, outcome))
        if table.isFile, outcome.added > 0, outcome.removed > 0,
          try await store.tables().first(where: { $0.name == table.name })?.key.isEmpty == true
        {
          services.report.result("hint: --key COLUMN compares rows")
        }
      } catch {
        // An error of one dataset does not stop the others, unless it concerns all of them.
        guard tables.count > 1, [.badData, .unavailable, .noInput].contains(error.kind) else { throw error }
        problems.append(error.located(at: table.name))
      }
    }
    progress.finish()
    for problem in problems.dropLast() { services.report.problem(problem) }
    if let last = problems.last, results.isEmpty { throw last }
    if let last = problems.last { services.report.problem(last) }
    try await outputs.write(Self.table(results))
    if !policy.isDryRun {
      do throws(Problem) {
        try await SyncedTables(store: store, services: services).write(results.map(\.name), to: outputs)
      } catch {
        guard !problems.isEmpty else { throw error }
        services.report.problem(error)
      }
    }
    do throws(Problem) { try await pictures?.fetch(results.map(\.name), of: store, at: location) } catch {
      guard !problems.isEmpty else { throw error }
      services.report.problem(error)
    }
    if !problems.isEmpty {
      throw Problem(
        .busy, "failed to sync \(problems.count) of \(tables.count) datasets",
        hint: "run the command again to retry; the other datasets are up to date")
    }
    for problem in unfinished.dropLast() { services.report.problem(problem) }
    if let last = unfinished.last { throw last }
  }

  /// The options of incremental syncs; without any, a sync continues after the cursor.
  private func incrementalOptions() throws(Problem) -> IncrementalSync.Options {
    var options = IncrementalSync.Options()
    options.isFull = invocation.has(Options.full)
    options.keepsCursor = invocation.has(Options.keepCursor)
    options.since = invocation[Options.since]
    options.until = invocation[Options.until]
    options.maximumRequests = try invocation.integer(Options.maxRequests, in: 1...Int(Int32.max))
    for option in Options.incremental where invocation.has(option) {
      if invocation[Options.from] != nil || invocation[Options.fromStorage] != nil {
        throw Problem(.usage, "--\(option.name) applies only to API sources")
      }
    }
    return options
  }

  /// Writes the states of incremental syncs, of the datasets that were named.
  private func writeStatus(of location: String, _ outputs: OutputPlan) async throws(Problem) {
    try services.require(location)
    let names = invocation.arguments
    let states = try await SyncState.all(in: try services.stores.open(location))
    let chosen = states.filter { names.isEmpty || names.contains($0.dataset) }
    try await outputs.write(SyncState.status(chosen))
  }

  /// The image downloads of the tables, if requested.
  private func pictures(isDryRun: Bool) throws(Problem) -> ImagesWork.Collection? {
    guard let directory = try invocation.locations(Options.syncImages).last?.path() else { return nil }
    if isDryRun || invocation.has(APIOptions.offlineOption) {
      throw Problem(
        .usage, "--images cannot be used with --\(isDryRun ? "dry-run" : "offline")", hint: "remove one of them")
    }
    return ImagesWork.Collection(work: try ImagesWork(invocation, services), directory: directory)
  }

  private struct Table {
    let name: String
    /// What it is to be described as; nil for what its rows say.
    let schema: Schema?
    let source: String?
    /// The columns that say which records the source owns.
    var scope: [String] = []
    /// The columns of its key, of a file; empty for those of the schema.
    var key: [String] = []
    /// Whether it is from a file.
    var isFile = false
    /// The columns whose values may become null.
    var mayBeNull: Set<String> = []
    /// The way to fetch only changed records; nil to fetch all.
    var increment: (source: any IncrementalSource, plan: SyncPlan)?
    let rows: () async throws(Problem) -> any RowStream
  }

  /// The tables to sync into the store at `location`.
  private func tables(for location: String, _ kept: [Schema]) async throws(Problem) -> [Table] {
    if invocation[Options.from] != nil { return try await fileTables(kept) }
    if invocation.has(Options.key) {
      throw Problem(.usage, "--\(Options.key.name) applies only to files", hint: "use --from FILE")
    }
    if let other = invocation[Options.fromStorage] { return try await storedTables(other) }
    return try await liveTables(for: location, kept)
  }

  /// The datasets that were named, or all of the source.
  private func liveTables(for location: String, _ kept: [Schema]) async throws(Problem) -> [Table] {
    var choice = try SourceOptions(invocation).live(
      for: invocation.arguments.first ?? Catalog.characters.name, isStrict: true)
    if case .live(let name, var live) = choice {
      live.target = location
      live.acceptsDrift = invocation.has(Options.acceptDrift)
      live.remembersMembers = !invocation.has(Options.dryRun)
      choice = .live(name: name, live)
    }
    let source = try await services.sources.open(choice)
    var tables: [Table] = []
    for schema in try chosen(try await source.tables()) {
      let shared = Self.shared(schema, kept)
      var table = Table(name: schema.name, schema: shared ?? schema, source: source.name) { () async throws(Problem) in
        try await source.rows(of: schema.name, RowRequest())
      }
      if shared != nil { table.scope = Catalog.episodeScope }
      if let own = (source as? any IncrementalSource)?.scope(of: schema.name), !own.isEmpty { table.scope = own }
      table.mayBeNull = source.optionalColumns[schema.name] ?? []
      if let incremental = source as? any IncrementalSource {
        table.increment = try incremental.increment(of: schema.name).map { (incremental, $0) }
      }
      tables.append(table)
    }
    if let option = Options.incremental.first(where: invocation.has), !tables.contains(where: { $0.increment != nil }) {
      throw Problem(
        .usage, "--\(option.name) requires a dataset with “incremental” in its source definition", at: source.name)
    }
    return tables
  }

  /// The dataset that several sources share and whose columns are those of a table, unless the store has others; nil
  /// for none.
  private static func shared(_ schema: Schema, _ kept: [Schema]) -> Schema? {
    let shared = Catalog.episodes
    let isTyped = schema.columns.allSatisfy { column in
      shared.columns.contains { $0.name == column.name && $0.type == column.type }
    }
    guard schema.name == shared.name, isTyped, shared.holds(schema) else { return nil }
    guard let stored = kept.first(where: { $0.name == shared.name }) else { return shared }
    return shared.columns.allSatisfy { stored.position(of: $0.name) != nil } ? shared : schema
  }

  /// The tables of another store, with their sources, and the personal records.
  private func storedTables(_ location: String) async throws(Problem) -> [Table] {
    let store = try services.stores.open(location)
    var tables: [Table] = []
    for schema in try chosen(try await store.tables()) where schema.name != SyncState.table {
      let source = try await store.source(of: schema.name)
      tables.append(
        Table(name: schema.name, schema: schema, source: source) { () async throws(Problem) in
          try await store.rows(of: schema.name, RowRequest())
        })
    }
    if tables.isEmpty { throw Problem(.noInput, "it has no tables", at: store.name) }
    return tables
  }

  /// The tables of a file. One that is called as a dataset and has its columns gets the dataset's types and key; one
  /// that the store has keeps the wider types of its columns: text in which only digits are left is still text.
  private func fileTables(_ kept: [Schema]) async throws(Problem) -> [Table] {
    guard let path = invocation[Options.from] else { return [] }
    let file = try SourceOptions(invocation).file()
    let location = try invocation.locations.location(path)
    if try await location.place.members() != nil {
      throw Problem(
        .usage, "sync reads only one file, and “\(path)” names several", hint: "run the command once for each file")
    }
    let source = try await services.sources.open(.file(location, file))
    let name = location.isTable ? source.name : "file:\(location.title)"
    var tables: [Table] = []
    for schema in try chosen(try await source.tables()) {
      let rows = try await source.rows(of: schema.name, RowRequest())
      let given = try invocation.names(Options.key) ?? []
      if let name = given.first(where: { rows.schema.position(of: $0) == nil }) {
        throw Problem(
          .usage, "\(schema.name) has no column “\(name)”", hint: .choose(name, from: rows.schema.columns.map(\.name)))
      }
      let dataset = given.isEmpty ? Catalog.all.first { $0.name == schema.name && $0.holds(rows.schema) } : nil
      let known = dataset ?? kept.first { $0.name == schema.name }
      var typed = file
      for column in known?.columns ?? [] where typed.types[column.name] == nil {
        guard let place = rows.schema.position(of: column.name) else { continue }
        let found = rows.schema.columns[place].type
        guard
          dataset != nil
            || found != column.type && (column.type == .text || column.type == .decimal && found == .integer)
        else { continue }
        typed.types[column.name] = column.type
      }
      let key =
        dataset != nil
        ? [] : given.isEmpty ? try await Self.key(of: rows.schema, in: source, stored: known) : given
      guard path != "-", dataset != nil || typed.types != file.types else {
        tables.append(Table(name: schema.name, schema: nil, source: name, key: key) { () throws(Problem) in rows })
        continue
      }
      let again = try await services.sources.open(.file(location, typed))
      tables.append(
        Table(name: schema.name, schema: dataset, source: name, key: key) { () async throws(Problem) in
          try await again.rows(of: schema.name, RowRequest())
        })
    }
    return tables.map { table in
      var table = table
      table.isFile = true
      return table
    }
  }

  /// The key of a table of a file: that of the stored table, else the declared one, if the file has its columns.
  private static func key(
    of schema: Schema, in source: any RecordSource, stored: Schema?
  ) async throws(Problem) -> [String] {
    if let stored {
      let key = stored.key.map { stored.columns[$0].name }
      return key.allSatisfy { schema.position(of: $0) != nil } ? key : []
    }
    let declared = try await source.declaredKey(of: schema.name)
    let found = declared.compactMap { names in names.first { schema.position(of: $0) != nil } }
    return found.count == declared.count ? found : []
  }

  private func chosen(_ tables: [Schema]) throws(Problem) -> [Schema] {
    let names = tables.map(\.name)
    var chosen: [Schema] = []
    for name in invocation.arguments {
      guard let schema = tables.first(where: { $0.name == name }) else {
        throw Problem(
          .usage, "the source has no dataset “\(name)”",
          hint: .choose(name, from: names, "available datasets"))
      }
      if chosen.contains(schema) { throw Problem(.usage, "duplicate argument: \(name)") }
      chosen.append(schema)
    }
    return chosen.isEmpty ? tables : chosen
  }

  private static func table(_ results: [(name: String, outcome: TableOutcome)]) -> BufferedRows {
    let schema = Schema(
      "sync",
      columns: [ColumnDescription("dataset", .text)]
        + ["added", "changed", "removed", "unchanged"].map { ColumnDescription($0, .integer) })
    var builder = RowBatchBuilder(width: schema.width)
    for (name, outcome) in results {
      builder.append(text: name)
      for count in [outcome.added, outcome.changed, outcome.removed, outcome.unchanged] {
        builder.append(integer: Int64(count))
      }
    }
    return BufferedRows(schema: schema, batches: [builder.takeBatch()])
  }
}

extension Schema {
  /// Whether these columns are some of this dataset's, with all of its key.
  fileprivate func holds(_ other: Schema) -> Bool {
    other.columns.allSatisfy { position(of: $0.name) != nil }
      && columns.indices.allSatisfy { place in
        !key.contains(place) && columns[place].isNullable || other.position(of: columns[place].name) != nil
      }
  }
}
