import AppShell
import CommandLineKit
import Domain
import Query
import Rows
import Sources

/// Imports of tracker files, and the questions that they leave.
enum TrackerCommands {
  static var entries: [CommandEntry] { [CommandEntry(questions, showQuestions), CommandEntry(resolve, answer)] }

  private static let transfer = "Transfer"
  static let from = Option.value(
    "from", "FORMAT", setting: .trackerFormat, in: transfer,
    "format of tracker files: \(TrackerFormats.names.joined(separator: ", ")), or a description of your own (JSON)")
  static let report = Option.value(
    "report", "FILE", values: .file, in: transfer,
    "tracker files: write the rows that were not used, with reasons, as CSV")
  static let strict = Option.flag("strict", in: transfer, "tracker files: import nothing if a row is not certain")
  private static let zone = Option.value(
    "zone", "ZONE", in: transfer,
    "tracker files: where the days of times are counted: UTC, +02:00, Europe/Vienna [default: UTC]")
  /// The options that apply to tracker files only.
  static let ownOptions = [from, report, strict, zone, APIOptions.setOption]
  static let options = ownOptions + [Options.dryRun]

  private static let questions = Command(
    "questions", "list rows of imported files that are not certain",
    options: SharedOptions.selecting + OutputOptions.listing, examples: ["questions"])
  private static let new = Option.flag("new", in: "Action", "the row is a title of its own").excluding("drop")
  private static let drop = Option.flag("drop", in: "Action", "the row is not wanted")
  private static let nextYear = Option.flag(
    "same-year-or-next", in: "Action", "the title of each question that names only one, of another year")
  private static let resolve = Command(
    "resolve", "resolve questions of imported files",
    discussion: """
      TITLE is the show or movie that the row is about, by its key or name, or an episode: wire:S01E01. Other \
      questions that this resolves disappear, and later imports know it.
      """,
    arguments: [
      Argument("QUESTION TITLE", values: .dynamic("record"), count: .any, "keys from questions, and the title")
    ],
    options: [new, drop, nextYear], examples: ["resolve q1 'Heat (1995)'", "resolve q2 q3 --drop", "resolve q4 --new"])

  private static let shown =
    [
      ColumnDescription("key", .text, nullable: false, "the key, for commands")
    ] + Catalog.questions.columns.filter { !["id", "number", "values", "dropped"].contains($0.name) }

  private static func showQuestions(_ context: CommandContext) async throws(Problem) {
    let schema = Schema("questions", columns: shown), ledger = try await TrackerLedger(try context.repository())
    let records = ledger.questions.map { question in
      var record = Record(schema, ["key": .text("q\(ledger.number(of: question))")])
      for column in shown.dropFirst() { record[column.name] = question[column.name] }
      return record
    }
    try await Listing(context, kind: "questions").write(records, of: schema, try context.selection(for: schema))
  }

  private static func answer(_ context: CommandContext) async throws(Problem) {
    let ledger = try await TrackerLedger(try context.repository())
    var chosen: [Record] = [], rest = context.arguments[...]
    while let word = rest.first, word.hasPrefix("q"), let number = Int64(word.dropFirst()) {
      guard let question = ledger.questions.first(where: { ledger.number(of: $0) == number }) else {
        throw Problem(.absent, "question not found: “\(word)”", hint: "list the questions with bb-notes questions")
      }
      chosen.append(question)
      rest = rest.dropFirst()
    }
    if context.has(nextYear) {
      chosen += ledger.questions.filter { question in
        question.text("reason")?.hasPrefix("maybe the same title") == true && question.list("candidates").count == 1
      }
      if chosen.isEmpty { return context.say("no question names one title of another year") }
    }
    guard !chosen.isEmpty else {
      throw Problem(.usage, "missing argument QUESTION", hint: "for example: resolve q1 --new")
    }
    let count = ledger.questions.count, text = rest.joined(separator: " ")
    let isOption = context.has(new) || context.has(drop) || context.has(nextYear)
    guard text.isEmpty == isOption else {
      throw Problem(
        .usage, text.isEmpty ? "missing argument TITLE" : "unexpected argument “\(text)”",
        hint: "name a title, or use --new or --drop")
    }
    for question in chosen where ledger.questions.contains(where: { $0.key == question.key }) {
      let reply: TrackerLedger.Reply
      if context.has(drop) {
        reply = .dropped
      } else if context.has(new) {
        reply = .new
      } else if text.isEmpty {
        guard let only = question.list("candidates").first else { throw Problem(.usage, "missing argument TITLE") }
        reply = .title(only)
      } else {
        reply = try await self.reply(text, question, ledger.names, context)
      }
      try ledger.resolve(question, reply)
    }
    let words = context.arguments.prefix(context.arguments.count - rest.count).joined(separator: " ")
    _ = try await ledger.store("resolve \(words.isEmpty ? "questions" : words)")
    let left = ledger.questions.count
    context.say("\(counted(count - left, "question")) resolved, \(left) left")
  }

  /// The title or episode that a text names: a candidate, a key of an episode, or a title.
  private static func reply(
    _ text: String, _ question: Record, _ names: TitleNames, _ context: CommandContext
  ) async throws(Problem) -> TrackerLedger.Reply {
    let candidates = question.list("candidates").filter { Fold.folded($0) == Fold.folded(text) }
    let key = candidates.count == 1 ? candidates[0] : try names.exactKey(of: text)
    if names[key] != nil { return .title(key) }
    if let episode = try? EpisodeKey(parsing: text, production: "", names: names.exact),
      names[episode.production] != nil
    {
      return .episode(episode)
    }
    let title = try names.knownKey(of: text)
    try context.requireWhole(text, named: title, in: "titles")
    return .title(title)
  }

  // MARK: - Import

  /// The formats that are built in, or the one that the command line names.
  private static func formats(_ context: CommandContext) throws(Problem) -> [TrackerFormat] {
    guard let name = context[from] else { return try TrackerFormats.all() }
    if name.hasSuffix(".json") || name.contains("/") {
      let files = try context.services.documents.files(name)
      guard let only = files.names.first, files.names.count == 1 else {
        throw Problem(.noInput, "not a file", at: name)
      }
      return [try TrackerFormat(try files.bytes(of: only, limit: 1 << 20), name: name)]
    }
    return [try TrackerFormats.named(name)]
  }

  static func importFiles(_ path: String, _ context: CommandContext) async throws(Problem) {
    let formats = try formats(context)
    var files = try context.services.documents.files(path)
    // A directory may hold the archive of an export.
    if files.names.count == 1, files.names[0].lowercased().hasSuffix(".zip"),
      context.services.documents.isDirectory(path)
    {
      files = try context.services.documents.files("\(path)/\(files.names[0])")
    }
    var reader = TrackerReader(files)
    let format = try reader.format(among: formats)
    try TransferCommands.refuse(TransferCommands.ownOptions, for: "tracker files", context)
    let ledger = try await TrackerLedger(try context.repository(makes: true))
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let report = try reader.read(
      format, into: ledger, variables: try APIOptions(context.invocation).variables, zone: context[zone])
    guard context[from] == nil || report.skipped.count < report.rows || report.rows == 0 && report.files > 0 else {
      throw Problem(
        .badData, "no record of \(format.name)", at: path, hint: "omit --from, so that the format is recognized")
    }
    if let place = context[Self.report] { try await write(report, to: place, context) }
    let isCertain = report.uncertain.isEmpty
    // Several rules may read a row.
    var told: Set<TrackerReader.Report.Unused> = []
    for row in report.uncertain.prefix(20) where row.isInvalid && told.insert(row).inserted {
      context.services.report.warning("\(row.file):\(row.line): \(row.reason)")
    }
    guard isCertain || !context.has(strict) else {
      throw Problem(
        .badData, "\(report.uncertain.count) rows are not certain; nothing was imported", at: name,
        hint: "see them with --report FILE, or omit --strict")
    }
    let isChanged = try await ledger.store("import \(name)", isDryRun: context.has(Options.dryRun))
    defer {
      func sum(_ outcome: TrackerLedger.Outcome) -> Int {
        ledger.counts.values.reduce(0) { $0 + $1[outcome, default: 0] }
      }
      TransferCommands.summarize(
        format.name,
        [
          ("added", sum(.added)), ("changed", sum(.changed)), ("unchanged", sum(.same)),
          ("questions", ledger.questions.count),
        ], omitted: Dictionary(grouping: report.skipped, by: \.reason).mapValues(\.count), context)
    }
    let rows = "\(format.name): \(counted(report.rows, "row")) in \(counted(report.files, "file"))"
    let used = report.rows - report.skipped.count
    guard isChanged || used == 0 && report.rows > 0 else {
      return context.say(report.rows == 0 ? "\(name) contains no records" : "\(rows): all were imported before")
    }
    context.say(
      "\(rows), \(used == report.rows ? "all" : String(used)) used\(context.has(Options.dryRun) ? " (dry run)" : "")")
    let schema = Schema(
      "import",
      columns: [ColumnDescription("table", .text, nullable: false)]
        + TrackerLedger.Outcome.allCases.map { ColumnDescription($0.rawValue, .integer, nullable: false) })
    let records = TrackerRow.Target.allCases.compactMap { target in
      ledger.counts[target].map { counts in
        Record(
          schema,
          [.text(target.rawValue)]
            + TrackerLedger.Outcome.allCases.map { .integer(Int64(counts[$0, default: 0])) })
      }
    }
    try await Listing(context, kind: "import").write(records, of: schema)
    if !report.notRead.isEmpty { context.say("not read: \(report.notRead.joined(separator: ", "))") }
    for (file, unused) in Dictionary(grouping: report.skipped, by: \.file).sorted(by: { $0.key < $1.key }) {
      context.services.report.warning(
        "\(counted(unused.count, "row")) of \(file) not used: \(unused[0].reason)")
    }
    if report.answered > 0 { context.say("\(counted(report.answered, "question")) resolved") }
    if report.withdrawn > 0 { context.say("\(counted(report.withdrawn, "question")) of earlier rows closed") }
    if !isCertain {
      context.services.report.warning(
        "\(counted(ledger.questions.count, "question")); list them with bb-notes questions")
    }
  }

  /// Reads the episodes of known shows from a list of all of them, which may be long.
  static func identifyEpisodes(_ rows: any RowStream, _ path: String, _ context: CommandContext) async throws(Problem) {
    try TransferCommands.refuse(ownOptions, for: "lists of episodes", context)
    let ledger = try await TrackerLedger(try context.repository(makes: true))
    var count = 0
    while let work = try await rows.next() { count += ledger.identify(try work.batch().records(of: rows.schema)) }
    let answered = ledger.askAgain()
    let isDryRun = context.has(Options.dryRun)
    let isChanged = try await ledger.store("import \(path.split(separator: "/").last ?? "")", isDryRun: isDryRun)
    context.say(
      "imdb: \(counted(count, "episode")) of known shows\(!isChanged ? ": no changes" : isDryRun ? " (dry run)" : "")")
    if answered > 0 { context.say("\(counted(answered, "question")) resolved") }
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  private static func write(
    _ report: TrackerReader.Report, to path: String, _ context: CommandContext
  ) async throws(Problem) {
    let rows = report.skipped.map { ($0, "not used") } + report.uncertain.map { ($0, "question") }
    let lines = [["file", "line", "what", "reason"]] + rows.map { [$0.file, "\($0.line)", $1, $0.reason] }
    let text = String(decoding: lines.flatMap(TrackerWriter.line), as: UTF8.self)
    if path == "-" { return try context.services.terminal.write(text) }
    let sink = try context.services.documents.sink(path)
    var buffer = ByteBuffer(capacity: 4096)
    buffer.append(text)
    try await sink.write(buffer)
    try await sink.commit()
  }
}

extension TrackerCommands {
  static let target = Option.value(
    "for", "FORMAT", values: .words(TrackerFormats.writable), in: "Transfer",
    "write the files that another service reads, into the directory of -o")

  static func exportFiles(_ name: String, _ context: CommandContext) async throws(Problem) {
    let places = context.invocation.all(OutputOptions.output)
    guard let place = places.first, places.count == 1, place != "-" else {
      throw Problem(.usage, "--for requires a directory", hint: "for example: -o out/")
    }
    if let dataset = context.arguments.first {
      throw Problem(.usage, "--for cannot be used with \(dataset)", hint: "omit one of them")
    }
    let others = (OutputOptions.exportingAnywhere + SharedOptions.selecting).filter {
      ![OutputOptions.output, OutputOptions.noClobber].contains($0)
    }
    try TransferCommands.refuse(others, for: "files for \(name)", context)
    let ledger = try await TrackerLedger(try context.repository())
    let written = TrackerWriter(ledger, as: try TrackerFormats.named(name))
    for loss in written.losses { context.services.report.warning("\(name): \(loss)") }
    guard written.losses.isEmpty || !context.has(strict) else {
      throw Problem(.badData, "\(name) cannot carry everything; nothing was written", hint: "omit --strict")
    }
    guard !written.files.isEmpty else { return context.say("no records for \(name)") }
    let path = try context.invocation.locations.location(place).path()
    let directory = try context.services.files.directory(
      path, list: ".bb-files.json", replaces: !context.invocation.isOn(OutputOptions.noClobber))
    do throws(Problem) {
      for file in written.files { try directory.write(file.bytes, to: file.name) }
      try await directory.commit()
    } catch {
      directory.abandon()
      throw error
    }
    let counts = written.files.map { "\($0.name) (\($0.rows) \($0.rows == 1 ? "row" : "rows"))" }
    context.say("wrote \(counts.joined(separator: ", "))")
  }
}
