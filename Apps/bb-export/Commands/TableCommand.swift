import AppShell
import Codecs
import CommandLineKit
import Dialects
import Domain
import Query
import Rows

/// `bb-export DATASET`: rows from a source, through a selection, into outputs.
struct TableCommand {
  let invocation: Invocation
  let services: AppServices
  /// The part of the rows that is written.
  private let content: Content

  /// The rows, the figures of their columns, or the columns.
  enum Content { case rows, profile, schema }
  /// The output of several tables that this one belongs to; nil for a table by itself.
  private let combined: CombinedOutput?
  /// The output of all rows, whatever the command line says; nil for its outputs.
  private let exporter: (any Exporter)?

  /// The rows of a command line for an output of its own.
  init(_ invocation: Invocation, _ services: AppServices, into exporter: any Exporter) async throws(Problem) {
    (content, combined, self.services, self.exporter) = (.rows, nil, services, exporter)
    self.invocation = try await InputFiles.resolved(invocation, services)
  }

  init(_ context: CommandContext, _ content: Content = .rows) async throws(Problem) {
    self.content = content
    services = context.services
    invocation = try await InputFiles.resolved(context.invocation, services)
    (combined, exporter) = (nil, nil)
  }

  private init(_ part: Invocation, of whole: TableCommand, into combined: CombinedOutput) {
    (content, exporter) = (.rows, nil)
    services = whole.services
    invocation = part
    self.combined = combined
  }

  func run() async throws(Problem) {
    guard content == .rows, let separate = try await InputFiles.separate(invocation, services) else {
      do throws(Problem) { return try await write() } catch { throw await placed(error) }
    }
    do throws(Problem) {
      for part in separate.parts {
        try await TableCommand(part, of: self, into: separate.output).write()
      }
      try await separate.output.commit()
    } catch {
      await separate.output.abandon()
      throw error
    }
  }

  /// Writes the table that the command line describes.
  private func write() async throws(Problem) {
    // What can be wrong with the words is found before anything is opened or asked.
    var policy = OutputPolicy()
    policy.exporter = exporter
    if content == .profile {
      let shown = services.terminal.width == nil ? Profile.fileColumns : Profile.shownColumns
      policy.columns = [.user: shown, .scripts: Profile.shownColumns, .files: Profile.fileColumns]
      policy.tableColumns = Profile.tableColumns
    }
    policy.follow(invocation, first: invocation.all(Options.from).first)
    if let store = try SourceOptions(invocation).store(of: invocation.arguments.first, services) {
      policy.storedImages = { [services] () throws(Problem) in try services.images.stored(store).directory }
    }
    policy.dataset = invocation.arguments.first
    policy.origin = invocation.text(without: OutputOptions.exporting + SharedOptions.everywhere)
    let isFollowed = invocation.has(Options.follow)
    if isFollowed { policy.interactiveFormat = nil }
    var outputs = try OutputPlan(invocation, services, policy)
    var selection = try SelectionOptions(invocation, services)
    let given = try invocation[Options.shard].map { (text) throws(Problem) in try Shard(text) }
    let shard = given.flatMap { $0.isPart ? $0 : nil }
    services.progress.begin(label)
    if let sql = invocation[Options.sql] {
      let (rows, first) = try await InputFiles.query(sql, invocation, services, threads: outputs.threads)
      try await write(rows, selection, to: try outputs.following(first, invocation))
      return
    }
    if isFollowed {
      let files = invocation.all(Options.from)
      guard files.count == 1, content == .rows, try !invocation.locations.location(files[0]).place.isRemote else {
        throw Problem(
          .usage, "--follow reads only one pipe or standard input",
          hint: "for example: tail -f FILE | bb-export - --follow")
      }
      let format = try invocation.value(of: "from-format").map { (name) throws(Problem) in try FileFormat(named: name) }
      let (rows, found) = try await services.sources.following(files[0], format, try SourceOptions(invocation).file())
      try await write(rows, selection, to: try outputs.following(found, invocation))
      return
    }
    let keepsSpellings = selection.keepsSpellings && outputs.keepsSpellings && content == .rows
    let dataset = invocation.arguments.first
    let choice = try await SourceOptions.guarding(
      try SourceOptions(invocation).choice(for: dataset), dataset, for: outputs)
    if invocation.all(Options.from).count > 1 {
      let rows = try await InputFiles.union(invocation, services, shard, keepsSpellings: keepsSpellings)
      if let union = rows as? UnionRows, !invocation.has(Options.join) {
        union.select(
          RowRequest(columns: selection.neededColumns, selection: try selection.read(for: rows.schema)))
      }
      try await write(rows, selection, to: outputs)
      return
    }
    // The first source is the one that a summary names.
    let source = try await services.sources.open(choice)
    if case .storage = choice, selection.namesTitles { selection.names = try await TitleNames(from: source) }
    if combined == nil { outputs = try outputs.following(source, invocation) }
    let join = try await JoinInput(
      invocation, services, threads: outputs.threads, memory: outputs.memory, keepsSpellings: keepsSpellings)
    selection.add(join)
    let table = try await Self.table(of: source, choice, invocation, services.report)
    var request = RowRequest(columns: selection.neededColumns, cores: outputs.readsAllFirst ? 1 : outputs.threads)
    request.keepsSpellings = keepsSpellings
    if let others = outputs.typesOfOthers, content == .rows, shard == nil {
      request.types = selection.comparedColumns.map { NeededTypes($0, others: others) }
    }
    if !choice.isFile, let schema = try await source.schema(of: table) {
      request.selection = try selection.read(for: schema)
    }
    let path = selection.namesFiles ? invocation.all(Options.from).first : nil
    let file = try path.map { (path) throws(Problem) in try invocation.locations.location(path).shown }
    var isPart = false
    func open(_ request: RowRequest) async throws(Problem) -> any RowStream {
      var part: (any RowStream)?
      if let shard { part = try await source.part(shard, of: table, request) }
      isPart = part != nil
      let rows: any RowStream
      if let part {
        rows = part
      } else {
        var whole = request
        // Of the rows of the whole, each part takes some before it looks at them.
        if shard != nil { whole.selection = nil }
        rows = try await source.rows(of: table, whole)
      }
      return file.map { FileNamedRows(rows, $0) } ?? rows
    }
    var rows = try await open(request)
    services.report.detail("reading \(table) from \(source.name)")
    if let needed = request.columns, !needed.allSatisfy({ rows.schema.position(of: $0) != nil }) {
      // So that the message can say what columns there are; a pipe that cannot be read again leaves it at what is
      // known.
      rows = (try? await open(RowRequest(cores: outputs.threads))) ?? rows
    }
    if choice.isFile, source.usesSelection {
      // The columns of a file are known when it is open.
      request.selection = try selection.read(for: rows.schema)
      rows = try await open(request)
    }
    if let shard, !isPart {
      rows = shard.rows(of: rows)
      services.report.warning("\(source.name): each part reads all rows, and takes every N-th")
    }
    var wanted: Selection
    do throws(Problem) { wanted = try selection.read(for: rows.schema) } catch {
      // A fault in the first records may be why the types of columns do not fit.
      if join != nil { _ = try await rows.next()?.batch() }
      throw error
    }
    if invocation.has(Options.favourites) { try await filterFavourites(of: table, choice, &wanted) }
    let named = wanted.relations.prefix(wanted.relations.count - (join == nil ? 0 : 1))
    var related = try await JoinTables.read(for: Array(named), of: table, agreeing: source.joinColumns) {
      (name) throws(Problem) in
      try await source.rows(of: name, RowRequest())
    }
    if let join {
      try join.check(try FileInputOptions(invocation).types, with: rows.schema)
      related = join.added(to: related, from: rows.schema.name)
    }
    var spared: [String] = [], sparing = outputs
    if !services.provenance.failures.isEmpty, !invocation.has(Options.allowPartial) {
      (sparing, spared) = try outputs.sparingFiles()
    }
    let details = try content == .schema ? (source as? any SampledFile)?.columnDetails() : nil
    let summary = try await write(rows, wanted, related, to: sparing, details: details)
    for line in related.remarks { services.report.warning(line) }
    if let path = spared.first {
      throw Problem(
        .busy, "refusing to replace a file by a partial result, which is in \(path).partial", at: path,
        hint: "run the command again, or use --allow-partial")
    }
    if summary.rows == 0, let name = invocation[Options.name] {
      services.report.result(Self.emptyResultMessage(table, name))
    }
  }

  /// The subject of the progress: the file or the dataset.
  private var label: String {
    let files = invocation.all(Options.from)
    if files.count > 1 { return "\(files.count) files" }
    let name = files.first.flatMap { $0 == "-" ? "standard input" : try? invocation.locations.location($0).title }
    return name ?? invocation.arguments.first ?? "sql"
  }

  /// Writes the rows, or the figures of their columns.
  @discardableResult
  private func write(
    _ rows: any RowStream, _ selection: Selection, _ related: JoinTables, to outputs: OutputPlan,
    details: SchemaRows.Details? = nil
  ) async throws(Problem) -> Export.Summary {
    warnAboutHeader(of: rows.schema)
    if content == .rows || content == .schema && outputs.describesRows {
      return try await outputs.write(rows, selection: selection, related: related, into: combined)
    }
    let threads = outputs.threads, memory = outputs.memory, services = self.services
    let isSchema = content == .schema
    let profile = try await withTaskExecutorPreference(threads > 1 ? services.workers : nil) {
      () async throws(Problem) in
      try await selection.retyping(rows, related: related).withWidening { (stream) async throws(Problem) in
        let chosen = try await selection.applied(
          to: stream, scratch: services.scratch, related: related, threads: threads, memory: memory)
        if isSchema { return try await SchemaRows.rows(of: chosen, threads: threads, details: details) }
        return try await Profile.rows(of: chosen, threads: threads, option: FileInputOptions.text(of:value:))
      }
    }
    let batches = try await profile.collect()
    let summary = try await outputs.write(BufferedRows(schema: profile.schema, batches: batches, notes: profile.notes))
    if content == .profile, outputs.audience == .user {
      for note in Profile.notes(in: batches) { services.report.footer(Warning(note)) }
    }
    return summary
  }

  /// Warns about numbers and dates in the first line of a text file, which was read as names although the output has
  /// none: it is probably a row.
  private func warnAboutHeader(of schema: Schema) {
    let isText = invocation.all(Options.from).contains { file in
      let path = FileCompression.split(file).path
      return path == "-" || [".csv", ".tsv", ".txt"].contains(where: path.hasSuffix)
    }
    guard isText, invocation.isOn(OutputOptions.noHeaders) else { return }
    let names = schema.columns.map(\.name)
    guard let odd = names.first(where: { DecimalNumber(Array($0.utf8)) != nil || Dates.isDate(Array($0.utf8)) }) else {
      return
    }
    services.report.warning("the first line was read as column names, one of which is “\(odd)”; it is not written")
  }

  /// Writes rows that no relation leads from.
  private func write(
    _ rows: any RowStream, _ reader: SelectionOptions, to outputs: OutputPlan
  ) async throws(Problem) {
    let join = try await JoinInput(
      invocation, services, threads: outputs.threads, memory: outputs.memory,
      keepsSpellings: reader.keepsSpellings && outputs.keepsSpellings)
    var reader = reader
    reader.add(join)
    try join?.check(try FileInputOptions(invocation).types, with: rows.schema)
    let selection = try reader.read(for: rows.schema)
    try await write(rows, selection, join?.added(to: .none, from: rows.schema.name) ?? .none, to: outputs)
  }

  /// The table that was named, or the only one there is.
  static func table(
    of source: any RecordSource, _ choice: SourceChoice, _ invocation: Invocation, _ report: Report
  ) async throws(Problem) -> String {
    if !choice.isFile, let name = invocation.arguments.first {
      return name
    }
    let tables = try await source.tables().map(\.name)
    if tables.isEmpty { throw Problem(.noInput, "the input has no tables", at: source.name) }
    if let sheet = invocation[Options.sheet], let name = invocation.arguments.first {
      throw Problem(
        .usage, "--table \(sheet) and \(name) cannot be used together", hint: "omit one of them")
    }
    var named = invocation[Options.sheet] ?? invocation.arguments.first
    if named == nil { named = try await mainTable(of: source, among: tables, report) }
    guard let name = named else {
      throw Problem(
        .usage, "the input has several tables", at: source.name,
        hint: .severalTables(tables, invocation))
    }
    // A sheet has its own name as well when the table is called after the file.
    guard tables.contains(name) || invocation.has(Options.sheet) else {
      if !invocation.has(Options.sheet), SpellingSuggestion.word(to: name, among: tables) == nil {
        let file = invocation[Options.from] ?? ""
        if Catalog.all.contains(where: { $0.name == name }) {
          throw Problem(
            .usage, "\(name) is a dataset, but \(source.name) is read",
            hint: "use bb-export \(name), or bb-export \(Remedy.shellWord(file))")
        }
        if let problem = BBExport.program.unknownCommand(name, with: [file]) { throw problem }
        if try await source.rows(of: tables[0], RowRequest()).schema.columns.has(name) {
          let options =
            invocation.has(StepOptions.distinct)
            ? "--distinct --by" : invocation.has(SharedOptions.count) ? "--count-by" : "--columns"
          throw Problem(
            .usage, "“\(name)” is a column, not a table", at: source.name,
            hint: .advice("use \(options) \(Remedy.shellWord(NameListParser.written(name)))"))
        }
      }
      throw Problem(
        .noInput, "table not found: “\(name)”", at: source.name,
        hint: .choose(name, from: tables, "available tables"))
    }
    return name
  }

  /// The table of a source if none was named; a message names the others.
  private static func mainTable(
    of source: any RecordSource, among tables: [String], _ report: Report
  ) async throws(Problem) -> String? {
    let main = try await source.mainTable()
    if let main, tables.count > 1 {
      let others = tables.filter { $0 != main }
      let some = others.prefix(5).map { "“\($0)”" }.joined(separator: ", ") + (others.count > 5 ? ", …" : "")
      report.result("\(source.name): reading “\(main)”; --table reads another: \(some)")
    }
    return main
  }

  /// Favourites are in the storage that is read, else in the default one; of actors the records say it themselves.
  private func filterFavourites(
    of table: String, _ choice: SourceChoice, _ selection: inout Selection
  ) async throws(Problem) {
    if table == Catalog.actors.name {
      selection.conditions.append(Condition("favourite", .equal, "true"))
      return
    }
    var location: String?
    if case .storage(let named, _) = choice { location = named }
    var mine = Selection(), keys: Set<[UInt8]> = []
    mine.conditions = [Condition("dataset", .equal, table)]
    mine.columns = ["record_key"]
    do throws(Problem) {
      let store = try await services.sources.open(.storage(location))
      let rows = try mine.apply(
        to: try await store.rows(of: Catalog.favourites.name, RowRequest()), scratch: services.scratch)
      for batch in try await rows.collect() {
        for row in 0..<batch.count { if case .text(let key) = batch.value(row, 0) { keys.insert(key) } }
      }
    } catch {
      // A store without favourites.
      guard error.kind == .noInput, location != nil else { throw error }
    }
    selection.keys = keys
  }

  private static func emptyResultMessage(_ table: String, _ name: String) -> String {
    switch table {
    case "quotes": "no quotes by \(name)"
    case "deaths": "no deaths named \(name)"
    case "comments": "no comments by \(name)"
    default: "no records named \(name) in \(table)"
    }
  }
}

extension Remedy {
  /// The advice for an input with several tables, of which a command reads one.
  static func severalTables(_ tables: [String], _ invocation: Invocation) -> Remedy {
    let names = tables.joined(separator: ", ")
    if invocation.path == [BBExport.diff.name] { return "use --table NAME, which is one of \(names)" }
    return "choose one: \(names)\(invocation.has(OutputOptions.output) ? "; or use -o DIR/ for all of them" : "")"
  }
}
