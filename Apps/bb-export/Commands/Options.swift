import CommandLineKit
import Domain
import Rows

/// Every option of bb-export, described once.
enum Options {
  private static let selection = "Selection"
  static let filter = Option.value(
    "where", "CONDITION", repeatable: true, in: selection, "keep rows for which 'COLUMN OP VALUE' holds; all must hold")
  static let search = Option.value("search", "TEXT", in: selection, "keep rows with words that begin with these")
  static let production = Option.value(
    "production", "NAME", values: .dynamic("production"), in: selection,
    "of this show: a full name, or bb, bcs, ec")
  static let season = Option.value("season", "N", in: selection, "of this season; characters: that appear in it")
  static let episode = Option.value(
    "episode", "S05E14", in: selection, "of this episode; bb:S05E14 says the show as well")
  static let name = Option.value(
    "name", "TEXT", in: selection, "whose name has this in it: character, title, or writer of a comment")
  static let columns = Option.value(
    "columns", "A,B", values: .list("column"), in: selection, "give these columns, in this order")
  static let sort = Option.value(
    "sort", "A,B:desc", values: .list("column"), in: selection, "sort by these columns; null comes last")
  static let order = Option.value(
    "order", "BY", values: .words(MovieOrder.allCases.map(\.rawValue)), in: selection,
    "movies: by rate of reservations, by the editors' curation, or newest date first; rate when not said")
  static let limit = Option.value("limit", "N", in: selection, "give at most N rows")
  static let offset = Option.value("offset", "N", in: selection, "leave out the first N rows")
  static let sample = Option.value("sample", "N", in: selection, "take N rows at random")
  static let with = Option.value(
    "with", "RELATION,…", values: .list("relation"), in: selection,
    "add what belongs to each row: columns named character.birthday, a row for each pair")
  static let favourites = Option.flag(
    "favourites", in: selection, "only your favourites, as bb-notes favourites keeps them in the storage")
  static let nest = Option.flag("nest", in: selection, "with --with: one column a relation, holding its records")
  static let seed = Option.value("seed", "N", in: selection, "make the sample the same every time")

  private static let commenting = "Comment"
  static let writer = Option.value("writer", "W", in: commenting, "who writes it")
  static let rating = Option.value("rating", "R", in: commenting, "above 0, at most 10, as 9 or 7.5")

  private static let writing = "Output"
  static let output = Option.value(
    "output", short: "o", "FILE", values: .file, repeatable: true, in: writing,
    "write to FILE, in the format of its suffix; - is standard output; may be repeated")
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .dynamic("format"), in: writing,
    "format of standard output; markdown when not said")
  static let formatOption = Option.value(
    "option", "KEY=VALUE", repeatable: true, in: writing,
    "set an option of a format: [FORMAT.]KEY=VALUE; may be repeated")
  static let delimiter = Option.value(
    "delimiter", "CHARACTER", in: writing, "csv: what separates fields: a character, or tab, semicolon, pipe")
  static let null = Option.value("null", "TEXT", in: writing, "csv, tsv: what stands for null")
  static let lineEnding = Option.value(
    "line-ending", "END", values: .words(["lf", "crlf"]), in: writing, "csv, tsv: what ends a record")
  static let noHeaders = Option.flag("no-headers", in: writing, "csv, tsv: leave out the line of column names")
  static let nested = Option.value(
    "nested", "FORM", values: .words(["json", "join", "flatten"]), in: writing,
    "csv, tsv: how lists and JSON values are written")
  static let csvFormulas = Option.value(
    "csv-formulas", "POLICY", values: .words(["keep", "escape", "reject"]), in: writing,
    "csv, tsv: text that a spreadsheet would run")
  static let excel = Option.flag("excel", in: writing, "csv: for Excel: byte order mark, CRLF, formulas escaped")
  static let nonfinite = Option.value(
    "nonfinite", "POLICY", values: .words(["null", "string", "error"]), in: writing,
    "what to write for NaN and the infinities")
  /// The options of formats that have one of their own on the command line, and the key each stands for.
  static let formatShortcuts: [(option: Option, key: String)] = [
    (delimiter, "delimiter"), (null, "null"), (lineEnding, "line-ending"), (noHeaders, "headers"), (nested, "nested"),
    (csvFormulas, "formulas"), (excel, "excel"), (nonfinite, "nonfinite"),
  ]
  static let csvw = Option.flag(
    "csvw", in: writing,
    "csv, tsv: write what the columns are beside the file, as FILE-metadata.json (W3C CSV on the Web)")
  static let dataPackage = Option.flag(
    "datapackage", in: writing, "describe the files in datapackage.json beside them (Frictionless Data Package)")
  static let noClobber = Option.flag("no-clobber", in: writing, "never replace a file")
  static let summary = Option.value(
    "summary", "FORM", values: .words(["json"]), in: writing,
    "tell source, rows, bytes, SHA-256 and seconds on standard error")

  private static let reading = "Source"
  static let from = Option.value(
    "from", "FILE", values: .file, in: reading, "read a file of yours; - is standard input")
  static let fromFormat = Option.value(
    "from-format", "FORMAT", values: .words(["csv", "tsv", "json", "ndjson", "sqlite"]), in: reading,
    "the file's format, when its suffix does not say")
  static let fromDelimiter = Option.value(
    "from-delimiter", "CHAR", in: reading, "csv: what parts its fields: a character, or tab, semicolon, pipe")
  static let tableName = Option.value("as", "NAME", in: reading, "what to call the file's table")
  static let types = Option.value("types", "COLUMN=TYPE,…", in: reading, "types of the file's columns")
  static let records = Option.value(
    "records", "POINTER", in: reading, "json: where the array of records is in the document, as in /results")
  static let emptyAs = Option.value(
    "empty-as", "MEANING", values: .words(["null", "text"]), in: reading,
    "what an empty CSV field without quotes is; null when not said")
  static let fromNull = Option.value(
    "from-null", "TEXT", in: reading, "csv, tsv: an unquoted field that means null, as the empty one does")
  static let strictCSV = Option.flag(
    "strict-csv", in: reading, "csv, tsv: refuse a quote inside an unquoted field")
  static let encodingErrors = Option.value(
    "encoding-errors", "POLICY", values: .words(["strict", "replace"]), in: reading,
    "what to do with bytes that are not UTF-8")
  static let maxField = Option.value(
    "max-field", "MIB", in: reading, "the maximum size of a field; sqlite: of a row [default: 16]")
  static let timeout = Option.value(
    "timeout", "SECONDS", in: reading,
    "sqlite: stop a view without a row for this long; 0: never [default: 30]")
  static let storage = Option.value(
    "storage", "STORAGE", values: .file, in: reading,
    "read a storage: sqlite:FILE, csv:FOLDER, json:FOLDER, or its path")
  static let source = Option.value(
    "source", "NAME", values: .dynamic("source"), in: reading,
    "which API to ask, or snapshot, or a file that describes an API")
  static let api = Option.value("api", "URL", in: reading, "the server that speaks the API")
  static let maxAge = Option.value("max-age", "SECONDS", in: reading, "take a cached answer this young without asking")
  static let refresh = Option.flag("refresh", in: reading, "ask anew, whatever is cached")
  static let offline = Option.flag("offline", in: reading, "never open a connection")
  static let proxy = Option.value("proxy", "URL", in: reading, "go through this proxy; none for no proxy at all")
  static let cacert = Option.value("cacert", "FILE", values: .file, in: reading, "trust the certificates in FILE")

  static let allowPrivate = Option.flag(
    "allow-private", in: reading, "follow data and redirects to private addresses (loopback, LAN) as well")
  static let maxBytes = Option.value(
    "max-bytes", "SIZE", in: reading, "stop if the responses of the API exceed this size in total [default: 4G]")

  private static let picturing = "Images"
  static let imageFolder = Option.value(
    "output", short: "o", "FOLDER", values: .folder, in: picturing,
    "the folder for the pictures and their manifest, images.json")
  static let parallel = Option.value("parallel", "N", in: picturing, "pictures at one time, 1 to 64; 16 when not said")
  static let maxImage = Option.value(
    "max-image", "SIZE", in: picturing, "refuse a picture above this size; 64M when not said")
  static let maxTotal = Option.value("max-total", "SIZE", in: picturing, "stop after this much; 8G when not said")

  private static let syncing = "Sync"
  static let target = Option.value(
    "storage", "STORAGE", values: .file, in: syncing,
    "the storage to write: sqlite:FILE, csv:FOLDER, json:FOLDER; BB_STORAGE or the default one when not said")
  static let syncImages = Option.value(
    "images", "FOLDER", values: .folder, in: syncing,
    "fetch the pictures as well, into a folder for each dataset in FOLDER")
  static let fromStorage = Option.value(
    "from-storage", "STORAGE", values: .file, in: reading, "read another storage")
  static let dryRun = Option.flag("dry-run", in: syncing, "tell what would change, and change nothing")
  static let allowShrink = Option.flag(
    "allow-shrink", in: syncing, "accept a source with less than half of the records it had")
  static let replace = Option.flag("replace", in: syncing, "replace a table that came from somewhere else")

  private static let singer = "Singer"
  static let tapConfig = Option.value("config", "CONFIG", values: .file, in: singer, "a JSON file of settings")
  static let tapState = Option.value("state", "STATE", values: .file, in: singer, "what an earlier run ended with")
  static let catalog = Option.value(
    "catalog", "CATALOG", values: .file, in: singer, "which streams and columns to give")
  static let discover = Option.flag("discover", in: singer, "write the catalogue of all streams instead")

  private static let general = "General"
  static let threads = Option.value("threads", "N", in: general, "use N threads; all cores when not said")
  static let progress = Option.value(
    "progress", "WHEN", values: .words(["auto", "always", "never"]), in: general,
    "show how far the work is; auto: on a terminal")
  static let quiet = Option.flag("quiet", short: "q", in: general, "say nothing but errors")
  static let verbose = Option.flag("verbose", short: "v", in: general, "say more about what is done")
  static let errors = Option.value(
    "errors", "FORM", values: .words(["text", "json"]), in: general, "how errors are written")

  /// What every command takes.
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
        .usage, "--\(option.name): “\(text)” is not a size", hint: "write a number of bytes, or as in 500k, 64M, 2G")
    }
    return number * (unit ?? 1)
  }
}
