import CommandLineKit
import Domain

/// `bb-export DATASET`: rows from a source, through a selection, into outputs.
struct TableCommand {
  private let invocation: Invocation
  private let environment: Environment

  init(_ invocation: Invocation, _ environment: Environment) {
    self.invocation = invocation
    self.environment = environment
  }

  func run() async throws(Problem) {
    // What can be wrong with the words is found before anything is opened or asked.
    let outputs = try Outputs(invocation, environment)
    let choice = try sourceChoice()
    let selection = try SelectionReader(invocation)
    let source = try await environment.source(choice)
    if case .file = choice {
    } else if let schema = try await source.tables().first(where: { $0.name == invocation.arguments.first }) {
      _ = try selection.read(for: schema)
    }
    let table = try await tableName(of: source)
    let rows = try await source.rows(of: table, RowRequest(columns: selection.neededColumns))
    let wanted = try selection.read(for: rows.schema)
    let related = try await RelatedTables.read(for: wanted.relations, of: table) { (name) throws(Problem) in
      try await source.rows(of: name, RowRequest())
    }
    let summary = try await outputs.write(rows, selection: wanted, related: related)
    if summary.rows == 0, let name = invocation[Options.name] {
      environment.report.warning(Self.nobody(table, name))
    }
  }

  /// The table that was named, or the only one there is.
  private func tableName(of source: any RecordSource) async throws(Problem) -> String {
    if let name = invocation.arguments.first, invocation[Options.from] == nil { return name }
    let tables = try await source.tables().map(\.name)
    if tables.isEmpty { throw Problem(.noInput, "there is no table in it", at: source.name) }
    guard let name = invocation.arguments.first ?? (tables.count == 1 ? tables[0] : nil) else {
      throw Problem(.usage, "which table?", at: source.name, hint: "there are: \(tables.joined(separator: ", "))")
    }
    guard tables.contains(name) else {
      let near = Nearest.word(to: name, among: tables) ?? tables.joined(separator: ", ")
      throw Problem(.noInput, "there is no table “\(name)”", at: source.name, hint: "there is: \(near)")
    }
    return name
  }

  private func sourceChoice() throws(Problem) -> SourceChoice {
    let said = [Options.from, Options.source].filter { invocation[$0] != nil }
    if said.count > 1 {
      throw Problem(
        .usage, "--\(said[0].name) and --\(said[1].name) name two places to read from", hint: "give one of them")
    }
    if let path = invocation[Options.from] { return .file(path: path, try fileChoice()) }
    for option in Options.readingFiles where invocation.has(option) {
      throw Problem(.usage, "--\(option.name) is about a file, and there is none", hint: "add --from FILE")
    }
    guard let name = invocation.arguments.first else {
      throw Problem(
        .usage, "DATASET is missing", hint: "there are: \(Catalog.all.map(\.name).joined(separator: ", "))")
    }
    return try LiveOptions.choice(invocation, for: name)
  }

  private func fileChoice() throws(Problem) -> FileChoice {
    var choice = FileChoice()
    choice.format = invocation[Options.fromFormat]
    choice.name = invocation[Options.tableName]
    choice.emptyIsText = invocation[Options.emptyAs] == "text"
    choice.replacesBadEncoding = invocation[Options.encodingErrors] == "replace"
    for pair in invocation[Options.types]?.split(separator: ",") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        throw Problem(.usage, "--types has “\(pair)”", hint: "write COLUMN=TYPE, as in zip=text")
      }
      guard let type = ColumnType(name: String(parts[1])) else {
        let names = ColumnType.allCases.map(\.name)
        let near =
          Nearest.word(to: String(parts[1]), among: names).map { "did you mean \($0)?" }
          ?? "there are: \(names.joined(separator: ", "))"
        throw Problem(.usage, "no type “\(parts[1])”", hint: near)
      }
      choice.types[String(parts[0])] = type
    }
    return choice
  }

  private static func nobody(_ table: String, _ name: String) -> String {
    switch table {
    case "quotes": "there is no quote by \(name)"
    case "deaths": "there is no death of \(name)"
    case "comments": "there is no comment by \(name)"
    default: "there is nothing called \(name) in \(table)"
    }
  }
}

/// What was said about which API to ask, and how.
enum LiveOptions {
  /// - Parameter dataset: decides which API is asked when none was named.
  static func choice(_ invocation: Invocation, for dataset: String) throws(Problem) -> SourceChoice {
    let source = invocation[Options.source]
    if source == nil { _ = try Catalog.dataset(named: dataset) }
    if source == "snapshot" { return .snapshot }
    var live = LiveChoice()
    live.server = invocation[Options.api]
    live.maxAge = try invocation.integer(Options.maxAge, in: 0...Int(Int32.max))
    live.refresh = invocation.has(Options.refresh)
    live.offline = invocation.has(Options.offline)
    live.proxy = invocation[Options.proxy]
    live.caFile = invocation[Options.cacert]
    if live.refresh, live.offline { throw Problem(.usage, "--refresh and --offline contradict each other") }
    return .live(name: source ?? SourceDescription.usual(for: dataset).name, live)
  }
}
