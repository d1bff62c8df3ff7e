import AppShell
import CommandLineKit
import Domain
import Rows

/// Which episode a command line means: an argument `[PRODUCTION:]S05E14`, or `--season 5 --episode 14`.
enum EpisodeArguments {
  /// The options that name an episode.
  static let options = [SharedOptions.production, Options.season, Options.episode]

  /// The show of a key that names none: `--production`, `BB_PRODUCTION`, the configuration, else Breaking Bad.
  static func production(_ context: CommandContext) throws(Problem) -> String {
    EpisodeKey.production(context.invocation.setting(SharedOptions.production) ?? "Breaking Bad")
  }

  /// The episode, and the arguments after it; no episode if none was named.
  static func read(_ context: CommandContext) throws(Problem) -> (key: EpisodeKey?, rest: [String]) {
    let season = try context.invocation.integer(Options.season, in: 0...Int(Int32.max))
    let episode = try context.invocation.integer(Options.episode, in: 0...Int(Int32.max))
    let production = try production(context)
    switch (season, episode) {
    case (let season?, let episode?):
      return (EpisodeKey(production, season: season, episode: episode), context.arguments)
    case (nil, nil):
      guard let text = context.arguments.first else { return (nil, []) }
      return (try EpisodeKey(parsing: text, production: production), Array(context.arguments.dropFirst()))
    default:
      throw Problem(.usage, "--season and --episode must be used together", hint: "use both, or a key such as S05E14")
    }
  }

  /// The one episode that is meant.
  /// - Throws: `usage` when none is named, or more than that.
  static func one(_ context: CommandContext) throws(Problem) -> EpisodeKey {
    let (key, rest) = try read(context)
    guard let key else { throw missing }
    if let word = rest.first { throw Problem(.usage, "unexpected argument “\(word)”") }
    return key
  }

  /// The problem of a command line without an episode.
  static let missing = Problem(.usage, "missing argument KEY", hint: "use an episode key: [PRODUCTION:]S05E14")
}
