public import Query
public import Rows

/// The titles that are known, and what they are called.
public struct TitleNames: Sendable {
  /// The titles: those that are built in, then the others.
  public private(set) var titles: [Title]
  private var positions: [String: Int] = [:]
  private var takesParts = true

  /// The titles that are built in, without any store.
  public static let builtIn = TitleNames()

  /// The titles that are built in, and those of a store, which take their places.
  public init(_ stored: [Title] = []) {
    titles = []
    for title in Catalog.builtInTitles + stored { add(title) }
  }

  /// The titles of a source; shows of its episodes that it has no title of are called as the episodes say.
  public init(from source: any RecordSource) async throws(Problem) {
    self.init()
    let tables = try await source.tables().map(\.name)
    if tables.contains(Catalog.titles.name) {
      let rows = try await source.rows(of: Catalog.titles.name, RowRequest())
      while let work = try await rows.next() {
        for title in try work.batch().records(of: rows.schema).compactMap(Title.init) { add(title) }
      }
    }
    guard tables.contains(Catalog.episodes.name) else { return }
    let rows = try await source.rows(of: Catalog.episodes.name, RowRequest(columns: ["production"]))
    guard let column = rows.schema.position(of: "production") else { return }
    var last: [UInt8]?
    while let work = try await rows.next() {
      let batch = try work.batch()
      for row in 0..<batch.count {
        guard case .text(let bytes) = batch.value(row, column), bytes != last else { continue }
        last = bytes
        let key = String(decoding: bytes, as: UTF8.self)
        if self[key] == nil { add(Title(key, .show)) }
      }
    }
  }

  mutating func add(_ title: Title) {
    if let known = positions[title.key] {
      titles[known] = title
    } else {
      positions[title.key] = titles.count
      titles.append(title)
    }
  }

  /// The show of keys that name none.
  public static var usual: String { Catalog.builtInTitles[0].key }

  /// The title with a key; nil if it is not known.
  public subscript(key: String) -> Title? { positions[key].map { titles[$0] } }

  /// How commands call the title with a key: its short name, else the key.
  func short(of key: String) -> String { self[key]?.short ?? key }

  /// The key of an episode as lists print it: `bb:S05E14`.
  public func printed(_ key: EpisodeKey) -> String { "\(short(of: key.production)):\(key.short)" }
  /// The same as a shell word.
  public func argument(_ key: EpisodeKey) -> String { Remedy.shellWord(printed(key)) }

  /// The key of the title that a text names exactly: by its key, its short form, or a name, ignoring case, accents,
  /// spaces, punctuation and an article before it; the text if none has it.
  /// - Throws: `usage` naming the titles if several have it.
  public func exactKey(of text: String) throws(Problem) -> String {
    if self[text] != nil { return text }
    if let found = titles.first(where: { $0.short?.lowercased() == text.lowercased() }) { return found.key }
    let wanted = Self.plain(text)
    let found = titles.filter { title in names(of: title).contains { Self.plain($0) == wanted } }
    if !found.isEmpty { return try only(text, found) }
    let articles = ["the", "a", "an"].map { Fold.folded("\($0) \(text)") }
    return try only(text, titles.filter { names(of: $0).contains { articles.contains(Fold.folded($0)) } })
  }

  /// The same titles, of which no part of a name is a name.
  public var exact: TitleNames {
    var exact = self
    exact.takesParts = false
    return exact
  }

  /// As `exactKey(of:)`; also the title of which alone the text is a part of a name.
  public func key(of text: String) throws(Problem) -> String {
    let exact = try exactKey(of: text)
    let wanted = Self.plain(text)
    guard takesParts, self[exact] == nil, wanted.count > 1 else { return exact }
    return try only(
      text, titles.filter { title in names(of: title).contains { Self.plain($0).firstRange(of: wanted) != nil } })
  }

  /// As `key(of:)`.
  /// - Throws: `usage` for a text that means none.
  public func knownKey(of text: String) throws(Problem) -> String {
    let key = try key(of: text)
    if self[key] != nil { return key }
    let names = titles.map { title in title.key + (title.short.map { " (\($0))" } ?? "") }
    let near = Remedy.nearest(text, among: titles.flatMap { [$0.key, $0.short].compactMap { $0 } })
    let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
    throw Problem(.usage, "unknown show “\(text)”", hint: near ?? .advice("available: \(shown)"))
  }

  private func only(_ text: String, _ found: [Title]) throws(Problem) -> String {
    guard found.count > 1 else { return found.first?.key ?? text }
    let names = found.prefix(5).map(\.key).joined(separator: " or ")
    throw Problem(
      .usage, "“\(text)” means \(found.count) titles", hint: "use \(names)\(found.count > 5 ? " or …" : "")")
  }

  private func names(of title: Title) -> [String] { [title.key, title.name] + title.aliases }

  /// A name without case, accents, spaces and punctuation.
  private static func plain(_ name: String) -> [UInt8] {
    let folded = Fold.folded(name)
    let plain = folded.filter { $0 >= 0x80 || $0 &- 48 < 10 || $0 &- 97 < 26 }
    return plain.isEmpty ? folded : plain
  }

  /// The key of a new title: the name, of a movie with the year; with an identifier if another title has that.
  public func newKey(_ kind: Title.Kind, _ name: String, year: Int?, ids: [String]) -> String {
    let dated = year.map { "\(name) (\($0))" }, base = kind == .show ? name : dated ?? name
    let numbers = (2...).lazy.map(String.init)
    if self[base] == nil { return base }
    if let dated, self[dated] == nil { return dated }
    if let id = ids.sorted().first(where: { self["\(base) [\($0)]"] == nil }) { return "\(base) [\(id)]" }
    return numbers.map { "\(base) [\($0)]" }.first { self[$0] == nil } ?? base
  }

  /// The columns of a dataset that list the seasons of a show in which a record appears, and the shows.
  public func seasonColumns(of schema: Schema) -> [(show: Title, column: String)] {
    titles.compactMap { title in
      let name = Fold.folded(title.name).map { $0 == 0x20 ? 0x5F : $0 }
      let column = String(decoding: name, as: UTF8.self) + "_seasons"
      return schema.position(of: column) == nil ? nil : (title, column)
    }
  }
}
