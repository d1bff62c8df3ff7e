import CommandLineKit

/// The texts behind `bb-export help TOPIC`: what is too long for the help of one option.
enum Topics {
  static let all = [
    Program.Topic("selection", "which rows and columns, in what order", selection),
    Program.Topic("output", "files, formats and their options", output),
    Program.Topic("input", "where the records come from", input),
    .exitCodes,
    Program.Topic("environment", "variables that are read", environment),
  ]

  private static let selection = """
    Which rows and columns, in what order. The work is done in this order,
    whatever the order of the options: --where and --search, --sample, --sort,
    --offset and --limit, --columns.

    \(Program.Topic.conditions)

    --search TEXT keeps the rows in which every word of TEXT begins a word,
    without regard to case and accents.
    --sample N takes N rows at random; with --seed S the same every time.

    Shorthands: --production (a full name, or bb, bcs, ec), --season N,
    --episode S05E14, --name TEXT (contained, without regard to case).

      bb-export episodes --where 'season = 1' --where 'title ~ cat'
      bb-export characters --where 'birthday < 1970' --sort birthday
      bb-export quotes --production bcs --sample 1
    """

  private static let output = """
    -o FILE writes to a file whose suffix names the format, - to standard
    output; several -o write several files in one pass. A file appears when it
    is whole: it is written beside its place under another name, flushed to
    the disk, and renamed. What was there before stays as it was when anything
    fails. --no-clobber never replaces a file.

    -f FORMAT chooses the format of standard output, and of files whose suffix
    says nothing. `bb-export formats` lists them, with their options.
    --option KEY=VALUE, or FORMAT.KEY=VALUE, sets what a format can do in more
    than one way.

    Exact formats give back every value and every null, or the program ends
    with 65 and names record and column. Display formats (markdown, table,
    record, html) show every character; null is an empty cell. --csvw says
    beside a CSV file what its columns are, so that they come back with their
    types; --datapackage describes all files of a folder.

      bb-export episodes -o episodes.csv -o episodes.json
      bb-export episodes -f csv --option null=NULL --option line-ending=crlf
    """

  private static let input = """
    Records come from one place: a file of yours (--from FILE), or a source
    (--source NAME: a live API; `bb-export sources` lists them; `snapshot` for
    what is built into the program).

    --from FILE takes .csv .tsv .json .ndjson and SQLite's .db, any table or
    view of it (`bb-export TABLE --from x.db`), or - for standard input; what
    the suffix does not say, the first bytes or --from-format do. Types are
    found in the data, so that every value comes back the same; a metadata
    file x.csv-metadata.json (CSV on the Web) or --types name=type,… says them.
    --records /results reads the records inside a JSON document;
    --from-delimiter semicolon reads CSV whose fields semicolons part.
    A quote inside an unquoted CSV field belongs to the text, and one warning
    counts such fields; --strict-csv refuses them. A field larger than
    --max-field is refused, as is a record of twice that size.

    An API of yours is a JSON file: where its records are, how they become
    columns, how pages follow one another, where the key is kept. `bb-export
    sources show box-office` prints one to begin with, `sources schema` the JSON
    Schema that editors check by, `sources check FILE` says what is wrong and
    where; then --source FILE asks it.

    A live answer is kept in the cache and asked for again only when it has
    changed. --max-age 3600 takes a cached answer that young, in seconds,
    without asking; --refresh asks anew; --offline never opens a connection.
    Without network and cache, facts built into the program answer (no quotes,
    synopses or pictures), and one line on standard error says so.

    --api URL, or for the built-in APIs BB_API_URL, names another server of the
    same API. Proxies of the environment (http_proxy, https_proxy, no_proxy) are
    honoured; --proxy URL uses another one, --proxy none none at all. --cacert
    FILE trusts the certificates in FILE.
    """

  private static let environment = """
    BB_API_URL       the server of the built-in APIs; a file that describes a
                     source names its own
    BB_KEY           any other setting, as in BB_THREADS=2; `bb-export help
                     config` lists the keys
    BB_PLUGIN_PATH   folders of external exporters, parted by colons
    XDG_CACHE_HOME   the cache is in its folder bb; ~/.cache when unset
    BB_STORAGE       the storage of notes, places, actors and favourites, and
                     of sync, when --storage does not say
    XDG_DATA_HOME    the default storage is in its folder bb
    XDG_CONFIG_HOME  settings are in its file bb/config, a line each, as in
                     storage = csv:/home/me/notes
    TMPDIR           where sorts and spools that outgrow memory are kept,
                     without a name; /tmp when unset
    http_proxy, https_proxy, all_proxy, no_proxy
                     proxies, as curl reads them
    """
}
