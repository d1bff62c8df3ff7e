package import CommandLineKit

/// The names of other programs, and the names here.
package enum SharedSynonyms {
  /// Words for what both programs have; of two that apply, the first counts.
  package static let all = options + formats + commands

  private static let options =
    [
      Synonym("--force", "--confirm", "-y", for: "--yes"),
      Synonym(
        "--force", "--overwrite", "--clobber", for: "--no-clobber", hint: "omit it: existing files are overwritten"),
      Synonym("--head", "--take", "--top", "--max", "--count-limit", "-n", "-l", for: "--limit"),
      Synonym("--skip", for: "--offset"),
      Synonym("-c", "-q", for: "--sql", hint: "use --sql 'VALUE'", before: .statement),
      Synonym("-s", for: "--columns", before: .list),
      Synonym("--select", "--fields", "--cols", "-c", for: "--columns"),
      Synonym("--filter", "--query", for: "--where"),
      Synonym(
        "--desc", "--descending", "--reverse", "-r", for: "--sort", hint: "use --sort VALUE:desc", valueOf: "sort"),
      Synonym("--order-by", "--sort-by", for: "--sort"),
      Synonym("--group-by", "--groupby", for: "--group"),
      Synonym(
        "--unique", "--uniq", "--dedupe", "--dedup", for: "--distinct", hint: "use --distinct[ --by VALUE]"),
      Synonym("--exclude", "--omit", for: "--drop"),
      Synonym("--compute", "--calculate", "--mutate", "--assign", "--derive", for: "--put"),
      Synonym("--fillna", "--fill-null", "--fill-empty", for: "--fill"),
      Synonym("--melt", for: "--unpivot"),
      Synonym("--append", for: "--existing", hint: "use --existing append"),
      Synonym("--union", for: "--from", hint: "name the files one after the other"),
      Synonym("--merge", "--left-join", for: "--join", hint: "use --join FILE --on COLUMN"),
      Synonym("--inner-join", for: "--join", hint: "use --join FILE --on COLUMN --join-type inner"),
      Synonym("--first", for: "--limit"), Synonym("--random", for: "--sample"),
      Synonym("--shuffle", for: "--sample", hint: "use --sample N for random rows"),
      Synonym("--last", for: "--tail"),
      Synonym("--using", for: "--on"),
      Synonym("--mean", "--average", for: "--agg", hint: "use --agg 'avg(VALUE)'"),
      Synonym("--in", "--input", "--file", "-i", for: "--from"),
      Synonym("--to", "--outfile", for: "--output"),
      Synonym("--input-format", for: "--from-format"),
      Synonym("--encoding", "--charset", for: "--from-encoding"),
      Synonym("--output-format", "--type", for: "--format"),
      Synonym("--separator", "--sep", "--delim", "--delimiter", "-d", for: "--from-delimiter"),
      Synonym("--separator", "--sep", "--delim", "-d", for: "--delimiter"),
      Synonym("--sheet", for: "--table"),
      Synonym("--schema", "--describe", for: "--types", hint: "use bb-export schema FILE, or --types A=TYPE"),
      Synonym("--db", "--database", "--store", for: "--storage"),
      Synonym("--silent", "-s", for: "--quiet"),
      Synonym("--debug", for: "--verbose"),
      Synonym("--no-color", "--no-colour", for: "--color", hint: "use --color never"),
      Synonym("--no-cache", for: "--refresh"),
      Synonym("--no-network", for: "--offline"),
      Synonym("--jobs", "--cores", "-j", for: "--threads"),
      Synonym("-V", for: "--version"), Synonym("-?", for: "--help"),
    ] + ["sum", "avg", "median", "min"].map { Synonym("--\($0)", for: "--agg", hint: "use --agg '\($0)(VALUE)'") }

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
