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
  ///   - isRoot: whether it is in the root of the site, otherwise in a directory of it.
  ///   - title: the subject.
  ///   - section: the dataset whose entry of the navigation is current.
  ///   - path: the pages above it.
  ///   - hasScript: whether it has a script.
  init(
    _ site: Site, isRoot: Bool = false, title: String, section: String? = nil,
    path: [(name: String, link: SiteLink)] = [],
    hasScript: Bool = false
  ) {
    self.site = site
    self.isRoot = isRoot
    markup.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    markup.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self'; script-src ")
    markup.raw(hasScript ? "'self'; img-src 'self'" : "'none'; img-src 'self'")
    if site.images.policy == .remote { markup.raw(" http: https:") }
    markup.raw("; base-uri 'none'; form-action 'none'\">\n")
    markup.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    markup.raw(
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>")
    markup.text(title)
    if title != site.title {
      markup.raw(" – ")
      markup.text(site.title)
    }
    markup.raw("</title>\n<link rel=\"stylesheet\"")
    markup.attribute(.href, SiteLink("assets/site.css").address(fromRoot: isRoot))
    markup.raw(">\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header><div><strong>")
    link(SiteLink("index.html"), site.title)
    markup.raw("</strong><nav aria-label=\"Datasets\">")
    for entry in site.sections {
      markup.raw("<a")
      markup.attribute(.href, SiteLink("\(entry.dataset)/index.html").address(fromRoot: isRoot))
      if entry.dataset == section { markup.raw(" aria-current=\"page\"") }
      markup.raw(">")
      markup.text(entry.label)
      markup.raw("</a>")
    }
    markup.raw("</nav>")
    link(SiteLink("search.html"), "Search")
    markup.raw("</div></header>\n<main id=\"main\">\n")
    guard !path.isEmpty else { return }
    markup.raw("<nav class=\"path\" aria-label=\"Path\">")
    for (place, entry) in path.enumerated() {
      if place > 0 { markup.raw(" › ") }
      link(entry.link, entry.name)
    }
    markup.raw("</nav>\n")
  }

  /// Ends the page.
  /// - Parameter scripts: the scripts in the directory of assets.
  consuming func finish(scripts: [String] = []) -> [UInt8] {
    markup.raw("</main>\n<footer>Made by bb</footer>\n")
    for script in scripts {
      markup.raw("<script")
      markup.attribute(.src, SiteLink("assets/\(script)").address(fromRoot: isRoot))
      markup.raw("></script>\n")
    }
    markup.raw("</body>\n</html>\n")
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
  mutating func section(_ title: String, anchor: String? = nil) {
    hasSections = true
    markup.raw("<h2")
    if let anchor { markup.attribute("id", anchor) }
    markup.raw(">")
    markup.text(title)
    markup.raw("</h2>\n")
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

  /// A number without a needless fraction.
  static func number(_ value: Double) -> String {
    let text = String(describing: value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  // MARK: - Links

  mutating func link(_ link: SiteLink, _ text: String) {
    markup.raw("<a")
    markup.attribute(.href, link.address(fromRoot: isRoot))
    markup.raw(">")
    markup.text(text)
    markup.raw("</a>")
  }

  /// A URL of the web or of mail as a link; other text as it is.
  mutating func web(_ address: String, _ text: String? = nil) {
    guard let web = PageAddress(web: Array(address.utf8)) else { return markup.text(text ?? address) }
    markup.raw("<a rel=\"noopener\"")
    markup.attribute(.href, web)
    markup.raw(">")
    markup.text(text ?? address)
    markup.raw("</a>")
  }

  /// Names of characters, each a link to its page if it has one.
  mutating func characters(_ names: [String]) {
    for (place, name) in names.enumerated() {
      if place > 0 { markup.raw(", ") }
      if let found = site.records.character(name) {
        link(site.addresses.page(Catalog.characters, found), name)
      } else {
        markup.text(name)
      }
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

  /// An image, if it can be shown.
  /// - Returns: whether it is.
  @discardableResult mutating func image(
    _ address: String?, of dataset: Schema, alt: String, isLink: Bool = false
  ) throws(Problem) -> Bool {
    guard let address, let found = try site.images.address(of: address, dataset: dataset.name) else { return false }
    let source: PageAddress
    switch found {
    case .file(let link): source = link.address(fromRoot: isRoot)
    case .web(let web): source = web
    }
    if isLink {
      markup.raw("<a")
      markup.attribute(.href, source)
      markup.raw(">")
    }
    markup.raw("<img loading=\"lazy\" decoding=\"async\"")
    markup.attribute("alt", alt)
    markup.attribute(.src, source)
    markup.raw(isLink ? "></a>" : ">")
    return true
  }

  /// The first image of a record, or its first letter.
  mutating func portrait(_ addresses: [String], of dataset: Schema, name: String) throws(Problem) {
    for address in addresses { if try image(address, of: dataset, alt: "") { return } }
    markup.raw("<span class=\"none\" aria-hidden=\"true\">")
    markup.text(String(name.prefix(1)))
    markup.raw("</span>")
  }

  /// The images of a record, the first one large.
  mutating func gallery(_ addresses: [String], of dataset: Schema, name: String) throws(Problem) {
    var shown: [String] = []
    for address in addresses where !shown.contains(address) {
      if try site.images.address(of: address, dataset: dataset.name) != nil { shown.append(address) }
    }
    guard let first = shown.first else { return }
    markup.raw("<figure>")
    try image(first, of: dataset, alt: shown.count > 1 ? "\(name), image 1 of \(shown.count)" : name, isLink: true)
    if shown.count > 1 { markup.raw("<ul>") }
    for (number, address) in shown.enumerated().dropFirst() {
      markup.raw("<li>")
      try image(address, of: dataset, alt: "\(name), image \(number + 1) of \(shown.count)", isLink: true)
      markup.raw("</li>")
    }
    markup.raw(shown.count > 1 ? "</ul></figure>\n" : "</figure>\n")
  }

  // MARK: - Facts

  /// Begins a term of a list of facts.
  mutating func beginFact(_ name: String) {
    if !isInFacts { markup.raw("<dl>") }
    isInFacts = true
    element("<dt>", name, "</dt><dd>")
  }
  mutating func endFact() { markup.raw("</dd>") }
  mutating func endFacts() {
    if isInFacts { markup.raw("</dl>\n") }
    isInFacts = false
  }

  /// A fact as text; nothing for nil.
  mutating func fact(_ name: String, _ value: String?) {
    guard let value else { return }
    beginFact(name)
    markup.text(value)
    endFact()
  }

  /// A fact as chips; nothing for an empty list.
  mutating func tags(_ name: String, _ values: [String]) {
    if values.isEmpty { return }
    beginFact(name)
    markup.raw("<ul class=\"tags\">")
    for value in values { element("<li>", value, "</li>") }
    markup.raw("</ul>")
    endFact()
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
