import CommandLineKit

/// Commands about notes on episodes.
enum NotesCommands {
  static var entries: [Entry] {
    [
      Entry(add, NoteWriting.add), Entry(list, NoteListing.list), Entry(show, NoteListing.show),
      Entry(edit, NoteWriting.edit), Entry(set, NoteWriting.set), Entry(delete, NoteWriting.delete),
      Entry(search, NoteListing.search), Entry(episodes, EpisodeListing.list),
    ]
  }

  private static let keyForms = "[PRODUCTION:]S05E14, s5e14 or 5x14"
  private static let key = Argument("KEY", count: .optional, "which episode: \(keyForms)")

  private static let add = Command(
    "add", "add a note on an episode",
    discussion: """
      KEY is \(keyForms), then comes the text; - reads it from standard input. On a terminal, what is missing is asked for: the episode from a \
      list, the text in your editor. An episode has one note: when it has one already, the editor opens on it; without a terminal say --append, \
      --replace, or use edit.
      """,
    arguments: [Argument("KEY TEXT", count: .any, "which episode, and the text; - for standard input")],
    options: [append, replace, refresh] + EpisodeArguments.options,
    examples: ["add S05E14 'what a chapter'", "add bcs:1x01 - < draft.txt", "add S05E14 --append 'and the end'"])
  private static let list = Command(
    "list", "list the notes, in order of production, season and episode",
    options: [Options.production, Options.season] + Options.selecting + Options.showing,
    examples: ["list --production bb --season 5", "list --json"])
  private static let show = Command(
    "show", "show a note", arguments: [key], options: EpisodeArguments.options + Options.showing,
    examples: ["show S05E14", "show bcs:1x01 -f html"])
  private static let edit = Command(
    "edit", "change a note in your editor", arguments: [key], options: EpisodeArguments.options,
    examples: ["edit S05E14"])
  private static let set = Command(
    "set", "change columns of a note",
    arguments: [Argument("KEY COLUMN=VALUE", count: .any, "which episode, and what is to be different")],
    options: [unset] + EpisodeArguments.options, examples: ["set S05E14 'text=what a chapter'"])
  private static let delete = Command(
    "delete", "delete notes; undo and trash bring them back",
    arguments: [Argument("KEY", count: .any, "which episodes")],
    options: [Options.yes] + EpisodeArguments.options, examples: ["delete S05E14 --yes"])
  private static let search = Command(
    "search", "list the notes that have words beginning with these",
    arguments: [Argument("TEXT", "the words, in any order, without regard to case and accents")],
    options: [Options.production, Options.season] + Options.selecting + Options.showing,
    examples: ["search chapt"])
  private static let episodes = Command(
    "episodes", "list the episodes one can choose, in order of production, season and number",
    options: [Options.production, Options.season, refresh] + Options.selecting + Options.showing,
    examples: ["episodes --production bcs --season 1", "episodes --where 'has_note = true'"])

  private static let action = "Action"
  static let append = Option.flag("append", in: action, "add the text to the note there is")
  static let replace = Option.flag("replace", in: action, "put the text in the place of the note there is")
  static let refresh = Option.flag("refresh", in: action, "ask the API for new episodes now")
  static let unset = Option.value("unset", "COLUMN", repeatable: true, in: action, "make a column null")
}
