import Domain
import Rows

extension Site {
  /// The beginning: a favourite quote, and a tile for each dataset.
  func writeHome() throws(Problem) {
    var page = SitePage(self, isRoot: true, title: title)
    page.heading(title)
    if let quotes = records[Catalog.quotes] {
      let chosen = quotes.records.first { records.isFavourite($0, in: Catalog.quotes) } ?? quotes[0]
      quote(chosen, showsCharacter: true, id: nil, &page)
    }
    page.raw("<ul class=\"cards wide\">\n")
    for section in sections {
      guard let schema = Catalog.all.first(where: { $0.name == section.dataset }), let table = records[schema] else {
        continue
      }
      page.beginCard()
      var images: [String] = []
      for record in table.records.prefix(20) where images.count < 8 {
        for column in ["images", "image", "thumbnail"] { images += record.list(column).prefix(1) }
      }
      try page.portrait(images, of: schema, name: section.label)
      page.cardTitle(section.label, SiteAddresses.list(section.dataset, page: 0))
      page.cardLine("\(table.count)")
      page.endCard()
    }
    page.raw("</ul>\n")
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
    try write(page, to: SiteLink("index.html"))
  }

  /// The search, which needs a script; the lists do not.
  func writeSearch() throws(Problem) {
    var page = SitePage(self, isRoot: true, title: "Search", hasScript: true)
    page.heading("Search", note: "All words must occur")
    page.raw(
      "<p><input type=\"search\" id=\"q\" aria-label=\"Search everything\"> <output id=\"n\" for=\"q\"></output></p>\n")
    page.raw("<noscript><p>The search needs JavaScript; all other pages do not.</p></noscript>\n")
    page.raw("<ul class=\"list\" id=\"hits\"></ul>\n")
    try write(page, to: SiteLink("search.html"), scripts: ["index.js", "site.js"])
  }
}
