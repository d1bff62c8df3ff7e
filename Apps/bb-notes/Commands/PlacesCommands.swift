import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

enum PlacesCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(
        "places", "manage places",
        [CommandEntry(add, addPlace)]
          + named.entries(
            show: show, search: [visited, planned], selecting: select, assigning: assignments, showOptions: [map])
          + [CommandEntry(directions, showDirections), CommandEntry(allOnMap, showMap)],
        examples: ["places add Luzern --at 47.05,8.3", "places list --planned", "places show Luzern --map"])
    ]
  }

  private static let named = NamedCommands(
    kind: .place, columns: ["name", "latitude", "longitude", "visited_on", "comment"])

  private static let forms = "47.05,8.3, 47°3'N 8°18'E or geo:47.05,8.3"
  private static let add = Command(
    "add", "add a place",
    discussion: "Coordinates: \(forms). On a terminal, missing values are requested in your editor.",
    arguments: [Argument("NAME", count: .optional, "name")], options: [at, comment, visitedOn],
    examples: ["places add Luzern --at 47.05,8.3 --comment 'the bridge' --visited 2024-05"])
  private static let directions = Command(
    "directions", "open directions to a place in the browser; print the URL if there is no desktop",
    arguments: [NamedCommands.key()], options: [from], examples: ["places directions Luzern --from 46.95,7.45"])

  private static let allOnMap = Command(
    "map", "open a map of all places in the browser; print the path of the page if there is no desktop",
    discussion: "The page contains the map and the list of places. It needs no network.",
    options: [mapOutput], examples: ["places map", "places map -o places.html"])

  private static let place = "Place"
  private static let mapOutput = Option.value(
    "output", short: "o", "FILE", values: .file, in: place, "write the page to FILE instead of opening it")
  private static let at = Option.value("at", "LAT,LON", setting: .coordinates, in: place, "coordinates: \(forms)")
  private static let comment = Option.value("comment", "TEXT", in: place, "comment")
  private static let visitedOn = Option.value(
    "visited", "DATE", in: place, "date visited, as 2024-05-17, may 2024 or yesterday; omit for a planned visit")
  private static let from = Option.value(
    "from", "LAT,LON", in: place, "starting point: coordinates, or a place: its key or a unique part of its name")
  private static let map = Option.flag(
    "map", in: place, "open a map in the browser; print the URL if there is no desktop")
  private static let visited = Option.flag("visited", in: place, "only visited places").excluding("planned")
  private static let planned = Option.flag("planned", in: place, "only planned places")

  private static func select(_ context: CommandContext, _ selection: inout Selection) throws(Problem) {
    if context.has(visited) { selection.conditions.append(Condition("visited_on", .isNotNull)) }
    if context.has(planned) { selection.conditions.append(Condition("visited_on", .isNull)) }
  }

  /// `at=LAT,LON` stands for both coordinates.
  private static func assignments(_ context: CommandContext, _ text: String) throws(Problem) -> [Assignment] {
    guard text.hasPrefix("at=") else { return [try Assignment(parsing: text)] }
    let coordinates = try Coordinates(parsing: String(text.dropFirst(3)))
    return [
      try Assignment(parsing: "latitude=\(coordinates.latitude)"),
      try Assignment(parsing: "longitude=\(coordinates.longitude)"),
    ]
  }

  private static func addPlace(_ context: CommandContext) async throws(Problem) {
    let records = try named.records(context, makes: true)
    var record = records.draft(id: try await records.newIdentifier(context.services.identifiers.next()))
    if let name = context.arguments.first { record = try Assignment(parsing: "name=\(name)").applied(to: record) }
    if let text = context[at] {
      let coordinates = try Coordinates(parsing: text)
      record[.latitude] = coordinates.latitude
      record[.longitude] = coordinates.longitude
    }
    if let text = context[comment] { record = try Assignment(parsing: "comment=\(text)").applied(to: record) }
    if let date = context[visitedOn] {
      record = try Assignment(parsing: "visited_on=\(date)").applied(to: record, today: context.today)
    }
    do throws(Problem) {
      try records.check(record)
    } catch {
      guard context.services.terminal.isInteractive, !PersonalDataset.place.missing(record).isEmpty else { throw error }
      let advice = [
        "a new place: name, latitude and longitude are required", "visited_on: 2024, 2024-05 or 2024-05-17",
      ]
      guard let (filled, text, draft) = try await named.filledIn(record, context, advice: advice, isNew: true) else {
        return
      }
      return try await context.editing().saving(text, draft: draft, about: "a new place") { () throws(Problem) in
        try records.check(filled)
        try await named.add(filled, records, context)
      }
    }
    try await named.add(record, records, context)
  }

  private static func coordinates(of record: Record) throws(Problem) -> Coordinates {
    let name = record[.name] ?? "the place"
    guard let latitude = record[.latitude], let longitude = record[.longitude] else {
      throw Problem(.badData, "no coordinates recorded for \(name)")
    }
    do throws(Problem) {
      return try Coordinates(latitude: latitude, longitude: longitude)
    } catch {
      // The coordinates are stored, not given now.
      throw Problem(
        .badData, "\(name): \(error.message)", hint: "set the coordinates with: bb-notes places set NAME at=LAT,LON")
    }
  }

  private static func show(_ context: CommandContext) async throws(Problem) {
    let record = try await named.records(context).find(context.arguments[0])
    if !context.has(map), try await named.showInFormat(record, context) { return }
    let coordinates = try coordinates(of: record)
    if context.has(map) { return try await open(coordinates.mapURL, context) }
    var text = "\(record[.name] ?? "")\n\(coordinates.text)\n"
    text += record[.visitedOn].map { "visited \($0)\n" } ?? "planned\n"
    text += "\(coordinates.mapURL)\n"
    if let comment = record[.comment] { text += "\n\(comment)\n" }
    let added = record[.createdAt].map { ", added \(LocalTime.text(of: $0))" } ?? ""
    text += "\n\(record[.id] ?? "")\(added)\n"
    try await context.page(text)
  }

  private static func showDirections(_ context: CommandContext) async throws(Problem) {
    let records = try named.records(context)
    var start: Coordinates?
    if let text = context[from] {
      do throws(Problem) { start = try Coordinates(parsing: text) } catch {
        // A place, unless the text looks like coordinates.
        guard !text.contains(","), !text.contains("°"), let place = try? await records.find(text) else { throw error }
        start = try coordinates(of: place)
      }
    }
    let record = try await records.find(context.arguments[0])
    try await open(try coordinates(of: record).directionsURL(from: start), context)
  }

  private static func showMap(_ context: CommandContext) async throws(Problem) {
    let services = context.services, repository = try context.repository()
    guard try await repository.store.contains(Catalog.places.name) else {
      throw noPlaces
    }
    let rows = try await repository.store.rows(of: Catalog.places.name, RowRequest())
    let sink = PageSink(), file = try context.invocation.locations(mapOutput).last?.place
    let output = Export.Output(try services.exporters.named("html"), ExportOptions()) { () throws(Problem) in
      try file?.sink(replaces: true) ?? sink
    }
    var selection = Selection()
    selection.columns = ["name", "visited_on", "comment", "latitude", "longitude"]
    let wanted = selection, export = Export(to: [output], threads: 1, scratch: services.scratch)
    let summary = try await export.run(rows) { (stream) throws(Problem) in
      try wanted.apply(to: stream, scratch: services.scratch)
    }
    if file != nil { return }
    guard summary.rows > 0 else { throw noPlaces }
    let page = try await services.desktop.keep(page: sink.bytes)
    try await open(page, context)
  }

  private static var noPlaces: Problem {
    Problem(.absent, "no places recorded", hint: "add one with: bb-notes places add NAME --at LAT,LON")
  }

  private static func open(_ url: String, _ context: CommandContext) async throws(Problem) {
    if context.services.desktop.open(url) { return }
    try await context.page(url + "\n")
  }
}
