import Domain
import Rows

extension Site {
  /// The episodes by show and season, and a page for each with its note, cast, quotes and deaths.
  func writeEpisodes() throws(Problem) {
    guard let table = records[Catalog.episodes] else { return }
    let episodes = ordered(table)
    try writeList(
      Catalog.episodes, title: "Episodes", note: counted(table.count, "episode"), count: episodes.count
    ) { (range, page) throws(Problem) in
      var start = range.lowerBound
      while start < range.upperBound {
        let first = episodes[start], show = first.text("production") ?? "", season = first.integer("season")
        let end =
          episodes[start..<range.upperBound].firstIndex {
            ($0.text("production") ?? "") != show || $0.integer("season") != season
          } ?? range.upperBound
        if start == range.lowerBound || (episodes[start - 1].text("production") ?? "") != show {
          page.section(show, anchor: SiteName.show(show, records.names))
          if let address = records.names[show]?.databasePage {
            page.raw("<p class=\"dim\">")
            page.web(address, "\(show) on IMDb")
            page.raw("</p>\n")
          }
        }
        page.element("<h3>", season.map { "Season \($0)" } ?? "Other", "</h3>\n")
        episodeList(Array(episodes[start..<end]), showsShow: false, &page)
        start = end
      }
    }
    for (place, record) in episodes.enumerated() {
      func neighbour(_ place: Int) -> SiteRecord? {
        guard episodes.indices.contains(place) else { return nil }
        return episodes[place].text("production") == record.text("production") ? episodes[place] : nil
      }
      try writeEpisode(record, previous: neighbour(place - 1), next: neighbour(place + 1))
    }
  }

  /// The episodes in the order of the shows, then by season and number.
  private func ordered(_ table: SiteTable) -> [SiteRecord] {
    let shows = records.names.titles.map(\.key)
    func rank(_ record: SiteRecord) -> Int {
      record.text("production").flatMap { show in shows.firstIndex(of: show) } ?? shows.count
    }
    // The store has them in the order of show, season and number.
    return table.records.map { (rank($0), $0) }.sorted { ($0.0, $0.1.row) < ($1.0, $1.1.row) }.map(\.1)
  }

  /// Episodes as a list of codes, titles and dates.
  func episodeList(_ episodes: [SiteRecord], showsShow: Bool, _ page: inout SitePage) {
    page.raw("<ul class=\"episodes\">\n")
    for record in episodes {
      page.raw("<li><span class=\"num\">")
      if showsShow { page.text(SiteName.show(record.text("production") ?? "", records.names) + " ") }
      page.text(SiteName.code(record) ?? "")
      page.raw("</span><span>")
      page.link(
        addresses.page(Catalog.episodes, record.row), record.text("title") ?? SiteName.code(record) ?? "Episode")
      if records.noteOfEpisode[record.row] != nil {
        page.raw(" <span role=\"img\" aria-label=\"with a note\">✎</span>")
      }
      if records.isFavourite(record, in: Catalog.episodes) { page.star() }
      page.raw("</span>")
      if let date = record.text("air_date") { page.element("<span class=\"date\">", date, "</span>") }
      page.raw("</li>\n")
    }
    page.raw("</ul>\n")
  }

  private func writeEpisode(_ record: SiteRecord, previous: SiteRecord?, next: SiteRecord?) throws(Problem) {
    let code = SiteName.code(record) ?? "", title = record.text("title") ?? code
    let show = record.text("production") ?? "", link = addresses.page(Catalog.episodes, record.row)
    let list = SiteAddresses.list(Catalog.episodes.name, page: 0)
    var page = try SitePage(
      self, link, title: "\(title) (\(code))", section: Catalog.episodes.name,
      path: [("Episodes", list), (show, SiteLink(list.path, fragment: SiteName.show(show, records.names)))],
      summary: record.text("synopsis") ?? "", image: record.text("image"))
    let line = [show, code, record.text("air_date")].compactMap(\.self).filter { !$0.isEmpty }
    page.heading(
      title, isFavourite: records.isFavourite(record, in: Catalog.episodes), note: line.joined(separator: " · "))
    if let image = record.text("image") {
      page.raw("<figure class=\"still\">")
      try page.image(image, alt: "Image of \(title)", isLink: true)
      page.raw("</figure>\n")
    }
    if let synopsis = record.text("synopsis") { page.element("<p class=\"text\">", synopsis, "</p>\n") }
    page.fact("Written by", record.text("written_by"))
    page.fact("Directed by", record.text("directed_by"))
    page.extraFacts(record)
    page.endFacts()
    if let row = records.noteOfEpisode[record.row], let note = records[Catalog.notes]?[row] {
      page.section("My note")
      page.element("<p class=\"note\">", note.text("text") ?? "", "</p>\n")
      if let date = note.text("updated_at") { page.element("<p class=\"dim\">", String(date.prefix(10)), "</p>\n") }
    }
    try cast(record.list("characters"), &page)
    quotes(records.quotesOfEpisode[record.row], showsCharacter: true, heading: "Quotes", &page)
    deaths(records.deathsOfEpisode[record.row], &page)
    page.raw("<nav class=\"pages\" aria-label=\"Episodes\">")
    for (label, other) in [("‹ ", previous), ("", next)] {
      guard let other else { continue }
      let name = "\(SiteName.code(other) ?? "") \(other.text("title") ?? "")"
      page.link(addresses.page(Catalog.episodes, other.row), label + name + (label.isEmpty ? " ›" : ""))
    }
    page.raw("</nav>\n")
    try write(page, to: link)
    index.add(
      .episode, link, title,
      [show, code, record.text("synopsis"), record.text("written_by"), record.text("directed_by")])
  }

  private func cast(_ names: [String], _ page: inout SitePage) throws(Problem) {
    if names.isEmpty { return }
    page.section("Cast")
    page.raw("<ul class=\"cards small\">\n")
    for name in names {
      let found = records.position(of: name, in: Catalog.characters),
        character = found.flatMap { records[Catalog.characters]?[$0] }
      page.beginCard()
      try page.portrait(character?.list("images") ?? [])
      page.cardTitle(name, found.map { addresses.page(Catalog.characters, $0) })
      page.cardLine(character?.text("portrayed_by"))
      page.endCard()
    }
    page.raw("</ul>\n")
  }

  private func deaths(_ rows: [Int], _ page: inout SitePage) {
    guard !rows.isEmpty, let table = records[Catalog.deaths] else { return }
    page.section("Deaths")
    page.raw("<ul class=\"list\">\n")
    for row in rows {
      page.raw("<li>")
      page.names([table[row].text("character") ?? ""], of: Catalog.characters)
      if let cause = table[row].text("cause") { page.element("<p>", cause, "</p>") }
      page.raw("</li>\n")
    }
    page.raw("</ul>\n")
  }
}
