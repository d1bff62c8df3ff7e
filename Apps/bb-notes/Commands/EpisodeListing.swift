import AppShell
import CommandLineKit
import Domain
import Query
import Rows

enum EpisodeListing {
  private static let schema = Schema(
    "episodes", "known episodes", key: ["production", "season", "episode"],
    columns: ["production", "season", "episode", "title", "air_date"].compactMap { name in
      Catalog.episodes.position(of: name).map { Catalog.episodes.columns[$0] }
    } + [ColumnDescription("has_note", .boolean, nullable: false, "whether the episode has a note")])

  static func list(_ context: CommandContext) async throws(Problem) {
    var selection = try context.selection(for: schema)
    let repository = try context.repository(), names = try await context.titleNames(repository)
    selection.conditions += try conditions(context, names)
    let episodes = try await context.choices(repository).all(refresh: context.has(NotesCommands.refresh))
    if let text = context[SharedOptions.production] {
      let production = try names.key(of: text)
      guard episodes.contains(where: { $0.key.production == production }) else {
        throw EpisodeChoices.unknownProduction(production, among: episodes, names)
      }
    }
    let noted = try await noted(repository)
    let records = episodes.map { episode in
      let values = episode.key.values
      return Record(
        schema,
        [
          "production": values[0], "season": values[1], "episode": values[2],
          "title": episode.title.map { .text($0) } ?? .null, "air_date": episode.airDate.map { .text($0) } ?? .null,
          "has_note": .boolean(noted.contains(episode.key)),
        ])
    }
    try await Listing(context, kind: "episodes").write(records, of: schema, selection)
  }

  static func noted(_ repository: RecordRepository) async throws(Problem) -> Set<EpisodeKey> {
    let rows = try await repository.rows(of: Catalog.notes)
    let positions = ["production", "season", "episode"].compactMap { rows.schema.position(of: $0) }
    let schema = rows.schema.projected(to: positions)
    var keys: Set<EpisodeKey> = []
    while let work = try await rows.next() {
      for record in try work.batch().projected(to: positions).records(of: schema) {
        if let key = EpisodeKey(of: record) { keys.insert(key) }
      }
    }
    return keys
  }

  /// What `--production` and `--season` ask for.
  static func conditions(_ context: CommandContext, _ names: TitleNames) throws(Problem) -> [Condition] {
    var conditions: [Condition] = []
    if let name = context[SharedOptions.production] {
      conditions.append(Condition("production", .equal, try names.key(of: name)))
    }
    if let season = try context.invocation.integer(Options.season, in: 0...Int(Int32.max)) {
      conditions.append(Condition("season", .equal, String(season)))
    }
    return conditions
  }
}
