import AppShell
import CommandLineKit

enum NotesCommands {
  static var entries: [CommandEntry] {
    [
      CommandEntry(add, NoteWriting.add), CommandEntry(list, NoteListing.list), CommandEntry(show, NoteListing.show),
      CommandEntry(edit, NoteWriting.edit), CommandEntry(set, NoteWriting.set),
      CommandEntry(delete, NoteWriting.delete),
      CommandEntry(search, NoteListing.search), CommandEntry(episodes, EpisodeListing.list),
    ]
  }

  private static let keyForms = "[PRODUCTION:]S05E14, s5e14 or 5x14"
  private static let key = Argument(
    "KEY", values: .dynamic("record"), count: .optional, "episode: \(keyForms), or a unique part of its title")

  private static let add = Command(
    "add", "add a note to an episode",
    discussion: """
      KEY is \(keyForms), or the title. The words after it are the note; - reads it from standard input. On a terminal, both can be \
      omitted: choose the episode from a list, and write the text in your editor. Each episode has at most one note: if it already has \
      one, the editor opens it; without a terminal, use --append, --replace or the edit command.
      """,
    arguments: [
      Argument("KEY TEXT", values: .dynamic("record"), count: .any, "episode key and note text; - for standard input")
    ],
    options: [message, addTag, append, replace, force, refresh, APIOptions.offlineOption] + EpisodeArguments.options,
    examples: [
      "add S05E14 what a chapter", "add S05E14 -m \"Hank's last words\" --tag finale", "add bcs:1x01 - < draft.txt",
      "add S05E14 --append 'and the end'",
    ])
  private static let list = Command(
    "list", "list notes, by production, season and episode",
    options: [SharedOptions.production, Options.season, tag] + SharedOptions.selecting + OutputOptions.listing,
    examples: ["list --production bb --season 5", "list --tag finale", "list --json"])
  private static let show = Command(
    "show", "show a note", arguments: [key], options: EpisodeArguments.options + OutputOptions.listing,
    examples: ["show S05E14", "show bcs:1x01 -f html"])
  private static let edit = Command(
    "edit", "edit a note in your editor, or replace its text",
    arguments: [Argument("KEY TEXT", count: .any, "episode: \(keyForms), or a unique part of its title; new text")],
    options: EpisodeArguments.options, examples: ["edit S05E14", "edit S05E14 'what a chapter'"])
  private static let set = Command(
    "set", "set fields of a note, play, rating, list entry or title",
    arguments: [
      Argument("[TABLE] KEY COLUMN=VALUE", values: .dynamic("record"), count: .any, "episode key and the new values")
    ],
    options: [unset] + EpisodeArguments.options,
    examples: ["set S05E14 'text=what a chapter'", "set ratings ec rating=9", "set titles 'The Wire' short=wire"])
  private static let delete = Command(
    "delete", "delete notes, plays, ratings, list entries or titles (undo with bb-notes undo or trash restore)",
    arguments: [Argument("[TABLE] KEY", values: .dynamic("record"), count: .any, "keys")],
    options: [Options.yes, Options.dryRun] + EpisodeArguments.options,
    examples: ["delete S05E14 --yes", "delete ratings 'Heat (1995)' --yes"])
  private static let search = Command(
    "search", "list notes that contain words starting with the search words",
    arguments: [Argument("TEXT", count: .any, "search words, in any order, ignoring case and accents")],
    options: [SharedOptions.production, Options.season, tag] + SharedOptions.selecting + OutputOptions.listing,
    examples: ["search chapt"])
  private static let episodes = Command(
    "episodes", "list known episodes, by production, season and number",
    options: [SharedOptions.production, Options.season, refresh, APIOptions.offlineOption] + SharedOptions.selecting
      + OutputOptions.listing,
    examples: ["episodes --production bcs --season 1", "episodes --where 'has_note = true'"])

  private static let action = "Action"
  static let message = Option.value("message", short: "m", "TEXT", in: action, "note text")
  static let addTag = Option.value(
    "tag", "NAME", values: .dynamic("tag"), repeatable: true, in: action, "add #NAME to the text; may be repeated")
  static let tag = Option.value(
    "tag", "NAME", values: .dynamic("tag"), repeatable: true, in: "Selection",
    "only notes with #NAME in the text; may be repeated")
  static let append = Option.flag("append", in: action, "append the text to the existing note").excluding("replace")
  static let replace = Option.flag("replace", in: action, "replace the existing note")
  static let force = Option.flag("force", in: action, "accept an episode that is not known")
  static let refresh = Option.flag("refresh", in: action, "check the API for new episodes now").excluding("offline")
  static let unset = Option.value("unset", "COLUMN", repeatable: true, in: action, "set a field to null")
}
