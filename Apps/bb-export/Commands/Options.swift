import CommandLineKit
import Domain
import Rows

/// Every option of bb-export, described once.
enum Options {
  private static let selection = "Selection"
  static let filter = Option.value(
    "where", "CONDITION", repeatable: true, in: selection,
    "keep only rows that match 'COLUMN OP VALUE'; may be repeated (all must match)")
  static let search = Option.value(
    "search", "TEXT", in: selection, "keep only rows that contain words starting with each word of TEXT")
  static let production = Option.value(
    "production", "NAME", values: .dynamic("production"), in: selection,
    "filter by show: full name, or bb, bcs, ec")
  static let season = Option.value(
    "season", "N", in: selection, "filter by season (for characters: any season they appear in)")
  static let episode = Option.value(
    "episode", "S05E14", in: selection, "filter by episode; prefix the show as in bb:S05E14")
  static let name = Option.value(
    "name", "TEXT", in: selection, "filter by name: part of a character name, title or comment writer")
  static let columns = Option.value(
    "columns", "A,B", values: .list("column"), in: selection, "columns to output, in this order")
  static let sort = Option.value(
    "sort", "A,B:desc", values: .list("column"), in: selection, "sort by these columns; nulls sort last")
  static let order = Option.value(
    "order", "ORDER", values: .words(MovieOrder.allCases.map(\.rawValue)), default: "rate", in: selection,
    "movies: order by reservation rate, editors' picks, or release date (newest first)")
  static let limit = Option.value("limit", "N", in: selection, "output at most N rows")
  static let offset = Option.value("offset", "N", in: selection, "skip the first N rows")
  static let sample = Option.value("sample", "N", in: selection, "output N random rows")
  static let with = Option.value(
    "with", "RELATION,…", values: .list("relation"), in: selection,
    "join related records: adds columns such as character.birthday, one row per match")
  static let favourites = Option.flag(
    "favourites", aliases: ["favorites"], in: selection, "only favourites (see bb-notes favourites)")
  static let nest = Option.flag(
    "nest", in: selection, "with --with: put the related records into one nested column per relation")
  static let seed = Option.value("seed", "N", in: selection, "random seed for a repeatable --sample")

  private static let commenting = "Comment"
  static let writer = Option.value("writer", "NAME", in: commenting, "name of the comment's author")
  static let rating = Option.value(
    "rating", "N", in: commenting, "rating, greater than 0 and at most 10, for example 7.5")

  private static let writing = "Output"
  static let output = Option.value(
    "output", short: "o", "FILE", values: .file, repeatable: true, in: writing,
    "write to FILE (format from its extension), or - for standard output; may be repeated")
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .dynamic("format"), default: "markdown", in: writing,
    "output format")
  static let formatOption = Option.value(
    "option", "KEY=VALUE", repeatable: true, in: writing,
    "set a format option: [FORMAT.]KEY=VALUE; may be repeated")
  static let delimiter = Option.value(
    "delimiter", "CHAR", default: "comma", in: writing,
    "csv: field delimiter: a character, or comma, tab, semicolon, pipe, space")
  static let null = Option.value(
    "null", "TEXT", default: "empty field", in: writing, "csv, tsv: text to write for null")
  static let lineEnding = Option.value(
    "line-ending", "STYLE", values: .words(["lf", "crlf"]), default: "lf", in: writing, "csv, tsv: line ending")
  static let noHeaders = Option.flag("no-headers", in: writing, "csv, tsv: do not write a header row")
  static let nested = Option.value(
    "nested", "STYLE", values: .words(["json", "join", "flatten"]), default: "json", in: writing,
    "csv, tsv: how to write lists and JSON values")
  static let csvFormulas = Option.value(
    "csv-formulas", "POLICY", values: .words(["keep", "escape", "reject"]), default: "keep", in: writing,
    "csv, tsv: how to write text that a spreadsheet would treat as a formula")
  static let excel = Option.flag("excel", in: writing, "csv: write for Excel: byte order mark, CRLF, escaped formulas")
  static let nonfinite = Option.value(
    "nonfinite", "POLICY", values: .words(["null", "string", "error"]), default: "error", in: writing,
    "how to write NaN and infinities")
  /// The options of formats that have one of their own on the command line, and the key each stands for.
  static let formatShortcuts: [(option: Option, key: String)] = [
    (delimiter, "delimiter"), (null, "null"), (lineEnding, "line-ending"), (noHeaders, "headers"), (nested, "nested"),
    (csvFormulas, "formulas"), (excel, "excel"), (nonfinite, "nonfinite"),
  ]
  static let csvw = Option.flag(
    "csvw", in: writing,
    "csv, tsv: also write column metadata to FILE-metadata.json (W3C CSV on the Web)")
  static let dataPackage = Option.flag(
    "datapackage", in: writing,
    "also write a datapackage.json that describes the output files (Frictionless Data Package)")
  static let noClobber = Option.flag("no-clobber", in: writing, "fail instead of overwriting an existing file")
  static let summary = Option.value(
    "summary", "FORMAT", values: .words(["json"]), in: writing,
    "print a summary (source, rows, bytes, SHA-256, seconds) to standard error")

  private static let reading = "Source"
  static let from = Option.value(
    "from", "FILE", values: .file, in: reading, "read FILE instead of a source, or - for standard input")
  static let fromFormat = Option.value(
    "from-format", "FORMAT", values: .words(["csv", "tsv", "json", "ndjson", "sqlite"]),
    default: "from its extension or content", in: reading,
    "format of the input")
  static let fromDelimiter = Option.value(
    "from-delimiter", "CHAR", in: reading,
    "csv: field delimiter of the input: a character, or comma, tab, semicolon, pipe, space")
  static let tableName = Option.value(
    "as", "NAME", default: "file name without extension", in: reading, "name to use for the input table")
  static let types = Option.value(
    "types", "COLUMN=TYPE,…", in: reading, "types of input columns; other columns are inferred")
  static let records = Option.value(
    "records", "POINTER", in: reading, "json: JSON Pointer to the array of records, for example /results")
  static let emptyAs = Option.value(
    "empty-as", "VALUE", values: .words(["null", "text"]), default: "null", in: reading,
    "how to read an unquoted empty CSV field")
  static let fromNull = Option.value(
    "from-null", "TEXT", in: reading, "csv, tsv: an unquoted field that means null, in addition to the empty one")
  static let strictCSV = Option.flag(
    "strict-csv", in: reading, "csv, tsv: refuse a quote inside an unquoted field")
  static let encodingErrors = Option.value(
    "encoding-errors", "POLICY", values: .words(["strict", "replace"]), default: "strict", in: reading,
    "how to handle invalid UTF-8")
  static let maxField = Option.value(
    "max-field", "MIB", default: "16", in: reading, "maximum size of a field; sqlite: of a row")
  static let timeout = Option.value(
    "timeout", "SECONDS", default: "30", in: reading,
    "sqlite: stop a view that returns no row for this long; 0 means never")
  static let storage = Option.value(
    "storage", "STORE", values: .file, in: reading,
    "read from a store: sqlite:FILE, csv:DIR, json:DIR, or a path")
  static let source = Option.value(
    "source", "NAME", values: .dynamic("source"), in: reading,
    "source to read: an API name, snapshot, or a source definition file")
  static let api = Option.value("api", "URL", in: reading, "base URL of the API server")
  static let maxAge = Option.value(
    "max-age", "SECONDS", in: reading, "use cached responses up to this age without revalidating")
  static let refresh = Option.flag("refresh", in: reading, "ignore cached responses")
  static let offline = Option.flag("offline", in: reading, "do not use the network")
  static let proxy = Option.value("proxy", "URL", in: reading, "proxy URL, or none to disable proxies")
  static let cacert = Option.value("cacert", "FILE", values: .file, in: reading, "CA certificate bundle (PEM) to trust")

  static let allowPrivate = Option.flag(
    "allow-private", in: reading, "allow data and redirects to lead to private addresses (loopback, LAN)")
  static let maxBytes = Option.value(
    "max-bytes", "SIZE", default: "4G", in: reading, "stop if the responses of the API exceed this total size")

  private static let picturing = "Images"
  static let imageFolder = Option.value(
    "output", short: "o", "DIR", values: .folder, in: picturing,
    "directory for the images and their manifest, images.json")
  static let parallel = Option.value("parallel", "N", default: "16", in: picturing, "parallel downloads, 1 to 64")
  static let maxImage = Option.value(
    "max-image", "SIZE", default: "64M", in: picturing, "maximum size of one image")
  static let maxTotal = Option.value("max-total", "SIZE", default: "8G", in: picturing, "maximum total download size")

  private static let syncing = "Sync"
  static let target = Option.value(
    "storage", "STORE", values: .file, default: "$BB_STORAGE or the default store", in: syncing,
    "store to write: sqlite:FILE, csv:DIR, json:DIR")
  static let syncImages = Option.value(
    "images", "DIR", values: .folder, in: syncing,
    "also download images, into one subdirectory of DIR per dataset")
  static let fromStorage = Option.value(
    "from-storage", "STORE", values: .file, in: reading, "copy from another store")
  static let dryRun = Option.flag("dry-run", in: syncing, "show what would change without writing anything")
  static let allowShrink = Option.flag(
    "allow-shrink", in: syncing, "accept a source that has lost more than half of its records")
  static let replace = Option.flag("replace", in: syncing, "replace a table that was loaded from a different source")

  private static let singer = "Singer"
  static let tapConfig = Option.value("config", "FILE", values: .file, in: singer, "JSON configuration file")
  static let tapState = Option.value("state", "FILE", values: .file, in: singer, "state file from a previous run")
  static let catalog = Option.value(
    "catalog", "FILE", values: .file, in: singer, "catalog file that selects streams and columns")
  static let discover = Option.flag("discover", in: singer, "write the catalog of available streams and exit")

  private static let general = "General"
  static let threads = Option.value("threads", "N", default: "number of CPU cores", in: general, "number of threads")
  static let progress = Option.value(
    "progress", "WHEN", values: .words(["auto", "always", "never"]), default: "auto", in: general,
    "when to show progress; auto means on a terminal")
  static let quiet = Option.flag("quiet", short: "q", in: general, "suppress all messages except errors")
  static let verbose = Option.flag("verbose", short: "v", in: general, "show more detail")
  static let errors = Option.value(
    "errors", "FORMAT", values: .words(["text", "json"]), default: "text", in: general, "error format")

  /// The options of every command.
  static let everywhere = [quiet, verbose, errors]
  /// What commands take that ask an API.
  static let asking = [source, api, maxAge, maxBytes, refresh, offline, proxy, cacert, allowPrivate]
  /// What commands take that write rows.
  static let exporting =
    [output, format, formatOption] + formatShortcuts.map(\.option) + [
      csvw, dataPackage, noClobber, summary, threads, progress,
    ]
  /// What commands take that choose rows.
  static let selecting = [
    filter, search, production, season, episode, name, columns, sort, order, limit, offset, sample, seed, favourites,
    with, nest,
  ]
  /// What commands take that read files.
  static let readingFiles = [
    from, fromFormat, fromDelimiter, tableName, types, records, emptyAs, fromNull, strictCSV, encodingErrors, maxField,
    timeout,
  ]
}

extension Invocation {
  /// Whether to show how far the work is.
  var showsProgress: Bool {
    switch setting(Options.progress) ?? "auto" {
    case "always": true
    case "never": false
    default: Terminal.isTerminal(2) && !has(Options.quiet)
    }
  }

  /// The number of bytes an option gives, as in `500k`, `64M`, `2G`; nil if it is not given.
  /// - Throws: `usage` for anything else.
  func size(_ option: Option) throws(Problem) -> Int? {
    guard let text = setting(option) else { return nil }
    let units: [Character: Int] = ["k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[$0] }
    guard let number = Int(unit == nil ? text[...] : text.dropLast()), number > 0, number <= 1 << 32 else {
      throw Problem(
        .usage, "invalid size “\(text)” for --\(option.name)", hint: "use bytes or a suffix: 500k, 64M, 2G")
    }
    return number * (unit ?? 1)
  }
}
