import Codecs
import Documents
import Domain
import Rows

/// A page of the site, made of the elements that all pages share.
struct SitePage: ~Copyable {
  var markup = Markup(capacity: 16 << 10)
  private let site: Site
  private let isRoot: Bool
  private var isInFacts = false
  private var hasSections = false

  /// Begins a page.
  /// - Parameters:
  ///   - link: its place.
  ///   - title: the subject.
  ///   - section: the dataset whose entry of the navigation is current.
  ///   - path: the pages above it.
  ///   - summary: what it shows, for search engines and previews.
  ///   - image: the address of an image of it in the data.
  init(
    _ site: Site, _ link: SiteLink, title: String, section: String? = nil, path: [(name: String, link: SiteLink)] = [],
    summary: String = "", image: String? = nil, isRecord: Bool = false
  ) throws(Problem) {
    self.site = site
    isRoot = !link.path.contains("/")
    markup.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    markup.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; script-src 'self'; "
    )
    markup.raw("img-src 'self'")
    if site.images.policy == .remote { markup.raw(" http: https:") }
    markup.raw("; base-uri 'none'; form-action 'none'\">\n")
    markup.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    markup.raw(
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
    let name = title == site.title ? title : "\(title) – \(site.title)"
    markup.text(name)
    markup.raw("</title>\n<link rel=\"stylesheet\"")
    markup.attribute(.href, SiteLink("assets/site.css").address(fromRoot: isRoot))
    markup.raw(">\n<link rel=\"icon\" type=\"image/svg+xml\"")
    markup.attribute(.href, SiteLink("assets/icon.svg").address(fromRoot: isRoot))
    markup.raw(">\n")
    let description = summary.isEmpty ? name : SearchIndex.cut(summary, to: 200)
    meta("name", "description", description)
    meta("property", "og:title", title)
    meta("property", "og:type", path.isEmpty ? "website" : "article")
    meta("property", "og:description", description)
    if let address = site.absolute(link.path) {
      markup.raw("<link rel=\"canonical\"")
      markup.attribute(.href, address)
      markup.raw(">\n")
      meta("property", "og:url", String(decoding: address.text, as: UTF8.self))
      if let image, case .file(let file, _)? = try site.images.address(of: image),
        let address = site.absolute(file.path)
      {
        meta("property", "og:image", String(decoding: address.text, as: UTF8.self))
      }
    }
    markup.raw("</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header><div><strong>")
    self.link(SiteLink("index.html"), site.title)
    markup.raw("</strong>")
    navigation(section, "<nav class=\"wide\" aria-label=\"Datasets\">")
    markup.raw(
      "<search><input type=\"search\" id=\"find\" placeholder=\"Search\" aria-label=\"Search the site\" hidden")
    let target = SiteLink("search.html").address(fromRoot: isRoot)
    markup.attribute("data-to", String(decoding: target.text, as: UTF8.self))
    markup.raw(">")
    self.link(SiteLink("search.html"), "Search")
    markup.raw("</search><details class=\"menu\"><summary>Menu</summary>")
    navigation(section, "<nav aria-label=\"Datasets\">")
    markup.raw("</details></div></header>\n")
    if !path.isEmpty {
      markup.raw("<nav class=\"path\" aria-label=\"Path\">")
      for (place, entry) in path.enumerated() {
        if place > 0 { markup.raw(" › ") }
        self.link(entry.link, entry.name)
      }
      markup.raw("</nav>\n")
    }
    markup.raw(isRecord ? "<main id=\"main\" class=\"record\">\n" : "<main id=\"main\">\n")
  }

  private mutating func meta(_ kind: StaticString, _ name: String, _ content: String) {
    markup.raw("<meta")
    markup.attribute(kind, name)
    markup.attribute("content", content)
    markup.raw(">\n")
  }

  private mutating func navigation(_ section: String?, _ beginning: StaticString) {
    markup.raw(beginning)
    for entry in site.sections {
      markup.anchor(
        entry.dataset == section ? "<a aria-current=\"page\"" : "<a",
        SiteLink("\(entry.dataset)/index.html").address(fromRoot: isRoot), entry.label)
    }
    markup.raw("</nav>")
  }

  /// Ends the page.
  consuming func finish() -> [UInt8] {
    markup.raw("</main>\n<footer>Made by bb</footer>\n<script")
    markup.attribute(.src, SiteLink("assets/site.js").address(fromRoot: isRoot))
    markup.raw("></script>\n</body>\n</html>\n")
    return markup.bytes()
  }

  // MARK: - Text

  mutating func raw(_ fixed: StaticString) { markup.raw(fixed) }
  mutating func text(_ text: String) { markup.text(text) }

  /// A text in an element without attributes.
  mutating func element(_ begin: StaticString, _ text: String, _ end: StaticString) {
    markup.raw(begin)
    markup.text(text)
    markup.raw(end)
  }

  /// A heading of the page, and a line below it.
  mutating func heading(_ title: String, isFavourite: Bool = false, note: String = "") {
    markup.raw("<h1>")
    markup.text(title)
    if isFavourite { star() }
    markup.raw("</h1>\n")
    if !note.isEmpty { element("<p class=\"dim\">", note, "</p>\n") }
  }

  /// A heading with an anchor.
  mutating func section(_ title: String, anchor: String? = nil, level: Int = 2) {
    // A heading is never deeper than one below the last.
    let isSecond = level == 2 || !hasSections
    hasSections = true
    markup.raw(isSecond ? "<h2" : "<h3")
    if let anchor { markup.attribute("id", anchor) }
    markup.raw(">")
    markup.text(title)
    markup.raw(isSecond ? "</h2>\n" : "</h3>\n")
  }

  /// A link to an anchor of the page.
  mutating func jump(_ text: String, to anchor: String) {
    markup.anchor("<a", PageAddress(path: [], fragment: anchor), text)
    markup.raw(" ")
  }

  /// The mark of a favourite.
  mutating func star() { markup.raw(" <span class=\"star\" role=\"img\" aria-label=\"favourite\">★</span>") }

  /// A rating from 0 to 10.
  mutating func stars(_ rating: Double?) {
    guard let rating, let stars = Stars.text(of: rating) else { return }
    let number = SitePage.number(rating)
    markup.raw("<span class=\"star\" role=\"img\"")
    markup.attribute("aria-label", "\(number) of 10")
    markup.raw(">")
    markup.raw(stars)
    markup.raw("</span> <span class=\"num\">")
    markup.text(number)
    markup.raw("</span>")
  }

  /// The rating of a movie in a paragraph; nothing without one.
  mutating func rating(of record: SiteRecord) {
    guard let rating = record.number("user_rating") else { return }
    raw("<p>")
    stars(rating)
    raw("</p>\n")
  }

  /// A number without a needless fraction.
  static func number(_ value: Double) -> String {
    let text = String(describing: value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  // MARK: - Links

  mutating func link(_ link: SiteLink, _ text: String) {
    markup.anchor("<a", link.address(fromRoot: isRoot), text)
  }

  /// A URL of the web or of mail as a link; other text as it is.
  mutating func web(_ address: String, _ text: String? = nil) {
    guard let web = PageAddress(web: Array(address.utf8)) else { return markup.text(text ?? address) }
    markup.anchor("<a rel=\"noopener\"", web, text ?? address)
  }

  /// A name as a link to the page of its record; as text if none or several have it.
  mutating func name(_ name: String, of dataset: Schema) {
    if let found = site.records.position(of: name, in: dataset) {
      link(site.addresses.page(dataset, found), name)
    } else {
      markup.text(name)
    }
  }

  /// Names of records, separated by commas.
  mutating func names(_ names: [String], of dataset: Schema) {
    for (place, name) in names.enumerated() {
      if place > 0 { markup.raw(", ") }
      self.name(name, of: dataset)
    }
  }

  /// The episode that a record belongs to: `Breaking Bad S05E14 “Ozymandias”`; as text if the site does not have it.
  mutating func episode(of record: SiteRecord) {
    let show = record.text("production") ?? "", code = SiteName.code(record) ?? ""
    let name = show.isEmpty || code.isEmpty ? show + code : "\(show) \(code)"
    guard let found = site.records.episode(of: record), let episodes = site.records[Catalog.episodes] else {
      return markup.text(name)
    }
    let title = episodes[found].text("title").map { " “\($0)”" } ?? ""
    link(site.addresses.page(Catalog.episodes, found), name + title)
  }

  // MARK: - Images

  /// The boxes in which images are shown, which they fill if no more than a quarter of them is cut.
  enum ImageBox {
    case card, wideCard, square, whole

    var shape: (width: Int, height: Int)? {
      switch self {
      case .card: (400, 500)
      case .wideCard: (480, 270)
      case .square: (84, 84)
      case .whole: nil
      }
    }
  }

  /// An image, if it can be shown.
  /// - Returns: whether it is.
  @discardableResult mutating func image(
    _ address: String?, alt: String, in box: ImageBox = .whole, isLink: Bool = false
  ) throws(Problem) -> Bool {
    guard let address, let found = try site.images.address(of: address) else { return false }
    let source: PageAddress, size: ImageSize?
    switch found {
    case .file(let link, let known): (source, size) = (link.address(fromRoot: isRoot), known)
    case .web(let web): (source, size) = (web, nil)
    }
    if isLink {
      markup.raw("<a")
      markup.attribute(.href, source)
      markup.raw(">")
    }
    markup.raw("<img loading=\"lazy\" decoding=\"async\"")
    let usual = box.shape ?? (640, 360)
    markup.attribute("width", size?.width ?? usual.width)
    markup.attribute("height", size?.height ?? usual.height)
    if let size, let shape = box.shape, size.cut(byBox: shape.width, shape.height) > 0.25 {
      markup.raw(" class=\"uncut\"")
    }
    markup.attribute("alt", alt)
    markup.attribute(.src, source)
    markup.raw(isLink ? "></a>" : ">")
    return true
  }

  /// The first image of a record that is at hand.
  mutating func portrait(_ addresses: [String], in box: ImageBox = .card) throws(Problem) {
    for address in addresses where try image(address, alt: "", in: box) { return }
  }

  /// The images of a record, the first one large.
  mutating func gallery(_ addresses: [String], name: String) throws(Problem) {
    var shown: [String] = []
    for address in addresses where !shown.contains(address) {
      if try site.images.address(of: address) != nil { shown.append(address) }
    }
    guard let first = shown.first else { return }
    markup.raw("<figure>")
    try image(first, alt: shown.count > 1 ? "\(name), image 1 of \(shown.count)" : name, isLink: true)
    if shown.count > 1 { markup.raw("<ul>") }
    for (number, address) in shown.enumerated().dropFirst() {
      markup.raw("<li>")
      try image(address, alt: "\(name), image \(number + 1) of \(shown.count)", in: .square, isLink: true)
      markup.raw("</li>")
    }
    markup.raw(shown.count > 1 ? "</ul></figure>\n" : "</figure>\n")
  }

  // MARK: - Facts

  /// A fact whose value `write` appends.
  mutating func fact(_ name: String, _ write: (inout SitePage) -> Void) {
    if !isInFacts { markup.raw("<dl>") }
    isInFacts = true
    element("<dt>", name, "</dt><dd>")
    write(&self)
    markup.raw("</dd>")
  }
  mutating func endFacts() {
    if isInFacts { markup.raw("</dl>\n") }
    isInFacts = false
  }

  /// A fact as the name of a record; nothing for nil.
  mutating func fact(_ name: String, _ value: String?, of dataset: Schema) {
    if let value { fact(name) { $0.name(value, of: dataset) } }
  }

  /// A fact as text; nothing for nil.
  mutating func fact(_ name: String, _ value: String?) {
    if let value { fact(name) { $0.text(value) } }
  }

  /// A fact as chips; nothing for an empty list.
  /// - Parameter dataset: the dataset of the records that the values name; nil for none.
  mutating func tags(_ name: String, _ values: [String], of dataset: Schema? = nil) {
    if values.isEmpty { return }
    fact(name) { page in
      page.raw("<ul class=\"tags\">")
      for value in values {
        page.raw("<li>")
        if let dataset { page.name(value, of: dataset) } else { page.text(value) }
        page.raw("</li>")
      }
      page.raw("</ul>")
    }
  }

  /// The columns that the user added to the store.
  mutating func extraFacts(_ record: SiteRecord) {
    for (name, text) in record.extras { fact(name, text) }
  }

  // MARK: - Lists

  /// Begins a card, whose image comes next.
  mutating func beginCard(id: String? = nil) {
    markup.raw("<li")
    if let id { markup.attribute("id", id) }
    markup.raw(">")
  }
  /// The name of a card as a link, after its image; its lines come next.
  mutating func cardTitle(_ name: String, _ link: SiteLink?, isFavourite: Bool = false) {
    markup.raw(hasSections ? "<div><h3>" : "<div><h2>")
    if let link { self.link(link, name) } else { markup.text(name) }
    if isFavourite { star() }
    markup.raw(hasSections ? "</h3>" : "</h2>")
  }
  mutating func cardLine(_ text: String?) {
    if let text, !text.isEmpty { element("<p>", text, "</p>") }
  }
  mutating func endCard() { markup.raw("</div></li>\n") }
}
