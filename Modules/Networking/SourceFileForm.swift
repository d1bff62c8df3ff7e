import Domain
import Rows

/// The grammar of a source's file, as values: every key there is, what may stand at it, and what it means.
extension SourceFile {
  /// What a column's `from` may say instead of a pointer.
  static let elsewhere = [SourceColumn.place, SourceColumn.parent, nothing]
  /// Instead of a pointer: the source has nothing for the column, which is always null.
  static let nothing = "#nothing"

  /// Header fields that are sent for other reasons, in small letters: secrets stand in variables, and lengths and hosts are known.
  static let reserved = [
    "authorization", "proxy-authorization", "cookie", "host", "content-length", "content-type", "transfer-encoding",
    "connection", "accept-encoding", "user-agent", "if-none-match", "if-modified-since", "range",
  ]

  /// The whole document.
  static let form = SourceObject(
    summary: "a JSON API as a source of datasets for bb-export",
    members: [
      .required("bb_source", .constant(1), "the version of this format"),
      .required("name", .matching(.word), "how messages name the source"),
      SourceMember("summary", .text, "what it is, in one sentence"),
      .required("base_url", .matching(.url), "the server and the beginning of every path"),
      SourceMember(
        "headers", .texts(keys: .field, values: .line), "header fields that are always sent; secrets stand in auth"),
      SourceMember("auth", .variants(tag: "type", authorization), "how requests say who asks"),
      SourceMember(
        "rate",
        .object(
          SourceObject(
            summary: "a limit",
            members: [.required("per_second", .positive, "the most requests a second")])),
        "how often the source may be asked"),
      .required("datasets", .list(.object(dataset), least: 1), "its datasets; a parent stands before its children"),
    ])

  private static let variable = SourceMember.required(
    "env", .matching(.variable), "the environment variable that holds the secret")

  private static let authorization = [
    SourceObject(name: "bearer", summary: "the header Authorization: Bearer", members: [variable]),
    SourceObject(
      name: "basic", summary: "the header Authorization: Basic; the variable holds user:password",
      members: [variable]),
    SourceObject(
      name: "query", summary: "a query parameter",
      members: [.required("param", .matching(.word), "the parameter"), variable]),
    SourceObject(
      name: "header", summary: "a header field",
      members: [.required("header", .matching(.field), "the field's name"), variable]),
  ]

  private static let dataset = SourceObject(
    summary: "one dataset",
    members: [
      .required("name", .matching(.word), "what it is called on the command line"),
      SourceMember("summary", .text, "what it is, in one sentence"),
      .required("path", .matching(.path), "what follows the base URL; {name} stands for a parameter"),
      SourceMember("params", .pairs, "query parameters that are always sent"),
      SourceMember(
        "filters", .pairs, "what a reader may ask for (name, production), and the server's parameter for it"),
      SourceMember("random", .object(random), "how the server gives a record by chance"),
      SourceMember(
        "records", .matching(.pointer), "where the list of records stands in an answer; empty: it is the answer"),
      SourceMember("paging", .variants(tag: "type", paging), "how a long list is handed out"),
      SourceMember("key", .list(.matching(.word), least: 0), "the columns that tell records apart"),
      SourceMember(
        "occurrence", .matching(.word),
        "the key column, an integer, that counts records which share the rest of the key"),
      SourceMember("parent", .object(parent), "the dataset whose every record is asked about"),
      .required("columns", .list(.object(column), least: 1), "the columns, in order"),
      SourceMember(
        "ignored", .list(.matching(.pointer), least: 0), "members of records that no column reads on purpose"),
      SourceMember(
        "supplements", .list(.variants(tag: "for", supplements), least: 0), "further answers that fill more columns"),
      SourceMember("submission", .object(submission), "how a new record is sent"),
    ])

  private static let random = SourceObject(
    summary: "a record by chance",
    members: [
      .required("path", .matching(.path), "what follows the base URL"),
      SourceMember("filters", .pairs, "as the dataset's filters"),
    ])

  private static let parent = SourceObject(
    summary: "the dataset whose every record is asked about",
    members: [
      .required("dataset", .matching(.word), "a dataset that stands before this one"),
      .required("column", .matching(.word), "its column whose value is sent"),
      .required("param", .matching(.word), "what carries the value: {param} in the path, or a query parameter"),
    ])

  private static let submission = SourceObject(
    summary: "records are sent with POST, as a JSON object",
    members: [
      .required("path", .matching(.path), "what follows the base URL"),
      .required("members", .pairs, "columns, and the object's key for each"),
    ])

  private static let stop = SourceMember(
    "stop", .choice(SourcePaging.Stop.allCases.map(\.rawValue)),
    "the end: a page without records, or one with fewer than the first")
  private static let maximumPages = SourceMember(
    "max_pages", .integer(least: 1), "the most pages, 1000 when not said; a longer list is an error")
  private static func parameter(_ summary: String) -> SourceMember { .required("param", .matching(.word), summary) }

  private static let paging = [
    SourceObject(name: "none", summary: "one answer holds everything", members: []),
    SourceObject(
      name: "page", summary: "a parameter counts pages",
      members: [
        parameter("the parameter"),
        SourceMember("first", .integer(least: 0), "the first page's number, 1 when not said"),
        stop, maximumPages,
      ]),
    SourceObject(
      name: "offset", summary: "a parameter counts records",
      members: [
        parameter("the parameter"),
        SourceMember("limit_param", .matching(.word), "the parameter for the size of a page"),
        SourceMember("limit", .integer(least: 1), "the size of a page"), stop, maximumPages,
      ]),
    SourceObject(
      name: "next_url", summary: "an answer holds the next page's URL",
      members: [.required("pointer", .matching(.pointer), "where it stands"), maximumPages]),
    SourceObject(name: "link_header", summary: "the header Link has it", members: [maximumPages]),
    SourceObject(
      name: "cursor", summary: "an answer holds the value of a parameter for the next page",
      members: [
        parameter("the parameter"), .required("pointer", .matching(.pointer), "where the value stands"), maximumPages,
      ]),
  ]

  private static let supplementColumns = SourceMember.required(
    "columns", .list(.object(SourceObject(summary: "a column it fills", members: filling)), least: 1),
    "the columns it fills; their types stand with the dataset's columns")

  private static let supplements = [
    SourceObject(
      name: "each", summary: "one answer for each record",
      members: [
        .required("path", .matching(.path), "what follows the base URL"),
        SourceMember("params", .pairs, "query parameters that are always sent"),
        .required("param", .matching(.word), "what carries the first key column's value, as for a parent"),
        supplementColumns,
      ]),
    SourceObject(
      name: "all", summary: "one list for all records",
      members: [
        .required("path", .matching(.path), "what follows the base URL"),
        SourceMember("params", .pairs, "query parameters that are always sent"),
        .required("records", .matching(.pointer), "where the list stands"),
        .required("id", .matching(.pointer), "where the first key column's value stands in a record"),
        supplementColumns,
      ]),
  ]

  /// Where a column's values come from.
  private static let filling: [SourceMember] = [
    .required("name", .matching(.word), "the column"),
    SourceMember(
      "from", .matching(.selector),
      "where the value stands in a record; /name when not said; #place is the record's place in the list, from 1, #parent the value that was asked about, #nothing always null"
    ),
    SourceMember(
      "formats", .list(.choice(SourceDateFormat.allCases.map(\.rawValue)), least: 0), "how dates are written"),
    SourceMember("null", .list(.text, least: 0), "texts that stand for nothing"),
    SourceMember("invalid", .list(.text, least: 0), "texts that become null with a warning"),
    SourceMember("steps", .list(.wordOrMember(plainSteps, steps), least: 0), "what is done to a value, in order"),
    SourceMember("missing", .text, "the text for a value that is not there"),
    SourceMember("optional", .truth, "true: no record need have the member; its absence is not reported"),
  ]

  /// Steps without a parameter.
  static let plainSteps = ["trim", "split", "wrap", "has-elements"]
  private static let steps = [
    SourceMember("divide", .integer(least: 1), "divides an integer and drops the rest"),
    SourceMember("remainder", .integer(least: 1), "the rest of that division"),
    SourceMember("prefix", .text, "puts a text in front of a text"),
    SourceMember("words", .pairs, "replaces words"),
  ]

  private static let column: SourceObject = {
    var members = filling
    members.insert(
      contentsOf: [
        SourceMember("type", .choice(ColumnType.allCases.map(\.name)), "what the values are; text when not said"),
        SourceMember("nullable", .truth, "whether there may be no value; true when not said, except in the key"),
        SourceMember("summary", .text, "what the column means, in one sentence"),
        SourceMember("unit", .text, "the unit of a number"),
      ], at: 2)
    return SourceObject(
      summary: "one column", members: members,
      conditions: [
        SourceCondition(
          key: "formats", other: "type", values: [ColumnType.date.name, ColumnType.timestamp.name], orAbsent: false,
          complaint: "formats are for dates and timestamps"),
        SourceCondition(
          key: "missing", other: "type", values: [ColumnType.text.name], orAbsent: true,
          complaint: "it is for columns of text"),
      ])
  }()
}
