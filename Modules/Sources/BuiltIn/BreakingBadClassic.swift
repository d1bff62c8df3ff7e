import Domain

extension APIDescription {
  /// The older Breaking Bad API. Its first server no longer exists; other servers implement it.
  ///
  /// Seasons and numbers are text, one with a leading space; several fields are comma-separated lists, arrays, or null,
  /// depending on the path.
  public static let breakingBadClassic = APIDescription(
    name: "breaking-bad-classic",
    summary: "the older Breaking Bad and Better Call Saul API, from any server that implements it",
    baseURL: "https://www.breakingbadapi.com/api",
    datasets: [
      APIDataset(
        Catalog.characters, path: "/characters", filters: [SourceParameter("production", "category")],
        randomPath: "/character/random",
        columns: [
          SourceColumn("id", from: "/char_id"),
          SourceColumn("name", from: "/name"),
          SourceColumn("nickname", from: "/nickname", nulls: SourceColumn.unknown),
          SourceColumn(
            "birthday", from: "/birthday", formats: [.monthDayYear, .year, .day], nulls: SourceColumn.unknown,
            invalid: ["Invalid date"]),
          SourceColumn("occupations", from: "/occupation", nulls: SourceColumn.unknown, steps: [.split]),
          SourceColumn("images", from: "/img", nulls: SourceColumn.unknown, steps: [.wrap]),
          SourceColumn.status,
          SourceColumn("portrayed_by", from: "/portrayed", nulls: SourceColumn.unknown),
          SourceColumn("productions", from: "/category", nulls: SourceColumn.unknown, steps: [.split]),
          SourceColumn("breaking_bad_seasons", from: "/appearance", nulls: SourceColumn.unknown, steps: [.split]),
          SourceColumn(
            "better_call_saul_seasons", from: "/better_call_saul_appearance", nulls: SourceColumn.unknown,
            steps: [.split]),
        ]),
      APIDataset(
        Catalog.episodes, path: "/episodes",
        columns: [
          SourceColumn("production", from: "/series", steps: [.trim]),
          SourceColumn("season", from: "/season"),
          SourceColumn("episode", from: "/episode"),
          SourceColumn("id", from: "/episode_id"),
          SourceColumn("title", from: "/title"),
          SourceColumn(
            "air_date", from: "/air_date", formats: [.monthDayYear, .day], nulls: SourceColumn.unknown,
            invalid: ["Invalid date"]),
          SourceColumn("characters", from: "/characters", nulls: SourceColumn.unknown),
        ]),
      APIDataset(
        Catalog.quotes, path: "/quotes", filters: [SourceParameter("production", "series")],
        randomPath: "/quote/random", randomFilters: [SourceParameter("name", "author")], occurrence: "occurrence",
        columns: [
          SourceColumn("id", from: "/quote_id"),
          SourceColumn("quote", from: "/quote"),
          SourceColumn("character", from: "/author", nulls: SourceColumn.unknown),
          SourceColumn("production", from: "/series", nulls: SourceColumn.unknown),
        ]),
      APIDataset(
        Catalog.deaths, path: "/deaths", randomPath: "/random-death",
        columns: [
          SourceColumn("id", from: "/death_id"),
          SourceColumn("character", from: "/death"),
          SourceColumn("cause", from: "/cause", nulls: SourceColumn.unknown),
          SourceColumn("responsible", from: "/responsible", nulls: SourceColumn.unknown, steps: [.wrap]),
          SourceColumn("last_words", from: "/last_words", nulls: SourceColumn.unknown),
          SourceColumn("season", from: "/season", nulls: SourceColumn.unknown),
          SourceColumn("episode", from: "/episode", nulls: SourceColumn.unknown),
          SourceColumn("number_of_deaths", from: "/number_of_deaths"),
        ]),
    ])
}
