import Codecs
import Documents
import Domain
import Rows

extension Site {
  /// The places on a map, and as a list.
  func writePlaces() throws(Problem) {
    guard let table = records[Catalog.places] else { return }
    let coordinates = table.records.map(Self.coordinates)
    try writeList(
      Catalog.places, title: "Places", note: counted(table.count, "place"), count: table.count
    ) { (range, page) throws(Problem) in
      var places: [PlaceMap.Place] = []
      for row in range {
        guard let found = coordinates[row] else { continue }
        let record = table[row]
        places.append(
          PlaceMap.Place(
            found, name: record.text("name") ?? "", isPlanned: record.text("visited_on") == nil,
            address: SiteAddresses.anchor(Catalog.places, record, position: row, of: table.count).address(
              fromRoot: false)))
      }
      if let map = PlaceMap(places) {
        map.write(to: &page.markup)
      }
      page.raw("<ul class=\"list\">\n")
      for row in range { place(table[row], coordinates[row], position: row, of: table.count, &page) }
      page.raw("</ul>\n")
    }
  }

  private static func coordinates(_ record: SiteRecord) -> Coordinates? {
    guard let latitude = record.number("latitude"), let longitude = record.number("longitude") else { return nil }
    return try? Coordinates(latitude: latitude, longitude: longitude)
  }

  private func place(
    _ record: SiteRecord, _ coordinates: Coordinates?, position: Int, of count: Int, _ page: inout SitePage
  ) {
    let name = record.text("name") ?? "",
      link = SiteAddresses.anchor(Catalog.places, record, position: position, of: count)
    page.beginCard(id: link.fragment)
    page.element("<div><h2>", name, "")
    if records.isFavourite(record, in: Catalog.places) { page.star() }
    page.raw("</h2>")
    page.cardLine(record.text("visited_on").map { "visited \($0)" } ?? "planned")
    if let comment = record.text("comment") { page.element("<p class=\"text\">", comment, "</p>") }
    if let coordinates {
      page.raw("<p>")
      page.web(coordinates.mapURL, coordinates.text)
      page.raw("</p>")
    }
    page.extraFacts(record)
    page.endFacts()
    page.endCard()
    index.add(.place, link, name, [record.text("comment"), record.text("visited_on")])
  }

  /// The actors, favourites first, then by category; and a page for each with a gallery.
  func writeActors() throws(Problem) {
    guard let table = records[Catalog.actors] else { return }
    let sorted = table.records.map {
      (category: $0.text("category") ?? "Other", name: $0.text("name") ?? "", record: $0)
    }
    .sorted { ($0.category, $0.name, $0.record.row) < ($1.category, $1.name, $1.record.row) }
    let favourites = sorted.filter { records.isFavourite($0.record, in: Catalog.actors) }
    try writeList(Catalog.actors, title: "Actors", note: counted(table.count, "actor"), count: sorted.count) {
      (range, page) throws(Problem) in
      if range.lowerBound == 0, !favourites.isEmpty {
        page.section("Favourites")
        page.raw("<ul class=\"cards\">\n")
        for entry in favourites.prefix(SiteAddresses.pageSize) { try card(actor: entry.record, &page) }
        page.raw("</ul>\n")
      }
      var category: String?
      for entry in sorted[range] {
        if entry.category != category {
          if category != nil { page.raw("</ul>\n") }
          page.section(entry.category)
          page.raw("<ul class=\"cards\">\n")
          category = entry.category
        }
        try card(actor: entry.record, &page)
      }
      page.raw("</ul>\n")
    }
    for record in table.records { try writeActor(record) }
  }

  private func card(actor record: SiteRecord, _ page: inout SitePage) throws(Problem) {
    let name = record.text("name") ?? ""
    page.beginCard()
    try page.portrait(record.list("images"))
    page.cardTitle(
      name, addresses.page(Catalog.actors, record.row), isFavourite: records.isFavourite(record, in: Catalog.actors))
    page.cardLine(Self.age(record))
    page.endCard()
  }

  /// The date of birth, or the age as it was entered: pages do not depend on today.
  private static func age(_ record: SiteRecord) -> String? {
    record.text("birth_date").map { "born \($0)" } ?? record.integer("age").map { "age \($0)" }
  }

  private func writeActor(_ record: SiteRecord) throws(Problem) {
    let name = record.text("name") ?? "", link = addresses.page(Catalog.actors, record.row)
    var page = try SitePage(
      self, link, title: name, section: Catalog.actors.name,
      path: [("Actors", SiteAddresses.list(Catalog.actors.name, page: 0))],
      summary: record.text("description") ?? "", image: record.list("images").first, isRecord: true)
    page.heading(name, isFavourite: records.isFavourite(record, in: Catalog.actors))
    try page.gallery(record.list("images"), name: name)
    page.raw("<div class=\"facts\">")
    if let description = record.text("description") { page.element("<p class=\"text\">", description, "</p>\n") }
    page.fact("Category", record.text("category"))
    page.fact("Born", record.text("birth_date"))
    if record.text("birth_date") == nil { page.fact("Age", record.text("age")) }
    page.fact("City of birth", record.text("birth_city"))
    page.tags("Movies", record.list("filmography"), of: Catalog.movies)
    let parts = records.charactersOfActor[record.row]
    if !parts.isEmpty, let characters = records[Catalog.characters] {
      page.tags("Characters", parts.compactMap { characters[$0].text("name") }, of: Catalog.characters)
    }
    page.fact("Phone", record.text("phone"))
    if let email = record.text("email") { page.fact("Email") { $0.web("mailto:\(email)", email) } }
    if let website = record.text("website") { page.fact("Website") { $0.web(website) } }
    page.extraFacts(record)
    page.endFacts()
    page.raw("</div>\n")
    try write(page, to: link)
    index.add(
      .actor, link, name,
      [record.text("category"), record.text("birth_city"), record.text("description")]
        + record.list("filmography"))
  }

  func writeNotes() throws(Problem) {
    guard let table = records[Catalog.notes] else { return }
    let notes = table.records(newestBy: "updated_at")
    try writeList(Catalog.notes, title: "Notes", note: "A journal, the newest first", count: notes.count) {
      (range, page) throws(Problem) in
      if range.lowerBound == 0 { page.chart(.calendar(notes.map { $0.text("updated_at") ?? "" })) }
      for position in range {
        let record = notes[position], time = record.text("updated_at") ?? ""
        let link = SiteAddresses.anchor(Catalog.notes, record, position: position, of: notes.count)
        page.raw("<article")
        if let fragment = link.fragment { page.markup.attribute("id", fragment) }
        page.raw("><h2>")
        page.episode(of: record)
        page.raw("</h2>\n")
        if !time.isEmpty { page.element("<p class=\"dim\">", String(time.prefix(10)), "</p>\n") }
        page.element("<p class=\"note\">", record.text("text") ?? "", "</p></article>\n")
        let title = "\(record.text("production") ?? "") \(SiteName.code(record) ?? "")"
        index.add(.note, link, title, [record.text("text")])
      }
    }
  }
}
