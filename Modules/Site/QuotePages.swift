import Documents
import Domain
import Rows

extension Site {
  func writeQuotes() throws(Problem) {
    guard let table = records[Catalog.quotes] else { return }
    try writeList(Catalog.quotes, title: "Quotes", note: counted(table.count, "quote"), count: table.count) {
      (range, page) throws(Problem) in
      for row in range {
        let record = table[row]
        quote(record, showsCharacter: true, id: SiteAddresses.fragment(Catalog.quotes, record), &page)
        index.add(
          .quote, SiteAddresses.anchor(Catalog.quotes, record, position: row, of: table.count),
          record.text("quote") ?? "", [record.text("character"), record.text("production")])
      }
    }
  }

  /// The quotes of a character or an episode.
  /// - Parameter heading: nil for a heading that also says that there is none.
  func quotes(_ rows: [Int], showsCharacter: Bool, heading: String? = nil, _ page: inout SitePage) {
    guard let table = records[Catalog.quotes] else { return }
    if rows.isEmpty, heading != nil { return }
    page.section(heading ?? "Quotes")
    if rows.isEmpty { page.raw("<p class=\"dim\">No quotes by this character.</p>\n") }
    for row in rows { quote(table[row], showsCharacter: showsCharacter, id: nil, &page) }
  }

  /// A quote with its origin.
  func quote(_ record: SiteRecord, showsCharacter: Bool, id: String?, _ page: inout SitePage) {
    page.raw("<blockquote")
    if let id { page.markup.attribute("id", id) }
    page.raw("><p>")
    page.text(record.text("quote") ?? "")
    if records.isFavourite(record, in: Catalog.quotes) { page.star() }
    page.raw("</p><footer>")
    let character = showsCharacter ? record.text("character") : nil
    if let character { page.characters([character]) }
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
        try page.portrait(record.list("image"), of: Catalog.deaths, name: name)
        page.cardTitle(
          name, records.character(name).map { addresses.page(Catalog.characters, $0) },
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
