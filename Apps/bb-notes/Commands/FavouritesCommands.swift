import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about favourite records of any dataset.
enum FavouritesCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(
        "favourites", aliases: ["favorites"], "manage favourites",
        [CommandEntry(add, addOne), CommandEntry(remove, removeOne), CommandEntry(list, showList)],
        examples: [
          "favourites add characters 'Walter White'", "favourites list", "favourites remove episodes bb:S05E14",
        ])
    ]
  }

  private static let dataset = Argument("DATASET", values: .dynamic("dataset"), "dataset")
  private static let key = Argument("KEY", "key such as 7/1, “\(TitleNames.usual)/5/14” or S05E14, or a name")
  private static let add = Command(
    "add", "add a record to the favourites", arguments: [dataset, key], options: [SharedOptions.production])
  private static let remove = Command(
    "remove", "remove a record from the favourites", arguments: [dataset, key], options: [SharedOptions.production])
  private static let list = Command(
    "list", "list favourites",
    arguments: [Argument("DATASET", values: .dynamic("dataset"), count: .optional, "only favourites of this dataset")],
    options: SharedOptions.selecting + OutputOptions.listing)

  private static func addOne(_ context: CommandContext) async throws(Problem) {
    try await mark(context, isFavourite: true)
  }
  private static func removeOne(_ context: CommandContext) async throws(Problem) {
    try await mark(context, isFavourite: false)
  }

  private static func mark(_ context: CommandContext, isFavourite: Bool) async throws(Problem) {
    let schema = try Catalog.dataset(named: context.arguments[0])
    guard schema.name != Catalog.favourites.name else {
      throw Problem(.usage, "favourites cannot be added to favourites", hint: "choose another dataset")
    }
    // Of actors the record itself says it.
    if schema.name == Catalog.actors.name {
      let records = NamedRecords(.actor, try context.repository())
      let before = try await records.find(context.arguments[1], acceptsPart: context.acceptsPart)
      var after = before
      after[.favourite] = isFavourite
      let isChanged = try await records.change(isFavourite ? "favourite" : "unfavourite", before, to: after)
      return context.say(Self.outcome(before[.name] ?? "", isFavourite: isFavourite, isChanged: isChanged))
    }
    let repository = try context.repository(makes: isFavourite)
    func favourite(_ key: String) async throws(Problem) -> Record? {
      try await repository.record(of: Catalog.favourites, key: [.text(schema.name), .text(key)])
    }
    let titles = try await context.titleNames(repository)
    var recordKey = try written(context.arguments[1], of: schema, titles, context)
    var known = isFavourite ? nil : try await favourite(recordKey)
    // A favourite of a deleted record can be removed as well.
    if known == nil {
      recordKey = try await self.recordKey(context.arguments[1], of: schema, repository, context)
      known = try await favourite(recordKey)
    }
    var label = "\(schema.name) \(recordKey)"
    let record = Record(
      Catalog.favourites,
      ["dataset": .text(schema.name), "record_key": .text(recordKey), "created_at": .text(repository.now)])
    if let name = try await names(of: [record], repository, context)[record.keyText] { label = "\(name) (\(label))" }
    guard isFavourite else {
      guard let known else { throw Problem(.absent, "\(label) is not a favourite") }
      try await repository.change("unfavourite \(label)", [RecordRepository.Edit(from: known, to: nil)])
      return context.say(Self.outcome(label, isFavourite: false, isChanged: true))
    }
    guard known == nil else { return context.say(Self.outcome(label, isFavourite: true, isChanged: false)) }
    try await repository.change("favourite \(label)", [RecordRepository.Edit(from: nil, to: record)])
    context.say(Self.outcome(label, isFavourite: true, isChanged: true))
  }

  /// The message after a record was marked, or unmarked.
  static func outcome(_ label: String, isFavourite: Bool, isChanged: Bool) -> String {
    switch (isFavourite, isChanged) {
    case (true, true): "added \(label) to favourites"
    case (true, false): "\(label) is already a favourite"
    case (false, true): "removed \(label) from favourites"
    case (false, false): "\(label) is not a favourite"
    }
  }

  /// A text as a key: that of an episode as favourites hold it.
  private static func written(
    _ text: String, of schema: Schema, _ names: TitleNames, _ context: CommandContext
  ) throws(Problem) -> String {
    guard schema.key.map({ schema.columns[$0].name }) == ["production", "season", "episode"] else { return text }
    let production = try EpisodeArguments.production(context, names)
    // Text that is not a key may be a title.
    let key = try? EpisodeKey(parsing: text, production: production, names: names.exact)
    return key.map { RecordKey.text(of: $0.values) } ?? text
  }

  /// The key of the record that a text means. Of a dataset that is not in the storage a key is taken by its form, a
  /// name is looked up in what is built in.
  private static func recordKey(
    _ text: String, of schema: Schema, _ repository: RecordRepository, _ context: CommandContext
  ) async throws(Problem) -> String {
    if schema.name == Catalog.places.name {
      return try await NamedRecords(.place, repository).find(text, acceptsPart: context.acceptsPart).keyText
    }
    let wanted = try written(text, of: schema, try await context.titleNames(repository), context)
    var records: [Record] = []
    if try await isComplete(schema, repository) {
      records = try await repository.records(of: schema)
    } else {
      if hasForm(wanted, of: schema) { return wanted }
      // A name, which the records alone know: those that are built in will do.
      let builtIn = context.services.sources.snapshot
      guard try await builtIn.tables().contains(where: { $0.name == schema.name }) else {
        throw invalid(text, of: schema)
      }
      for batch in try await builtIn.rows(of: schema.name, RowRequest()).collect() {
        records += batch.records(of: schema)
      }
    }
    if records.contains(where: { $0.keyText == wanted }) { return wanted }
    let column = try? EpisodeQuery.nameColumn(of: schema)
    let named = NameMatch.positions(of: text, in: records.map { column.flatMap($0.text) }).map { records[$0] }
    if named.count == 1 {
      try context.requireWhole(text, named: column.flatMap(named[0].text) ?? "", in: schema.name)
      return named[0].keyText
    }
    guard named.isEmpty else {
      let keys = named.prefix(5).map { (record: Record) -> String in
        record.keyText + (column.flatMap { record.text($0) }.map { " (\($0))" } ?? "")
      }.joined(separator: ", ")
      throw Problem(
        .usage, "“\(text)” matches \(named.count) records in \(schema.name)", hint: "use a key: \(keys)")
    }
    let near = SpellingSuggestion.word(
      to: text, among: records.map(\.keyText) + records.compactMap { column.flatMap($0.text) })
    throw Problem(
      .absent, "not found in \(schema.name): “\(text)”", hint: near.map { .advice("did you mean \($0)?") } ?? "")
  }

  /// Whether all records of a dataset are in the storage: of the user's own there are no others.
  private static func isComplete(_ schema: Schema, _ repository: RecordRepository) async throws(Problem) -> Bool {
    if Catalog.personal.contains(schema) { return true }
    return try await repository.store.contains(schema.name)
  }
  private static func hasForm(_ key: String, of schema: Schema) -> Bool {
    let parts = key.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == schema.key.count
      && zip(parts, schema.key).allSatisfy { schema.columns[$1].type != .integer || Int64($0) != nil }
  }
  private static func invalid(_ key: String, of schema: Schema) -> Problem {
    let names = schema.key.map { schema.columns[$0].name }
    return Problem(
      .usage, "invalid key “\(key)” for \(schema.name)",
      hint: "use \(names.joined(separator: "/")); to look up by name, first run bb-export sync \(schema.name)")
  }

  /// Refuses favourites that name no record, as far as the storage knows the records.
  static func checkKeys(of favourites: [Record], _ repository: RecordRepository) async throws(Problem) {
    for (dataset, favourites) in Dictionary(grouping: favourites, by: { $0[.dataset] ?? "" }) {
      let schema = try Catalog.dataset(named: dataset), keys = favourites.map { $0[.recordKey] ?? "" }
      guard ![Catalog.favourites.name, Catalog.actors.name].contains(schema.name) else {
        throw Problem(.usage, "\(schema.name) cannot be among imported favourites", hint: "choose another dataset")
      }
      guard try await isComplete(schema, repository) else {
        if let key = keys.first(where: { !hasForm($0, of: schema) }) { throw invalid(key, of: schema) }
        continue
      }
      let known = Set(try await repository.records(of: schema).map(\.keyText))
      if let key = keys.first(where: { !known.contains($0) }) {
        throw Problem(.absent, "not found in \(dataset): “\(key)”", hint: .choose(key, from: Array(known)))
      }
    }
  }

  /// The favourites of all datasets, those of actors from their own records.
  private static func showList(_ context: CommandContext) async throws(Problem) {
    let repository = try context.repository()
    let only = try context.arguments.first.map { (name) throws(Problem) in try Catalog.dataset(named: name).name }
    var records: [Record] = []
    if only != Catalog.actors.name {
      var selection = Selection()
      if let only { selection.conditions = [Condition("dataset", .equal, only)] }
      records = try await repository.records(of: Catalog.favourites, selection)
    }
    if only == nil || only == Catalog.actors.name {
      var selection = Selection()
      selection.conditions = [Condition("favourite", .equal, "true")]
      let actors = try await repository.records(of: Catalog.actors, selection).map { actor in
        Record(
          Catalog.favourites,
          ["dataset": .text("actors"), "record_key": .text(actor.keyText), "created_at": actor["updated_at"]])
      }
      records = (records + actors).sorted { StoredKey($0.key) < StoredKey($1.key) }
    }
    let selection = try context.selection(for: Catalog.favourites)
    let listing = try Listing(
      context, kind: "favourites", columns: Catalog.favourites.columns.map(\.name),
      first: ["dataset", "name", "record_key", "created_at"])
    if !listing.needs([Self.nameColumn.name], for: selection) {
      return try await listing.write(records, of: Catalog.favourites, selection)
    }
    let named = Schema(
      "favourites", key: ["dataset", "record_key"], columns: Catalog.favourites.columns + [Self.nameColumn])
    let names = try await names(of: records, repository, context)
    let rows = records.map { record in
      Record(named, record.values + [names[record.keyText].map { .text($0) } ?? .null])
    }
    try await listing.write(rows, of: named, selection)
  }
  static let nameColumn = ColumnDescription("name", .text, "what the record is called")

  /// The names of favourite records by key, from the store or the snapshot.
  private static func names(
    of favourites: [Record], _ repository: RecordRepository, _ context: CommandContext
  ) async throws(Problem) -> [String: String] {
    var names: [String: String] = [:]
    let builtIn = context.services.sources.snapshot, stored = try await repository.store.tables().map(\.name)
    let known = try await builtIn.tables().map(\.name)
    for dataset in Set(favourites.compactMap { $0[.dataset] }) {
      guard let schema = Catalog.all.first(where: { $0.name == dataset }),
        let column = try? EpisodeQuery.nameColumn(of: schema)
      else { continue }
      var records: [Record] = []
      if stored.contains(dataset) {
        records = try await repository.records(of: schema)
      } else if known.contains(dataset) {
        for batch in try await builtIn.rows(of: dataset, RowRequest()).collect() {
          records += batch.records(of: schema)
        }
      }
      let byKey = Dictionary(records.map { ($0.keyText, $0) }) { first, _ in first }
      for favourite in favourites where favourite[.dataset] == dataset {
        names[favourite.keyText] = byKey[favourite[.recordKey] ?? ""]?.text(column)
      }
    }
    return names
  }
}
