package import CommandLineKit

extension Program.Topic {
  package static let exitCodes = Program.Topic(
    "exit-codes", "exit codes",
    """
    0   success, including when no rows match
    1   the named record does not exist, or diff found differences
    64  usage error
    65  invalid input data, or data the output format cannot represent
    66  a file, store or table does not exist
    69  the source is unavailable, and nothing may take its place
    70  internal error: please report it
    73  the output cannot be created, or already exists
    74  I/O error, such as a full disk
    75  busy, or partly failed: run again
    76  an external exporter failed
    77  permission denied
    78  invalid configuration, or a store written by a newer version
    128+n  terminated by signal n

    --errors json prints the error as one JSON object:
    {"bb":1,"error":{"kind","message","place","hint","exit"}}.
    A closed pipe (| head) is not an error.
    """)

  /// The grammar of conditions and of lists of columns, as a part of a topic.
  package static let conditions = """
    --where 'COLUMN OP VALUE' may be repeated; all conditions must match.
    Join conditions with and, or, not and parentheses:
    --where "season = 1 or (season = 2 and title ~ 'bit')"
      OP       = != < <= > >=   ~ (contains)   !~ (does not contain)
               starts with   =~ (regular expression)   in (a,b)
               between A and B   is null   is not null
      VALUE    '…' with '' for a quote; or unquoted to the end, or one word up
               to and, or or ). A column, for = != < <= > >=, is "…". Quote
               COLUMN as "…" unless it has only letters, digits, _ and .
      numbers  compare by exact value; text compares byte by byte;
               ~ and starts with ignore case and accents
      patterns have . [a-z] [^a-z] \\d \\w \\s \\b ^ $ ( ) | * + ? {m,n}, and
               (?i) at the beginning to ignore case; no look-around
      lists    = means "contains the element"; so do
               starts with and =~ for one of them
      dates    may be partial: = matches any day within (birthday = 1958);
               < and > compare the first day; likewise for timestamps
               (created_at = 2024-05); also may 2024, yesterday, 3 days ago.
               A time such as 2024-05-17T08:15:30.5+02:00 may have an offset
      null     comparisons with null never match, nor do their negations; use
               is null

    --count outputs the number of rows. --group a,b outputs a row for each
    combination, with --agg 'count, sum(x), avg(x), min(x), max(x),
    distinct(x) as n'; sums are exact. Then --sort, --columns and --limit
    refer to the result: --sort 'sum(x):desc'. Groups are in ascending order.

    --sort a,b:desc sorts by a, then by b descending; nulls sort last, and ties
    are broken by key. --columns a,b selects columns and their order. In both,
    quote a name that contains a comma or colon as "…", with "" for a quote.
    """
}
