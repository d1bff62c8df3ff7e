import AppShell
import CommandLineKit
import Domain
import Query
import Rows
import Sources

/// Determines the source of the records from the command line: exactly one place.
struct SourceOptions {
  private let invocation: Invocation

  /// Datasets of personal records, which exist only in stores.
  private static let personal = Catalog.personal.map(\.name)

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// The store that the records of a dataset come from; nil for another source.
  func store(of dataset: String?, _ services: AppServices) throws(Problem) -> String? {
    if invocation[Options.from] != nil { return nil }
    if let store = invocation[Options.storage] { return store }
    guard Self.personal.contains(dataset ?? ""), invocation[Options.source] == nil else { return nil }
    return try services.stores.defaultLocation().location
  }

  /// The place to read from.
  /// - Parameters:
  ///   - dataset: decides which API is asked when none was named; a file's only table need not be named.
  ///   - connects: whether the command opens connections of its own, wherever the records come from.
  func choice(for dataset: String?, connects: Bool = false) throws(Problem) -> SourceChoice {
    let isRemote = try [OutputOptions.output, Options.join].map(isRemote),
      connects = connects || isRemote.contains(true)
    try check(places: [Options.from, Options.storage, Options.source], connects)
    if let path = invocation[Options.from] { return try file(path, try file()) }
    if let store = invocation[Options.storage] { return .storage(store, try FileInputOptions(invocation)) }
    if Self.personal.contains(dataset ?? ""), invocation[Options.source] == nil {
      try rejectAPIOptions("a store", connects)
      return .storage(nil)
    }
    guard let dataset else {
      throw Problem(
        .usage, "missing argument DATASET or FILE",
        hint:
          "name a file, - for standard input, or a dataset: \(Catalog.all.map(\.name).joined(separator: ", "))")
    }
    return try live(for: dataset)
  }

  /// Rejects two sources, and options that apply only to a source of another kind.
  func check(places: [Option], _ connects: Bool) throws(Problem) {
    let said = places.filter { invocation[$0] != nil }
    if case .run(let command) = invocation.action,
      ![BBExport.table, BBExport.profile, BBExport.schema].contains(command),
      invocation.all(Options.from).count > 1
    {
      throw Problem(
        .usage, "\(command.name) reads only one file", hint: "run the command once for each file")
    }
    if said.count > 1 {
      throw Problem(
        .usage, "--\(said[0].name) and --\(said[1].name) cannot be used together", hint: "use only one of them")
    }
    if said.first == Options.from {
      return try rejectAPIOptions("a file", connects ? true : try isRemote(Options.from))
    }
    for option in Options.readingFiles + [Options.sheet] where invocation.has(option) {
      if FileInputOptions.limits.contains(option), said.first == Options.storage { continue }
      throw Problem(.usage, "--\(option.name) requires --from FILE", hint: "add --from FILE")
    }
    if said.first != nil, said.first != Options.source { try rejectAPIOptions("a store", connects) }
  }

  private func rejectAPIOptions(_ place: String, _ connects: Bool) throws(Problem) {
    let apiOptions = Options.apiOptions.filter {
      !connects || !Self.network.contains($0)
    }
    for option in apiOptions where invocation.has(option) {
      throw Problem(
        .usage, "--\(option.name) applies only to API sources, but the records come from \(place)",
        hint: option.name == "set" ? "use --put 'NAME = EXPRESSION' to calculate a column" : "omit --\(option.name)")
    }
  }

  private static let network =
    APIOptions.connecting + [
      APIOptions.maxAgeOption, APIOptions.maxBytesOption, APIOptions.deadlineOption, APIOptions.refreshOption,
    ]

  /// Whether an option names a place on a server.
  private func isRemote(_ option: Option) throws(Problem) -> Bool {
    try invocation.locations(option).contains { $0.place.isRemote }
  }

  /// A file or a table, with the options of its own.
  func file(_ path: String, _ options: FileInputOptions) throws(Problem) -> SourceChoice {
    var options = options
    for own in try ownOptions() where own.isFor(path) { try options.add(own.invocation) }
    let location = try invocation.locations.location(path)
    for place in invocation.all(Options.before) {
      guard let line = Self.line(place, of: location.place.shown) else { continue }
      options.lines = max(min(line, options.lines ?? line) - 1, 0)
    }
    return .file(location, options)
  }

  /// The line of a place `FILE:LINE` or `FILE:LINE:COLUMN`; nil if it is in another file.
  private static func line(_ place: String, of file: String) -> Int? {
    guard place.hasPrefix(file + ":") else { return nil }
    return place.dropFirst(file.count + 1).split(separator: ":").first.flatMap { Int($0) }
  }

  private struct OwnOptions {
    let file: String, invocation: Invocation

    /// Whether a path is the file, or ends with its name.
    func isFor(_ path: String) -> Bool { path == file || path.hasSuffix("/" + file) }
  }

  private func ownOptions() throws(Problem) -> [OwnOptions] {
    try invocation.all(Options.optionsFor).map { (text) throws(Problem) in
      let example = "for example --\(Options.optionsFor.name) 'b.csv=--from-delimiter semicolon --skip-rows 2'"
      guard let mark = text.firstRange(of: "=-"),
        let words = ShellWords.split(String(text[mark.lowerBound...].dropFirst()))
      else { throw Problem(.usage, "invalid value “\(text)” for --\(Options.optionsFor.name)", hint: .advice(example)) }
      let own = try BBExport.program.parse([BBExport.table.name] + words)
      for option in BBExport.table.options where own.has(option) {
        guard FileInputOptions.options.contains(option) else {
          throw Problem(
            .usage, "--\(option.name) is not an option of a file", hint: .advice(example))
        }
      }
      return OwnOptions(file: String(text[..<mark.lowerBound]), invocation: own)
    }
  }

  /// Refuses options of a file that is not read.
  func checkOwnOptions(of files: [String]) throws(Problem) {
    for own in try ownOptions() where !files.contains(where: own.isFor) {
      throw Problem(
        .usage, "--\(Options.optionsFor.name) names “\(own.file)”, which is not an input",
        hint: .choose(own.file, from: files, "inputs"))
    }
  }

  func network() throws(Problem) -> APIOptions { try APIOptions(connecting: invocation) }

  func file() throws(Problem) -> FileInputOptions {
    if invocation[Options.from] == "" {
      throw Problem(.usage, "missing file name after --from", hint: "use - for standard input")
    }
    var options = try FileInputOptions(joining: invocation)
    options.isPart = try invocation[Options.shard].map { (text) throws(Problem) in try Shard(text).isPart } ?? false
    return options
  }

  /// Rejects the name of no dataset: a mistyped command is read as one.
  private func check(dataset: String) throws(Problem) {
    let names = Catalog.all.map(\.name)
    if case .run(BBExport.table) = invocation.action, invocation.arguments == [dataset], !names.contains(dataset),
      SpellingSuggestion.word(to: dataset, among: names) == nil,
      let problem = BBExport.program.unknownCommand(dataset)
    {
      throw problem
    }
    if dataset.contains(where: { "./".contains($0) }), invocation.has(Options.source) {
      throw Problem(
        .usage, "\(dataset) is a file, but --source \(invocation[Options.source] ?? "") is read",
        hint: "omit --source to read the file")
    }
    _ = try Catalog.dataset(named: dataset)
  }

  /// The API to ask.
  /// - Parameters:
  ///   - dataset: decides which API is asked when none was named.
  ///   - isStrict: whether only the API itself will do.
  func live(for dataset: String, isStrict: Bool = false) throws(Problem) -> SourceChoice {
    let source = invocation.setting(Options.source)
    if let source, Self.personal.contains(dataset),
      source == "snapshot" || APIDescription.builtIn.contains(where: { $0.name == source })
    {
      throw Problem(
        .usage, "\(dataset) are personal records and can be read only from a store",
        hint: "remove --source, or use --storage STORE")
    }
    if source == nil || source == "snapshot" { try check(dataset: dataset) }
    var live = try network()
    if isStrict {
      live.fallback = .none
    } else if [APIOptions.serverOption, Options.source, APIOptions.refreshOption, APIOptions.strictOption].contains(
      where: invocation.has)
    {
      live.fallback = .refused(
        hint: [.set(.source, to: "snapshot", for: "read the built-in data"), .set(.store, for: "read a store")])
    }
    if isStrict { live.isComplete = true }
    if source == "snapshot" {
      for option in [
        APIOptions.serverOption, APIOptions.maxAgeOption, APIOptions.maxBytesOption, APIOptions.deadlineOption,
        APIOptions.strictOption, APIOptions.refreshOption,
      ] where invocation.has(option) {
        throw Problem(.usage, "--\(option.name) applies only to API sources, not to the snapshot")
      }
      return .snapshot
    }
    return .live(name: source ?? APIDescription.usual(for: dataset).name, live)
  }

  /// The same place, whose built-in data takes the place of no output that exists, and is added to none.
  static func guarding(
    _ choice: SourceChoice, _ dataset: String?, for outputs: OutputPlan
  ) async throws(Problem) -> SourceChoice {
    guard case .live(let name, var live) = choice, live.fallback == .allowed,
      let path = try await outputs.existing(dataset ?? "")
    else { return choice }
    live.fallback = .refused(hint: .set(.source, to: "snapshot", for: "write the built-in data to \(path)"))
    return .live(name: name, live)
  }
}
