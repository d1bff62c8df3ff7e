public import CommandLineKit

extension Program.Topic {
  /// The exit codes, shared by both programs.
  public static let exitCodes = Program.Topic(
    "exit-codes", "exit codes",
    """
    0   success, including when no rows match
    1   the named record does not exist
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
  public static let conditions = """
    --where 'COLUMN OP VALUE' may be repeated; all conditions must match.
      OP       = != < <= > >=   ~ (contains)   !~ (does not contain)   in (a,b)
               is null   is not null
      VALUE    unquoted to the end, or '…' with '' for a quote; quote a COLUMN
               as "…" unless it has only letters, digits, _ and .
      numbers  compare by exact value; text compares byte by byte;
               ~ ignores case and accents
      lists    = means "contains the element"
      dates    may be partial: = matches any day within (birthday = 1958);
               < and > compare the first day; likewise for timestamps
               (created_at = 2024-05)
      null     comparisons with null never match; use is null

    --sort a,b:desc sorts by a, then by b descending; nulls sort last, and ties
    are broken by key. --columns a,b selects columns and their order. In both,
    quote a name that contains a comma or colon as "…", with "" for a quote.
    """
}
