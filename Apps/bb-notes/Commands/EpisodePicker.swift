import AppShell
import CommandLineKit
import Domain
import Rows

/// Prompts for an episode on a terminal: the season, then the episode.
struct EpisodePicker {
  private let context: CommandContext
  private let repository: RecordRepository

  init(_ context: CommandContext, _ repository: RecordRepository) {
    self.context = context
    self.repository = repository
  }

  /// The chosen episode; nil if the user cancelled.
  func pick() async throws(Problem) -> EpisodeKey? {
    var episodes = try await context.choices(repository).all(refresh: context.has(NotesCommands.refresh))
    let names = try await context.titleNames(repository), usual = try EpisodeArguments.production(context, names)
    if context[SharedOptions.production] != nil {
      let production = usual
      let all = episodes
      episodes = all.filter { $0.key.production == production }
      if episodes.isEmpty, !all.isEmpty { throw EpisodeChoices.unknownProduction(production, among: all, names) }
    }
    let noted = try await EpisodeListing.noted(repository)
    var seasons: [Season] = []
    for episode in episodes {
      let key = episode.key
      if let last = seasons.last, last.production == key.production, last.number == key.season {
        seasons[seasons.count - 1].episodes.append(episode)
      } else {
        seasons.append(Season(production: key.production, number: key.season, episodes: [episode]))
      }
    }
    // The default show first.
    seasons = seasons.filter { $0.production == usual } + seasons.filter { $0.production != usual }
    guard !seasons.isEmpty else { throw Problem(.noInput, "no episodes found") }
    let dialog = context.services.terminal.dialog
    guard let season = try dialog.choose("Which season?", among: seasons.map { $0.label(noted) }) else { return nil }
    let chosen = seasons[season].episodes
    let labels = chosen.map { $0.label + (noted.contains($0.key) ? "  (has a note)" : "") }
    let title = "Which episode of \(seasons[season].production), season \(seasons[season].number)?"
    guard let episode = try dialog.choose(title, among: labels) else { return nil }
    return chosen[episode].key
  }

  private struct Season {
    let production: String
    let number: Int
    var episodes: [EpisodeChoice]

    func label(_ noted: Set<EpisodeKey>) -> String {
      let notes = episodes.filter { noted.contains($0.key) }.count
      return "\(production), season \(number)" + (notes == 0 ? "" : "  (\(notes == 1 ? "1 note" : "\(notes) notes"))")
    }
  }
}
