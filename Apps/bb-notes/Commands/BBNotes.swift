import AppShell
import CommandLineKit

/// The program's description: help, completions, man page and parsing are made from it.
enum BBNotes {
  static let version = Release.version

  /// Every command, in the order of the help. A group of commands adds a line.
  static let entries: [Entry] =
    NotesCommands.entries
    + PlacesCommands.entries
    + ActorsCommands.entries
    + MoviesCommands.entries
    + FavouritesCommands.entries
    + TransferCommands.entries
    + HistoryCommands.entries
    + StorageCommands.entries + GeneralCommands.entries

  static let program = Program(
    "bb-notes", version: version, released: Release.date, "take notes on TV episodes, places and actors",
    discussion: """
      Keeps notes on episodes, places, actors and favourites in a store: an SQLite database, or a directory of CSV or \
      JSON \
      files.
      Every change can be undone with `bb-notes undo`.
      """,
    commands: entries.map(\.command),
    options: Options.everywhere, topics: Topics.all,
    examples: ["add S05E14 'what a chapter'", "list --production bb", "episodes --production bcs --season 1"],
    files: [.configuration, .store, .cache, .drafts], related: ["bb-export"])

  /// The action of the command at a path.
  static func action(at path: [String]) -> Entry.Action? {
    entries.lazy.compactMap { $0.action(at: path) }.first
  }
}
