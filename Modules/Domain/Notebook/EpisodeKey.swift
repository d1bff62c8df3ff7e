import Query
public import Rows

/// Which episode: what notes are about.
public struct EpisodeKey: Sendable, Hashable, Comparable {
  /// The show.
  public let production: String
  /// The season, and the number within it; from 1.
  public let season: Int, episode: Int

  /// An episode.
  public init(_ production: String, season: Int, episode: Int) {
    self.production = production
    self.season = season
    self.episode = episode
  }

  /// Reads `[PRODUCTION:]S05E14`, `s5e14` or `5x14`; also `PRODUCTION S05E14` and `PRODUCTION/5/14`, as messages and
  /// lists of keys write them.
  /// - Parameters:
  ///   - text: the key.
  ///   - production: of a key that names none.
  ///   - names: the titles that are known; the name of another is taken as it is.
  /// - Throws: `usage` for anything else.
  public init(
    parsing text: String, production: String, names: TitleNames = .builtIn
  ) throws(Problem) {
    let parts = text.split(at: "/", omittingEmptySubsequences: false)
    if parts.count > 2, let season = Int(parts[parts.count - 2]), let episode = Int(parts[parts.count - 1]) {
      let production = parts.dropLast(2).joined(separator: "/").replacing("%2F", with: "/").replacing("%25", with: "%")
      self.init(production, season: season, episode: episode)
      return
    }
    guard let colon = text.lastIndex(where: { $0 == ":" || $0 == " " }) else {
      let (season, episode) = try EpisodeQuery.episode(text)
      self.init(production, season: season, episode: episode)
      return
    }
    let (season, episode) = try EpisodeQuery.episode(String(text[text.index(after: colon)...]))
    self.init(try names.key(of: String(text[..<colon])), season: season, episode: episode)
  }

  /// The key of a record that has columns production, season and episode; nil when one of them has no value.
  public init?(of record: Record) {
    guard let production = record[.production], let season = record[.season],
      let episode = record[.episode]
    else { return nil }
    self.init(production, season: Int(season), episode: Int(episode))
  }

  /// The key's values, in the order of the datasets' keys.
  public var values: [Value] { [.text(production), .integer(Int64(season)), .integer(Int64(episode))] }
  /// `S05E14`.
  public var short: String {
    func two(_ number: Int) -> String { (0..<10 ~= number ? "0" : "") + String(number) }
    return "S\(two(season))E\(two(episode))"
  }
  /// `Breaking Bad S05E14`.
  public var text: String { "\(production) \(short)" }

  /// The distance to another episode: by seasons, then by numbers. A manually edited file may contain any numbers.
  func distance(to other: EpisodeKey) -> (seasons: UInt, episodes: UInt) {
    func between(_ a: Int, _ b: Int) -> UInt { UInt(bitPattern: a > b ? a &- b : b &- a) }
    return (between(season, other.season), between(episode, other.episode))
  }

  /// In order of production (as bytes), season, and episode (as numbers).
  public static func < (a: EpisodeKey, b: EpisodeKey) -> Bool { StoredKey(a.values) < StoredKey(b.values) }
}
