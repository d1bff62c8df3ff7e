import Codecs
package import CommandLineKit
import Dialects
import Documents
package import Domain
package import Query
package import Rows
import Synchronization

/// The outputs of a command and their formats. Errors in them are found when the plan is made, before anything is
/// read.
package struct OutputPlan: Sendable {
  /// The number of threads that encode, and that may read.
  package let threads: Int
  /// The memory for sorting and groups, in bytes.
  package var memory: Int { givenMemory ?? services.memory() }
  private let givenMemory: Int?
  private let services: AppServices
  private var targets: [OutputTarget]
  /// When there is a header, and where changed and dropped records of the input go; nil for the usual place.
  private let headers: String, rejects: String?
  /// The Delta tables that receive the records which the rows report on.
  private var tables: [OutputTarget]
  private let replaces: Bool
  private let hasSummary: Bool
  private let isVerified: Bool
  package let audience: OutputAudience
  /// Whether the output is a document of other programs that can be imported.
  package var isDocument: Bool {
    targets.contains { $0.exporter.descriptor.fileExtensions.contains(where: services.documents.extensions.contains) }
  }
  private let policy: OutputPolicy
  private let usesPager: Bool
  private let partitions: PartitionPlan?
  /// The columns that identify a row; nil for those of the input.
  private let key: [String]?
  /// Whether all rows are read before one is written.
  package let readsAllFirst: Bool

  /// Reads the options of `OutputOptions` that a command has.
  /// - Throws: `usage` for contradictory options and for two names of one file, `cannotCreate` for a file that cannot
  ///   be created.
  package init(
    _ invocation: Invocation, _ services: AppServices, _ policy: OutputPolicy = OutputPolicy()
  ) throws(Problem) {
    self.services = services
    replaces = !invocation.isOn(OutputOptions.noClobber)
    threads = try invocation.integer(OutputOptions.threads, in: 1...1024) ?? policy.threads ?? services.cores
    givenMemory = try Self.memory(invocation)
    hasSummary = invocation.has(OutputOptions.summary)
    isVerified = invocation.has(OutputOptions.verify)
    let shown = invocation.setting(OutputOptions.headers) ?? "auto"
    headers = shown
    rejects = invocation[OutputOptions.rejects]
    self.policy = policy
    let exporters = services.exporters, width = services.terminal.width
    let named = try Self.named(invocation, exporters, policy)
    let setting = invocation.setting(OutputOptions.format)
    let usual = width == nil ? policy.defaultFormat : policy.interactiveFormat ?? policy.defaultFormat
    var given = try invocation.locations(OutputOptions.output)
    let reported = given.filter { !(policy.isReport && $0.place.takesRecords) }
    if policy.isReport, reported.isEmpty { given.append(try invocation.locations.location("-")) }
    let isForUser = named == nil && setting == nil && reported.allSatisfy { $0.text == "-" }
    audience = invocation.has(OutputOptions.plain) ? .scripts : isForUser ? .user : .files
    let fallback: any Exporter
    if let own = policy.exporter {
      fallback = own
    } else if let named {
      fallback = named
    } else if setting == nil, invocation.has(SharedOptions.count) {
      fallback = PlainLines()
    } else {
      do throws(Problem) {
        fallback = try exporters.named(setting ?? usual)
      } catch {
        // The value was not typed now.
        throw Problem(
          .configuration, error.message, at: invocation.configuration.place(of: .format), hint: error.hint)
      }
    }
    let piped = invocation[OutputOptions.format].flatMap { FileCompression.split($0).compression }
    let formats = OutputFormats(named: named, fallback: fallback, exporters: exporters.all) {
      (location) throws(Problem) in
      // A table has no suffix.
      try location.isTable
        ? location.place.exporter() : exporters.forPath(FileCompression.split(location.text).path)
    }
    let style = services.terminal.style(invocation.color, ofErrors: false)
    usesPager = !invocation.isOn(OutputOptions.noPager)
    let chosen = try formats.choose(for: given.isEmpty ? [try invocation.locations.location("-")] : given)
    let options = try exporters.options(
      OutputOptions.shortcuts(invocation)
        + PartitionPlan.formatOptions(invocation.all(OutputOptions.formatOption)), for: chosen.map(\.exporter))
    partitions = try PartitionPlan(invocation, services)
    let types = try FileInputOptions(invocation).types
    let imageDirectory = invocation[OutputOptions.imageDirectory]
    if imageDirectory != nil, !chosen.contains(where: \.exporter.descriptor.showsImages) {
      throw Problem(.usage, "--image-dir requires a file that shows images", hint: "add -o FILE.html")
    }
    let hasPlaceholders = partitions != nil, hasTable = chosen.contains { $0.exporter.table != nil }
    let hasChosenColumns = invocation.has(SharedOptions.columns) || policy.choosesColumns && audience == .user
    let targets = try chosen.map { (location, exporter) throws(Problem) in
      let isPlain = hasPlaceholders || location.isTable
      let location = isPlain ? location : try invocation.locations.location(PathPattern.plainPath(location.text))
      let path = location.text
      var own = options[exporter.descriptor.name] ?? ExportOptions()
      for (key, value) in OutputOptions.configured(invocation) where own.values[key] == nil {
        if exporter.descriptor.options.contains(where: { $0.key == key }) { own.values[key] = value }
      }
      if shown != "auto", exporter.descriptor.hasHeaders { own.values["headers"] = shown == "never" ? "no" : "yes" }
      if let form = OutputFormats.form(of: location, by: exporter.descriptor) {
        if let other = own.values.updateValue(form, forKey: "as"), other != form {
          throw Problem(
            .usage, "the extension of \(location.shown) means \(form), but option as is \(other)",
            hint: "omit the option, or change the extension")
        }
      }
      own.hasChosenColumns = hasChosenColumns
      // Metadata name the columns by the header.
      let hasMetadata = invocation.has(OutputOptions.csvw) || invocation.has(OutputOptions.dataPackage)
      own.keepsTitles = shown == "auto" && !hasChosenColumns && !hasMetadata
      if path == "-" {
        own.terminalWidth = width
        own.style = style
      }
      // It is about tables, if there are any; other files are replaced.
      let isOther = hasTable && exporter.table == nil
      own.existing = hasPlaceholders || isOther ? .refuse : try Self.existing(invocation, exporter, policy)
      own.origin = policy.origin
      own.types = types
      if let table = exporter.table {
        return OutputTarget(location, path: table.name, exporter: exporter, options: own)
      }
      if exporter.descriptor.showsImages, !["links", "none", "no"].contains(own.values["images"]) {
        let files = try services.files.imageFiles(in: imageDirectory, ofStore: try policy.storedImages?())
        // Only pages can refer to files; on standard output they have no place to refer from.
        let isPart = own.values["images"] == "embed" || exporter.descriptor.name != "html" || path == "-"
        own.images = try services.files.images(files, for: isPart ? nil : path, first: policy.dataset)
      }
      return OutputTarget(
        location, exporter: exporter, options: own,
        compression: path == "-" ? piped : FileCompression.split(path).compression)
    }
    if invocation.has(OutputOptions.existing), targets.allSatisfy({ $0.path == "-" }) {
      throw Problem(.usage, "--existing requires an output", hint: "add -o FILE")
    }
    if targets.contains(where: \.isAppended), targets.count > 1 || invocation.has(OutputOptions.summary) {
      throw Problem(
        .usage, "--existing append cannot be used with several files or --summary", hint: "name one file with -o")
    }
    // A report has no records with keys.
    key = try (policy.isReport ? nil : invocation.value(of: "key")).map { (text) throws(Problem) in
      try NameListParser.list(text, of: "key").map(\.name)
    }
    tables = policy.isReport ? targets.filter(\.takesStates) : []
    for table in tables {
      for option in table.exporter.table?.excludedFromStates ?? [] where table.options.values[option] != nil {
        throw Problem(
          .usage, "option \(option) does not apply to a sync, which replaces all rows once", hint: "omit it")
      }
    }
    let others = tables.isEmpty ? targets : targets.filter { !$0.takesStates }
    if services.terminal.destination == .terminal,
      let binary = others.first(where: {
        $0.path == "-" && ($0.exporter.descriptor.isBinary || $0.compression != nil)
      })
    {
      let format = binary.exporter.descriptor
      let suffix = (format.fileExtensions.first ?? "") + (binary.compression.map { ".\($0.fileExtension)" } ?? "")
      throw Problem(
        .usage, "refusing to write \(binary.compression == nil ? format.name : "compressed data") to a terminal",
        hint: "use -o FILE.\(suffix)")
    }
    if rejects == nil, !targets.contains(where: \.isFile) { services.rejects.refuseLoss() }
    if isVerified { try OutputVerification.check(tables.isEmpty ? others : tables) }
    self.targets = others + (try OutputTarget.metadata(of: others, invocation, exporters))
    var readsAll = false
    for target in self.targets where target.isFile {
      let replaces = target.options.existing == .replace
      try Self.checkInputs(invocation, services, target.location, replacing: target.isMetadata ? nil : replaces)
      // A database is written table by table.
      if replaces, target.exporter.descriptor.name == "sqlite" {
        do throws(Problem) { try Self.checkInputs(invocation, services, target.location) } catch { readsAll = true }
      }
    }
    readsAllFirst = readsAll
    var files = partitions == nil ? self.targets.filter(\.isFile).map(\.location) : []
    // Nothing is written before the names are known to be right.
    if rejects != nil { _ = try rejectsTarget(beside: targets) }
    if let path = rejectsPath(beside: targets) {
      let rejected = try invocation.locations.location(path)
      try Self.checkInputs(invocation, services, rejected)
      if rejects != nil, rejected.place.path != nil { files.append(rejected) }
    }
    var names: [String: String] = [:]
    for location in files {
      let file = try location.place.check(replaces: replaces)
      guard let other = names.updateValue(location.shown, forKey: file) else { continue }
      throw Problem(
        .usage, "\(other) and \(location.shown) are the same file", hint: "use a different file name")
    }
  }

  /// The same outputs, in the format of the input where neither the command line nor a setting chooses one. That of a
  /// pipe is known when the source is open.
  /// - Throws: `usage` for options that do not apply to the format.
  package func following(_ source: any RecordSource, _ invocation: Invocation) throws(Problem) -> OutputPlan {
    try following((source as? any SampledFile)?.formatName, invocation)
  }
  /// The same for the name of the format.
  package func following(_ format: String?, _ invocation: Invocation) throws(Problem) -> OutputPlan {
    guard let format, format != policy.defaultFormat,
      services.terminal.width == nil, invocation.setting(OutputOptions.format) == nil,
      targets.contains(where: { $0.path == "-" })
    else { return self }
    var policy = self.policy
    policy.follow(format)
    return policy.defaultFormat == self.policy.defaultFormat ? self : try OutputPlan(invocation, services, policy)
  }

  /// Warns if standard output is a file whose extension means another format.
  private func warnAboutFile() {
    guard case .file(let path) = services.terminal.destination, let target = targets.first(where: { $0.path == "-" }),
      let format = (try? services.exporters.forPath(FileCompression.split(path).path))?.descriptor.name,
      format != target.exporter.descriptor.name, !describesRows || format != "json"
    else { return }
    let name = path.split(separator: "/").last ?? ""
    services.report.warning(
      Warning(
        "standard output is \(name), but the format is \(target.exporter.descriptor.name)",
        hint: .set(.outputFormat, to: format)))
  }

  /// - Parameter replacing: whether the command line replaces an input after it was read; nil if it cannot.
  /// - Throws: `usage` for the location of an input, unless it is replaced.
  package static func checkInputs(
    _ invocation: Invocation, _ services: AppServices, _ location: Location, replacing: Bool? = nil
  ) throws(Problem) {
    guard let path = location.place.path, replacing != true else { return }
    // An invalid location cannot be a file either.
    let inputs = (["-"] + invocation.arguments + ["from", "join", "source"].flatMap(invocation.all))
      .compactMap { try? invocation.locations.location($0).place.path }
    guard let input = inputs.first(where: { services.files.isSame($0, as: path) }) else { return }
    throw Problem(
      .usage, input == location.text ? "\(input) is an input" : "\(location.shown) is the input \(input)",
      hint: replacing == nil
        ? "use another name" : "use another name, or --existing replace to replace it after it was read")
  }

  /// The format of `--format`, `--json` or `--plain`; nil if none was given.
  private static func named(
    _ invocation: Invocation, _ exporters: any ExporterCatalogue, _ policy: OutputPolicy
  ) throws(Problem) -> (any Exporter)? {
    if invocation.has(OutputOptions.json) {
      return JSONEnvelopeExporter(inner: try exporters.named("json"), kind: policy.kind)
    }
    if invocation.has(OutputOptions.plain) { return PlainLines() }
    return try invocation[OutputOptions.format].map { (name) throws(Problem) in
      try exporters.named(FileCompression.split(name).path)
    }
  }

  /// - Throws: `usage` for less than 16 MiB, with which a large sort would need too many temporary files.
  private static func memory(_ invocation: Invocation) throws(Problem) -> Int? {
    guard let size = try invocation.size(OutputOptions.memory) else { return nil }
    guard size >= 16 << 20 else {
      throw Problem(.usage, "--memory is too small: at least 16M is required", hint: "use --memory 64M")
    }
    return size
  }

  static func existing(
    _ invocation: Invocation, _ exporter: any Exporter, _ policy: OutputPolicy
  ) throws(Problem) -> ExistingOutput {
    var possible = exporter.table?.existing ?? exporter.descriptor.existing
    if policy.isReport, exporter.table?.excludedFromStates != nil { possible = [.refuse, .replace] }
    guard let word = invocation[OutputOptions.existing] else { return .refuse }
    guard let action = ExistingOutput(rawValue: word), possible.contains(action) else {
      throw Problem(
        .usage, "invalid value “\(word)” for --existing",
        hint: .choose(word, from: possible.map(\.rawValue), "available values"))
    }
    return action
  }

  /// An output that exists, as messages name it; nil if there is none.
  /// - Parameter table: the name of the records.
  /// - Throws: the errors of the servers of the outputs.
  package func existing(_ table: String) async throws(Problem) -> String? {
    if let partitions { return try await partitions.haveFiles() ? partitions.pattern.text : nil }
    // A shell empties a file that it does not append to.
    if targets.contains(where: { $0.path == "-" }), case .file(let path) = services.terminal.destination,
      services.terminal.isAppended
    {
      return path
    }
    for target in targets + tables where target.isServer || target.isFile {
      let isThere =
        target.isServer ? try await target.exporter.exists(table) : try await target.location.place.exists()
      if isThere { return target.name }
    }
    return nil
  }

  /// The same outputs, except that files which exist are not replaced: `.partial` is appended to their names.
  /// - Returns: the outputs, and the names of the files that stay; empty if there are none.
  package func sparingFiles() throws(Problem) -> (plan: OutputPlan, spared: [String]) {
    var copy = self, spared: [String] = []
    copy.targets = try targets.map { (target) throws(Problem) in
      guard target.isFile, target.location.place.isFile else { return target }
      spared.append(target.name)
      return OutputTarget(
        try services.locations.location(target.path + ".partial"), exporter: target.exporter, options: target.options,
        compression: target.compression)
    }
    return (copy, spared)
  }

  /// What all outputs need of columns that are only written; nil if they need all types.
  package var typesOfOthers: NeededTypes.Others? {
    guard partitions == nil, !isVerified, tables.isEmpty else { return nil }
    let needed = targets.map(\.exporter.descriptor.neededTypes)
    return needed.contains(nil) ? nil : needed.contains(.numbers) ? .numbers : .text
  }

  /// Whether times may have the spellings of a file: they show as they are, and name no file.
  package var keepsSpellings: Bool { partitions == nil && tables.isEmpty && audience != .user }

  package var describesRows: Bool {
    targets.contains(where: \.exporter.descriptor.describesRows)
  }

  /// Whether Delta tables receive the records which the rows report on.
  package var hasTables: Bool { !tables.isEmpty }

  /// - Throws: `usage` if several datasets would go to one Delta table, or tables into the directory of another; the
  ///   errors of reading the directory.
  package func check(datasets count: Int) async throws(Problem) {
    for table in tables {
      if try table.location.place.member("x") != nil {
        guard try await table.location.place.table().logFiles(from: "") != nil else { continue }
        throw Problem(
          .usage, "-o \(table.path)/ is a Delta table, not a directory of tables", hint: "omit the slash")
      }
      guard count > 1 else { continue }
      throw Problem(
        .usage, "-o \(table.path) is one table, but there are \(count) datasets",
        hint: "name one dataset, or add a slash for a directory of tables: -o \(table.path)/")
    }
  }

  /// Writes the records of a dataset to the Delta tables among the outputs. Those that have them already, or later
  /// ones, stay as they are.
  /// - Parameters:
  ///   - states: the states of the table of the records; the current one is not later than they are.
  ///   - rows: opens the records.
  package func write(
    _ dataset: String, states: TableStates, rows: () async throws(Problem) -> any RowStream
  ) async throws(Problem) {
    for table in tables {
      var location = table.location, options = table.options
      if let member = try location.place.member(dataset) { location = try services.locations.location(member) }
      guard let exporter = try location.place.exporter() else { continue }
      (options.states, options.origin) = (states, "sync \(dataset)")
      var plan = self
      plan.targets = [
        OutputTarget(location, path: exporter.table?.name, exporter: exporter, options: options)
      ]
      plan.tables = []
      try await plan.write(try await rows())
    }
  }

  /// Writes the rows that `selection` selects to all outputs, completely or not at all.
  /// - Parameter combined: the output that the table is a part of; nil if it is complete by itself.
  @discardableResult
  package func write(
    _ rows: any RowStream, selection: Selection = Selection(), related: JoinTables = .none,
    into combined: CombinedOutput? = nil
  ) async throws(Problem) -> Export.Summary {
    var wanted = selection
    if wanted.columns == nil, wanted.grouping == nil, !wanted.steps.hasOwnColumns {
      let isTable = audience == .files && targets.allSatisfy { $0.exporter.descriptor.name == "table" }
      wanted.columns = isTable ? policy.tableColumns ?? policy.columns[audience] : policy.columns[audience]
    }
    wanted.shownMembers = targets.flatMap(\.columns)
    let selection = wanted, services = self.services, usesPager = self.usesPager, threads = self.threads
    let rows = try await selection.retyping(rows, related: related)
    var opened = withoutMissingHeader(self.targets)
    let right = try await opened.first(where: \.isAppended)?.location.place.appendingRight()
    defer { withExtendedLifetime(right) {} }
    let appended = try await AppendedFile(preparing: &opened, services), targets = opened
    // The system is asked only if it matters.
    let memory = selection.sort.isEmpty && selection.grouping == nil && !selection.steps.keepsRows ? 0 : self.memory
    let showsLocalTimes = policy.showsLocalTimes && audience == .user
    // Built-in data does not replace a file that has appeared since either.
    let replaces = self.replaces && !services.provenance.isFallback, isHeldBack = rows.mayWiden
    // They are about the records if there are tables for them.
    let digests = hasSummary && tables.isEmpty ? OutputDigests() : nil, hasTerminal = services.terminal.width != nil
    let verified = isVerified && tables.isEmpty ? DigestedRows.Result() : nil, partitions = self.partitions
    let sinks = Mutex<[Int: any RowSink]>([:])
    let outputs = targets.enumerated().map { number, target in
      let open: OpenBytes = { () throws(Problem) in
        var sink: any ByteSink
        if target.isAppended, let appending = try target.location.place.appendingSink() {
          sink = appending
        } else if target.isFile {
          sink = try target.location.place.sink(
            replaces: replaces, follows: combined == nil && !target.isMetadata)
        } else {
          sink = try services.terminal.output(target.use(isHeldBack: isHeldBack, isPaged: usesPager))
          if hasTerminal { sink = ProgressEndSink(sink, services.progress) }
        }
        let counted: any ByteSink = digests?.sink(sink, for: target.path) ?? sink
        guard let compression = target.compression else { return counted }
        return try CompressingSink(counted, compression, threads: threads)
      }
      return Export.Output(target.exporter.descriptor, target.options, name: target.name) { (schema) throws(Problem) in
        let schema = try self.keyed(schema)
        if let partitions {
          return try await partitions.sink(for: schema, of: target, services, threads: threads) { (sink, path) in
            digests?.sink(sink, for: path) ?? sink
          }
        }
        if let combined { return try await combined.sink(for: schema, target, open) }
        let sink = try await target.exporter.sink(for: schema, options: target.options, into: open)
        sinks.withLock { $0[number] = sink }
        return sink
      }
    }
    let written = Mutex<Schema?>(nil)
    let progress = services.progress
    var prepared = Export(to: outputs, threads: threads, scratch: services.scratch) { (rows, _) in
      progress.update { $0.items = rows }
    }
    let verification = OutputVerification(services: services, threads: threads)
    prepared.beforeCommit = { () async throws(Problem) in
      if let verified {
        for (number, sink) in sinks.withLock({ $0 }) {
          if let rows = try await sink.uncommitted() {
            try await verification.verify(rows, of: targets[number], is: verified.digest)
          }
        }
      }
      try await self.writeRejects(beside: targets)
    }
    let export = prepared
    defer { services.rejects.removeAll() }
    let summary = try await withTaskExecutorPreference(threads > 1 ? services.workers : nil) {
      () async throws(Problem) in
      try await export.run(rows) { (stream) async throws(Problem) in
        let chosen = try await selection.applied(
          to: stream, scratch: services.scratch, related: related, threads: threads, memory: memory)
        written.withLock { $0 = chosen.schema }
        let ordered = try appended?.ordered(chosen) ?? chosen
        let shown = showsLocalTimes ? LocalTimeRows(ordered) : ordered
        let rows: any RowStream = verified.map { DigestedRows(shown, $0) } ?? shown
        if !readsAllFirst { return rows }
        return BufferedRows(
          schema: rows.schema, batches: try await rows.collect(within: self.memory), notes: rows.notes)
      }
    }
    var inputs: [(file: String, digest: String)] = []
    if let verified, let schema = written.withLock({ $0 }) {
      for (target, output) in zip(targets, summary.outputs) where !target.isMetadata {
        try await verification.verify(target, output, schema, is: verified.digest)
      }
      if let target = try rejectsTarget(beside: targets) {
        let digest = try await RowDigest.of(try services.rejects.rows(), threads: 1)
        try await verification.verify(target, WrittenRows(target.name), RejectLog.schema, is: digest)
      }
      inputs = try services.rejects.verify()
    }
    progress.finish()
    warnAboutFile()
    var warnings: Set<Warning> = []
    for warning in summary.warnings where warnings.insert(warning).inserted { services.report.warning(warning) }
    for footer in summary.footers { services.report.footer(footer) }
    for (target, written) in zip(targets, summary.outputs) {
      let format = target.exporter.descriptor.name
      services.report.detail("\(target.name): \(format), rows: \(summary.rows), bytes: \(written.bytes)")
    }
    if let digests {
      services.report.line(digests.text(of: targets, summary, verified?.digest, inputs, services))
    }
    return summary
  }

  /// The schema with the key of the command line.
  private func keyed(_ schema: Schema) throws(Problem) -> Schema {
    guard let key else { return schema }
    for name in key { _ = try schema.column(named: name) }
    return Schema(schema.name, schema.summary, key: key, columns: schema.columns)
  }

  /// The targets without a header, if the input has none and no option asks for one.
  private func withoutMissingHeader(_ targets: [OutputTarget]) -> [OutputTarget] {
    guard headers == "auto", services.rejects.lacksHeader else { return targets }
    return targets.map { target in
      var target = target
      if target.exporter.descriptor.hasHeaders, target.options.values["headers"] == nil {
        target.options.values["headers"] = "no"
      }
      return target
    }
  }

  /// Where the records of the input that were changed or dropped go, if there are any.
  private func rejectsPath(beside targets: [OutputTarget]) -> String? {
    if rejects == "none" { return nil }
    return rejects ?? targets.first(where: \.isFile).map { "\($0.path).rejects.csv" }
  }

  /// The file for the records of the input that were changed or dropped; nil if there are none.
  private func rejectsTarget(beside targets: [OutputTarget]) throws(Problem) -> OutputTarget? {
    guard rejects != nil || !services.rejects.isEmpty, let path = rejectsPath(beside: targets) else { return nil }
    return try services.rejectsTarget(path)
  }

  /// The rejects of an earlier run in the usual place, which are not those of this one.
  private func oldRejects(beside targets: [OutputTarget]) async -> OutputTarget? {
    guard rejects == nil, replaces, !services.rejects.counts.isEmpty,
      let output = targets.first(where: \.isFile), !output.isAppended, let path = rejectsPath(beside: targets),
      let target = try? services.rejectsTarget(path), target.location.place.isFile,
      let file = try? await services.sources.open(.file(target.location, FileInputOptions())) as? any SampledFile
    else { return nil }
    // Nothing but a table of bb is replaced.
    let header = RejectLog.schema.columns.map(\.name).joined(separator: ",") + "\n"
    return (try? file.sample(header.utf8.count))??.bytes.elementsEqual(header.utf8) == true ? target : nil
  }

  /// Writes the records of the input that were changed or dropped.
  private func writeRejects(beside targets: [OutputTarget]) async throws(Problem) {
    let own = try rejectsTarget(beside: targets), old = own == nil ? await oldRejects(beside: targets) : nil
    guard let target = own ?? old else { return }
    if isVerified { try OutputVerification.check([target]) }
    try await services.writeRejects(to: target, replaces: replaces, threads: threads)
  }
}

extension AppServices {
  /// The file for the records of the input that were changed or dropped.
  func rejectsTarget(_ path: String) throws(Problem) -> OutputTarget {
    let name = FileCompression.split(path), location = try locations.location(path)
    guard let exporter = try exporters.forPath(name.path) else {
      throw Problem(
        .usage, "cannot detect the format of \(location.shown)", hint: .set(.rejects, to: "\(path).csv"))
    }
    return OutputTarget(location, exporter: exporter, options: ExportOptions(), compression: name.compression)
  }

  fileprivate func writeRejects(
    to target: OutputTarget, replaces: Bool, threads: Int, _ step: @escaping Export.Step = {}
  ) async throws(Problem) {
    let output = Export.Output(target.exporter, target.options) { () throws(Problem) in
      let sink = try target.location.place.sink(replaces: replaces)
      guard let compression = target.compression else { return sink }
      return try CompressingSink(sink, compression, threads: threads)
    }
    var export = Export(to: [output], threads: 1, scratch: scratch)
    export.beforeCommit = step
    _ = try await export.run(try rejects.rows()) { (rows) throws(Problem) in rows }
  }

  /// The result of a step, and a file with the records of the input that were changed or dropped: both, or neither.
  /// - Parameter path: the file; nil and `none` are none.
  package func keepingRejects<Result: Sendable>(
    in path: String?, _ step: @escaping @Sendable () async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    guard let path, path != "none" else { return try await step() }
    let done = Mutex<Result?>(nil)
    try await writeRejects(to: try rejectsTarget(path), replaces: true, threads: 1) { () throws(Problem) in
      let result = try await step()
      done.withLock { $0 = result }
    }
    guard let result = done.withLock({ $0 }) else { throw Problem(.bug, "internal error: the step did not run") }
    return result
  }
}

extension ExporterDescriptor {
  /// Whether the format may have a header row.
  fileprivate var hasHeaders: Bool { options.contains { $0.key == "headers" } }
}

extension OutputPolicy {
  package typealias Directory = @Sendable () throws(Problem) -> String
}
