import Codecs
public import Query
public import Rows

/// The short ways to say what people ask most: `--production bb`, `--season 1`, `--episode S05E14`, `--name Saul`.
public enum EpisodeQuery {
  /// The productions, and what they are called for short.
  public static let productions: [(name: String, short: String)] = [
    ("Breaking Bad", "bb"), ("Better Call Saul", "bcs"), ("El Camino", "ec"),
  ]

  /// The name of a production, from its name ignoring case and spaces, or from its short form.
  /// - Throws: `usage` with the available names.
  public static func production(_ text: String) throws(Problem) -> String {
    func plain(_ text: String) -> String { text.lowercased().filter { !" -_".contains($0) } }
    if let found = productions.first(where: { plain($0.name) == plain(text) || $0.short == text.lowercased() }) {
      return found.name
    }
    let hint: Remedy = .advice("available: " + productions.map { "\($0.name) (\($0.short))" }.joined(separator: ", "))
    throw Problem(.usage, "unknown show “\(text)”", hint: hint)
  }

  /// Season and number of `S05E14`, `s5e14` or `5x14`.
  /// - Throws: `usage` for anything else.
  static func episode(_ text: String) throws(Problem) -> (season: Int, episode: Int) {
    let lower = text.lowercased()
    let parts =
      (lower.hasPrefix("s")
      ? lower.dropFirst().split(separator: "e", omittingEmptySubsequences: false)
      : lower.split(separator: "x", omittingEmptySubsequences: false)).map {
        $0.utf8.allSatisfy { $0 &- 48 < 10 } ? Int($0) : nil
      }
    guard parts.count == 2, let season = parts[0], let episode = parts[1] else {
      throw Problem(.usage, "invalid episode “\(text)”", hint: "use S05E14 or 5x14")
    }
    return (season, episode)
  }

  /// `--production` for a dataset.
  public static func production(_ text: String, in schema: Schema) throws(Problem) -> Condition {
    let name = try production(text)
    if schema.position(of: "productions") != nil { return Condition("productions", .equal, name) }
    return Condition(try column(["production"], .production, schema), .equal, name)
  }

  /// `--season` for a dataset, as conditions of which one must hold: for characters, the seasons they appear in.
  /// - Parameters:
  ///   - season: the number of the season.
  ///   - schema: the schema of the dataset.
  ///   - production: the name of the production; nil for any.
  public static func season(_ season: Int, in schema: Schema, production: String?) throws(Problem) -> [Condition] {
    let shows = [("Breaking Bad", "breaking_bad_seasons"), ("Better Call Saul", "better_call_saul_seasons")]
      .filter { schema.position(of: $0.1) != nil && (production == nil || production == $0.0) }
    let columns = shows.isEmpty ? [try column(["season"], .season, schema)] : shows.map(\.1)
    return columns.map { Condition($0, .equal, String(season)) }
  }

  /// `--episode` for a dataset: `S05E14`, or `bb:S05E14`.
  public static func episode(_ text: String, in schema: Schema) throws(Problem) -> [Condition] {
    if let colon = text.lastIndex(of: ":") {
      let number = try episode(String(text[text.index(after: colon)...]), in: schema)
      return [try production(String(text[..<colon]), in: schema)] + number
    }
    let (season, episode) = try episode(text)
    return [
      Condition(try column(["season"], .episode, schema), .equal, String(season)),
      Condition(try column(["episode"], .episode, schema), .equal, String(episode)),
    ]
  }

  /// The column that `--name` filters in a dataset: the character, the title of a movie or an episode, or the writer of
  /// a comment.
  public static func nameColumn(of schema: Schema) throws(Problem) -> String {
    try column(["name", "character", "title", "writer"], .namePart, schema)
  }

  private static func column(_ names: [String], _ setting: Setting, _ schema: Schema) throws(Problem) -> String {
    if let name = names.first(where: { schema.position(of: $0) != nil }) { return name }
    throw Problem(setting, "cannot be used with \(schema.name)", hint: .set(.conditions, to: "COLUMN = VALUE"))
  }
}
