import CommandLineKit
import Domain

/// Commands about notes on episodes.
enum NotesCommands {
  static var entries: [Entry] {
    [Entry(list, showList), Entry(episodes, showEpisodes)]
  }

  private static let list = Command(
    "list", "list the notes, in order of production, season and episode",
    options: [Options.production, Options.season] + Options.selecting + Options.showing,
    examples: ["list --production bb --season 5", "list --json"])
  private static let episodes = Command(
    "episodes", "list the episodes one can choose, in order of production, season and number",
    options: [Options.production, Options.season] + Options.selecting + Options.showing,
    examples: ["episodes --production bcs --season 1"])

  /// `--production` and `--season`, and the options of every list.
  private static func selection(_ desk: Desk, _ schema: Schema) throws(Problem) -> Selection {
    var selection = try Listing.selection(desk.invocation)
    if let name = desk[Options.production] {
      selection.conditions.append(Condition("production", .equal, EpisodeKey.production(name)))
    }
    if let season = try desk.invocation.integer(Options.season, in: 0...Int(Int32.max)) {
      selection.conditions.append(Condition("season", .equal, String(season)))
    }
    return selection
  }

  private static func showList(_ desk: Desk) async throws(Problem) {
    let selection = try selection(desk, Catalog.notes)
    let rows = try await desk.book().rows(of: Catalog.notes, selection)
    let listing = Listing(desk, kind: "notes", columns: ["production", "season", "episode", "text", "updated_at"])
    try await listing.write(rows, selection)
  }

  private static func showEpisodes(_ desk: Desk) async throws(Problem) {
    let selection = try selection(desk, Catalog.episodes)
    let rows = try await desk.environment.episodes.rows(of: "episodes", RowRequest(selection: selection))
    let listing = Listing(
      desk, kind: "episodes", columns: ["production", "season", "episode", "title", "air_date"])
    try await listing.write(rows, selection)
  }
}
