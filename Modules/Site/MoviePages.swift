import Domain
import Rows

extension Site {
  /// The orders of the list of movies, each a page.
  private static let orders: [(label: String, file: String)] = [
    ("By reservations", "index.html"), ("By editors' picks", "by-curation.html"), ("By release date", "by-date.html"),
  ]

  /// The movies in three orders, and a page for each with its poster, facts and comments.
  func writeMovies() throws(Problem) {
    guard let table = records[Catalog.movies] else { return }
    let movies = table.records
    func ranked(_ column: String) -> [SiteRecord] {
      movies.sorted { (a: SiteRecord, b: SiteRecord) -> Bool in
        let left = a.integer(column) ?? .max, right = b.integer(column) ?? .max
        return left == right ? a.row < b.row : left < right
      }
    }
    let newest = table.records(newestBy: "release_date")
    let isSplit = SiteAddresses.pageSize(of: movies.count) < movies.count
    for (place, order) in [ranked("reservation_rank"), ranked("curation_rank"), newest].enumerated() {
      // A list of several pages has one order.
      if place > 0, isSplit { break }
      try writeList(
        Catalog.movies, title: "Movies", note: counted(movies.count, "movie"), count: movies.count,
        file: isSplit ? nil : Self.orders[place].file
      ) { (range, page) throws(Problem) in
        if !isSplit { orderLinks(place, &page) }
        page.raw("<ul class=\"cards\">\n")
        for record in order[range] { try movieCard(record, &page) }
        page.raw("</ul>\n")
        page.chart(.ratings(order[range].map(\.self)))
      }
    }
    for record in movies { try writeMovie(record) }
  }

  private func orderLinks(_ current: Int, _ page: inout SitePage) {
    page.raw("<nav class=\"pages\" aria-label=\"Order\">")
    for (place, order) in Self.orders.enumerated() {
      if place == current {
        page.element("<strong>", order.label, "</strong>")
      } else {
        page.link(SiteLink("\(Catalog.movies.name)/\(order.file)"), order.label)
      }
    }
    page.raw("</nav>\n")
  }

  private func movieCard(_ record: SiteRecord, _ page: inout SitePage) throws(Problem) {
    let title = record.text("title") ?? ""
    page.beginCard()
    try page.portrait(record.list("thumbnail") + record.list("image"))
    page.cardTitle(
      title, addresses.page(Catalog.movies, record.row), isFavourite: records.isFavourite(record, in: Catalog.movies))
    page.rating(of: record)
    page.cardLine(
      [
        record.integer("reservation_rank").map { "#\($0)" },
        record.number("reservation_rate").map { "\(SitePage.number($0)) %" },
        Self.grade(record),
      ].compactMap(\.self).joined(separator: " · "))
    page.cardLine(record.text("release_date"))
    page.endCard()
  }

  private static func grade(_ record: SiteRecord) -> String? {
    record.integer("grade").map { $0 == 0 ? "all ages" : "from age \($0)" }
  }

  private func writeMovie(_ record: SiteRecord) throws(Problem) {
    let title = record.text("title") ?? "", link = addresses.page(Catalog.movies, record.row)
    let poster = record.list("image") + record.list("thumbnail")
    var page = try SitePage(
      self, link, title: title, section: Catalog.movies.name,
      path: [("Movies", SiteAddresses.list(Catalog.movies.name, page: 0))], summary: record.text("synopsis") ?? "",
      image: poster.first, isRecord: true)
    page.heading(title, isFavourite: records.isFavourite(record, in: Catalog.movies))
    for address in poster where try images.address(of: address) != nil {
      page.raw("<figure>")
      try page.image(address, alt: "Poster of \(title)", isLink: true)
      page.raw("</figure>")
      break
    }
    page.raw("<div class=\"facts\">")
    page.rating(of: record)
    page.fact("Released", record.text("release_date"))
    page.fact("Rated", Self.grade(record))
    page.fact("Length", record.integer("duration_minutes").map { counted($0, "minute") })
    page.tags("Genres", record.list("genres"))
    page.fact("Directed by", record.text("directors"))
    page.tags("Cast", record.names("actors"), of: Catalog.actors)
    let rank = [
      record.integer("reservation_rank").map { "#\($0)" },
      record.number("reservation_rate").map { "\(SitePage.number($0)) %" },
    ].compactMap(\.self)
    page.fact("Reservations", rank.isEmpty ? nil : rank.joined(separator: ", "))
    page.fact("Editors' picks", record.integer("curation_rank").map { "#\($0)" })
    page.fact("Tickets sold", record.integer("audience").map(grouped))
    page.extraFacts(record)
    page.endFacts()
    if let synopsis = record.text("synopsis") {
      page.section("Synopsis")
      page.element("<p class=\"text\">", synopsis, "</p>\n")
    }
    page.raw("</div><div class=\"rest\">\n")
    try comments(record, link, &page)
    page.raw("</div>\n")
    try write(page, to: link)
    index.add(
      .movie, link, title,
      [record.text("directors"), record.text("actors"), record.text("genres"), record.text("synopsis")])
  }

  private func comments(_ movie: SiteRecord, _ link: SiteLink, _ page: inout SitePage) throws(Problem) {
    guard let table = records[Catalog.comments], !records.commentsOfMovie[movie.row].isEmpty else { return }
    // The newest first; those without a date last.
    let rows = records.commentsOfMovie[movie.row].map { (table[$0].text("posted_at") ?? "", $0) }.sorted {
      $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 > $1.0
    }.map(\.1)
    page.section("Comments (\(grouped(rows.count)))")
    page.raw("<ul class=\"list\">\n")
    for row in rows {
      let record = table[row], fragment = SiteAddresses.fragment(Catalog.comments, record)
      page.beginCard(id: fragment)
      try page.image(record.text("writer_image"), alt: "", in: .square)
      page.element("<div><strong>", record.text("writer") ?? "", "</strong> ")
      page.stars(record.number("rating"))
      if let date = record.text("posted_at") {
        page.element(" <span class=\"date\">", String(date.prefix(10)), "</span>")
      }
      page.element("<p class=\"text\">", record.text("contents") ?? "", "</p>")
      page.endCard()
      index.add(
        .comment, SiteLink(link.path, fragment: fragment), movie.text("title") ?? "",
        [record.text("writer"), record.text("contents")])
    }
    page.raw("</ul>\n")
  }
}
