import AppShell
import CommandLineKit
import Domain
import LiveServices
import Rows

/// The program's description: help, completions, man page and parsing are made from it.
enum BBNotes {
  static let version = Release.version

  /// Every command, in the order of the help. A group of commands adds a line.
  static let entries: [CommandEntry] =
    NotesCommands.entries
    + PlacesCommands.entries
    + ActorsCommands.entries
    + MoviesCommands.entries
    + ShowsCommands.entries
    + WatchCommands.entries
    + FavouritesCommands.entries
    + TransferCommands.entries
    + TrackerCommands.entries
    + HistoryCommands.entries
    + StorageCommands.entries + [
      SharedCommands.completions(
        of: "bb-notes",
        CompletionValues(
          datasets: Catalog.all, columns: ["key", "title", "tags"] + Catalog.notes.columns.map(\.name),
          records: RecordNames.completions)),
      SharedCommands.help(examples: ["help places add"]),
    ]

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
    files: [.configuration, .store, .cache, .drafts], related: ["bb-export"],
    synonyms: SharedSynonyms.all + [
      Synonym("--text", "--note", "--body", for: "--message"), Synonym("--dataset", for: "--as"),
      Synonym("--date", "--on", "--when", for: "--visited"),
      Synonym("--date", "--when", "--day", for: "--on"), Synonym("--rate", "--stars", "--score", for: "--rating"),
      Synonym("--lat", "--lon", "--coordinates", "--coords", "--location", "--position", for: "--at"),
      Synonym("--born", "--birthday", "--dob", for: "--birth-date"),
      Synonym("--photo", "--picture", "--portrait", for: "--image"),
      Synonym("tag", "comment", "note", "write", for: "add"),
    ], assignments: LiveServices.assignments
  ) { (words) in
    // An episode is the argument of a command, and text that is searched for is not listed.
    let text = Remedy.shellWord(words.dropFirst().joined(separator: " "))
    if let first = words.first, (try? EpisodeKey(parsing: first, production: "")) != nil {
      return words.count == 1 ? "show \(first)" : "add \(first) \(text)"
    }
    if words.count > 1, words[0] == "tag" { return "add \(words[1]) --tag NAME" }
    guard words.count > 1, words[0] == "list" else { return nil }
    if let key = try? EpisodeKey(parsing: words[1], production: "") {
      return "list --season \(key.season) --episode \(key.episode)"
    }
    return "search \(text)"
  }

  static let application = Application(program, entries)
}
