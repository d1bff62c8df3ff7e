import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about actors.
enum ActorsCommands {
  static var entries: [Entry] {
    [
      Entry(
        "actors", "your actors, by category",
        [Entry(add, addActor)]
          + named.entries(
            show: show, search: [favourites], selecting: select,
            listing: NamedCommands.WorkedOut(column: "age", change: withAges))
          + [
            Entry(favourite) { (desk) async throws(Problem) in try await mark(desk, true) },
            Entry(unfavourite) { (desk) async throws(Problem) in try await mark(desk, false) },
            Entry(gallery, showGallery), Entry(website, openWebsite),
          ],
        examples: [
          "actors add 'A. Person' --category Drama --partial", "actors list --favourites", "actors gallery 'A. Person'",
        ])
    ]
  }

  private static let named = NamedCommands(
    kind: .actor, columns: ["category", "name", "age", "favourite", "birth_city"], completing: withPictures)

  private static let add = Command(
    "add", "add an actor",
    discussion: """
      Needed are name, category, date of birth or age, city of birth, telephone, mail address, description, a film, website and a picture; \
      --partial accepts less. On a terminal, what is missing is asked for in your editor. Pictures are copied into the storage.
      """,
    arguments: [Argument("NAME", count: .optional, "the actor's name")],
    options: fields.map(\.option) + [film, image, link, isFavourite, partial],
    examples: ["actors add 'A. Person' --category Drama --birth-date 1966-03 --image portrait.jpg --partial"])
  private static let favourite = Command(
    "favourite", "make an actor a favourite", arguments: [NamedCommands.key()])
  private static let unfavourite = Command(
    "unfavourite", "make an actor a favourite no more", arguments: [NamedCommands.key()])
  private static let gallery = Command(
    "gallery", "show an actor's pictures on a desktop; else print where they are", arguments: [NamedCommands.key()])
  private static let website = Command(
    "website", "open an actor's website on a desktop; else print its address", arguments: [NamedCommands.key()])

  private static let actor = "Actor"
  /// Options that fill a column.
  private static let fields: [(option: Option, column: String)] = [
    (.value("category", "TEXT", in: actor, "main category of films"), "category"),
    (.value("birth-date", "DATE", in: actor, "date of birth: 1966, 1966-03 or 1966-03-07"), "birth_date"),
    (.value("age", "YEARS", in: actor, "age as stated"), "age"),
    (.value("birth-city", "TEXT", in: actor, "city of birth"), "birth_city"),
    (.value("phone", "TEXT", in: actor, "telephone number"), "phone"),
    (.value("email", "TEXT", in: actor, "mail address"), "email"),
    (.value("description", "TEXT", in: actor, "a few words"), "description"),
    (.value("website", "URL", in: actor, "website"), "website"),
  ]
  private static let film = Option.value("film", "TITLE", repeatable: true, in: actor, "a film; may be repeated")
  private static let image = Option.value(
    "image", "FILE", values: .file, repeatable: true, in: actor, "a picture, the first the portrait; may be repeated")
  private static let link = Option.flag("link", in: actor, "keep the pictures' paths instead of copies")
  private static let isFavourite = Option.flag("favourite", in: actor, "a favourite")
  private static let partial = Option.flag("partial", in: actor, "accept an actor of whom not everything is known")
  private static let favourites = Option.flag("favourites", in: actor, "only favourites")

  private static func select(_ desk: Desk, _ selection: inout Selection) {
    if desk.has(favourites) { selection.conditions.append(Condition("favourite", .equal, "true")) }
  }

  /// The age on the day of the clock, where the date of birth is known.
  private static func age(of record: StoredRecord, _ desk: Desk) -> Int64? {
    let today = desk.environment.clock.now().timestamp
    let years = record.text("birth_date").flatMap { Dates.years(from: $0, to: today) }
    return years.flatMap { $0 < 0 ? nil : Int64($0) } ?? record.integer("age")
  }

  private static func withAges(_ desk: Desk, _ record: StoredRecord) -> StoredRecord {
    var record = record
    record["age"] = age(of: record, desk).map { .integer($0) } ?? .null
    return record
  }

  private static func addActor(_ desk: Desk) async throws(Problem) {
    let records = try named.records(desk, makes: true)
    let id = try await records.newIdentifier(desk.environment.identifier())
    var record = records.draft(id: id)
    if let name = desk.arguments.first { record = try Assignment(parsing: "name=\(name)").applied(to: record) }
    for (option, column) in fields {
      if let text = desk[option] { record = try Assignment(parsing: "\(column)=\(text)").applied(to: record) }
    }
    let films = desk.invocation.all(film)
    if !films.isEmpty { record["filmography"] = .list(films) }
    record["favourite"] = .boolean(desk.has(isFavourite))
    // Pictures are copied last, but one that is not there is told first.
    let pictures = desk.invocation.all(image)
    if !pictures.isEmpty { record["images"] = .list(pictures) }
    do throws(Problem) {
      try records.check(record, isPartial: desk.has(partial))
    } catch {
      guard desk.environment.isInteractive, !records.kind.missing(record).isEmpty else {
        var problem = error
        if !desk.has(partial), record.text("name") != nil { problem.hint = "add them, or --partial" }
        throw problem
      }
      let advice = ["a new actor", "filmography and images: parted by “; ”", "images: files, the first the portrait"]
      guard let (filled, text, draft) = try await named.filledIn(record, desk, advice: advice, isNew: true) else {
        return
      }
      return try await desk.editing().saving(text, draft: draft, about: "a new actor") { () throws(Problem) in
        try records.check(filled, isPartial: desk.has(partial))
        try await named.add(filled, records, desk)
      }
    }
    try await named.add(record, records, desk)
  }

  /// The record with copies of its new pictures, unless paths or addresses are to be kept.
  private static let withPictures: @Sendable (StoredRecord, StoredRecord?, Desk) async throws(Problem) -> StoredRecord =
    {
      (record, before, desk) async throws(Problem) in
      let images = record.list("images"), known = before?.list("images") ?? []
      if desk.has(link) || images.allSatisfy(known.contains) { return record }
      let folder = try desk.environment.pictures(try desk.location().text)
      var names: [String] = []
      for path in images {
        let isKept = path.hasPrefix("https://") || path.hasPrefix("http://") || known.contains(path)
        names.append(
          isKept
            ? path
            : try await folder.add(path, to: "actors", record: record.text("id") ?? ""))
      }
      var result = record
      result["images"] = .list(names)
      return result
    }

  private static func mark(_ desk: Desk, _ isFavourite: Bool) async throws(Problem) {
    let records = try named.records(desk)
    let before = try await records.find(desk.arguments[0])
    var after = before
    after["favourite"] = .boolean(isFavourite)
    let isChanged = try await records.change(isFavourite ? "favourite" : "unfavourite", before, to: after)
    let name = before.text("name") ?? ""
    desk.say("\(name) is \(isChanged ? "now " : "")\(isFavourite ? "a favourite" : "no favourite")")
  }

  private static func show(_ desk: Desk) async throws(Problem) {
    let record = try await named.records(desk).find(desk.arguments[0])
    if try await named.showInFormat(record, desk) { return }
    var text = (record.text("name") ?? "") + (record.isTrue("favourite") ? " ★" : "") + "\n"
    func line(_ label: String, _ value: String?) { if let value, !value.isEmpty { text += "\(label): \(value)\n" } }
    line("category", record.text("category"))
    line("born", record.text("birth_date"))
    line("age", age(of: record, desk).map(String.init))
    line("city of birth", record.text("birth_city"))
    line("phone", record.text("phone"))
    line("email", record.text("email"))
    line("website", record.text("website"))
    line("films", record.list("filmography").joined(separator: "; "))
    line("pictures", record.list("images").joined(separator: "; "))
    if let description = record.text("description") { text += "\n\(description)\n" }
    text += "\n\(record.text("id") ?? ""), added \(record.text("created_at") ?? "")\n"
    try await desk.page(text)
  }

  private static func openWebsite(_ desk: Desk) async throws(Problem) {
    let record = try await named.records(desk).find(desk.arguments[0])
    guard let url = record.text("website") else {
      throw Problem(.absent, "\(record.text("name") ?? "") has no website")
    }
    let isPage = url.hasPrefix("https://") || url.hasPrefix("http://")
    if isPage, desk.environment.launch(url) { return }
    try await desk.page(url + "\n")
  }

  /// A page with all pictures on a desktop; elsewhere a path or an address a line.
  private static func showGallery(_ desk: Desk) async throws(Problem) {
    let record = try await named.records(desk).find(desk.arguments[0])
    let images = record.list("images"), name = record.text("name") ?? ""
    guard !images.isEmpty else { throw Problem(.absent, "\(name) has no pictures") }
    let folder = try desk.environment.pictures(try desk.location().text)
    let places = images.map { folder.path(of: $0) ?? $0 }
    if desk.environment.hasDesktop {
      let page = try await desk.environment.page(GalleryPage.html(name, images: places))
      if desk.environment.launch(page) { return }
    }
    try await desk.page(places.joined(separator: "\n") + "\n")
  }
}
