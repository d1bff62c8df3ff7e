import Documents
import Domain
import Rows

extension Site {
  func writeQuotes() throws(Problem) {
    guard let table = records[Catalog.quotes] else { return }
    let order = bySeason(Array(0..<table.count), of: table)
    try writeList(Catalog.quotes, title: "Quotes", note: counted(table.count, "quote"), count: table.count) {
      (range, page) throws(Problem) in
      if range.lowerBound == 0 { page.chart(.quotes(table.records.map { $0.text("character") })) }
      seasons(Array(order[range]), of: table, "<div class=\"columns\">", &page) { row, page in
        let record = table[row]
        quote(record, showsCharacter: true, id: SiteAddresses.fragment(Catalog.quotes, record), &page)
      }
      for position in range {
        let record = table[order[position]]
        index.add(
          .quote, SiteAddresses.anchor(Catalog.quotes, record, position: position, of: table.count),
          record.text("quote") ?? "", [record.text("character"), record.text("production")])
      }
    }
  }

  /// Rows in the order of the shows, seasons and episodes; those without come last.
  private func bySeason(_ rows: [Int], of table: SiteTable) -> [Int] {
    let shows = records.names.titles.map(\.key)
    let keys = rows.map { row in
      let record = table[row], show = record.text("production")
      let rank = show.map { shows.firstIndex(of: $0) ?? shows.count } ?? .max
      return (
        rank, rank == shows.count ? show ?? "" : "", record.integer("season") ?? .max,
        record.integer("episode") ?? .max, row
      )
    }
    return keys.sorted(by: <).map(\.4)
  }

  /// Rows with a heading for each season and, if there are several, links to them.
  private func seasons(
    _ rows: [Int], of table: SiteTable, _ beginning: StaticString, _ page: inout SitePage,
    _ body: (_ row: Int, _ page: inout SitePage) -> Void
  ) {
    var parts: [(title: String, anchor: String, rows: [Int])] = []
    for row in rows {
      let record = table[row], show = record.text("production") ?? "", season = record.integer("season")
      let title = show.isEmpty && season == nil ? "Other" : show + (season.map { ", season \($0)" } ?? "")
      if parts.last?.title == title {
        parts[parts.count - 1].rows.append(row)
      } else {
        parts.append((title, "in-\(SiteName.show(show, records.names))-\(season.map { String($0) } ?? "x")", [row]))
      }
    }
    if parts.count > 1 {
      page.raw("<nav class=\"pages\" aria-label=\"Seasons\">")
      for part in parts { page.jump("\(part.title) (\(grouped(part.rows.count)))", to: part.anchor) }
      page.raw("</nav>\n")
    }
    for part in parts {
      if parts.count > 1 { page.section(part.title, anchor: part.anchor, level: 3) }
      page.raw(beginning)
      for row in part.rows { body(row, &page) }
      page.raw("</div>\n")
    }
  }

  /// The quotes of a character or an episode.
  /// - Parameter heading: nil for a heading that also says that there is none.
  func quotes(_ rows: [Int], showsCharacter: Bool, heading: String? = nil, _ page: inout SitePage) {
    guard let table = records[Catalog.quotes] else { return }
    if rows.isEmpty, heading != nil { return }
    page.section(heading ?? "Quotes")
    if rows.isEmpty { page.raw("<p class=\"dim\">No quotes by this character.</p>\n") }
    seasons(bySeason(rows, of: table), of: table, "<div>", &page) { row, page in
      quote(table[row], showsCharacter: showsCharacter, id: nil, &page)
    }
  }

  func quote(_ record: SiteRecord, showsCharacter: Bool, id: String?, _ page: inout SitePage) {
    page.raw("<blockquote")
    if let id { page.markup.attribute("id", id) }
    page.raw("><p>")
    page.text(record.text("quote") ?? "")
    if records.isFavourite(record, in: Catalog.quotes) { page.star() }
    page.raw("</p><footer>")
    let character = showsCharacter ? record.text("character") : nil
    if let character { page.name(character, of: Catalog.characters) }
    if record.text("production") != nil {
      if character != nil { page.raw(" · ") }
      page.episode(of: record)
    }
    page.raw("</footer></blockquote>\n")
  }

  func writeDeaths() throws(Problem) {
    guard let table = records[Catalog.deaths] else { return }
    try writeList(Catalog.deaths, title: "Deaths", note: counted(table.count, "death"), count: table.count) {
      (range, page) throws(Problem) in
      page.raw("<ul class=\"cards wide\">\n")
      for row in range {
        let record = table[row], name = record.text("character") ?? ""
        page.beginCard(id: SiteAddresses.fragment(Catalog.deaths, record))
        try page.portrait(record.list("image"), in: .wideCard)
        page.cardTitle(
          name, records.position(of: name, in: Catalog.characters).map { addresses.page(Catalog.characters, $0) },
          isFavourite: records.isFavourite(record, in: Catalog.deaths))
        page.cardLine(record.text("details"))
        deathFacts(record, &page)
        page.endCard()
        index.add(
          .death, SiteAddresses.anchor(Catalog.deaths, record, position: row, of: table.count), name,
          [record.text("cause"), record.text("details"), record.text("last_words")])
      }
      page.raw("</ul>\n")
    }
  }
}
