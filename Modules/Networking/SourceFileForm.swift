import Domain
import Rows

/// The grammar of a source definition, as values: every key, its accepted values, and their meaning.
extension SourceFile {
  /// The words that a column's `from` accepts instead of a pointer.
  static let elsewhere = [SourceColumn.place, SourceColumn.parent, nothing]
  /// Instead of a pointer: the source has nothing for the column, which is always null.
  static let nothing = "#nothing"

  /// Header fields that are not allowed, in lower case: secrets belong in variables, and lengths and hosts are
  /// computed.
  static let reserved = [
    "authorization", "proxy-authorization", "cookie", "host", "content-length", "content-type", "transfer-encoding",
    "connection", "accept-encoding", "user-agent", "if-none-match", "if-modified-since", "range",
  ]

  /// The whole document.
  static let form = SourceObject(
    summary: "definition of a JSON API as a bb-export source",
    members: [
      .required("bb_source", .constant(1), "version of this file format"),
      .required("name", .matching(.word), "name of the source, used in messages"),
      SourceMember("summary", .text, "description, in one sentence"),
      .required("base_url", .matching(.url), "base URL: server and common path prefix"),
      SourceMember(
        "headers", .texts(keys: .field, values: .line), "headers sent with every request; put secrets in auth"),
      SourceMember("auth", .variants(tag: "type", authorization), "authentication"),
      SourceMember(
        "rate",
        .object(
          SourceObject(
            summary: "a rate limit",
            members: [.required("per_second", .positive, "maximum requests per second")])),
        "rate limit"),
      .required("datasets", .list(.object(dataset), least: 1), "datasets; a parent must come before its children"),
    ])

  private static let variable = SourceMember.required(
    "env", .matching(.variable), "environment variable that contains the secret")

  private static let authorization = [
    SourceObject(name: "bearer", summary: "send the header Authorization: Bearer", members: [variable]),
    SourceObject(
      name: "basic", summary: "send the header Authorization: Basic; the variable contains user:password",
      members: [variable]),
    SourceObject(
      name: "query", summary: "send a query parameter",
      members: [.required("param", .matching(.word), "parameter name"), variable]),
    SourceObject(
      name: "header", summary: "send a header",
      members: [.required("header", .matching(.field), "header name"), variable]),
  ]

  private static let dataset = SourceObject(
    summary: "a dataset",
    members: [
      .required("name", .matching(.word), "dataset name on the command line"),
      SourceMember("summary", .text, "description, in one sentence"),
      .required("path", .matching(.path), "path appended to the base URL; {name} is replaced by a parameter"),
      SourceMember("params", .pairs, "query parameters sent with every request"),
      SourceMember(
        "filters", .pairs, "filters (name, production) and the server's parameter for each"),
      SourceMember("random", .object(random), "how to request a random record"),
      SourceMember(
        "records", .matching(.pointer),
        "JSON Pointer to the array of records in a response; empty means the whole response"),
      SourceMember("paging", .variants(tag: "type", paging), "pagination"),
      SourceMember("key", .list(.matching(.word), least: 0), "key columns"),
      SourceMember(
        "occurrence", .matching(.word),
        "integer key column that numbers the records with the same other key columns"),
      SourceMember("parent", .object(parent), "dataset to iterate over: one request per record"),
      .required("columns", .list(.object(column), least: 1), "columns, in order"),
      SourceMember(
        "ignored", .list(.matching(.pointer), least: 0), "members of records that no column reads on purpose"),
      SourceMember(
        "supplements", .list(.variants(tag: "for", supplements), least: 0), "detail requests that fill more columns"),
      SourceMember("submission", .object(submission), "how to create a record"),
    ])

  private static let random = SourceObject(
    summary: "random record endpoint",
    members: [
      .required("path", .matching(.path), "path appended to the base URL"),
      SourceMember("filters", .pairs, "filters, as for the dataset"),
    ])

  private static let parent = SourceObject(
    summary: "dataset to iterate over: one request per record",
    members: [
      .required("dataset", .matching(.word), "a dataset defined before this one"),
      .required("column", .matching(.word), "column whose value is sent"),
      .required("param", .matching(.word), "where the value is sent: {param} in the path, or a query parameter"),
    ])

  private static let submission = SourceObject(
    summary: "records are created with POST and a JSON object",
    members: [
      .required("path", .matching(.path), "path appended to the base URL"),
      .required("members", .pairs, "columns, and the JSON key for each"),
    ])

  private static let stop = SourceMember(
    "stop", .choice(SourcePaging.Stop.allCases.map(\.rawValue)),
    "when to stop: at a page without records, or with fewer records than the first")
  private static let maximumPages = SourceMember(
    "max_pages", .integer(least: 1), "maximum number of pages [default: 1000]; more is an error")
  private static func parameter(_ summary: String) -> SourceMember { .required("param", .matching(.word), summary) }

  private static let paging = [
    SourceObject(name: "none", summary: "no pagination: one response contains all records", members: []),
    SourceObject(
      name: "page", summary: "page-number pagination",
      members: [
        parameter("parameter name"),
        SourceMember("first", .integer(least: 0), "number of the first page [default: 1]"),
        stop, maximumPages,
      ]),
    SourceObject(
      name: "offset", summary: "offset pagination",
      members: [
        parameter("parameter name"),
        SourceMember("limit_param", .matching(.word), "query parameter for the page size"),
        SourceMember("limit", .integer(least: 1), "page size"), stop, maximumPages,
      ]),
    SourceObject(
      name: "next_url", summary: "the response contains the URL of the next page",
      members: [.required("pointer", .matching(.pointer), "JSON Pointer to the URL"), maximumPages]),
    SourceObject(
      name: "link_header", summary: "the Link header contains the URL of the next page", members: [maximumPages]),
    SourceObject(
      name: "cursor", summary: "cursor pagination: the response contains the parameter value for the next page",
      members: [
        parameter("parameter name"), .required("pointer", .matching(.pointer), "JSON Pointer to the cursor"),
        maximumPages,
      ]),
  ]

  private static let supplementColumns = SourceMember.required(
    "columns", .list(.object(SourceObject(summary: "a column to fill", members: filling)), least: 1),
    "columns to fill; their types are declared in the dataset's columns")

  private static let supplements = [
    SourceObject(
      name: "each", summary: "one request per record",
      members: [
        .required("path", .matching(.path), "path appended to the base URL"),
        SourceMember("params", .pairs, "query parameters sent with every request"),
        .required("param", .matching(.word), "where the first key column's value is sent, as for a parent"),
        supplementColumns,
      ]),
    SourceObject(
      name: "all", summary: "one list for all records",
      members: [
        .required("path", .matching(.path), "path appended to the base URL"),
        SourceMember("params", .pairs, "query parameters sent with every request"),
        .required("records", .matching(.pointer), "JSON Pointer to the list"),
        .required("id", .matching(.pointer), "JSON Pointer to the first key column's value in a record"),
        supplementColumns,
      ]),
  ]

  /// Where a column's values come from.
  private static let filling: [SourceMember] = [
    .required("name", .matching(.word), "column"),
    SourceMember(
      "from", .matching(.selector),
      "JSON Pointer to the value in a record [default: /NAME]; #place is the 1-based position in the list, #parent the "
        + "parent's value, #nothing always null"
    ),
    SourceMember(
      "formats", .list(.choice(SourceDateFormat.allCases.map(\.rawValue)), least: 0), "date formats"),
    SourceMember("null", .list(.text, least: 0), "texts treated as null"),
    SourceMember("invalid", .list(.text, least: 0), "texts treated as null, with a warning"),
    SourceMember("steps", .list(.wordOrMember(plainSteps, steps), least: 0), "transformations to apply, in order"),
    SourceMember("missing", .text, "text to use for a missing value"),
    SourceMember("optional", .truth, "true: no record need have the member; its absence is not reported"),
  ]

  /// Steps without a parameter.
  static let plainSteps = ["trim", "split", "wrap", "has-elements"]
  private static let steps = [
    SourceMember("divide", .integer(least: 1), "integer division"),
    SourceMember("remainder", .integer(least: 1), "remainder of the integer division"),
    SourceMember("prefix", .text, "prepend a text"),
    SourceMember("words", .pairs, "replace words"),
  ]

  private static let column: SourceObject = {
    var members = filling
    members.insert(
      contentsOf: [
        SourceMember("type", .choice(ColumnType.allCases.map(\.name)), "column type [default: text]"),
        SourceMember("nullable", .truth, "whether the column can be null [default: true, except for key columns]"),
        SourceMember("summary", .text, "description of the column, in one sentence"),
        SourceMember("unit", .text, "unit of a number"),
        SourceMember(
          "role", .choice(ColumnRole.allCases.map(\.rawValue)), "role of the column in tables and on pages"),
      ], at: 2)
    return SourceObject(
      summary: "a column", members: members,
      conditions: [
        SourceCondition(
          key: "formats", other: "type", values: [ColumnType.date.name, ColumnType.timestamp.name], orAbsent: false,
          complaint: "“formats” applies only to date and timestamp columns"),
        SourceCondition(
          key: "missing", other: "type", values: [ColumnType.text.name], orAbsent: true,
          complaint: "applies only to text columns"),
      ])
  }()
}
