import AppShell
import Codecs
import CommandLineKit
import Dialects
import Domain
import Rows
import Sources

/// Commands that bring records in from files, and write them out to files.
enum TransferCommands {
  static var entries: [CommandEntry] { [CommandEntry(importing, importFile), CommandEntry(exporting, exportRecords)] }

  private static let transfer = "Transfer"
  private static let onConflict = Option.value(
    "on-conflict", "ACTION", values: .words(RecordImport.Conflict.allCases.map(\.rawValue)), setting: .importConflict,
    in: transfer,
    "what to do when an imported record differs from an existing one; without it, nothing is imported")
  private static let dataset = Option.value(
    "as", "DATASET", values: .words(datasets.map(\.name)), in: transfer,
    "dataset of the file, if its columns do not identify it")
  private static let fromFormat = Option.value(
    "from-format", "FORMAT",
    values: .words(["csv", "tsv", "json", "ndjson", "sqlite", "gpx", "kml", "geojson", "xml", "vcard", "vcf"]),
    default: "from its extension or content", in: transfer,
    "format of the input")

  private static let summary = Option.value(
    "summary", "FORMAT", values: .words(["json"]), in: transfer,
    "print the numbers of records, and of omitted members by name, to standard error")

  private static let rejects = Option.value(
    "rejects", "FILE", values: .file, default: "nothing may be dropped", setting: .rejects, in: transfer,
    "write the records that --repair or --ragged changed or dropped to FILE; none discards them")

  /// The options that do not apply to tracker files.
  static let ownOptions = [onConflict, dataset, fromFormat, rejects] + FileInputOptions.dialectOptions

  private static let importing = Command(
    "import", "import notes, places, actors, favourites or tracker files",
    discussion: """
      Reads the CSV, JSON and NDJSON files written by export; places also from GPX, KML and GeoJSON; actors also from \
      vCard and XML. The files of trackers (\(TrackerFormats.names.joined(separator: ", "))) are known by their \
      contents: a ZIP archive, a directory or one file. What is not certain becomes a question (see questions); a \
      second import changes nothing. Everything is imported in one step that can be undone, or not at all.
      """,
    arguments: [Argument("FILE", values: .file, "file to import; - for standard input")],
    options: [onConflict, dataset, fromFormat, summary, rejects] + TrackerCommands.options
      + FileInputOptions.dialectOptions,
    examples: ["import places.gpx", "import notes.csv --on-conflict append", "import letterboxd-export.zip"])
  private static let exporting = Command(
    "export", "export records to files in any format",
    arguments: [Argument("DATASET", values: .dynamic("dataset"), count: .optional, "records to export")],
    options: [TrackerCommands.target, TrackerCommands.strict] + OutputOptions.exportingAnywhere
      + SharedOptions.selecting,
    examples: [
      "export places -o places.gpx -o places.csv", "export notes -o notes.html", "export --for letterboxd -o out/",
    ])

  /// The datasets that are the user's own.
  private static let datasets = Catalog.personal

  /// The columns that lists compute, which an import ignores.
  private static let computed = [
    Catalog.notes.name: NoteListing.computed.map(\.name), Catalog.places.name: [NamedCommands.keyColumn.name],
    Catalog.actors.name: [NamedCommands.keyColumn.name], Catalog.favourites.name: [FavouritesCommands.nameColumn.name],
  ]

  // MARK: import

  /// Refuses options that would have no effect.
  static func refuse(_ options: [Option], for files: String, _ context: CommandContext) throws(Problem) {
    guard let option = options.first(where: context.has) else { return }
    throw Problem(.usage, "--\(option.name) does not apply to \(files)", hint: "omit --\(option.name)")
  }

  private static func importFile(_ context: CommandContext) async throws(Problem) {
    let path = context.arguments[0], progress = context.services.progress
    progress.begin(path == "-" ? "standard input" : path)
    if context[rejects] == nil { context.services.rejects.refuseLoss() }
    if try isOfTracker(path, context) { return try await TrackerCommands.importFiles(path, context) }
    let schema: Schema, records: [Record], omitted: [String: Int]
    do throws(Problem) { (schema, records, omitted) = try await read(path, context) } catch {
      // A damaged file of bb is not tried as a tracker file.
      guard error.kind == .badData, context[dataset] == nil, context[fromFormat] == nil, path != "-" else {
        throw error
      }
      do throws(Problem) { return try await TrackerCommands.importFiles(path, context) } catch let other {
        throw other.message == "no known tracker format" ? error : other
      }
    }
    try refuse(TrackerCommands.ownOptions, for: "files of \(schema.name)", context)
    if schema.name == TrackerLedger.episodeList.name { return }
    let repository = try context.repository(makes: true)
    let importing = RecordImport(
      into: repository, try await context.titleNames(repository),
      context[onConflict].flatMap(RecordImport.Conflict.init),
      images: EmbeddedImages(try context.services.images.stored(try context.location().text)),
      identifier: context.services.identifiers.next
    ) { (records) throws(Problem) in try await checkKeys(of: records, repository, context) }
    let name = path == "-" ? "standard input" : String(path.split(separator: "/").last ?? Substring(path))
    progress.update { $0.items = records.count }
    let isDryRun = context.has(Options.dryRun)
    let outcome = try await context.services.keepingRejects(in: isDryRun ? nil : context[rejects]) {
      () throws(Problem) in try await importing.run(records, of: schema, from: name, isDryRun: isDryRun)
    }
    progress.finish()
    let parts = [(outcome.added, "added"), (outcome.changed, "changed"), (outcome.unchanged, "unchanged")]
    let counts = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    context.say(
      "\(schema.name): " + (counts.isEmpty ? "\(name) contains no records" : counts.joined(separator: ", "))
        + (isDryRun ? " (dry run)" : ""))
    summarize(schema.name, parts.map { ($1, $0) }, omitted: omitted, context)
  }

  /// Prints the summary of an import if it is wanted.
  static func summarize(
    _ dataset: String, _ counts: [(String, Int)], omitted: [String: Int], _ context: CommandContext
  ) {
    guard context.has(summary) else { return }
    func object(_ counts: [(String, Int)]) -> String {
      "{" + counts.map { "\(JSONText.quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }
    let records = object(counts), names = object(omitted.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    context.services.report.line(
      "{\"bb\":1,\"dataset\":\(JSONText.quoted(dataset)),\"records\":\(records),\"omitted\":\(names)}")
  }

  /// Whether only trackers have such files: archives, directories, and what the command line says.
  private static func isOfTracker(_ path: String, _ context: CommandContext) throws(Problem) -> Bool {
    if context[TrackerCommands.from] != nil { return true }
    if path == "-" || context[dataset] != nil || context[fromFormat] != nil { return false }
    return path.lowercased().hasSuffix(".zip") || context.services.documents.isDirectory(path)
  }

  /// Refuses the keys that `add` refuses.
  private static func checkKeys(
    of records: [Record], _ repository: RecordRepository, _ context: CommandContext
  ) async throws(Problem) {
    switch records.first?.schema.name {
    case Catalog.favourites.name: try await FavouritesCommands.checkKeys(of: records, repository)
    case Catalog.notes.name:
      let choices = try context.choices(repository), titles = try await choices.titles()
      let names = try await context.titleNames(repository)
      var unknown: [EpisodeKey] = []
      for key in records.compactMap(EpisodeKey.init(of:)) where titles[key] == nil {
        if try await !choices.holds(key, names, offline: true) { unknown.append(key) }
      }
      if let first = unknown.first {
        let others = unknown.count > 1 ? " and \(unknown.count - 1) other episode\(unknown.count > 2 ? "s" : "")" : ""
        context.services.report.warning("\(first.text)\(others) not known; check lists them")
      }
    default: break
    }
  }

  private static func read(_ path: String, _ context: CommandContext) async throws(Problem) -> ImportedRecords {
    let path = try context.invocation.locations.location(path).path()
    let format = context[fromFormat] ?? path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    let suffix = format == "vcard" ? "vcf" : format
    if context.services.documents.extensions.contains(suffix) {
      let read = try await context.services.documents.records(path, extension: suffix)
      if let name = context[dataset], name != read.schema.name {
        throw Problem(
          .badData, "the file contains \(read.schema.name), not \(name)", at: path, hint: "omit --as \(name)")
      }
      let omitted = read.omitted.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      if !omitted.isEmpty { context.services.report.warning("\(path): omitted: \(omitted.joined(separator: ", "))") }
      return read
    }
    var schema = Catalog.notes, options = try FileInputOptions(context.invocation)
    // Here the option is the name of the dataset.
    options.table = nil
    let rows = try await context.services.documents.rows(path, options) {
      (columns) throws(Problem) in
      schema = try dataset(with: columns, path, context)
      return ColumnTypes(schema.columns.filter { columns.contains($0.name) })
    }
    if schema.name == TrackerLedger.episodeList.name {
      try await TrackerCommands.identifyEpisodes(rows, path, context)
      return (schema, [], [:])
    }
    let computed = (computed[schema.name] ?? []).filter { schema.position(of: $0) == nil }
    let all = rows.schema.columns, kept = all.indices.filter { !computed.contains(all[$0].name) }
    let stored = rows.schema.projected(to: kept), isList = kept.count < all.count
    // The age of a list is worked out from the date of birth.
    let birth = isList ? stored.position(of: "birth_date") : nil
    let ageless = stored.projected(to: stored.columns.indices.filter { stored.columns[$0].name != "age" })
    var records: [Record] = []
    while let work = try await rows.next() {
      for record in try work.batch().projected(to: kept).records(of: stored) {
        guard let birth, record.values[birth] != .null else {
          records.append(record)
          continue
        }
        records.append(Record(ageless, ageless.columns.map { record[$0.name] }))
      }
      try RecordImport.check(records.count, path)
    }
    for note in rows.notes { context.services.report.warning(note) }
    return (schema, records, [:])
  }

  private static func dataset(
    with columns: [String], _ path: String, _ context: CommandContext
  ) throws(Problem) -> Schema {
    let datasets = datasets.map { columns.contains(ForeignMembers.column) ? Catalog.withForeignMembers($0) : $0 }
    func isKnown(_ column: String, _ schema: Schema) -> Bool {
      schema.position(of: column) != nil || computed[schema.name]?.contains(column) ?? false
    }
    func holds(_ schema: Schema) -> Bool {
      columns.allSatisfy { isKnown($0, schema) }
        && schema.columns.allSatisfy { column in
          ["id", "created_at", "updated_at", "favourite"].contains(column.name) || column.isNullable
            || columns.contains(column.name)
        }
    }
    let list = TrackerLedger.episodeList
    if context[dataset] == nil, columns == list.columns.map(\.name) { return list }
    if let name = context[dataset], let schema = datasets.first(where: { $0.name == name }) {
      for column in columns where !isKnown(column, schema) {
        let near = Remedy.nearest(column, among: schema.columns.map(\.name))
        throw Problem(.badData, "\(name) have no column “\(column)”", at: path, hint: near ?? "")
      }
      return schema
    }
    guard let schema = datasets.first(where: holds) else {
      throw Problem(
        .badData, "the columns match none of \(datasets.map(\.name).joined(separator: ", "))", at: path,
        hint: "specify the dataset with --as DATASET, or the tracker with --from FORMAT")
    }
    return schema
  }

  // MARK: export

  private static func exportRecords(_ context: CommandContext) async throws(Problem) {
    if let name = context[TrackerCommands.target] { return try await TrackerCommands.exportFiles(name, context) }
    guard let dataset = context.arguments.first else {
      throw Problem(
        .usage, "missing argument DATASET", hint: "for example: bb-notes export notes -o notes.json")
    }
    let schema = try Catalog.dataset(named: dataset)
    var policy = OutputPolicy()
    policy.dataset = schema.name
    policy.storedImages = { () throws(Problem) in
      try context.services.images.stored(try context.location().text).directory
    }
    let outputs = try OutputPlan(context.invocation, context.services, policy)
    let selection = try context.selection(for: schema)
    try await outputs.write(try await context.repository().rows(of: schema, selection), selection: selection)
  }
}
