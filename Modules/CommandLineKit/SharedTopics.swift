extension Program.Topic {
  /// What the exit codes mean: the same in every program.
  public static let exitCodes = Program.Topic(
    "exit-codes", "what the exit codes mean",
    """
    0   done; also when there were no rows
    1   a record that was named does not exist
    64  the command line is wrong
    65  bad data: what does not parse, fit its type, or go into the format
    66  a file, storage or table that was named does not exist
    69  the source does not answer and nothing is cached
    70  a bug: please report it
    73  an output cannot be created, or exists
    74  reading or writing failed (a full disk, for instance)
    75  busy, or a part failed: run again
    76  an external exporter failed
    77  permission denied
    78  a wrong configuration, or a format newer than this program
    128+n  ended by signal n

    --errors json writes the error as one JSON object:
    {"bb":1,"error":{"kind","message","place","hint","exit"}}.
    A reader that goes away (| head) is no error.
    """)

  /// The grammar of conditions and of lists of columns, as a part of a topic.
  public static let conditions = """
    --where 'COLUMN OP VALUE' may be given several times; all must hold.
      OP       = != < <= > >=   ~ (contains)   !~ (does not)   in (a,b)
               is null   is not null
      VALUE    bare to the end, or '…' where '' is one quote; a COLUMN with
               other characters than letters, digits, _ and . is "…"
      numbers  compare by value, however long; text compares as bytes;
               ~ takes no notice of case and accents
      lists    = means "has the element"
      dates    may be partial: = means "falls in" (birthday = 1958),
               < and > use the earliest day; so of times (created_at = 2024-05)
      null     no comparison with null holds; ask with is null

    --sort a,b:desc sorts; null comes last both ways, ties by the key.
    --columns a,b gives these, in this order. There too a name with a comma,
    or a colon to sort by, is "…", where "" is one quote.
    """
}
