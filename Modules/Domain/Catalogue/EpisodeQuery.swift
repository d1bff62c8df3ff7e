import Codecs
public import Query
public import Rows

/// The short ways to say what people ask most: `--production bb`, `--season 1`, `--episode S05E14`, `--name Saul`.
public enum EpisodeQuery {
  /// Season and number of `S05E14`, `s5e14` or `5x14`.
  /// - Throws: `usage` for anything else.
  public static func episode(_ text: String) throws(Problem) -> (season: Int, episode: Int) {
    let lower = text.lowercased()
    let parts =
      (lower.hasPrefix("s")
      ? lower.dropFirst().split(at: "e", omittingEmptySubsequences: false)
      : lower.split(at: "x", omittingEmptySubsequences: false)).map {
        $0.utf8.allSatisfy { $0 &- 48 < 10 } ? Int($0) : nil
      }
    guard parts.count == 2, let season = parts[0], let episode = parts[1] else {
      throw Problem(.usage, "invalid episode “\(text)”", hint: "use S05E14 or 5x14")
    }
    return (season, episode)
  }

  /// The records of a production, by its name.
  public static func production(_ name: String, in schema: Schema) throws(Problem) -> Condition {
    if schema.position(of: "productions") != nil { return Condition("productions", .equal, name) }
    return Condition(try column(["production"], .production, schema), .equal, name)
  }

  /// `--season` for a dataset, as conditions of which one must hold: for characters, the seasons they appear in.
  /// - Parameters:
  ///   - season: the number of the season.
  ///   - schema: the schema of the dataset.
  ///   - production: the name of the production; nil for any.
  public static func season(_ season: Int, in schema: Schema, production: String?) throws(Problem) -> [Condition] {
    let shows = TitleNames.builtIn.seasonColumns(of: schema)
      .filter { production == nil || production == $0.show.key }
    let columns = shows.isEmpty ? [try column(["season"], .season, schema)] : shows.map(\.column)
    return columns.map { Condition($0, .equal, String(season)) }
  }

  /// `--episode` for a dataset: `S05E14`, or `bb:S05E14`.
  /// `title` returns the name of the production that a text means.
  public static func episode(
    _ text: String, in schema: Schema, title: (String) throws(Problem) -> String
  ) throws(Problem) -> [Condition] {
    if let colon = text.unicodeScalars.lastIndex(of: ":") {
      let number = try episode(String(text[text.index(after: colon)...]), in: schema, title: title)
      return [try production(try title(String(text[..<colon])), in: schema)] + number
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
