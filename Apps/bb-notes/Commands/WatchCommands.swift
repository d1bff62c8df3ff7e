import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Commands about what the user watched, and what comes next.
enum WatchCommands {
  static var entries: [CommandEntry] { [CommandEntry(watch, add), CommandEntry(next, showNext)] }

  private static let action = "Action"
  private static let day = Option.value(
    "on", "DAY", in: action, "day, as 2024-05-17, may 2024 or yesterday [default: today]"
  ).excluding("undated")
  private static let undated = Option.flag("undated", in: action, "watched on an unknown day")
  private static let rating = Option.value("rating", "N", in: action, "rating, above 0, at most 10")
  private static let message = Option.value("message", short: "m", "TEXT", in: action, "review")
  private static let watch = Command(
    "watch", "record that you watched episodes or a movie",
    discussion: """
      KEY is [PRODUCTION:]S05E14, a season (S05), episodes of one (S05E14-E16), or the title of a movie or an \
      episode. A second command for the same day changes the rating and the review.
      """,
    arguments: [Argument("KEY", values: .dynamic("production"), "episodes or a movie")],
    options: [day, undated, rating, message, SharedOptions.production, NotesCommands.force, APIOptions.offlineOption],
    examples: ["watch S05E14", "watch bcs:S01 --on 'may 2024'", "watch ec --rating 8.5"])
  private static let next = Command(
    "next", "list the next episode of each show that you watch",
    discussion: """
      Lists the first episode that was shown and that you did not watch, of each show that you watched an episode of \
      or that is on your list “following”, unless it is on your list “dropped”.
      """,
    options: [APIOptions.offlineOption] + SharedOptions.selecting + OutputOptions.listing)

  // MARK: - Keys

  /// The episodes of a key; a movie is one.
  private static func keys(
    _ text: String, _ names: TitleNames, _ choices: EpisodeChoices, _ context: CommandContext
  ) async throws(Problem) -> [EpisodeKey] {
    if let title = names[try names.exactKey(of: text)] {
      if title.kind == .movie { return [EpisodeKey(title.key, season: 1, episode: 1)] }
      throw Problem(
        .usage, "“\(text)” is a show",
        hint: "name episodes of it: \(Remedy.shellWord("\(title.short ?? title.key):S01E01"))")
    }
    let colon = text.lastIndex { $0 == ":" || $0 == " " }
    let tail = colon.map { String(text[text.index(after: $0)...]) } ?? text
    let parts = tail.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    let head = colon.map { String(text[...$0]) } ?? ""
    if let season = parts[0].hasPrefix("s") ? Int(parts[0].dropFirst()) : nil, parts.count == 1 {
      let first = try await EpisodeArguments.key("\(head)S\(season)E1", context, names)
      let known = try await choices.all().map(\.key)
        .filter { $0.production == first.production && $0.season == season }
      guard !known.isEmpty else {
        throw Problem(
          .absent, "no known episodes of \(first.production) season \(season)",
          hint: "name the episodes: \(head)S\(season)E1-E10")
      }
      return known
    }
    guard parts.count == 2, let start = try? EpisodeQuery.episode(parts[0]) else {
      do throws(Problem) { return [try await EpisodeArguments.key(text, context, names)] } catch {
        // A text other than a key may be the name of a movie.
        let letters = text.unicodeScalars.count { $0.properties.isAlphabetic }
        guard error.hint == "use S05E14 or 5x14", letters > 2 else { throw error }
        var problem = error
        problem.hint = .advice("add a movie with: bb-notes shows add \(Remedy.shellWord(text)) --movie")
        throw problem
      }
    }
    let first = try await EpisodeArguments.key(head + parts[0], context, names)
    let end = try? EpisodeQuery.episode(parts[1]),
      number = parts[1].hasPrefix("e") ? parts[1].dropFirst() : parts[1][...]
    let last = end.map { $0.season == start.season ? $0.episode : -1 } ?? Int(number) ?? -1
    guard last >= first.episode, last - first.episode < 1000 else {
      throw Problem(.usage, "invalid episodes “\(tail)”", hint: "for example: S01E02-E05")
    }
    return (first.episode...last).map { EpisodeKey(first.production, season: first.season, episode: $0) }
  }

  private static func shown(_ key: EpisodeKey, _ names: TitleNames, _ titles: [EpisodeKey: String]) -> String {
    if names[key.production]?.kind == .movie { return key.production }
    return key.text + (titles[key].map { " “\($0)”" } ?? "")
  }

  // MARK: - Commands

  private static func add(_ context: CommandContext) async throws(Problem) {
    let repository = try context.repository(makes: true), names = try await context.titleNames(repository)
    let choices = try context.choices(repository)
    let keys = try await keys(context.arguments[0], names, choices, context)
    for key in keys where !context.has(NotesCommands.force) {
      guard try await choices.holds(key, names) else { throw try await choices.unknown(key, names) }
    }
    var values = [Assignment(unset: "text")]
    if !context.has(undated) { values.append(try Assignment(parsing: "day=\(context[day] ?? context.today)")) }
    if let text = context[message] { values.append(try Assignment(parsing: "text=\(text)")) }
    if let text = context[rating] {
      guard let number = Double(text), number > 0, number <= 10 else {
        throw Problem(.usage, "invalid value “\(text)” for --rating", hint: "expected a number above 0, at most 10")
      }
      values.append(try Assignment(parsing: "rating=\(text)"))
    }
    let plays = Dictionary(grouping: try await repository.records(of: Catalog.watches)) { EpisodeKey(inTitleOf: $0) }
    var edits: [RecordRepository.Edit] = [], added: [EpisodeKey] = [], date = ""
    func made(_ play: Record, _ key: EpisodeKey, isAgain: Bool) -> Record {
      var play = play
      let id = "undated:\(key.production)/\(key.season)/\(key.episode)"
      play["id"] = .text(context.has(undated) ? id : context.services.identifiers.next())
      play["times"] = .integer(1)
      if isAgain { play["rewatch"] = .boolean(true) }
      for column in ["tags", "ids", "episode_ids"] { play[column] = .json(Array("[]".utf8)) }
      for column in ["created_at", "updated_at"] { play[column] = .text(repository.now) }
      return play
    }
    for key in keys {
      let known = plays[key] ?? []
      var play = Record(Catalog.watches, key.inTitle)
      for value in values { play = try value.applied(to: play, today: context.today) }
      date = play.text("day").map { " on \($0)" } ?? ""
      if let day = play.text("day"), day > context.today.prefix(day.count) {
        throw Problem(.usage, "\(day) is in the future", hint: "use a day up to \(context.today)")
      }
      if let same = known.first(where: { $0["day"] == play["day"] }) {
        var changed = same
        for column in ["rating", "text"] where play[column] != .null { changed[column] = play[column] }
        guard changed != same else { continue }
        changed["updated_at"] = .text(repository.now)
        edits.append(RecordRepository.Edit(from: same, to: changed))
      } else if !context.has(undated) || known.isEmpty {
        edits.append(RecordRepository.Edit(from: nil, to: made(play, key, isAgain: !known.isEmpty)))
      } else {
        continue
      }
      added.append(key)
      if play["rating"] != .null {
        let before = try await repository.record(of: Catalog.ratings, key: key.values)
        var rating = Record(Catalog.ratings, key.inTitle)
        (rating["rating"], rating["day"]) = (play["rating"], play["day"])
        edits.append(RecordRepository.Edit(from: before, to: rating))
      }
    }
    let titles = try await choices.titles(), last = keys[keys.count - 1]
    guard !added.isEmpty else {
      return context.say("\(shown(keys[0], names, titles)): no changes; it was watched\(date) before")
    }
    let what = added.count == 1 ? shown(added[0], names, titles) : "\(added[0].text) to \(last.short)"
    _ = try await repository.change("watch \(added.count == 1 ? added[0].text : what)", edits)
    let watched = Set(plays.keys).union(added)
    let following = try await following(choices, [last.production], watched, context).first
    context.say("watched \(what)\(date)\(following.map { "; next: \($0.label)" } ?? "")")
  }

  /// The first episode of each show that was shown and is not watched.
  private static func following(
    _ choices: EpisodeChoices, _ shows: Set<String>, _ watched: Set<EpisodeKey>, _ context: CommandContext
  ) async throws(Problem) -> [EpisodeChoice] {
    var found: [String: EpisodeChoice] = [:]
    for choice in try await choices.all() {
      let key = choice.key
      if shows.contains(key.production), found[key.production] == nil, key.season > 0, key.episode > 0,
        choice.airDate ?? "" <= context.today, !watched.contains(key)
      {
        found[key.production] = choice
      }
    }
    return found.values.sorted { $0.key < $1.key }
  }

  private static func showNext(_ context: CommandContext) async throws(Problem) {
    let schema = Schema(
      "next",
      columns: [
        ColumnDescription("key", .text, nullable: false, "the key, for commands"),
        ColumnDescription("production", .text, nullable: false, "show"),
        ColumnDescription("title", .text, "title of the episode"),
        ColumnDescription("air_date", .date, "day on which it was first shown"),
      ])
    let repository = try context.repository(), names = try await context.titleNames(repository)
    let watched = Set(try await repository.records(of: Catalog.watches).map(EpisodeKey.init(inTitleOf:)))
    let lists = try await repository.records(of: Catalog.lists)
    func titles(_ list: String) -> [String] { lists.filter { $0.text("list") == list }.compactMap { $0.text("title") } }
    let shows = Set(watched.map(\.production)).union(titles("following")).subtracting(titles("dropped"))
      .filter { names[$0]?.kind != .movie }
    let usual = try EpisodeArguments.usualProduction(context, names)
    let records = try await following(try context.choices(repository), shows, watched, context).map { choice in
      Record(
        schema,
        [
          "key": .text(choice.key.production == usual ? choice.key.short : names.printed(choice.key)),
          "production": .text(choice.key.production), "title": choice.title.map { .text($0) } ?? .null,
          "air_date": choice.airDate.map { .text($0) } ?? .null,
        ])
    }
    try await Listing(context, kind: "next").write(records, of: schema, try context.selection(for: schema))
  }
}
