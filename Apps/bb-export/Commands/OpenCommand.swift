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
      let store = try invocation[Options.storage].map { (text) throws(Problem) in try services.stores.open(text) }
      let names = if let store { try await TitleNames(from: store) } else { TitleNames.builtIn }
      let show = try names.knownKey(of: invocation[SharedOptions.production] ?? TitleNames.usual)
      return try self.show(try Self.page(of: show, names))
    }
    let dataset = try Catalog.dataset(named: words[0])
    guard (2...3).contains(words.count) else {
      throw Problem(
        .usage, words.count < 2 ? "missing argument KEY" : "unexpected argument “\(words[3])”",
        hint: "usage: bb-export open \(dataset.name) KEY [image|website|imdb]")
    }
    let columns = try Self.columns(of: dataset, words.count > 2 ? words[2] : nil)
    let choice = try SourceOptions(invocation).choice(for: dataset.name)
    let source = try await services.sources.open(choice)
    var names = TitleNames.builtIn
    if case .storage = choice { names = try await TitleNames(from: source) }
    let record = try await record(words[1], of: dataset, in: source, names)
    for name in columns {
      guard let text = record[name].flatMap(Self.text) else { continue }
      if Self.things["imdb", default: []].contains(name) {
        return try show(try Self.page(of: text, names))
      }
      guard case .storage(let location, _) = choice else { return try show(text) }
      let store = if let location { location } else { try services.stores.defaultLocation().location }
      let images = try services.files.imageFiles(in: nil, ofStore: try services.images.stored(store).directory)
      return try show(images[Array(text.utf8)]?.path ?? text)
    }
    let name = (try? EpisodeQuery.nameColumn(of: dataset)).flatMap { record[$0].flatMap(Self.text) }
    throw Problem(.absent, "\(name ?? words[1]) has no image or web page", at: source.name)
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

  /// The record that a key, either end of an identifier, S05E14, a name, or a unique part of a name means; its values
  /// by column.
  /// - Throws: `usage` naming the keys of several records; `absent` with the nearest name.
  private func record(
    _ text: String, of dataset: Schema, in source: any RecordSource, _ names: TitleNames
  ) async throws(Problem) -> [String: Value] {
    let titles = names
    var found = try await records(selection(for: text, dataset, names), of: dataset, in: source), names: [String] = []
    let column = try? EpisodeQuery.nameColumn(of: dataset)
    if found.isEmpty, let column {
      var selection = Selection()
      if let production = invocation[SharedOptions.production] {
        selection.conditions = [try EpisodeQuery.production(try titles.knownKey(of: production), in: dataset)]
      }
      let all = try await records(selection, of: dataset, in: source)
      let known = all.map { $0.values[column].flatMap(Self.text) }
      if dataset.columns[dataset.key[0]].type == .text, text.utf8.count >= ShortIdentifiers.shortest {
        found = all.filter { $0.key.hasPrefix(text) || $0.key.hasSuffix(text) }
      }
      if found.isEmpty { found = NameMatch.positions(of: text, in: known).map { all[$0] } }
      names = known.compactMap { $0 }
    }
    guard let first = found.first else {
      throw Problem(
        .absent, "record not found in \(dataset.name): “\(text)”", at: source.name,
        hint: .nearest(text, among: names) ?? "")
    }
    guard found.count == 1 else {
      let keys = found.prefix(5).map { record in
        record.key + (column.flatMap { record.values[$0].flatMap(Self.text) }.map { " (\($0))" } ?? "")
      }
      throw Problem(
        .usage, "“\(text)” matches \(found.count) records in \(dataset.name)",
        hint: "use a key: \(keys.joined(separator: ", "))\(found.count > 5 ? ", …" : "")")
    }
    return first.values
  }

  /// The selected records of a dataset: their keys, and their values by column.
  private func records(
    _ selection: Selection, of dataset: Schema, in source: any RecordSource
  ) async throws(Problem) -> [(key: String, values: [String: Value])] {
    let rows = try await source.rows(of: dataset.name, RowRequest())
    let selected = try selection.apply(to: rows, scratch: services.scratch)
    let columns = selected.schema.columns.map(\.name)
    var records: [(key: String, values: [String: Value])] = []
    for batch in try await selected.collect() {
      for row in 0..<batch.count {
        let key = RecordKey.text(of: row, in: batch, selected.schema)
        let values = columns.enumerated().map { ($1, batch.value(row, $0)) }
        records.append(
          (key.map { String(decoding: $0, as: UTF8.self) } ?? "", Dictionary(values) { first, _ in first }))
      }
    }
    return records
  }

  /// The records that a key, a name, or S05E14 means.
  private func selection(for key: String, _ dataset: Schema, _ names: TitleNames) throws(Problem) -> Selection {
    var selection = Selection()
    if let production = invocation[SharedOptions.production] {
      selection.conditions.append(try EpisodeQuery.production(try names.knownKey(of: production), in: dataset))
    }
    if dataset.position(of: "season") != nil,
      let episode = try? EpisodeQuery.episode(key, in: dataset, title: names.knownKey)
    {
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

  private static func page(of production: String, _ names: TitleNames) throws(Problem) -> String {
    guard let page = names[production]?.databasePage else {
      throw Problem(.absent, "no IMDb page known for \(production)")
    }
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
    let isPage = URLText.isWeb(url)
    if isPage, services.desktop.open(url) { return }
    try services.terminal.write(Terminal.safe(url) + "\n")
  }
}
