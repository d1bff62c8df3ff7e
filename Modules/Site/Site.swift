import Documents
package import Domain
package import Rows

/// A website of the records of a store: a page for each character, episode, movie and actor, lists of the rest, a map
/// and a search. The same records give the same bytes.
package final class Site {
  let title: String
  /// Where the site will be published, for addresses that must be absolute.
  private let baseURL: String?
  let records: SiteRecords
  let addresses: SiteAddresses
  let sections: [(dataset: String, label: String)]
  /// Tables that bb does not know, with the pages that show them.
  private(set) var others: [(name: String, link: SiteLink, rows: Int)] = []
  var images: SiteImages
  var index = SearchIndex()
  private let directory: any OutputDirectory
  private let progressed: (_ pages: Int, _ of: Int) -> Void
  package private(set) var pages = 0
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
  package static func needed(for datasets: Set<String>) -> Set<String> {
    var needed = datasets
    if datasets.contains(Catalog.movies.name) { needed.insert(Catalog.comments.name) }
    needed.formUnion([Catalog.favourites.name, Catalog.titles.name])
    return needed
  }

  /// Whether a table is shown by the pages of the site, and not as a plain table.
  package static func isKnown(_ table: String, among tables: Set<String>) -> Bool {
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
  package init(
    title: String, baseURL: String? = nil, _ tables: [String: SiteTable], others: [(name: String, rows: Int)],
    images: SiteImages,
    in directory: any OutputDirectory, progress: @escaping (_ pages: Int, _ of: Int) -> Void = { _, _ in }
  ) throws(Problem) {
    (self.title, self.baseURL) = (title, baseURL)
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
  package static func path(ofTable name: String) -> String {
    "tables/\(SiteName.name(name, Array(name.utf8) + [0])).html"
  }

  /// The number of different images that are not at hand.
  package var missingImages: Int { images.missing }
  package var copiedImages: Int { images.count }

  /// Writes all pages and assets.
  /// - Returns: warnings.
  /// - Throws: the errors of the directory.
  package func write() throws(Problem) -> [String] {
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
    var style = StyleSheet()
    style.append(PageAsset.siteStyle)
    style.append(Markup.chartStyle)
    try directory.write(style.text, to: "assets/site.css")
    try directory.write(PageAsset.siteScript.bytes, to: "assets/site.js")
    try directory.write(Array(Self.icon.utf8), to: "assets/icon.svg")
    try directory.write(missingPage(), to: "404.html")
    let (files, omitted) = index.files
    for (number, file) in files.enumerated() { try directory.write(file, to: "assets/index-\(number + 1).js") }
    if omitted.isEmpty { return [] }
    return ["the search index is larger than 64 MiB: it omits \(omitted.joined(separator: ", "))"]
  }

  private static let icon =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><rect width=\"32\" height=\"32\" rx=\"7\" "
    + "fill=\"#0b5cad\"/><path fill=\"#fff\" d=\"M7 7h18v4H7zm0 7h11v4H7zm0 7h15v4H7z\"/></svg>\n"

  /// The absolute address of a file of the site; nil unless the site has a URL.
  func absolute(_ path: String) -> PageAddress? {
    guard let baseURL else { return nil }
    let path = path == "index.html" ? "" : path.hasSuffix("/index.html") ? String(path.dropLast(10)) : path
    return PageAddress(web: Array((baseURL + (baseURL.hasSuffix("/") ? "" : "/") + path).utf8))
  }

  /// The page of a server for addresses that the site does not have, in a directory of any depth: it refers to no other
  /// file.
  private func missingPage() -> [UInt8] {
    var style = StyleSheet()
    style.append(
      """
      :root { color-scheme: light dark } body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif }
      """)
    var page = Markup()
    page.head("Page not found – \(title)", style)
    page.raw("<main>\n<h1>Page not found</h1>\n<p>")
    page.text(title)
    page.raw(" has no page at this address.")
    if let home = absolute("index.html") {
      page.raw(" ")
      page.anchor("<a", home, "Go to the first page")
    }
    page.raw("</p>\n</main>\n</body>\n</html>\n")
    return page.bytes()
  }

  func write(_ page: consuming SitePage, to link: SiteLink) throws(Problem) {
    try directory.write(page.finish(), to: link.path)
    pages += 1
    progressed(pages, expectedPages)
  }

  /// Writes the pages of a list: one, or several of 500 records each.
  /// - Parameters:
  ///   - note: a line below the heading.
  ///   - body: writes some of the records, given by their positions in the list.
  func writeList(
    _ dataset: Schema, title: String, note: String, count: Int, file: String? = nil,
    _ body: (_ range: Range<Int>, _ page: inout SitePage) throws(Problem) -> Void
  ) throws(Problem) {
    let size = SiteAddresses.pageSize(of: count), pages = max(1, (count + size - 1) / size)
    for number in 0..<pages {
      let range = number * size..<min((number + 1) * size, count)
      let link = file.map { SiteLink("\(dataset.name)/\($0)") } ?? SiteAddresses.list(dataset.name, page: number)
      var page = try SitePage(
        self, link, title: title, section: dataset.name, summary: "\(title): \(note)",
        image: firstImage(dataset.name))
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
      try write(page, to: link)
    }
  }
}

/// `1 quote`, `2 quotes`.
func counted(_ count: some BinaryInteger, _ noun: String) -> String {
  "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// `1,234`.
func grouped(_ number: some BinaryInteger) -> String { Markup.grouped(number) }
