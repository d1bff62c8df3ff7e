import CommandLineKit
import Domain

/// `bb-export open`: a picture or a page on the desktop, or its address on standard output.
struct OpenCommand {
  private let invocation: Invocation
  private let environment: Environment

  init(_ invocation: Invocation, _ environment: Environment) {
    self.invocation = invocation
    self.environment = environment
  }

  /// The pages of the shows.
  private static let imdb = [
    "Breaking Bad": "https://www.imdb.com/title/tt0903747/",
    "Better Call Saul": "https://www.imdb.com/title/tt3032476/",
    "El Camino": "https://www.imdb.com/title/tt9243946/",
  ]

  func run() async throws(Problem) {
    if invocation.arguments[0] == "imdb" {
      let production = try Shorthand.production(invocation[Options.production] ?? "bb")
      guard let page = Self.imdb[production] else { throw Problem(.absent, "no page of \(production) is known") }
      return try show(page)
    }
    let dataset = try Catalog.dataset(named: invocation.arguments[0])
    guard invocation.arguments.count > 1 else {
      throw Problem(.usage, "KEY is missing", hint: "name the record to open")
    }
    let key = invocation.arguments[1]
    let urls = dataset.columns.indices.filter { [.url, .list(.url)].contains(dataset.columns[$0].type) }
    guard !urls.isEmpty else { throw Problem(.usage, "\(dataset.name) have nothing to open") }
    let source = try await environment.source(try SourceReader(invocation).choice(for: dataset.name))
    let rows = try await source.rows(of: dataset.name, RowRequest())
    var selection = Selection()
    let column = try Shorthand.nameColumn(of: dataset)
    selection.conditions = [Condition(column, .equal, key)]
    if dataset.columns[dataset.key[0]].type == .integer, Int64(key) != nil {
      selection.conditions = [Condition(dataset.columns[dataset.key[0]].name, .equal, key)]
    }
    if let production = invocation[Options.production] {
      selection.conditions.append(try Shorthand.production(production, in: dataset))
    }
    let found = try selection.apply(to: rows, scratch: environment.scratch)
    for batch in try await found.collect() {
      for row in 0..<batch.count {
        for position in urls {
          switch batch.value(row, position) {
          case .text(let url): return try show(String(decoding: url, as: UTF8.self))
          case .json(let list):
            let text = String(decoding: list, as: UTF8.self)
            let parts = text.split(separator: "\"")
            if parts.count > 1 { return try show(String(parts[1])) }
          default: break
          }
        }
        throw Problem(.absent, "\(key) has nothing to open", at: source.name)
      }
    }
    throw Problem(.absent, "there is no “\(key)” in \(dataset.name)", at: source.name)
  }

  /// Opens http and https only; anything else a source gave is shown, not run.
  private func show(_ url: String) throws(Problem) {
    let isPage = url.hasPrefix("https://") || url.hasPrefix("http://")
    if isPage, environment.launch(url) { return }
    try Terminal.write(Terminal.safe(url) + "\n", to: 1)
  }
}
