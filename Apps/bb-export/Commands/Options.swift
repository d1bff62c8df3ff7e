import Dialects
import Query
import AppShell
import CommandLineKit
import Domain
import Query

/// Every option of bb-export, described once.
enum Options {
  private static let selection = "Selection"
  static let search = Option.value(
    "search", "TEXT", in: selection, "keep only rows that contain words starting with each word of TEXT")
  static let season = Option.value(
    "season", "N", setting: .season, in: Option.lastGroup,
    "filter by season (for characters: any season they appear in)")
  static let episode = Option.value(
    "episode", "S05E14", setting: .episode, in: Option.lastGroup, "filter by episode; prefix the show as in bb:S05E14")
  static let name = Option.value(
    "name", "TEXT", setting: .namePart, in: Option.lastGroup,
    "filter by name: part of a character name, title or comment writer")
  static let order = Option.value(
    "order", "ORDER", values: .words(MovieOrder.allCases.map(\.rawValue)), default: "rate", setting: .movieOrder,
    in: Option.lastGroup,
    "movies: order by reservation rate, editors' picks, or release date (newest first)"
  ).excluding("sort")
  static let sample = Option.value("sample", "N", setting: .sample, in: selection, "output N random rows")
  static let with = Option.value(
    "with", "RELATION,…", values: .list("relation"), setting: .relations, in: Option.lastGroup,
    "join related records: adds columns such as character.birthday, one row per match")
  static let join = Option.value(
    "join", "FILE", values: .file, in: selection, "join the rows of FILE: adds its columns, prefixed with its name"
  ).requiring("on")
  static let on = Option.value(
    "on", "COLUMN=COLUMN,…", values: .list("column"), in: selection,
    "with --join: columns that must be equal, of the input and of FILE"
  ).requiring("join")
  static let joinType = Option.value(
    "join-type", "TYPE", values: .words(JoinKind.allCases.map(\.rawValue)), default: "left", in: selection,
    "with --join: keep all rows, those with a match, or those without"
  ).requiring("join").excluding("with", hint: "omit one of them")
  static let favourites = Option.flag(
    "favourites", aliases: ["favorites"], in: Option.lastGroup, "only favourites (see bb-notes favourites)")
  static let nest = Option.flag(
    "nest", in: Option.lastGroup, "with --with: put the related records into one nested column per relation"
  ).requiring("with", "join")
  static let seed = Option.value("seed", "N", in: selection, "random seed for a repeatable --sample").requiring(
    "sample")

  private static let commenting = "Comment"
  static let writer = Option.value(
    "writer", "NAME", in: commenting, "name of the comment's author")
  static let rating = Option.value(
    "rating", "N", in: commenting, "rating, greater than 0 and at most 10, for example 7.5")

  private static let reading = "Source"
  static let from = Option.value(
    "from", "FILE", values: .file, repeatable: true, setting: .inputFile, in: reading,
    "read FILE, https://URL or s3://BUCKET/KEY instead of a source, - for standard input, or files by a quoted pattern "
      + "such as '*.csv'; may be repeated"
  )
  static let shard = Option.value(
    "shard", "I/N", in: reading,
    "read part I of N: about size ÷ N of CSV, JSON Lines, Parquet, Delta and tables of databases; other inputs as a whole"
  )
  static let follow = Option.flag(
    "follow", in: reading, "write the rows of standard input as they arrive: csv, tsv or ndjson"
  ).excluding("sort", "group", "count", "count-by", "tail", "pivot", "sample", "sql", "join", "with", "shard")
  static let sql = Option.value(
    "sql", "STATEMENT", in: selection,
    "run a SELECT statement over the inputs, each of which is a table, with SQLite"
  ).excluding("with", "favourites", "shard")
  static let sheet = Option.value(
    "table", "NAME", values: .dynamic("table"), default: "the only table, or the first sheet", in: reading,
    "sqlite: table to read; xlsx: sheet to read")
  static let outputKey = Option.value(
    "key", "A,B", values: .list("column"), default: "the key of the input or of the table", setting: .outputKey,
    in: "Output", "columns that identify a row in the output, for --existing upsert")
  static let storage = Option.value(
    "storage", "STORE", values: .file, setting: .store, in: reading,
    "read from a store: sqlite:FILE, csv:DIR, json:DIR, postgres://HOST/DATABASE, or a path")
  static let source = Option.value(
    "source", "NAME", values: .dynamic("source"), setting: .source, in: reading,
    "source to read: an API name, snapshot, or a source definition file")

  static let allowPartial = Option.flag(
    "allow-partial", in: reading, "replace a file even if detail requests failed")
  static let grammar = Option.value(
    "grammar", "N", values: .words(["1", "2"]), default: "2", in: reading, "schema: version of the grammar")
  private static let drafting = "Drafting"
  static let draftName = Option.value("name", "NAME", in: drafting, "draft: name of the source")
  static let draftDataset = Option.value("dataset", "NAME", in: drafting, "draft: name of the dataset")
  static let draftHeader = Option.value(
    "header", "'NAME: VALUE'", repeatable: true, in: drafting, "draft: header of the requests; may be repeated")
  static let draftAuth = Option.value(
    "auth", "TYPE:ENV", repeatable: true, in: drafting,
    "draft: bearer:ENV, basic:ENV, header:NAME:ENV or query:NAME:ENV; ENV is the variable with the secret; may be repeated"
  )
  static let draftPost = Option.value("post", "BODY", in: drafting, "draft: POST the JSON BODY")
  static let draftRecords = Option.value(
    "records", "POINTER", in: drafting, "draft: JSON Pointer to the records")
  static let draftPath = Option.value(
    "path", "PATH", in: drafting, "draft: path of the list, if the document is a description in OpenAPI 3")
  static let draftPages = Option.value(
    "pages", "N", default: "2", in: drafting,
    "check, record: read N pages of each list; draft: try the definition with N pages, 1 to try nothing")
  static let tryOut = Option.flag(
    "try", in: drafting, "check: request a sample of each dataset, and show what it fills the columns with")
  static let accept = Option.flag("accept", in: drafting, "test: make the rows the expected ones")
  static let draftOptions = [
    draftName, draftDataset, draftHeader, draftAuth, draftPost, draftRecords, draftPath, draftPages,
  ]

  private static let picturing = "Images"
  static let imageDirectory = Option.value(
    "output", short: "o", "DIR", values: .directory, in: picturing,
    "directory for the images and their manifest, images.json")
  static let parallel = Option.value("parallel", "N", default: "16", in: picturing, "parallel downloads, 1 to 64")
  static let maxImage = Option.value(
    "max-image", "SIZE", default: "64M", in: picturing, "maximum size of one image")
  static let maxTotal = Option.value(
    "max-total", "SIZE", default: "8G", setting: .imageTotal, in: picturing, "maximum total download size")

  private static let syncing = "Sync"
  static let target = Option.value(
    "storage", "STORE", values: .file, default: "$BB_STORAGE or the default store", setting: .store, in: syncing,
    "store to write: sqlite:FILE, csv:DIR, json:DIR, postgres://HOST/DATABASE")
  static let syncImages = Option.value(
    "images", "DIR", values: .directory, in: syncing,
    "also download images, into one subdirectory of DIR per dataset")
  static let fromStorage = Option.value(
    "from-storage", "STORE", values: .file, in: reading, "copy from another store")
  static let dryRun = Option.flag("dry-run", in: syncing, "show what would change without writing anything")
  static let allowShrink = Option.flag(
    "allow-shrink", setting: .shrinking, in: syncing, "accept a source that has lost more than half of its records")
  static let acceptDrift = Option.flag(
    "accept-drift", setting: .drift, in: syncing,
    "replace any number of stored values with null, also of members that the API has lost")
  static let replace = Option.flag(
    "replace", setting: .sourceReplacement, in: syncing, "replace a table that was loaded from a different source")
  static let key = Option.value(
    "key", "A,B", values: .list("column"), default: "the declared key, otherwise that of the stored table", in: syncing,
    "--from: the columns by which records are compared")
  static let status = Option.flag("status", in: syncing, "show how far incremental syncs have come")
  static let full = Option.flag("full", setting: .fullSync, in: syncing, "incremental: fetch everything again")
    .excluding("keep-cursor", "since", "until")
  static let keepCursor = Option.flag(
    "keep-cursor", setting: .cursorKeeping, in: syncing, "incremental: continue although the source definition changed")
  static let since = Option.value(
    "since", "VALUE", in: syncing, "incremental: fetch what changed since VALUE, without moving the cursor")
  static let until = Option.value(
    "until", "VALUE", in: syncing, "incremental: fetch what changed until VALUE, without moving the cursor")
  static let maxRequests = Option.value(
    "max-requests", "N", setting: .maximumRequests, in: syncing,
    "incremental: stop after N requests, but not before progress is stored; the next run continues")
  static let incremental = [full, keepCursor, since, until, maxRequests]

  private static let siting = "Site"
  static let siteDirectory = Option.value(
    "output", short: "o", "DIR", values: .directory, in: siting,
    "directory to write; a site that bb wrote before is replaced")
  static let siteOpen = Option.flag(
    "open", in: siting, "open the site in the browser; print its URL if there is no desktop")
  static let siteTitle = Option.value("title", "TEXT", default: "bb", in: siting, "title of the site")
  static let siteURL = Option.value(
    "base-url", "URL", in: siting, "address of the site, for previews and search engines")
  static let siteImages = Option.value(
    "images", "WHICH", values: .words(["local", "remote", "none"]), default: "local", setting: .siteImages, in: siting,
    "images to show: only those at hand, also those on the web, or none")
  static let siteImageDirectory = Option.value(
    "image-dir", "DIR", values: .directory, default: "images of the store", in: siting,
    "also show the images that bb-export images or sync --images stored in DIR")
  static let siteStore = Option.value(
    "storage", "STORE", values: .file, default: "$BB_STORAGE or the default store", in: siting,
    "store to read: sqlite:FILE, csv:DIR, json:DIR")

  private static let singer = "Singer"
  static let tapConfig = Option.value("config", "FILE", values: .file, in: singer, "JSON configuration file")
  static let tapState = Option.value("state", "FILE", values: .file, in: singer, "state file from a previous run")
  static let catalog = Option.value(
    "catalog", "FILE", values: .file, in: singer, "catalog file that selects streams and columns")
  static let discover = Option.flag("discover", in: singer, "write the catalog of available streams and exit")

  /// For `explore` alone: the places of errors, `FILE:LINE`, before which reading ends.
  static let before = Option.value("before", "PLACE", repeatable: true, in: "Source", "read the lines before an error")

  /// The options of commands that request an API.
  static let apiOptions = [source] + APIOptions.options + [allowPartial]
  /// The options of commands that select rows.
  static let selecting =
    [
      SharedOptions.filter, search, SharedOptions.production, season, episode, name, SharedOptions.count,
      SharedOptions.countBy,
      SharedOptions.group, SharedOptions.aggregates, SharedOptions.columns,
      SharedOptions.sort, order, SharedOptions.limit, SharedOptions.offset, sample, seed, favourites,
      with, nest,
    ] + StepOptions.all
  static let readingFiles = [from] + FileInputOptions.options
  /// The options of one of several files.
  static let optionsFor = Option.value(
    "options-for", "FILE=OPTIONS", repeatable: true, setting: .fileOptions, in: "Source",
    "options to read one of several inputs, and the file of --join, for example 'b.csv=--from-delimiter tab'")
}
