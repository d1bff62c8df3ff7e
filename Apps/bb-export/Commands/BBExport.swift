import CommandLineKit

/// The program's description: help, completions, man page and parsing are made from it.
enum BBExport {
  static let version = Release.version

  static let table = Command(
    "table", "write a dataset, or a table of a file",
    discussion: "The word table may be left out: `bb-export episodes` is `bb-export table episodes`.",
    arguments: [
      Argument(
        "DATASET", values: .dynamic("dataset"), count: .optional, "what to write; a file's only table needs no name")
    ],
    options: Options.selecting + Options.exporting + Options.readingFiles + [Options.storage] + Options.asking,
    examples: [
      "episodes --where 'season = 1' --production bb", "characters -o characters.csv -o characters.json",
      "quotes --production 'El Camino' --sample 1", "--from people.csv --where 'age >= 18' -f json",
    ])
  static let sync = Command(
    "sync", "fetch datasets into a storage, only what changed",
    discussion: """
      Each dataset is compared with what the storage has and written in one step. A source that fails, or has less than half of the records it \
      had, changes nothing. Without DATASET all that the source has are fetched.
      """,
    arguments: [Argument("DATASET", values: .dynamic("dataset"), count: .any, "what to fetch")],
    options: [Options.target, Options.syncImages, Options.dryRun, Options.allowShrink, Options.replace]
      + Options.readingFiles
      + [Options.fromStorage] + Options.asking + Options.exporting,
    examples: [
      "sync --storage sqlite:bb.db", "sync quotes --storage csv:data --dry-run",
      "sync --from people.csv --storage sqlite:bb.db", "sync characters --storage csv:data --images data/images",
    ])
  static let datasets = Command(
    "datasets", "list the datasets, or the columns of one",
    arguments: [Argument("DATASET", values: .dynamic("dataset"), count: .optional, "the dataset to describe")],
    options: Options.exporting)
  static let formats = Command("formats", "list the formats and their options", options: Options.exporting)
  static let sources = Command(
    "sources", "list the sources, show one as a file, check a file that describes one",
    discussion:
      "A JSON file describes an API of yours; --source FILE asks it. sources show NAME prints a built-in source as such a file, to "
      + "begin with; sources schema prints the JSON Schema of these files, which editors complete and check by.",
    arguments: [
      Argument(
        "ACTION", values: .words(["check", "show", "schema"]), count: .any,
        "check FILE: whether FILE describes a source; show NAME; schema")
    ],
    options: Options.exporting,
    examples: ["sources show box-office > my-api.json", "sources check my-api.json", "sources schema > bb-source.json"])
  static let check = Command(
    "check", "list what is odd in datasets: a table like any other",
    discussion: CheckCommand.discussion,
    arguments: [
      Argument(
        "DATASET", values: .dynamic("dataset"), count: .any, "what to look at; all that the source has when not said")
    ],
    options: Options.selecting.filter { !CheckCommand.without.contains($0) } + Options.exporting + Options.readingFiles
      + [Options.storage]
      + Options.asking,
    examples: ["check", "check quotes episodes --where 'check = unresolved-name'", "check movies -f csv"])
  static let comment = Command(
    "comment", "send a comment on a film to the box office",
    discussion: "Writer, rating and text are all needed. It is sent once and never tried again.",
    arguments: [
      Argument("ACTION", values: .words(["add"]), "add"),
      Argument("MOVIE", "the film: its id, its title, or a part of the title that no other film has"),
      Argument("TEXT", count: .any, "what you say of it, in quotes"),
    ],
    options: [
      Options.writer, Options.rating, Options.source, Options.api, Options.proxy, Options.cacert,
    ],
    examples: ["comment add 5a54c286e8a71d136fb5378e --writer Mina --rating 9 'See it twice.'"])
  static let images = Command(
    "images", "fetch the pictures that the records of a dataset name", discussion: ImagesCommand.discussion,
    arguments: [
      Argument(
        "DATASET", values: .dynamic("dataset"), count: .optional, "whose pictures; a file's only table needs no name")
    ],
    options: [Options.imageFolder, Options.parallel, Options.maxImage, Options.maxTotal]
      + Options.selecting.filter { !ImagesCommand.without.contains($0) } + Options.readingFiles + [Options.storage]
      + Options.asking + [Options.progress],
    examples: [
      "images characters -o pictures", "images episodes --production bcs --season 6 -o stills",
      "images --from people.csv --columns portrait -o portraits",
    ])
  static let open = Command(
    "open", "open a record's picture, or a show's page, on a desktop; else print where it is",
    arguments: [
      Argument("DATASET", values: .dynamic("dataset"), "the dataset, or imdb for the page of a show"),
      Argument(
        "KEY", count: .any, "the record's key or name, or S05E14; then image, website or imdb to say what of it"),
    ], options: [Options.production, Options.storage] + Options.asking,
    examples: [
      "open characters 'Walter White'", "open episodes S05E14 image --production bb", "open imdb --production bcs",
    ])
  static let tap = Command(
    "tap", "be a Singer tap: write the datasets as messages for targets", discussion: TapCommand.discussion,
    options: [Options.tapConfig, Options.tapState, Options.catalog, Options.discover, Options.storage] + Options.asking,
    examples: ["tap --discover", "tap --config config.json --catalog catalog.json"])
  static let plugins = Command(
    "plugins", "list formats that other programs make, describe or try one", discussion: PluginsCommand.discussion,
    arguments: [
      Argument("ACTION", values: .words(["list", "info", "test"]), count: .any, "list; info NAME; test NAME")
    ], options: Options.exporting, examples: ["plugins", "plugins test lines"])
  static let completions = Command(
    "completions", "print a script that completes command lines",
    discussion: Completions.instructions(for: "bb-export"),
    arguments: [Argument("SHELL", values: .words(Completions.Shell.allCases.map(\.rawValue)), "bash, zsh or fish")])
  static let config = Command(
    "config", "show the settings and their origins, or change one", discussion: ConfigurationCommand.discussion,
    arguments: ConfigurationCommand.arguments, options: Options.exporting, examples: ConfigurationCommand.examples)
  static let help = Command(
    "help", "show help for a command or a topic",
    arguments: [
      Argument("TOPIC", values: .dynamic("topic"), count: .any, "a command, a topic, or man for the manual page")
    ], examples: ["help selection", "help man > bb-export.1"])

  static let program = Program(
    "bb-export", version: version, released: Release.date,
    "write datasets of television and film, or any table of yours, to files in any format",
    discussion: """
      Fetches TV and movie datasets from JSON APIs, keeps them in a store, and converts any CSV, JSON or SQLite table between \
      formats without changing a value.
      A store is an SQLite database, or a directory of CSV or JSON files.
      """,
    commands: [
      table, sync, datasets, formats, sources, check, comment, images, open, plugins, tap, completions, config, help,
    ],
    defaultCommand: "table",
    options: Options.everywhere, topics: Topics.all,
    examples: [
      "episodes --where 'season = 1'", "characters -o characters.csv", "--from people.csv -f json", "formats",
    ],
    files: [.configuration, .store, .cache, .plugins], related: ["bb-notes"])
}
