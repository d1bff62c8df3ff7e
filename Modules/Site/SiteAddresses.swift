import Codecs
import Documents
import Domain
import Query
import Rows

/// A place in the site: a file, and an anchor in it.
struct SiteLink: Hashable {
  let path: String
  var fragment: String?

  init(_ path: String, fragment: String? = nil) {
    self.path = path
    self.fragment = fragment
  }

  /// The link as it is followed from the root of the site.
  var text: String { fragment.map { "\(path)#\($0)" } ?? path }

  /// The address to follow from a page in a directory of the site, or in its root.
  func address(fromRoot isRoot: Bool) -> PageAddress {
    let parts = path.split(separator: "/").map(String.init)
    return PageAddress(path: (isRoot ? [] : [".."]) + parts, fragment: fragment)
  }
}

/// The names of files and anchors: lower-case ASCII letters, digits and hyphens. No record decides about a path, and
/// case-insensitive file systems can hold the site.
enum SiteName {
  /// The longest readable part of a name.
  private static let longest = 48

  /// The folded letters and digits of a text, in groups joined by hyphens; may be empty.
  static func slug(_ text: String) -> String {
    var slug = ""
    for byte in Fold.folded(String(text.prefix(4 * longest))) {
      let isPlain = byte &- 48 < 10 || byte &- 97 < 26
      if isPlain {
        slug.unicodeScalars.append(UnicodeScalar(byte))
      } else if !slug.isEmpty, slug.last != "-" {
        slug += "-"
      }
      if slug.utf8.count == longest { break }
    }
    while slug.last == "-" { slug.removeLast() }
    return slug
  }

  /// A key as part of a name: unchanged if it has up to 24 lower-case letters and digits, otherwise a digest of it.
  /// - Parameter digits: the length of the digest.
  static func token(_ key: [UInt8], digits: Int = 10) -> String {
    let isPlain = (1...24).contains(key.count) && key.allSatisfy { $0 &- 48 < 10 || $0 &- 97 < 26 }
    return isPlain ? String(decoding: key, as: UTF8.self) : digest(key, digits: digits)
  }

  /// The first hexadecimal digits of the SHA-256 of some bytes.
  static func digest(_ bytes: [UInt8], digits: Int = 10) -> String {
    var digest = SHA256()
    digest.update(bytes)
    return String(digest.hexDigest().prefix(digits))
  }

  /// A readable name with a token: `walter-white-1`.
  static func name(_ title: String, _ key: [UInt8], digits: Int = 10) -> String {
    let slug = slug(title), token = token(key, digits: digits)
    return slug.isEmpty ? token : "\(slug)-\(token)"
  }

  /// `S05E14`.
  static func code(_ record: SiteRecord) -> String? {
    guard let season = record.integer("season"), let episode = record.integer("episode") else { return nil }
    func two(_ number: Int64) -> String { (0..<10).contains(number) ? "0\(number)" : String(number) }
    return "S\(two(season))E\(two(episode))"
  }

  /// The short name of a show: `bb`.
  static func show(_ production: String, _ names: TitleNames) -> String {
    if let short = names[production]?.short { return short }
    let slug = slug(production)
    return slug.isEmpty ? digest(Array(production.utf8)) : slug
  }
}

struct SiteAddresses {
  private var links: [String: [SiteLink]] = [:]

  /// Records in pages of this number, if there are more than fit on one page.
  static let pageSize = 500, longestPage = 2000

  init(_ records: SiteRecords) {
    for dataset in [Catalog.characters, Catalog.movies, Catalog.actors] {
      guard let table = records[dataset] else { continue }
      let title = dataset == Catalog.movies ? "title" : "name"
      add(dataset, table.records) { record, digits in
        SiteName.name(record.text(title) ?? "", record.key, digits: digits)
      }
    }
    if let table = records[Catalog.episodes] {
      add(Catalog.episodes, table.records) { record, digits in
        let show = SiteName.show(record.text("production") ?? "", records.names)
        let code = SiteName.code(record)?.lowercased() ?? ""
        return digits > 10 ? "\(show)-\(code)-\(SiteName.digest(record.key, digits: digits))" : "\(show)-\(code)"
      }
    }
  }

  /// Gives each record a file of its own; one whose name is taken gets a longer digest.
  private mutating func add(_ dataset: Schema, _ records: [SiteRecord], name: (SiteRecord, Int) -> String) {
    var used: Set<String> = ["index"], links: [SiteLink] = []
    for record in records {
      var chosen = name(record, 10)
      if chosen.hasPrefix("page-") || chosen.hasPrefix("by-") { chosen = "the-\(chosen)" }
      if !used.insert(chosen).inserted {
        chosen = name(record, 32)
        if !used.insert(chosen).inserted { chosen += "-\(record.row)" }
      }
      links.append(SiteLink("\(dataset.name)/\(chosen).html"))
    }
    self.links[dataset.name] = links
  }

  func page(_ dataset: Schema, _ row: Int) -> SiteLink { links[dataset.name]?[row] ?? SiteLink("index.html") }

  /// The page of a list with a number, from 0.
  static func list(_ dataset: String, page: Int) -> SiteLink {
    SiteLink(page == 0 ? "\(dataset)/index.html" : "\(dataset)/page-\(page + 1).html")
  }

  /// The number of records on a page of a list of `count`.
  static func pageSize(of count: Int) -> Int { count > longestPage ? pageSize : max(count, 1) }

  /// The anchor of a record of a list: `quotes/index.html#q7-1`.
  /// - Parameter position: its position in the list.
  static func anchor(_ dataset: Schema, _ record: SiteRecord, position: Int, of count: Int) -> SiteLink {
    var link = list(dataset.name, page: position / pageSize(of: count))
    link.fragment = fragment(dataset, record)
    return link
  }

  /// The name of the anchor of a record: its key, after the first letter of the dataset.
  static func fragment(_ dataset: Schema, _ record: SiteRecord) -> String {
    let key = record.key, parts = key.split(separator: UInt8(ascii: "/")).map(Array.init)
    let isPlain =
      !parts.isEmpty
      && parts.allSatisfy { (1...24).contains($0.count) && SiteName.token($0) == String(decoding: $0, as: UTF8.self) }
    let name = isPlain ? parts.map { SiteName.token($0) }.joined(separator: "-") : SiteName.digest(key)
    return String(dataset.name.prefix(1)) + name
  }
}
