import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about the films in the storage.
enum MoviesCommands {
  static var entries: [Entry] {
    [
      Entry(
        "movies", "the films in the storage; bb-export sync movies fetches them",
        [Entry(list, showList), Entry(show, showOne)],
        examples: ["movies list --order date", "movies show 3"])
    ]
  }

  private static let order = Option.value(
    "order", "BY", values: .words(MovieOrder.allCases.map(\.rawValue)), in: "Selection",
    "by rate of reservations, by the editors' curation, or newest date first; rate when not said")
  private static let list = Command(
    "list", "list the films", options: [order] + Options.selecting + Options.showing)
  private static let show = Command(
    "show", "show a film", discussion: "Without --format, all that is known of it is shown, one column a line.",
    arguments: [Argument("FILM", "its id or its title")], options: Options.showing)

  private static let columns = [
    "reservation_rank", "title", "grade", "reservation_rate", "user_rating", "release_date",
  ]

  private static func showList(_ desk: Desk) async throws(Problem) {
    var selection = try Listing.selection(desk.invocation)
    if desk.has(order), !selection.sort.isEmpty {
      throw Problem(.usage, "--order and --sort contradict each other", hint: "give one of them")
    }
    if selection.sort.isEmpty {
      selection.sort = (desk.invocation.setting(order).flatMap(MovieOrder.init) ?? .rate).sort
    }
    let rows = try await desk.book().rows(of: Catalog.movies, selection)
    try await Listing(desk, kind: "movies", columns: columns).write(rows, selection)
  }

  private static func showOne(_ desk: Desk) async throws(Problem) {
    let text = desk.arguments[0]
    var selection = Selection()
    selection.alternatives = [[Condition("id", .equal, text), Condition("title", .equal, text)]]
    let book = try desk.book()
    var found = try await book.records(of: Catalog.movies, selection)
    if found.isEmpty {
      let wanted = Fold.folded(text)
      found = try await book.records(of: Catalog.movies).filter { Fold.folded($0.text("title") ?? "") == wanted }
    }
    guard let film = found.first(where: { $0.keyText == text }) ?? found.first else {
      let titles = try await book.records(of: Catalog.movies).compactMap { $0.text("title") }
      let near = Nearest.word(to: text, among: titles).map { "did you mean \($0)?" }
      throw Problem(
        .absent, "there is no film “\(text)”",
        hint: near ?? (titles.isEmpty ? "bb-export sync movies --storage … fetches them" : ""))
    }
    guard film.keyText == text || found.count == 1 else {
      throw Problem(
        .usage, "“\(text)” means \(found.count) films",
        hint: "name one by its id: \(found.prefix(5).map(\.keyText).joined(separator: ", "))")
    }
    try await Listing(desk, kind: "movies", format: "record").write([film], of: film.schema)
  }
}
