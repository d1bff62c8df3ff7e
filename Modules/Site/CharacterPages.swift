import Domain
import Rows

extension Site {
  /// The characters: a list with portraits, and a page for each with images, facts, death, quotes and episodes.
  func writeCharacters() throws(Problem) {
    guard let table = records[Catalog.characters] else { return }
    try writeList(
      Catalog.characters, title: "Characters", note: counted(table.count, "character"), count: table.count
    ) { (range, page) throws(Problem) in
      page.raw("<ul class=\"cards\">\n")
      for row in range { try card(table[row], &page) }
      page.raw("</ul>\n")
    }
    for record in table.records { try writeCharacter(record) }
  }

  private func card(_ record: SiteRecord, _ page: inout SitePage) throws(Problem) {
    let name = record.text("name") ?? ""
    page.beginCard()
    try page.portrait(record.list("images"))
    page.cardTitle(
      name, addresses.page(Catalog.characters, record.row),
      isFavourite: records.isFavourite(record, in: Catalog.characters))
    page.cardLine(record.text("portrayed_by"))
    page.cardLine([record.text("birthday"), record.text("status")].compactMap(\.self).joined(separator: " · "))
    page.cardLine(record.text("nickname").map { "“\($0)”" })
    page.endCard()
  }

  private func writeCharacter(_ record: SiteRecord) throws(Problem) {
    let name = record.text("name") ?? "", link = addresses.page(Catalog.characters, record.row)
    let sentences = [
      record.text("full_name"), record.text("portrayed_by").map { "Played by \($0)" },
      record.list("occupations").isEmpty ? nil : record.list("occupations").joined(separator: ", "),
    ]
    var page = try SitePage(
      self, link, title: name, section: Catalog.characters.name,
      path: [("Characters", SiteAddresses.list(Catalog.characters.name, page: 0))],
      summary: sentences.compactMap(\.self).map { $0.hasSuffix(".") ? $0 : $0 + "." }.joined(separator: " "),
      image: record.list("images").first, isRecord: true)
    page.heading(
      name, isFavourite: records.isFavourite(record, in: Catalog.characters), note: record.text("full_name") ?? "")
    try page.gallery(record.list("images"), name: name)
    page.raw("<div class=\"facts\">")
    page.fact("Played by", record.text("portrayed_by"), of: Catalog.actors)
    page.fact("Nickname", record.text("nickname"))
    page.fact("Born", record.text("birthday"))
    page.fact("Status", record.text("status"))
    page.tags("Occupations", record.list("occupations"))
    page.tags("Also known as", record.list("aliases"))
    page.tags("Shows", record.list("productions"))
    for (show, column) in TitleNames.builtIn.seasonColumns(of: Catalog.characters) {
      page.fact("Seasons of \(show.name)", record.text(column))
    }
    page.extraFacts(record)
    page.endFacts()
    for row in records.deathsOfCharacter[record.row] { try death(row, &page) }
    page.raw("</div><div class=\"rest\">\n")
    let episodes = records.episodesOfCharacter[record.row]
    if !episodes.isEmpty, let table = records[Catalog.episodes] {
      page.section("Episodes (\(grouped(episodes.count)))")
      let shown = episodes.map { table[$0] }
      page.chart(.episodes(of: name, shown))
      page.raw("<details><summary>All episodes</summary>\n")
      episodeList(shown, showsShow: true, &page)
      page.raw("</details>\n")
    }
    quotes(records.quotesOfCharacter[record.row], showsCharacter: false, &page)
    page.raw("</div>\n")
    try write(page, to: link)
    index.add(
      .character, link, name,
      [record.text("full_name"), record.text("nickname"), record.text("portrayed_by")]
        + record.list("aliases") + record.list("occupations"))
  }

  private func death(_ row: Int, _ page: inout SitePage) throws(Problem) {
    guard let record = records[Catalog.deaths]?[row] else { return }
    page.section("Death")
    if let address = record.text("image") {
      page.raw("<figure class=\"still\">")
      try page.image(address, alt: "Image of the death", isLink: true)
      page.raw("</figure>")
    }
    if let details = record.text("details") { page.element("<p class=\"text\">", details, "</p>\n") }
    deathFacts(record, &page)
  }

  func deathFacts(_ record: SiteRecord, _ page: inout SitePage) {
    page.fact("Cause", record.text("cause"))
    if record.text("production") != nil { page.fact("Episode") { $0.episode(of: record) } }
    for (label, column) in [("Responsible", "responsible"), ("Connected", "connected")] {
      let names = record.list(column)
      if !names.isEmpty { page.fact(label) { $0.names(names, of: Catalog.characters) } }
    }
    page.fact("Last words", record.text("last_words").map { "“\($0)”" })
    if let count = record.integer("number_of_deaths"), count != 1 { page.fact("Number of deaths", String(count)) }
    page.extraFacts(record)
    page.endFacts()
  }
}
