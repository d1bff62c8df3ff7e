import Documents
public import Domain
public import Rows

/// A website of the records of a store: a page for each character, episode, movie and actor, lists of the rest, a map
/// and a search. The same records give the same bytes.
public final class Site {
  let title: String
  let records: SiteRecords
  let addresses: SiteAddresses
  let sections: [(dataset: String, label: String)]
  /// Tables that bb does not know, with the pages that show them.
  private(set) var others: [(name: String, link: SiteLink, rows: Int)] = []
  var images: SiteImages
  var index = SearchIndex()
  private let directory: any OutputDirectory
  private let progressed: (_ pages: Int, _ of: Int) -> Void
  /// The number of pages so far.
  public private(set) var pages = 0
  private let expectedPages: Int

  /// The datasets that have pages, in the order of the navigation.
  private static let datasets: [(schema: Schema, label: String)] = [
    (Catalog.characters, "Characters"), (Catalog.episodes, "Episodes"), (Catalog.quotes, "Quotes"),
    (Catalog.deaths, "Deaths"), (Catalog.movies, "Movies"), (Catalog.places, "Places"), (Catalog.actors, "Actors"),
    (Catalog.notes, "Notes"),
  ]
  /// The datasets of which each record has a page.
  private static let paged = [Catalog.characters, Catalog.episodes, Catalog.movies, Catalog.actors]
  /// The most pages of records.
  static let mostPages = 20_000

  /// The datasets that are read for a site of `datasets`: those, and those that their pages also show.
  public static func needed(for datasets: Set<String>) -> Set<String> {
    var needed = datasets
    if datasets.contains(Catalog.movies.name) { needed.insert(Catalog.comments.name) }
    needed.formUnion([Catalog.favourites.name, Catalog.titles.name])
    return needed
  }

  /// Whether a table is shown by the pages of the site, and not as a plain table.
  public static func isKnown(_ table: String, among tables: Set<String>) -> Bool {
    if table == Catalog.comments.name { return tables.contains(Catalog.movies.name) }
    return [Catalog.favourites.name, Catalog.titles.name].contains(table)
      || datasets.contains { $0.schema.name == table }
  }

  /// Prepares a site.
  /// - Parameters:
  ///   - tables: the records by dataset.
  ///   - others: the tables that are shown as plain tables, which the caller writes; see `path(ofTable:)`.
  ///   - directory: receives the files.
  /// - Throws: `badData` if it would have more than 20,000 pages of records.
  public init(
    title: String, _ tables: [String: SiteTable], others: [(name: String, rows: Int)], images: SiteImages,
    in directory: any OutputDirectory, progress: @escaping (_ pages: Int, _ of: Int) -> Void = { _, _ in }
  ) throws(Problem) {
    self.title = title
    let filled = tables.filter { $0.value.count > 0 }
    let count = Self.paged.reduce(0) { $0 + (filled[$1.name]?.count ?? 0) }
    guard count <= Self.mostPages else {
      throw Problem(
        .badData, "the site would have \(count) pages of records; the maximum is \(Self.mostPages)",
        hint: "name the datasets that it is to show")
    }
    records = SiteRecords(filled)
    addresses = SiteAddresses(records)
    sections = Self.datasets.compactMap { filled[$0.schema.name] == nil ? nil : ($0.schema.name, $0.label) }
    self.others = others.map { ($0.name, SiteLink(Self.path(ofTable: $0.name)), $0.rows) }
    self.images = images
    self.directory = directory
    progressed = progress
    expectedPages = count + sections.count + 2
  }

  /// The page of a plain table: `tables/people-ef1c…html`.
  public static func path(ofTable name: String) -> String {
    "tables/\(SiteName.name(name, Array(name.utf8) + [0])).html"
  }

  /// The number of different images that are not at hand.
  public var missingImages: Int { images.missing }
  /// The number of copied images.
  public var copiedImages: Int { images.count }

  /// Writes all pages and assets.
  /// - Returns: warnings.
  /// - Throws: the errors of the directory.
  public func write() throws(Problem) -> [String] {
    try writeCharacters()
    try writeEpisodes()
    try writeQuotes()
    try writeDeaths()
    try writeMovies()
    try writePlaces()
    try writeActors()
    try writeNotes()
    try writeHome()
    try writeSearch()
    try directory.write(bytes(of: PageAssets.siteStyle), to: "assets/site.css")
    try directory.write(bytes(of: PageAssets.siteScript), to: "assets/site.js")
    let (text, isCut) = index.text
    try directory.write(text, to: "assets/index.js")
    return isCut ? ["the search index is larger than 4 MiB: it holds titles only"] : []
  }

  private func bytes(of text: StaticString) -> [UInt8] { Array(text.description.utf8) }

  func write(_ page: consuming SitePage, to link: SiteLink, scripts: [String] = []) throws(Problem) {
    try directory.write(page.finish(scripts: scripts), to: link.path)
    pages += 1
    progressed(pages, expectedPages)
  }

  /// Writes the pages of a list: one, or several of 500 records each.
  /// - Parameters:
  ///   - note: a line below the heading.
  ///   - body: writes some of the records, given by their positions in the list.
  func writeList(
    _ dataset: Schema, title: String, note: String, count: Int, file: String? = nil, scripts: [String] = [],
    _ body: (_ range: Range<Int>, _ page: inout SitePage) throws(Problem) -> Void
  ) throws(Problem) {
    let size = SiteAddresses.pageSize(of: count), pages = max(1, (count + size - 1) / size)
    for number in 0..<pages {
      let range = number * size..<min((number + 1) * size, count)
      var page = SitePage(self, title: title, section: dataset.name, hasScript: !scripts.isEmpty)
      page.heading(title, note: note)
      try body(range, &page)
      if pages > 1 {
        page.raw("<nav class=\"pages\" aria-label=\"Pages\">")
        for other in 0..<pages {
          page.raw(" ")
          if other == number {
            page.element("<strong>", String(other + 1), "</strong>")
          } else {
            page.link(SiteAddresses.list(dataset.name, page: other), String(other + 1))
          }
        }
        page.raw("</nav>\n")
      }
      let link = file.map { SiteLink("\(dataset.name)/\($0)") } ?? SiteAddresses.list(dataset.name, page: number)
      try write(page, to: link, scripts: scripts)
    }
  }
}

/// `1 quote`, `2 quotes`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
