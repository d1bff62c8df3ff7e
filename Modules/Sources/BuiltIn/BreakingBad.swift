import Domain

extension APIDescription {
  /// The API of Breaking Bad, Better Call Saul and El Camino, which is the default source.
  ///
  /// It numbers episodes by season: 501 is season 5 episode 1. `productions` and `name` match exactly; an unknown name
  /// yields status 404.
  public static let breakingBad = APIDescription(
    name: "breaking-bad",
    summary: "characters, episodes, quotes and deaths of Breaking Bad, Better Call Saul and El Camino",
    baseURL: "https://breaking-bad-api-six.vercel.app/api",
    datasets: [
      APIDataset(
        Catalog.characters, path: "/characters",
        filters: [SourceParameter("name", "name"), SourceParameter("production", "productions")],
        randomPath: "/characters/random",
        columns: [
          SourceColumn("id", from: "/character_id"),
          SourceColumn("name", from: "/name"),
          SourceColumn("full_name", from: "/full_name", nulls: SourceColumn.unknown),
          SourceColumn("aliases", from: "/aliases", nulls: SourceColumn.unknown),
          SourceColumn(
            "birthday", from: "/birthday", formats: [.monthDayYear, .year, .monthNameYear], nulls: SourceColumn.unknown,
            invalid: ["Invalid date"]),
          SourceColumn("occupations", from: "/occupations", nulls: SourceColumn.unknown),
          SourceColumn("images", from: "/images", nulls: SourceColumn.unknown),
          SourceColumn.status,
          SourceColumn("portrayed_by", from: "/portrayed_by", nulls: SourceColumn.unknown),
          SourceColumn("productions", from: "/productions", nulls: SourceColumn.unknown),
          SourceColumn("breaking_bad_seasons", from: "/appearance/breaking_bad"),
          SourceColumn("better_call_saul_seasons", from: "/appearance/better_call_saul"),
          SourceColumn("el_camino", from: "/appearance/el_camino", steps: [.hasElements]),
        ]),
      APIDataset(
        Catalog.episodes, path: "/episodes", filters: [SourceParameter("production", "production")],
        randomPath: "/episodes/random",
        columns: [
          SourceColumn("production", from: "/production"), .season, .episode,
          SourceColumn("id", from: "/episode_id"),
          SourceColumn("title", from: "/title"),
          SourceColumn(
            "air_date", from: "/air_date", formats: [.monthDayYear], nulls: SourceColumn.unknown,
            invalid: ["Invalid date"]),
          SourceColumn("synopsis", from: "/synopsis", nulls: [""]),
          SourceColumn("written_by", from: "/written_by", nulls: SourceColumn.unknown),
          SourceColumn("directed_by", from: "/directed_by", nulls: SourceColumn.unknown),
          SourceColumn("characters", from: "/characters", nulls: SourceColumn.unknown),
          SourceColumn("image", from: "/image", nulls: SourceColumn.unknown),
        ]),
      APIDataset(
        Catalog.quotes, path: "/quotes", filters: [SourceParameter("name", "character")],
        randomPath: "/quotes/random",
        randomFilters: [SourceParameter("name", "character"), SourceParameter("production", "production")],
        occurrence: "occurrence",
        columns: [
          SourceColumn("id", from: "/quote_id"),
          SourceColumn("quote", from: "/quote"),
          SourceColumn("character", from: "/character", nulls: SourceColumn.unknown),
          SourceColumn("production", from: "/production", nulls: SourceColumn.unknown), .season, .episode,
        ]),
      APIDataset(
        Catalog.deaths, path: "/deaths", randomPath: "/deaths/random",
        columns: [
          SourceColumn("id", from: "/death_id"),
          SourceColumn("character", from: "/character"),
          SourceColumn("cause", from: "/cause", nulls: SourceColumn.unknown),
          SourceColumn("details", from: "/details", nulls: SourceColumn.unknown),
          SourceColumn("responsible", from: "/responsible", nulls: SourceColumn.unknown),
          SourceColumn("connected", from: "/connected", nulls: SourceColumn.unknown),
          SourceColumn("last_words", from: "/last_words", nulls: SourceColumn.unknown),
          SourceColumn("production", from: "/production", nulls: SourceColumn.unknown), .season, .episode,
          SourceColumn("image", from: "/image", nulls: SourceColumn.unknown),
        ]),
    ])
}

extension SourceColumn {
  /// The season of an episode's number: 5 of 501.
  static let season = SourceColumn("season", from: "/episode", nulls: unknown, steps: [.divide(by: 100)])
  /// The number within its season: 1 of 501.
  static let episode = SourceColumn("episode", from: "/episode", nulls: unknown, steps: [.remainder(by: 100)])

  /// Whether a character is alive; older responses use `Deceased`.
  static let status = SourceColumn(
    "status", from: "/status", nulls: unknown,
    steps: [
      .words([
        SourceParameter("Alive", "alive"), SourceParameter("Dead", "dead"), SourceParameter("Deceased", "dead"),
        SourceParameter("Presumed dead", "presumed dead"),
      ])
    ],
    missing: "unknown")
}
