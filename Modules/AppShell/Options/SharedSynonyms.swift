package import CommandLineKit
import Rows

/// The names of other programs, and the names here.
package enum SharedSynonyms {
  /// Words for what both programs have; of two that apply, the first counts.
  package static let all = options + formats + commands

  private static let options =
    [
      Synonym("--force", "--confirm", "-y", for: "--yes"),
      Synonym(
        "--force", "--overwrite", "--clobber", for: "--no-clobber", hint: "omit it: existing files are overwritten"),
      Synonym("-c", "-q", "--query", for: "--sql", hint: "use --sql 'VALUE'", before: .statement),
      Synonym("-s", for: "--columns", before: .list), Synonym("-s", for: "--columns", before: .word),
      Synonym(
        "--desc", "--descending", "--reverse", "-r", for: "--sort", hint: "use --sort VALUE:desc", valueOf: "sort"),
      Synonym("--unique", "--uniq", "--dedupe", "--dedup", for: "--distinct", hint: "use --distinct[ --by VALUE]"),
      Synonym("--flatten", "--flat", for: "--nested", hint: "use --nested flatten"),
      Synonym("--replace", for: "--put", hint: "use --put \"COLUMN = replace(COLUMN,'OLD','NEW')\""),
      Synonym("--append", for: "--existing", hint: "use --existing append"),
      Synonym("--upsert", for: "--existing", hint: "use --existing upsert"),
      Synonym("--union", for: "--from", hint: "name the files one after the other"),
      Synonym("--merge", "--left-join", for: "--join", hint: "use --join FILE --on COLUMN"),
      Synonym("--inner-join", for: "--join", hint: "use --join FILE --on COLUMN --join-type inner"),
      Synonym("--shuffle", for: "--sample", hint: "use --sample N for random rows"),
      Synonym("--gzip", "--compress", "--compression", for: "--output", hint: "use -o FILE.gz"),
      Synonym("--mean", "--average", for: "--agg", hint: "use --agg 'avg(VALUE)'"),
      Synonym("--to", "-t", for: "--format", hint: "use -f VALUE", before: .format),
      Synonym("--schema", "--describe", for: "--types", hint: "use bb-export schema FILE, or --types A=TYPE"),
      Synonym("--no-color", "--no-colour", for: "--color", hint: "use --color never"),
    ] + ["sum", "avg", "median", "min"].map { Synonym("--\($0)", for: "--agg", hint: "use --agg '\($0)(VALUE)'") }
    + others.map { Synonym($1.split(at: " ").map(String.init), for: "--\($0)") }

  /// Options, and the words for each that need no other hint.
  private static let others: KeyValuePairs = [
    "limit": "--head --take --top --first --max --count-limit -n -l", "offset": "--skip", "tail": "--last",
    "columns": "--select --fields --cols -c", "where": "--filter --query", "group": "--group-by --groupby",
    "sort": "--order-by --sort-by --asc --ascending", "drop": "--exclude --omit --delete --remove --without",
    "put": "--compute --calculate --mutate --assign --derive --add --with-column", "sample": "--random",
    "fill": "--fillna --fill-null --fill-empty", "unpivot": "--melt", "pivot": "--spread --crosstab",
    "explode": "--unnest --expand", "search": "--grep --find --match --contains", "join-type": "--how --join-how",
    "count-by": "--hist --histogram --freq --frequency --value-counts", "on": "--using", "key": "--on --by --id",
    "from": "--in --input --file -i", "output": "--to --outfile", "from-format": "--input-format",
    "from-encoding": "--encoding --charset", "format": "--output-format --type", "from-quote": "--quote --quotechar",
    "from-delimiter": "--separator --sep --delim --delimiter -d -F", "delimiter": "--separator --sep --delim -d",
    "headers": "--header", "from-null": "--na --na-values --nulls", "types": "--dtype --dtypes --cast --column-types",
    "table": "--sheet", "storage": "--db --database --store", "quiet": "--silent -s", "verbose": "--debug",
    "refresh": "--no-cache", "offline": "--no-network", "threads": "--jobs --cores -j", "version": "-V", "help": "-?",
  ]

  private static let formats =
    ["csv", "tsv", "json", "ndjson", "html", "xlsx", "parquet", "markdown", "yaml", "table"].map {
      Synonym("--\($0)", for: "--format", hint: "use -f \($0)")
    } + [
      Synonym("--jsonl", for: "--format", hint: "use -f ndjson"),
      Synonym("--md", for: "--format", hint: "use -f markdown"),
    ]

  private static let commands = [
    Synonym("rm", "remove", "del", for: "delete"), Synonym("rm", "del", "delete", for: "remove"),
    Synonym("ls", for: "list"), Synonym("view", "get", "cat", "info", for: "show"),
    Synonym("new", "create", for: "add"), Synonym("modify", "update", "change", for: "set"),
    Synonym("find", "grep", for: "search"), Synonym("log", for: "history"),
    Synonym("settings", "configure", for: "config"), Synonym("revert", "rollback", for: "undo"),
    Synonym("version", for: "help", hint: "use --version"),
  ]
}
