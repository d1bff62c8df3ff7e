import AppShell
import CommandLineKit

/// The texts of `bb-export help TOPIC`.
enum Topics {
  static let all = [
    Program.Topic("selection", "how to filter, sort and limit rows", selection),
    Program.Topic("where", "conditions, groups and orders", Program.Topic.conditions),
    Program.Topic("functions", "expressions and their functions", functions),
    Program.Topic("sql", "statements over the inputs", sql),
    Program.Topic("output", "output files, formats and format options", output),
    Program.Topic("csv", "how CSV is read and written", csv),
    Program.Topic("input", "where records come from", input),
    .exitCodes,
    Program.Topic("environment", "environment variables", environment),
    Program.Topic(
      "cookbook", "tasks of every day with their commands", cookbook,
      tasks: String(decoding: PackageResources.Cookbook_md, as: UTF8.self)),
  ]

  private static let cookbook = """
    Tasks of every day. “bb-export help cookbook WORD” shows the tasks that
    contain the word, with their commands and outputs.
    """

  private static let selection = """
    How to filter, sort and limit rows. Steps are applied in this order,
    regardless of the order of the options: --explode, --fill, --put, --where
    and --search, --with and --join, --group and --having, --pivot or
    --unpivot, --columns or --drop, --distinct, --sample, --sort, --offset and
    --limit or --tail, --rename.

    \(Program.Topic.conditions)

    --search TEXT keeps rows that contain, for every word of TEXT, a word that
    starts with it, ignoring case and accents.
    --sample N selects N random rows; --seed S makes the choice repeatable.

    Shortcuts: --production (name, or short as bb), --season N,
    --episode S05E14, --name TEXT (substring, ignoring case).

      bb-export episodes --where 'season = 1' --where 'title ~ cat'
      bb-export characters --where 'birthday < 1970' --sort birthday
      bb-export quotes --production bcs --sample 1
    """

  private static let functions = """
    --put 'NAME = EXPRESSION' calculates a column. Expressions may also be on the
    left side of --where and --having, on the right side in parentheses, and in
    --agg: sum(price * qty).

    Operators, the strongest first: - * / % + || = != < <= > >= ~ =~
      in (a, b)  between a and b  starts with  is null  not  and  or
      case when A then B else C end
    Constants: 1.5 'text' date '2024-01-31' true false null; "…" is a column.
    user.name is a member of an object, tags[1] the first element of a list.

    Numbers   abs round(x, n) floor ceil sign greatest least
    Text      upper lower trim ltrim rtrim length substr(t, start, n)
              replace(t, from, to) split_part(t, separator, n) lpad rpad
              starts_with concat sha256 regexp_extract(t, pattern, group)
              regexp_replace(t, pattern, new)
    Choice    coalesce nullif if(condition, a, b)
    Dates     year month day weekday hour minute second date_trunc(part, d)
              strptime(t, format) strftime(d, format) today now; d + 30 is a
              date, d1 - d2 is a number of days
    Types     cast(x as TYPE) try_cast(x as TYPE) typeof
    Lists     len array_to_string(list, separator) list_contains json(text)
    Rows      row_number() filename()
    Groups    count sum avg min max distinct median quantile(x, p) stddev
              first last

      bb-export people.csv --put 'double = age * 2, initial = substr(name, 1, 1)'
    """

  private static let sql = """
    --sql STATEMENT runs one SELECT statement over the inputs, with SQLite. Each
    file is a table with its name without extension; a quoted pattern is one
    table, named by --as or else by its directory; a database and a workbook
    have their own tables. --where, --sort and the other options then apply to
    the result.

    Statements only read: no files, no ATTACH, no PRAGMA. Text that looks like a
    date compares as a date does; sums of decimals are exact.

      bb-export a.csv --sql 'SELECT city, count(*) FROM a GROUP BY city'
      bb-export o.csv i.csv --sql 'SELECT * FROM o JOIN i ON o.item = i.id'
      bb-export 'logs/*.csv' --sql 'SELECT count(*) FROM logs'
      bb-export shop.db --sql 'SELECT * FROM orders'
    """

  private static let csv = """
    Delimiter, quote, encoding and header of an input are detected; `bb-export
    sniff FILE` prints what was found. Options state what is known:
      --from-delimiter semicolon   --from-encoding latin1   --no-header
      --names A,B   --skip-rows N   --decimal-separator ,   --from-null NULL
      --types zip=text,price=decimal(12,2),day=date(%d.%m.%Y)
      --ragged and --repair accept records that do not fit

    Types are inferred only where no value changes: 007 stays text, and 1.10 is
    written as 1.10. An empty field is null, "" is the empty text.

    For the output: --delimiter CHAR, --null TEXT, --line-ending crlf,
    --headers never, --excel, --csv-formulas escape, --nested flatten.

      bb-export euro.csv --from-delimiter semicolon -o euro.tsv
      bb-export people.csv -f csv --delimiter semicolon
    """

  private static let output = """
    -o FILE writes to a file whose extension selects the format; -o - writes to
    standard output. Repeat -o to write several files in one pass. Files are
    written atomically: to a temporary file in the same directory, synced to
    disk, then renamed. If anything fails, an existing file is left unchanged.
    --no-clobber never overwrites an existing file.

    -f FORMAT sets the format of standard output and of files without a known
    extension. `bb-export formats` lists the formats and their options.
    --option KEY=VALUE or FORMAT.KEY=VALUE sets a format option.

    Lossless formats preserve every value and every null, or bb-export exits
    with 65 and names the record and column. Display formats (markdown, table,
    record, html) show every character and leave nulls empty. --csvw writes
    column metadata next to a CSV file so that types survive a round trip;
    --datapackage describes all output files of a directory.

      bb-export episodes -o episodes.csv -o episodes.json
      bb-export episodes -f csv --option null=NULL --option line-ending=crlf
    """

  private static let input = """
    Records come from one place: files (FILE… or --from FILE) or a source
    (--source NAME: a live API, listed by `bb-export sources`, or `snapshot` for
    the built-in data).

    `bb-export people.csv` reads .csv, .tsv, .json, .ndjson, .xlsx, .ods and
    .parquet files, also compressed (.gz, .zst), any table or view of an SQLite
    .db file (`bb-export x.db TABLE`), or standard input (-). Of a workbook it
    reads the first sheet, else --table NAME. Several files, or a pattern in
    quotes such as 'logs/*.csv', are one table: columns are matched by name, and
    those a file does not have are null.

    The format comes from --from-format, the extension or the first bytes.
    Column types are inferred without losing information; override them with a
    metadata file, x.csv-metadata.json (CSV on the Web), or --types NAME=TYPE,…
    --records /results selects the records inside a JSON document;
    --from-delimiter semicolon reads semicolon-separated CSV.
    A quote inside an unquoted CSV field belongs to the text, and one warning
    counts such fields; --strict-csv rejects them. A field larger than
    --max-field is rejected, as is a record of more than double that size. A CSV
    or JSON table has at most 10,000 columns, whatever the output format allows.

    A source definition is a JSON file that describes an API: where the records
    are, how they map to columns, how pages are requested, and which variable
    holds the key. `bb-export sources show box-office` prints an example,
    `sources schema` the JSON Schema for your editor, and `sources check FILE`
    validates a file. Use it with --source FILE.

    Responses are cached and revalidated. --max-age 3600 uses responses up to an
    hour old without revalidating; --refresh ignores the cache; --offline never
    uses the network. If the server does not respond, or not with status 200, a
    cached response is used, with a warning. If nothing is cached, the built-in
    data (no quotes, synopses or images) is written to a terminal, a pipe or a
    new file, with a warning that --quiet does not hide. It never replaces an
    existing file, or a source given with --api, --source or --refresh: then the
    exit code is 69. Invalid data (status 200, but not the JSON that the source
    definition describes) is an error, 65, and is never cached.

    --api URL, or BB_API_URL for the built-in APIs, sets the server. The proxy
    variables http_proxy, https_proxy and no_proxy are honoured; --proxy URL
    overrides them, --proxy none disables proxies. --cacert FILE trusts the
    certificates in FILE.
    """

  private static let environment = """
    BB_API_URL       base URL for the built-in APIs; a source definition sets
                     its own
    BB_KEY           any other setting, for example BB_THREADS=2; `bb-export help
                     config` lists the keys
    BB_PLUGIN_PATH   directories to search for plug-ins, separated by colons
    BB_STORAGE       store for notes, places, actors and favourites, and for
                     sync, unless --storage is given
    XDG_CACHE_HOME   cache directory is $XDG_CACHE_HOME/bb [default: ~/.cache]
    XDG_DATA_HOME    default store is $XDG_DATA_HOME/bb/bb.db
    XDG_CONFIG_HOME  settings are in $XDG_CONFIG_HOME/bb/config, one per line:
                     storage = csv:/home/me/notes
    TMPDIR           directory for temporary files of large sorts and
                     unseekable input [default: /tmp]
    http_proxy, https_proxy, all_proxy, no_proxy
                     proxies, as in curl
    """
}
