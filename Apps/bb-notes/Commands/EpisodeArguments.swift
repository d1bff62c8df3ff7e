import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Which episode a command line means: an argument `[PRODUCTION:]S05E14`, its title, or `--season 5 --episode 14`.
enum EpisodeArguments {
  static let options = [SharedOptions.production, Options.season, Options.episode]

  /// The show of a key that names none: `--production`, `BB_PRODUCTION`, the configuration, else the first of all.
  static func production(_ context: CommandContext, _ names: TitleNames) throws(Problem) -> String {
    guard let text = context[SharedOptions.production] ?? context.invocation.configuration[.production]?.value else {
      return TitleNames.usual
    }
    let key = try names.key(of: text)
    if try names.exactKey(of: text) != key { try requireWhole(text, key, context, in: "shows") }
    return key
  }

  /// The same for a command line without `--production`: a key that is printed without a show is of this one.
  static func usualProduction(_ context: CommandContext, _ names: TitleNames) throws(Problem) -> String {
    try names.key(of: context.invocation.configuration[.production]?.value ?? TitleNames.usual)
  }

  /// The episode, and the arguments after it; no episode if none was named.
  /// - Parameter wholeTitle: whether a part of a title names no episode, because text follows it.
  static func read(
    _ context: CommandContext, wholeTitle: Bool = false
  ) async throws(Problem) -> (key: EpisodeKey?, rest: [String]) {
    let season = try context.invocation.integer(Options.season, in: 0...Int(Int32.max))
    let episode = try context.invocation.integer(Options.episode, in: 0...Int(Int32.max))
    // A store that cannot be read is reported when the record is read, with the text of the user kept.
    let names = (try? await context.titleNames(try context.repository(makes: true))) ?? .builtIn
    switch (season, episode) {
    case (let season?, let episode?):
      return (EpisodeKey(try production(context, names), season: season, episode: episode), context.arguments)
    case (nil, nil):
      guard let text = context.arguments.first else { return (nil, []) }
      return (try await key(text, context, names, wholeTitle: wholeTitle), Array(context.arguments.dropFirst()))
    default:
      throw Problem(.usage, "--season and --episode must be used together", hint: "use both, or a key such as S05E14")
    }
  }

  /// The one episode that is meant.
  /// - Throws: `usage` when none is named, or more than that.
  static func one(_ context: CommandContext) async throws(Problem) -> EpisodeKey {
    let (key, rest) = try await read(context)
    guard let key else { throw missing }
    if let word = rest.first { throw Problem(.usage, "unexpected argument “\(word)”") }
    return key
  }

  /// The episode that a key, a title, or a part of a title that only one has means, ignoring case and accents.
  /// - Throws: `usage` for a text that means none, or several.
  static func key(
    _ text: String, _ context: CommandContext, _ names: TitleNames, wholeTitle: Bool = false
  ) async throws(Problem) -> EpisodeKey {
    let production = try production(context, names), invalid: Problem
    do throws(Problem) {
      let key = try EpisodeKey(parsing: text, production: production, names: names)
      let whole = try EpisodeKey(parsing: text, production: production, names: names.exact)
      if whole != key { try requireWhole(text, key.text, context) }
      return key
    } catch {
      if error.kind == .absent { throw error }
      invalid = error
    }
    // A movie is one episode.
    if let title = names[try names.exactKey(of: text)], title.kind == .movie {
      return EpisodeKey(title.key, season: 1, episode: 1)
    }
    let only = context.has(SharedOptions.production) ? production : nil
    let titles = try await context.choices(try context.repository(makes: true)).titles()
      .filter { only == nil || $0.key.production == only }.sorted { $0.key < $1.key }
    var found = NameMatch.positions(of: text, in: titles.map(\.value)).map { titles[$0] }
    if wholeTitle { found = found.filter { Fold.folded($0.value) == Fold.folded(text) } }
    if found.count == 1 {
      try requireWhole(text, found[0].value, context)
      return found[0].key
    }
    guard found.isEmpty else {
      let keys = found.prefix(5).map { "\(names.argument($0.key)) (\($0.value))" }.joined(separator: ", ")
      throw Problem(
        .usage, "“\(text)” matches \(found.count) episodes",
        hint: "use a key: \(keys)\(found.count > 5 ? ", …" : "")")
    }
    var problem = invalid
    if let near = Remedy.nearest(text, among: titles.map(\.value)) { problem.hint = near }
    throw problem
  }

  /// As `CommandContext.requireWhole`, if the command changes what it names.
  private static func requireWhole(
    _ text: String, _ name: String, _ context: CommandContext, in place: String = "episodes"
  ) throws(Problem) {
    if context.invocation.path.last != "show" { try context.requireWhole(text, named: name, in: place) }
  }

  /// The problem of a command line without an episode.
  static let missing = Problem(.usage, "missing argument KEY", hint: "use an episode key: [PRODUCTION:]S05E14")
}
