import AppShell
import CommandLineKit
import Domain
import LiveServices
import Query
import Rows

/// The program's description: help, completions, man page and parsing are made from it.
enum BBExport {
  static let version = Release.version

  static let table = Command(
    "table", "write a dataset, or a table from files",
    discussion: """
      `table` can be omitted: `bb-export episodes` is the same as `bb-export table episodes`. An argument that contains \
      a dot or a slash, or is the name of a file but of no dataset, is a file to read, as after --from. Several files, \
      or a pattern in quotes, are read as one table: columns are matched by name. Into a database, a workbook or a \
      directory (-o DIR/) each is written as a table of its own, unless --as names the one table.
      """,
    arguments: [
      Argument(
        "DATASET|FILE", values: .dynamic("dataset"), takesFiles: true, count: .any,
        "dataset to write; or files to read, or - for standard input, and the table of a file with several")
    ],
    options: Options.selecting + [
      Options.join, Options.on, Options.joinType, Options.sql, Options.shard, Options.follow,
    ]
      + OutputOptions.exporting + [Options.outputKey]
      + Options.readingFiles + [Options.optionsFor, Options.sheet, Options.storage]
      + Options.apiOptions,
    examples: [
      "episodes --where 'season = 1' --production bb", "characters -o characters.csv -o characters.json",
      "quotes --production ec --sample 1", "quotes --count-by character -f bars",
      "people.csv --where 'age >= 18' -f json", "people.csv --sql 'SELECT count(*) FROM people'",
      "book.xlsx --table Prices -o prices.csv", "'logs/*.csv' --sort at -o all.ndjson",
    ], common: common)

  /// The options that are used most.
  private static let common = [
    "where", "columns", "drop", "put", "rename", "sort", "limit", "offset", "distinct", "group", "agg", "count", "join",
    "on", "sql", "types", "output", "format", "from", "help",
  ]
  static let profile = Command(
    "profile", "summarize the columns of a dataset, or of a table from files",
    discussion: """
      One row per column: its type, the share of nulls, the number of distinct values, and their distribution, extremes \
      or most frequent values. Of lists the elements are counted. Numbers marked ~ are estimates within about 2 %. With \
      a format, for example -f json or -o FILE, the figures are separate columns: quartiles, lengths, a histogram.
      """,
    arguments: table.arguments, options: table.options,
    examples: [
      "profile characters", "profile people.csv -f json", "profile quotes --where 'season = 1' -o profile.csv",
    ], common: common)
  static let schema = Command(
    "schema", "show the columns of a table: names, types, nulls, key",
    discussion: """
      One row per column. Of a Parquet file also the physical type, compression, encodings, row groups and bytes. With \
      -f json-schema, csvw or frictionless, or -o FILE.schema.json, writes a description that holds for all rows, for \
      `check --schema` and for other programs.
      """,
    arguments: table.arguments, options: table.options,
    examples: ["schema people.csv", "schema people.csv -f json-schema", "schema people.csv -o people.schema.json"],
    common: common)
  static let diff = Command(
    "diff", "compare two tables: rows that were added, changed or removed",
    discussion: DiffCommand.discussion,
    arguments: [
      Argument("OLD", values: .dynamic("dataset"), takesFiles: true, "table to compare: file, store or dataset"),
      Argument("NEW", values: .dynamic("dataset"), takesFiles: true, "table to compare it with"),
    ],
    options: [DiffCommand.key, DiffCommand.ignore]
      + Options.selecting.filter { !DiffCommand.without.contains($0) } + OutputOptions.exporting
      + Options.readingFiles.filter { $0 != Options.from } + [Options.optionsFor, Options.sheet] + Options.apiOptions,
    examples: [
      "diff old.csv new.csv --key id", "diff quotes sqlite:bb.db -o changes.csv",
      "diff sqlite:old.db sqlite:new.db --table people --ignore updated_at",
    ])
  static let sync = Command(
    "sync", "fetch datasets into a store, writing only what changed",
    discussion: """
      Each dataset is compared with the stored copy and updated atomically. If a source fails, or returns less than \
      half as many records as before, the stored copy is left unchanged. Without DATASET, every dataset of the source \
      is fetched. Of datasets whose source definition has “incremental”, only changed records are fetched; an \
      interrupted run is continued by the next one. Records of files are compared by --key; without a key, all of them \
      are replaced if one has changed. With -o delta:DIR the records of the store are then written to a \
      Delta table, in one commit, unless it has them; -o delta:DIR/ has a table for each dataset. Other outputs \
      receive the counts.
      """,
    arguments: [Argument("DATASET", values: .dynamic("dataset"), count: .any, "datasets to fetch [default: all]")],
    options: [
      Options.target, Options.syncImages, Options.dryRun, Options.allowShrink, Options.acceptDrift, Options.replace,
      Options.key, Options.status,
    ]
      + Options.incremental
      + Options.readingFiles
      + [Options.fromStorage] + Options.apiOptions + OutputOptions.exporting,
    examples: [
      "sync --storage sqlite:bb.db", "sync quotes --storage csv:data --dry-run",
      "sync --from people.csv --key id --storage sqlite:bb.db",
      "sync characters --storage csv:data --images data/images",
      "sync quotes --storage sqlite:bb.db -o delta:lake/quotes",
    ])
  static let datasets = Command(
    "datasets", "list datasets, or show the columns of one",
    arguments: [Argument("DATASET", values: .dynamic("dataset"), count: .optional, "dataset to describe")],
    options: OutputOptions.exportingAnywhere)
  static let formats = Command(
    "formats", "list output formats and their options", options: OutputOptions.exportingAnywhere)
  static let sources = Command(
    "sources", "list sources; draft, check, record or test a source definition",
    discussion: """
      A source definition is a JSON file that describes a JSON API; pass it with --source FILE. `sources draft URL` \
      infers one from a response; what it inferred, and why, goes to standard error. `sources check FILE` validates \
      one; with --try it also requests two pages of each dataset, or of those named after FILE. `sources record FILE \
      DIR` keeps responses in a directory, without secrets; `sources test FILE DIR` reads them again without a \
      network, and compares the rows with those accepted before. `sources show NAME` prints a built-in source as a \
      starting point; `sources schema` prints the JSON Schema for editor completion and validation.
      """,
    arguments: [
      Argument(
        "ACTION", values: .words(["check", "draft", "record", "show", "schema", "test"]), count: .any,
        "check FILE [DATASET…], draft URL or FILE, record FILE DIR [DATASET…], test FILE DIR, show NAME, or schema")
    ], actions: SourcesCommand.actions,
    options: [Options.grammar, Options.tryOut, Options.accept] + Options.draftOptions
      + [APIOptions.serverOption, APIOptions.setOption] + OutputOptions.exportingAnywhere,
    examples: [
      "sources draft 'https://api.example.com/v1/charges?limit=10' --auth bearer:API_KEY",
      "sources show box-office > my-api.json", "sources check my-api.json --try",
      "sources record my-api.json recorded", "sources test my-api.json recorded --accept",
      "sources schema > bb-source.json",
    ])
  static let check = Command(
    "check", "report data quality problems, as a table",
    discussion: CheckCommand.discussion,
    arguments: [
      Argument(
        "DATASET|FILE", values: .dynamic("dataset"), takesFiles: true, count: .any,
        "datasets to check [default: all datasets of the source], or a file")
    ],
    options: [CheckCommand.description] + Options.selecting.filter { !CheckCommand.without.contains($0) }
      + OutputOptions.exporting
      + Options.readingFiles
      + [Options.storage]
      + Options.apiOptions,
    examples: [
      "check", "check people.csv --schema people.schema.json",
      "check quotes episodes --where 'check = unresolved-name'", "check movies -f csv",
    ])
  static let comment = Command(
    "comment", "post a comment on a movie to the box-office API",
    discussion: "--writer, --rating and TEXT are required. The request is sent once and never retried.",
    arguments: [
      Argument("ACTION", values: .words(["add"]), "add"),
      Argument("MOVIE", "movie: an id, a title, or any part of a title that matches only one movie"),
      Argument("TEXT", count: .any, "comment text (quote it)"),
    ], actions: CommentCommand.actions,
    options: [
      Options.writer, Options.rating, Options.source, APIOptions.serverOption, APIOptions.proxyOption,
      APIOptions.certificatesOption,
    ],
    examples: ["comment add 5a54c286e8a71d136fb5378e --writer Mina --rating 9 'See it twice.'"])
  static let images = Command(
    "images", "download the images referenced by a dataset", discussion: ImagesCommand.discussion,
    arguments: [
      Argument(
        "DATASET", values: .dynamic("dataset"), count: .optional,
        "dataset or table; optional if the input has only one table")
    ],
    options: [Options.imageDirectory, Options.parallel, Options.maxImage, Options.maxTotal]
      + Options.selecting.filter { !ImagesCommand.without.contains($0) } + Options.readingFiles + [
        Options.sheet, Options.storage,
      ]
      + Options.apiOptions + [OutputOptions.progress],
    examples: [
      "images characters -o images", "images episodes --production bcs --season 6 -o stills",
      "images --from people.csv --columns portrait -o portraits",
    ])
  static let site = Command(
    "site", "write a website of the records in a store", discussion: SiteCommand.discussion,
    arguments: [
      Argument(
        "DATASET", values: .dynamic("dataset"), count: .any, "datasets to show [default: all tables of the store]")
    ],
    options: [
      Options.siteDirectory, Options.siteOpen, Options.siteStore, Options.siteTitle, Options.siteURL,
      Options.siteImages,
      Options.siteImageDirectory,
      OutputOptions.noClobber, OutputOptions.progress,
    ],
    examples: [
      "site -o site --open", "site -o site --storage csv:data --image-dir images",
      "site episodes notes -o journal --title Journal",
    ])
  static let open = Command(
    "open", "open a record's image or web page in the browser; print the URL if there is no desktop",
    arguments: [
      Argument("DATASET", values: .dynamic("dataset"), "dataset, or imdb for a show's IMDb page"),
      Argument(
        "KEY", count: .any, "record key, name or S05E14, optionally followed by image, website or imdb"),
    ], options: [SharedOptions.production, Options.storage] + Options.apiOptions,
    examples: [
      "open characters 'Walter White'", "open episodes S05E14 image --production bb", "open imdb --production bcs",
    ])
  static let tap = Command(
    "tap", "run as a Singer tap: write datasets as Singer messages", discussion: TapCommand.discussion,
    options: [Options.tapConfig, Options.tapState, Options.catalog, Options.discover, Options.storage]
      + Options.apiOptions,
    examples: ["tap --discover", "tap --config config.json --catalog catalog.json"])
  static let plugins = Command(
    "plugins", "list, inspect or test external exporters", discussion: PluginsCommand.discussion,
    arguments: [
      Argument("ACTION", values: .words(["list", "info", "test"]), count: .any, "list; info NAME; test NAME")
    ], actions: PluginsCommand.actions, options: OutputOptions.exportingAnywhere,
    examples: ["plugins", "plugins test lines"])
  static let config = Command(
    "config", "show the settings and their origins, or change one", discussion: ConfigurationCommand.discussion,
    arguments: ConfigurationCommand.arguments, actions: ConfigurationCommand.actions,
    options: OutputOptions.exportingAnywhere,
    examples: ConfigurationCommand.examples
  )
  /// The commands, in the order of the help.
  private static let entries = [
    CommandEntry(table) { (context) async throws(Problem) in try await TableCommand(context).run() },
    CommandEntry(profile) { (context) async throws(Problem) in
      try await TableCommand(context, .profile).run()
    },
    CommandEntry(schema) { (context) async throws(Problem) in try await TableCommand(context, .schema).run() },
    CommandEntry(ExploreCommand.command) { (context) async throws(Problem) in try await ExploreCommand(context).run() },
    CommandEntry(diff) { (context) async throws(Problem) in try await DiffCommand(context).run() },
    CommandEntry(SniffCommand.command) { (context) async throws(Problem) in try await SniffCommand(context).run() },
    CommandEntry(sync) { (context) async throws(Problem) in try await SyncCommand(context).run() },
    CommandEntry(datasets, Listings.datasets), CommandEntry(formats, Listings.formats),
    CommandEntry(sources) { (context) async throws(Problem) in try await SourcesCommand(context).run() },
    CommandEntry(check) { (context) async throws(Problem) in try await CheckCommand(context).run() },
    CommandEntry(comment) { (context) async throws(Problem) in try await CommentCommand(context).run() },
    CommandEntry(images) { (context) async throws(Problem) in try await ImagesCommand(context).run() },
    CommandEntry(site) { (context) async throws(Problem) in try await SiteCommand(context).run() },
    CommandEntry(open) { (context) async throws(Problem) in try await OpenCommand(context).run() },
    CommandEntry(S3Command.command) { (context) async throws(Problem) in try await S3Command(context).run() },
    CommandEntry(DeltaCommand.command) { (context) async throws(Problem) in try await DeltaCommand(context).run() },
    CommandEntry(plugins) { (context) async throws(Problem) in try await PluginsCommand(context).run() },
    CommandEntry(tap) { (context) async throws(Problem) in try await TapCommand(context).run() },
    SharedCommands.completions(
      of: "bb-export",
      CompletionValues(
        datasets: Catalog.all, relations: Set(Catalog.relations.map(\.name)).sorted(),
        columns: Set(Catalog.all.flatMap { $0.columns.map(\.name) }).sorted())),
    CommandEntry(config, Listings.config),
    SharedCommands.help(examples: ["help selection", "help man > bb-export.1"]),
  ]

  static let application = Application(program, entries)

  static let program = Program(
    "bb-export", version: version, released: Release.date,
    "fetch TV and movie datasets, and convert any table between formats",
    discussion: """
      Fetches TV and movie datasets from JSON APIs, keeps them in a store, and converts any CSV, JSON or SQLite table \
      between \
      formats without changing a value.
      A store is an SQLite database, or a directory of CSV or JSON files.
      """,
    commands: entries.map(\.command),
    defaultCommand: "table",
    options: SharedOptions.everywhere, topics: Topics.all,
    examples: [
      "episodes --where 'season = 1'", "characters -o characters.csv -o characters.json",
      "people.csv --where 'age >= 18' -f json", "data/*.xlsx -o all.csv", "sync --storage sqlite:bb.db",
    ], datasets: Catalog.all.map(\.name),
    files: [.configuration, .store, .cache, .plugins], related: ["bb-notes"],
    synonyms: SharedSynonyms.all + [
      Synonym("convert", "export", "copy", for: "table", hint: "use bb-export FILE -o OUT"),
      Synonym("list", "ls", "tables", for: "datasets"), Synonym("fetch", "pull", "download", "update", for: "sync"),
      Synonym("query", "sql", for: "table", hint: "use bb-export FILE --sql 'SELECT …'"),
      Synonym("insert", "import", "load", for: "sync", hint: "use bb-export sync --from FILE --storage sqlite:bb.db"),
      Synonym("stats", "summary", "summarize", "describe", for: "profile"), Synonym("compare", for: "diff"),
      Synonym("validate", "verify", for: "check"), Synonym("info", "columns", "types", for: "schema"),
    ] + Self.asOptions.map { Synonym($0.words, for: "table", hint: "use bb-export FILE\($0.options)") },
    assignments: LiveServices.assignments)

  /// Commands of other programs that are options here.
  private static let asOptions: [(words: [String], options: String)] =
    [
      (["cat", "view", "show", "print"], ""), (["count", "wc"], " --count"), (["head", "top", "first"], " --limit 10"),
      (["tail", "last"], " --tail 10"), (["sort", "order"], " --sort COLUMN"), (["sample", "shuf"], " --sample 10"),
      (["filter", "where", "grep"], " --where 'COLUMN = VALUE'"), (["search", "find"], " --search TEXT"),
      (["uniq", "unique", "distinct", "dedup"], " --distinct"), (["cut", "select"], " --columns A,B"),
      (["join"], " --join OUT --on COLUMN"), (["group", "frequency", "freq"], " --count-by COLUMN"),
      (["merge", "concat", "union", "combine", "stack"], " OUT"), (["rename"], " --rename OLD=NEW"),
      (["split", "partition"], " -o 'DIR/{COLUMN}.csv'"),
    ]
    + ["csv", "tsv", "json", "ndjson", "markdown", "yaml", "html"].map { ([$0], " -f \($0)") }
    + ["parquet", "xlsx", "sqlite"].map { ([$0], " -o FILE.\($0)") }
}
