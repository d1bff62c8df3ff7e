import AppShell
import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// `bb-export comment add`: posts a comment on a movie to the box office.
struct CommentCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  static let actions = [
    CommandAction("add", Argument("MOVIE", "movie"), Argument("TEXT", count: .optional, "comment text"))
  ]

  func run() async throws(Problem) {
    let words = invocation.arguments
    let comment = try NewComment(
      writer: invocation[Options.writer], rating: invocation[Options.rating],
      contents: words.count > 2 ? words[2] : nil)
    guard case .live(let name, let live) = try SourceOptions(invocation).live(for: Catalog.comments.name) else {
      throw Problem(.usage, "cannot post a comment to the snapshot source", hint: "remove --source")
    }
    let film = try await film(words[1], name, live)
    let stored = try await services.sources.submitter(name, live)
      .submit(comment.record(on: film.id), to: Catalog.comments.name)
    for (column, sent) in comment.record(on: film.id).sorted(by: { $0.key < $1.key }) {
      if let kept = stored[column], !Self.isSame(kept, sent) {
        services.report.warning("the server stored a different \(column): \(Terminal.safe(Self.text(kept)))")
      }
    }
    let id = stored["id"].map { " with id \(Self.text($0))" } ?? ""
    try services.terminal.write(
      Terminal.safe("Posted the comment by \(comment.writer) on \(film.title)\(id).") + "\n")
  }

  /// The movie with this id, this title, or a part of the title that matches only one movie.
  private func film(_ words: String, _ name: String, _ live: APIOptions) async throws(Problem) -> (
    id: String, title: String
  ) {
    let source = try await services.sources.open(.live(name: name, live))
    let stream = try await source.rows(of: Catalog.movies.name, RowRequest(columns: ["id", "title"]))
    let id = try stream.schema.column(named: "id"), title = try stream.schema.column(named: "title")
    var films: [(id: String, title: String)] = []
    for batch in try await stream.collect() {
      for row in 0..<batch.count { films.append((Self.text(batch.value(row, id)), Self.text(batch.value(row, title)))) }
    }
    if let film = films.first(where: { $0.id == words }) { return film }
    let found = NameMatch.positions(of: words, in: films.map(\.title))
    guard let first = found.first else {
      throw Problem(.absent, "movie not found: “\(words)”", at: source.name, hint: "list movies with: bb-export movies")
    }
    guard found.count == 1 else {
      let list = found.map { "\(films[$0].title) (\(films[$0].id))" }.joined(separator: ", ")
      throw Problem(.usage, "“\(words)” matches several movies: \(list)", at: source.name, hint: "use the movie id")
    }
    let whole = films[first].title
    var isMeant = Fold.folded(whole) == Fold.folded(words)
    if !isMeant, services.terminal.isInteractive {
      isMeant = try services.terminal.dialog.confirms("comment on \(whole)?")
    }
    guard isMeant else {
      throw Problem(.absent, "movie not found: “\(words)”", at: source.name, hint: "did you mean \(whole)?")
    }
    return films[first]
  }

  /// Whether a server's value is the one that was sent, however it writes numbers.
  private static func isSame(_ kept: Value, _ sent: Value) -> Bool {
    switch sent {
    case .integer, .real: Double(text(kept)) == Double(text(sent))
    default: kept.plainText == sent.plainText
    }
  }

  private static func text(_ value: Value) -> String { String(decoding: value.plainText, as: UTF8.self) }
}
