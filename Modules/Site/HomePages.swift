import Domain
import Rows

extension Site {
  /// The beginning: favourites, a quote, the last notes, progress, and the datasets.
  func writeHome() throws(Problem) {
    let link = SiteLink("index.html")
    var page = try SitePage(
      self, link, title: title, summary: sections.map { "\($0.label)" }.joined(separator: ", "),
      image: sections.lazy.compactMap { self.firstImage($0.dataset) }.first)
    page.heading(title)
    try favourites(&page)
    if let quotes = records[Catalog.quotes] {
      let chosen = quotes.records.first { records.isFavourite($0, in: Catalog.quotes) } ?? quotes[0]
      quote(chosen, showsCharacter: true, id: nil, &page)
    }
    lastNotes(&page)
    progress(&page)
    if !sections.isEmpty {
      page.section("Datasets")
      page.raw("<ul class=\"list\">\n")
    }
    for section in sections {
      guard let schema = Catalog.all.first(where: { $0.name == section.dataset }), let table = records[schema] else {
        continue
      }
      try dataset(section.label, table, SiteAddresses.list(section.dataset, page: 0), &page)
    }
    if !sections.isEmpty { page.raw("</ul>\n") }
    if !others.isEmpty {
      page.section("Tables")
      page.raw("<ul class=\"list\">\n")
      for table in others {
        page.raw("<li><div>")
        page.link(table.link, table.name)
        page.element("<p>", counted(table.rows, "row"), "</p></div></li>\n")
        index.add(.table, table.link, table.name, [])
      }
      page.raw("</ul>\n")
    }
    try write(page, to: link)
  }

  /// The first image of a dataset, for previews; nil if it has none.
  func firstImage(_ dataset: String) -> String? {
    let table = Catalog.all.first { $0.name == dataset }.flatMap { records[$0] }
    return table?.records.lazy.compactMap { self.imageAddresses($0).first }.first
  }

  /// The addresses of the images of a record.
  private func imageAddresses(_ record: SiteRecord) -> [String] {
    ["images", "thumbnail", "image"].flatMap { record.list($0) }
  }

  /// Portraits of the favourites that have a page.
  private func favourites(_ page: inout SitePage) throws(Problem) {
    var shown = 0
    for dataset in [Catalog.characters, Catalog.actors, Catalog.movies, Catalog.episodes] {
      guard let table = records[dataset] else { continue }
      for record in table.records where shown < 12 && records.isFavourite(record, in: dataset) {
        if shown == 0 {
          page.section("Favourites")
          page.raw("<ul class=\"cards small\">\n")
        }
        shown += 1
        page.beginCard()
        try page.portrait(imageAddresses(record))
        page.cardTitle(record.text("name") ?? record.text("title") ?? "", addresses.page(dataset, record.row))
        page.endCard()
      }
    }
    if shown > 0 { page.raw("</ul>\n") }
  }

  /// The last five notes.
  private func lastNotes(_ page: inout SitePage) {
    guard let table = records[Catalog.notes] else { return }
    page.section("Last notes")
    page.raw("<ul class=\"list\">\n")
    for record in table.records(newestBy: "updated_at").prefix(5) {
      let time = record.text("updated_at") ?? ""
      page.raw("<li><div>")
      page.episode(of: record)
      if !time.isEmpty { page.element(" <span class=\"date\">", String(time.prefix(10)), "</span>") }
      page.element("<p class=\"text\">", SearchIndex.cut(record.text("text") ?? "", to: 300), "</p></div></li>\n")
    }
    page.raw("</ul>\n")
  }

  /// Episodes with a note, places visited and movies with comments, of all.
  private func progress(_ page: inout SitePage) {
    let notes = records.noteOfEpisode, comments = records.commentsOfMovie
    let places = records[Catalog.places]?.records ?? []
    let hasNotes = notes.contains { $0 != nil }
    if !hasNotes, places.isEmpty, !comments.contains(where: { !$0.isEmpty }) { return }
    page.section("Progress")
    if !notes.isEmpty { page.fact("Episodes with a note", Self.part(notes.count { $0 != nil }, of: notes.count)) }
    if !places.isEmpty {
      page.fact("Places visited", Self.part(places.count { $0.text("visited_on") != nil }, of: places.count))
    }
    if !comments.isEmpty {
      page.fact("Movies with comments", Self.part(comments.count { !$0.isEmpty }, of: comments.count))
    }
    page.endFacts()
    if hasNotes, let episodes = records[Catalog.episodes] {
      page.chart(.progress(episodes.records.map { ($0, notes[$0.row] != nil) }))
    }
  }

  private static func part(_ count: Int, of all: Int) -> String { "\(grouped(count)) of \(grouped(all))" }

  /// A dataset with up to eight portraits, or with three titles if it has no images.
  private func dataset(_ label: String, _ table: SiteTable, _ link: SiteLink, _ page: inout SitePage) throws(Problem) {
    page.raw("<li><div><h3>")
    page.link(link, label)
    page.raw("</h3>")
    page.element("<p class=\"num\">", grouped(table.count), "</p></div>\n<div class=\"strip\">")
    var shown: Set<String> = []
    for record in table.records.prefix(200) where shown.count < 8 {
      for address in imageAddresses(record) where try images.address(of: address) != nil {
        if shown.insert(address).inserted { try page.image(address, alt: "", in: .square) }
        break
      }
    }
    if shown.isEmpty, let title = table.schema.title {
      let titles = table.records.prefix(3).compactMap { $0.text(table.schema.columns[title].name) }
      page.element("<p>", titles.map { SearchIndex.shortened($0, to: 80) }.joined(separator: " · "), "</p>")
    }
    page.raw("</div></li>\n")
  }

  /// The search, which needs a script; the lists do not.
  func writeSearch() throws(Problem) {
    let link = SiteLink("search.html")
    var page = try SitePage(self, link, title: "Search", summary: "Search \(title)")
    page.heading("Search", note: "All words must occur")
    page.raw(
      "<p><input type=\"search\" id=\"q\" aria-label=\"Search everything\"> <output id=\"n\" for=\"q\"></output></p>\n")
    page.raw("<noscript><p>The search needs JavaScript; all other pages do not.</p></noscript>\n")
    page.raw("<ul class=\"list\" id=\"hits\"></ul>\n")
    try write(page, to: link)
  }
}
