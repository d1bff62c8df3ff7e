import AppShell
import CommandLineKit
import Domain
import Query
import Rows

enum MoviesCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(
        "movies", "list movies in the store (fetch them with bb-export sync movies)",
        [CommandEntry(list, showList), CommandEntry(show, showOne)],
        examples: ["movies list --order date", "movies show 3"])
    ]
  }

  private static let order = Option.value(
    "order", "ORDER", values: .words(MovieOrder.allCases.map(\.rawValue)), default: "rate", in: "Selection",
    "order by reservation rate, editors' picks, or release date (newest first)"
  ).excluding("sort")
  private static let list = Command(
    "list", "list movies", options: [order] + SharedOptions.selecting + OutputOptions.listing)
  private static let show = Command(
    "show", "show a movie", discussion: "Without --format, shows every field, one per line.",
    arguments: [Argument("MOVIE", "id, or a unique part of the title")], options: OutputOptions.listing)

  private static let columns = [
    "reservation_rank", "title", "grade", "reservation_rate", "user_rating", "release_date",
  ]

  private static func showList(_ context: CommandContext) async throws(Problem) {
    var selection = try context.selection(for: Catalog.movies)
    if selection.sort.isEmpty {
      selection.sort = (context.invocation.setting(order).flatMap(MovieOrder.init) ?? .rate).sort
    }
    let repository = try context.repository()
    let rows = try await repository.rows(of: Catalog.movies, selection)
    try await Listing(context, kind: "movies", columns: columns, first: columns).write(rows, selection)
    if try await !repository.store.contains(Catalog.movies.name) {
      context.say("no movies in the store; fetch them with: bb-export sync movies")
    }
  }

  private static func showOne(_ context: CommandContext) async throws(Problem) {
    let text = context.arguments[0]
    var selection = Selection()
    selection.alternatives = [[Condition("id", .equal, text), Condition("title", .equal, text)]]
    let repository = try context.repository()
    var found = try await repository.records(of: Catalog.movies, selection)
    if found.isEmpty {
      let all = try await repository.records(of: Catalog.movies)
      found = NameMatch.positions(of: text, in: all.map { $0.text("title") }).map { all[$0] }
    }
    guard let film = found.first(where: { $0.keyText == text }) ?? found.first else {
      let titles = try await repository.records(of: Catalog.movies).compactMap { $0.text("title") }
      let near = Remedy.nearest(text, among: titles)
      throw Problem(
        .absent, "movie not found: “\(text)”",
        hint: near ?? (titles.isEmpty ? "fetch movies with: bb-export sync movies --storage STORE" : ""))
    }
    guard film.keyText == text || found.count == 1 else {
      throw Problem(
        .usage, "“\(text)” matches \(found.count) movies",
        hint: "use an id: \(found.prefix(5).map(\.keyText).joined(separator: ", "))")
    }
    try await Listing(context, kind: "movies", format: "record").write([film], of: film.schema)
  }
}
