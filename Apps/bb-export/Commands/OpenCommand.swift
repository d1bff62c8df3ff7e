import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export open`: opens an image or a page on the desktop, or prints its URL.
struct OpenCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  /// The pages of the shows.
  private static let imdb = [
    "Breaking Bad": "https://www.imdb.com/title/tt0903747/",
    "Better Call Saul": "https://www.imdb.com/title/tt3032476/",
    "El Camino": "https://www.imdb.com/title/tt9243946/",
  ]
  /// The things that a record can have, and their columns, best first.
  private static let things = [
    "image": ["image", "images", "thumbnail", "writer_image"], "website": ["website"],
    "imdb": ["production", "productions"],
  ]

  func run() async throws(Problem) {
    let words = invocation.arguments
    guard words[0] != "imdb" else {
      guard words.count == 1 else {
        throw Problem(.usage, "open imdb does not take a KEY", hint: "use --production NAME")
      }
      return try show(try Self.page(of: try EpisodeQuery.production(invocation[SharedOptions.production] ?? "bb")))
    }
    let dataset = try Catalog.dataset(named: words[0])
    guard (2...3).contains(words.count) else {
      throw Problem(
        .usage, words.count < 2 ? "missing argument KEY" : "unexpected argument “\(words[3])”",
        hint: "usage: bb-export open \(dataset.name) KEY [image|website|imdb]")
    }
    let columns = try Self.columns(of: dataset, words.count > 2 ? words[2] : nil)
    let source = try await services.sources.open(try SourceOptions(invocation).choice(for: dataset.name))
    let rows = try await source.rows(of: dataset.name, RowRequest())
    let found = try selection(for: words[1], dataset).apply(to: rows, scratch: services.scratch)
    var records: [[Value]] = [], keys: [String] = []
    for batch in try await found.collect() {
      for row in 0..<batch.count {
        records.append((0..<batch.width).map { batch.value(row, $0) })
        keys.append(RecordKey.text(of: row, in: batch, found.schema).map { String(decoding: $0, as: UTF8.self) } ?? "")
      }
    }
    guard let record = records.first else {
      throw Problem(
        .absent, "record not found in \(dataset.name): “\(words[1])”", at: source.name,
        hint: try await like(words[1], in: dataset, source).map { .advice("did you mean \($0)?") } ?? "")
    }
    guard records.count == 1 else {
      throw Problem(
        .usage, "“\(words[1])” matches \(records.count) records in \(dataset.name)",
        hint: "use a key: \(keys.prefix(5).joined(separator: ", "))")
    }
    for name in columns {
      guard let column = found.schema.position(of: name), let text = Self.text(record[column]) else { continue }
      return try show(Self.things["imdb", default: []].contains(name) ? try Self.page(of: text) : text)
    }
    throw Problem(.absent, "\(words[1]) has no image or web page", at: source.name)
  }

  /// The columns in which there may be what is to be opened; without a word, everything but the page of the show.
  private static func columns(of dataset: Schema, _ word: String?) throws(Problem) -> [String] {
    let known = ["image", "website", "imdb"]
    if let word, !known.contains(word) {
      let near = SpellingSuggestion.word(to: word, among: known) ?? known.joined(separator: ", ")
      throw Problem(.usage, "cannot open “\(word)”", hint: "available: \(near)")
    }
    let wanted = word.map { [$0] } ?? ["image", "website"]
    let columns = wanted.flatMap { things[$0] ?? [] }.filter { dataset.position(of: $0) != nil }
    guard !columns.isEmpty else {
      throw Problem(.usage, "\(dataset.name) have no \(wanted.joined(separator: " or "))")
    }
    return columns
  }

  /// The records that a key, a name, or S05E14 means.
  private func selection(for key: String, _ dataset: Schema) throws(Problem) -> Selection {
    var selection = Selection()
    if let production = invocation[SharedOptions.production] {
      selection.conditions.append(try EpisodeQuery.production(production, in: dataset))
    }
    if dataset.position(of: "season") != nil, let episode = try? EpisodeQuery.episode(key, in: dataset) {
      selection.conditions += episode
      return selection
    }
    if dataset.key.count > 1, key.split(separator: "/", omittingEmptySubsequences: false).count == dataset.key.count {
      selection.keys = [Array(key.utf8)]
      return selection
    }
    var ways = [Condition(try EpisodeQuery.nameColumn(of: dataset), .equal, key)]
    let first = dataset.columns[dataset.key[0]]
    if dataset.key.count == 1, first.type != .integer || Int64(key) != nil {
      ways.append(Condition(first.name, .equal, key))
    }
    selection.alternatives = [ways]
    return selection
  }

  /// The nearest name: with the same prefix or a similar spelling.
  private func like(
    _ text: String, in dataset: Schema, _ source: any RecordSource
  ) async throws(Problem) -> String? {
    guard let column = try? EpisodeQuery.nameColumn(of: dataset), let position = dataset.position(of: column) else {
      return nil
    }
    var names: [String] = []
    for batch in try await source.rows(of: dataset.name, RowRequest()).collect() {
      for row in 0..<batch.count { if let name = Self.text(batch.value(row, position)) { names.append(name) } }
    }
    let folded = Fold.folded(text)
    return SpellingSuggestion.word(to: text, among: names) ?? names.first { Fold.folded($0).starts(with: folded) }
  }

  private static func page(of production: String) throws(Problem) -> String {
    guard let page = imdb[production] else { throw Problem(.absent, "no IMDb page known for \(production)") }
    return page
  }

  /// The text of a value, or the first of a list; nil for none.
  private static func text(_ value: Value) -> String? {
    switch value {
    case .text(let text): String(decoding: text, as: UTF8.self)
    case .json(let list): ListText.elements(of: list).first
    default: nil
    }
  }

  /// Opens http and https only; anything else a source gave is shown, not run.
  private func show(_ url: String) throws(Problem) {
    let isPage = url.hasPrefix("https://") || url.hasPrefix("http://")
    if isPage, services.desktop.open(url) { return }
    try services.terminal.write(Terminal.safe(url) + "\n")
  }
}
