import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

enum ActorsCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(
        "actors", "manage actors",
        [CommandEntry(add, addActor)]
          + named.entries(
            show: show, search: [favourites], selecting: select,
            listing: NamedCommands.WorkedOut(column: "age", change: withAges))
          + [
            CommandEntry(favourite) { (context) async throws(Problem) in try await mark(context, true) },
            CommandEntry(unfavourite) { (context) async throws(Problem) in try await mark(context, false) },
            CommandEntry(gallery, showGallery), CommandEntry(website, openWebsite),
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
      Required: name, category, birth date or age, city of birth, phone, email, description, a movie, website and an \
      image, unless --partial is given. On a terminal, missing values are requested in your editor. Images are copied \
      into the store.
      """,
    arguments: [Argument("NAME", count: .optional, "name of the actor")],
    options: fields.map(\.option) + [film, image, link, isFavourite, partial],
    examples: ["actors add 'A. Person' --category Drama --birth-date 1966-03 --image portrait.jpg --partial"])
  private static let favourite = Command(
    "favourite", aliases: ["favorite"], "mark an actor as a favourite", arguments: [NamedCommands.key()])
  private static let unfavourite = Command(
    "unfavourite", aliases: ["unfavorite"], "remove an actor from the favourites", arguments: [NamedCommands.key()])
  private static let gallery = Command(
    "gallery", "open an actor's images in the browser; print their paths if there is no desktop",
    arguments: [NamedCommands.key()])
  private static let website = Command(
    "website", "open an actor's website in the browser; print the URL if there is no desktop",
    arguments: [NamedCommands.key()])

  private static let actor = "Actor"
  private static let fields: [(option: Option, column: String)] = [
    (.value("category", "TEXT", in: actor, "main movie category"), "category"),
    (.value("birth-date", "DATE", in: actor, "birth date, as 1966-03-07 or march 1966"), "birth_date"),
    (.value("age", "YEARS", in: actor, "age, if the birth date is unknown"), "age"),
    (.value("birth-city", "TEXT", in: actor, "city of birth"), "birth_city"),
    (.value("phone", "TEXT", in: actor, "phone number"), "phone"),
    (.value("email", "TEXT", in: actor, "email address"), "email"),
    (.value("description", "TEXT", in: actor, "short description"), "description"),
    (.value("website", "URL", in: actor, "website"), "website"),
  ]
  private static let film = Option.value(
    "movie", aliases: ["film"], "TITLE", repeatable: true, in: actor, "movie title; may be repeated")
  private static let image = Option.value(
    "image", "FILE", values: .file, repeatable: true, in: actor,
    "image file; the first is the portrait; may be repeated")
  private static let link = Option.flag("link", in: actor, "store image paths instead of copies")
  private static let isFavourite = Option.flag(
    "favourite", aliases: ["favorite"], in: actor, "mark the actor as a favourite")
  private static let partial = Option.flag("partial", in: actor, "allow missing fields")
  private static let favourites = Option.flag("favourites", aliases: ["favorites"], in: actor, "only favourites")

  private static func select(_ context: CommandContext, _ selection: inout Selection) {
    if context.has(favourites) { selection.conditions.append(Condition("favourite", .equal, "true")) }
  }

  /// The age on the day of the clock, where the date of birth is known.
  private static func age(of record: Record, _ context: CommandContext) -> Int64? {
    let today = context.clock.now().timestamp
    let years = record[.birthDate].flatMap { Dates.years(from: $0, to: today) }
    return years.flatMap { $0 < 0 ? nil : Int64($0) } ?? record[.age]
  }

  private static func withAges(_ context: CommandContext, _ record: Record) -> Record {
    var record = record
    record["age"] = age(of: record, context).map { .integer($0) } ?? .null
    return record
  }

  private static func addActor(_ context: CommandContext) async throws(Problem) {
    let records = try named.records(context, makes: true)
    let id = try await records.newIdentifier(context.services.identifiers.next())
    var record = records.draft(id: id)
    if let name = context.arguments.first { record = try Assignment(parsing: "name=\(name)").applied(to: record) }
    for (option, column) in fields {
      if let text = context[option] {
        record = try Assignment(parsing: "\(column)=\(text)").applied(to: record, today: context.today)
      }
    }
    let films = context.invocation.all(film)
    if !films.isEmpty { record[.filmography] = films }
    record[.favourite] = context.has(isFavourite)
    // Images are copied last, but a missing one is reported first.
    let pictures = context.invocation.all(image)
    if !pictures.isEmpty { record[.images] = pictures }
    do throws(Problem) {
      try records.check(record, isPartial: context.has(partial))
    } catch {
      guard context.services.terminal.isInteractive, !records.kind.missing(record).isEmpty else {
        var problem = error
        if records.kind.missing(record).isEmpty { throw problem }
        if record[.name] == nil {
          problem.hint = "for example: bb-notes actors add 'A. Person' --partial"
        } else if !context.has(partial) {
          problem.hint = "add them, or use --partial"
        }
        throw problem
      }
      let advice = [
        "a new actor", "filmography and images: separate values with “; ”", "images: file paths, portrait first",
      ]
      guard let (filled, text, draft) = try await named.filledIn(record, context, advice: advice, isNew: true) else {
        return
      }
      return try await context.editing().saving(text, draft: draft, about: "a new actor") { () throws(Problem) in
        try records.check(filled, isPartial: context.has(partial))
        try await named.add(filled, records, context)
      }
    }
    try await named.add(record, records, context)
  }

  /// The record with copies of its new images, unless paths or URLs are to be kept.
  private static let withPictures: @Sendable (Record, Record?, CommandContext) async throws(Problem) -> Record =
    {
      (record, before, context) async throws(Problem) in
      let images = record[.images], known = before?[.images] ?? []
      if context.has(link) || images.allSatisfy(known.contains) { return record }
      let directory = try context.services.images.stored(try context.location().text)
      var names: [String] = []
      for path in images {
        let isKept = URLText.isWeb(path) || known.contains(path)
        names.append(
          isKept
            ? path
            : try await directory.add(path, to: "actors", record: record[.id] ?? ""))
      }
      var result = record
      result[.images] = names
      return result
    }

  private static func mark(_ context: CommandContext, _ isFavourite: Bool) async throws(Problem) {
    let records = try named.records(context)
    let before = try await records.find(context.arguments[0], acceptsPart: context.acceptsPart)
    var after = before
    after[.favourite] = isFavourite
    let isChanged = try await records.change(isFavourite ? "favourite" : "unfavourite", before, to: after)
    let name = before[.name] ?? ""
    context.say(FavouritesCommands.outcome(name, isFavourite: isFavourite, isChanged: isChanged))
  }

  private static func show(_ context: CommandContext) async throws(Problem) {
    let record = try await named.records(context).find(context.arguments[0])
    if try await named.showInFormat(record, context) { return }
    var text = (record[.name] ?? "") + (record[.favourite] ? " ★" : "") + "\n"
    func line(_ label: String, _ value: String?) { if let value, !value.isEmpty { text += "\(label): \(value)\n" } }
    line("category", record[.category])
    line("born", record[.birthDate])
    line("age", age(of: record, context).map(String.init))
    line("city of birth", record[.birthCity])
    line("phone", record[.phone])
    line("email", record[.email])
    line("website", record[.website])
    line("movies", record[.filmography].joined(separator: "; "))
    line("images", record[.images].joined(separator: "; "))
    if let description = record[.description] { text += "\n\(description)\n" }
    let added = record[.createdAt].map { ", added \(LocalTime.text(of: $0))" } ?? ""
    text += "\n\(record[.id] ?? "")\(added)\n"
    try await context.page(text)
  }

  private static func openWebsite(_ context: CommandContext) async throws(Problem) {
    let record = try await named.records(context).find(context.arguments[0])
    guard let url = record[.website] else {
      throw Problem(.absent, "no website recorded for \(record[.name] ?? "")")
    }
    let isPage = URLText.isWeb(url)
    if isPage, context.services.desktop.open(url) { return }
    try await context.page(url + "\n")
  }

  /// Opens a page with all images on a desktop; otherwise prints one path or URL per line.
  private static func showGallery(_ context: CommandContext) async throws(Problem) {
    let record = try await named.records(context).find(context.arguments[0])
    let images = record[.images], name = record[.name] ?? ""
    guard !images.isEmpty else { throw Problem(.absent, "no images recorded for \(name)") }
    let directory = try context.services.images.stored(try context.location().text)
    let places = images.map { directory.path(of: $0) ?? $0 }
    if context.services.desktop.isPresent {
      let page = try await context.services.desktop.keep(page: GalleryPage.html(name, images: places))
      if context.services.desktop.open(page) { return }
    }
    try await context.page(places.joined(separator: "\n") + "\n")
  }
}
