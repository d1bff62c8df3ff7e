import CommandLineKit

/// The program's description: help, completions, man page and parsing are made from it.
enum BBNotes {
  static let version = "0.1.0"

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
    "bb-notes", version: version, "keep notes on episodes, places and actors", commands: entries.map(\.command),
    options: Options.everywhere, topics: Topics.all,
    examples: ["add S05E14 'what a chapter'", "list --production bb", "episodes --production bcs --season 1"])

  /// What the command with these words does.
  static func action(at path: [String]) -> Entry.Action? {
    entries.lazy.compactMap { $0.action(at: path) }.first
  }
}
