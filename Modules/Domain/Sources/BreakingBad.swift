extension SourceDescription {
  /// Every API that is built in; the first is the one that is asked when none is named.
  public static let builtIn: [SourceDescription] = [breakingBad]

  private static let unknown = Step.null(["", "?", "Unknown"])

  /// The Breaking Bad API: characters, episodes, quotes and deaths of the three shows, each as one bare array.
  ///
  /// Episodes are numbered season × 100 + number; an empty list of seasons means that a character does not appear.
  public static let breakingBad = SourceDescription(
    "breaking-bad", "characters, episodes, quotes and deaths of Breaking Bad, Better Call Saul and El Camino",
    baseURL: "https://breaking-bad-api-six.vercel.app/api",
    datasets: [
      Dataset(
        "characters", path: "/characters",
        queries: [
          Query("name", path: "/characters", parameter: "name"),
          Query("production", path: "/characters", parameter: "productions"),
          Query("random", path: "/characters/random", isRandom: true),
        ],
        columns: [
          Column("id", from: "/character_id"), Column("name", from: "/name"),
          Column("full_name", from: "/full_name", unknown),
          Column("nickname", from: nil), Column("aliases", from: "/aliases"),
          Column("birthday", from: "/birthday", unknown, .date(["MM-DD-YYYY", "YYYY", "Month YYYY"])),
          Column("occupations", from: "/occupations"), Column("images", from: "/images"),
          Column(
            "status", from: "/status",
            .rename(
              ["alive": "alive", "dead": "dead", "deceased": "dead", "presumed dead": "presumed dead"],
              otherwise: "unknown")),
          Column("portrayed_by", from: "/portrayed_by", unknown), Column("productions", from: "/productions"),
          Column("breaking_bad_seasons", from: "/appearance/breaking_bad"),
          Column("better_call_saul_seasons", from: "/appearance/better_call_saul"),
          Column("el_camino", from: "/appearance/el_camino", .isNotEmpty),
        ]),
      Dataset(
        "episodes", path: "/episodes",
        queries: [
          Query("production", path: "/episodes", parameter: "production"),
          Query("random", path: "/episodes/random", isRandom: true),
        ],
        columns: [
          Column("production", from: "/production"), Column("season", from: "/episode", .divide(100)),
          Column("episode", from: "/episode", .remainder(100)), Column("id", from: "/episode_id"),
          Column("title", from: "/title", unknown),
          Column("air_date", from: "/air_date", unknown, .date(["MM-DD-YYYY"])),
          Column("synopsis", from: "/synopsis", unknown),
          Column("written_by", from: "/written_by", unknown), Column("directed_by", from: "/directed_by", unknown),
          Column("characters", from: "/characters"), Column("image", from: "/image", unknown),
        ]),
      Dataset(
        "quotes", path: "/quotes",
        queries: [
          Query("name", path: "/quotes", parameter: "character"),
          Query("random", path: "/quotes/random", isRandom: true),
        ],
        occurrence: "occurrence",
        columns: [
          Column("id", from: "/quote_id"), Column("occurrence", from: nil), Column("quote", from: "/quote"),
          Column("character", from: "/character", unknown), Column("production", from: "/production", unknown),
          Column("season", from: "/episode", .divide(100)), Column("episode", from: "/episode", .remainder(100)),
        ]),
      Dataset(
        "deaths", path: "/deaths", queries: [Query("random", path: "/deaths/random", isRandom: true)],
        columns: [
          Column("id", from: "/death_id"), Column("character", from: "/character"),
          Column("cause", from: "/cause", unknown),
          Column("details", from: "/details", unknown), Column("responsible", from: "/responsible"),
          Column("connected", from: "/connected"), Column("last_words", from: "/last_words", unknown),
          Column("production", from: "/production", unknown), Column("season", from: "/episode", .divide(100)),
          Column("episode", from: "/episode", .remainder(100)), Column("number_of_deaths", from: "/number_of_deaths"),
          Column("image", from: "/image", unknown),
        ]),
    ])
}
