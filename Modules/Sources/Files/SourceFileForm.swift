import Rows

/// The grammar of a source definition, as values: every key, its accepted values, and their meaning.
extension SourceFile {
  /// The words that a column's `from` accepts instead of a pointer.
  static let elsewhere = [SourceColumn.place, SourceColumn.parent, nothing]
  /// Those of version 2.
  static let laterElsewhere = [SourceColumn.key, SourceColumn.page]
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
    summary: "definition of a JSON API as a source",
    members: [
      .required("bb_source", .version, "version of this file format"),
      .required("name", .matching(.word), "name of the source, used in messages"),
      SourceMember("summary", .text, "description, in one sentence"),
      .required(
        "base_url", .matching(.url), newer: .matching(.urlTemplate), "base URL: server and common path prefix"),
      SourceMember(
        "variables", .entries(keys: .variable, values: .object(variables)),
        "values for {name} in URLs, parameters, headers and bodies", since: 2),
      SourceMember(
        "headers", .entries(keys: .field, values: .matching(.line)),
        "headers sent with every request; put secrets in auth"),
      SourceMember("auth", .variants(tag: "type", authorization), newer: laterAuthorization, "authentication"),
      SourceMember("rate", .object(rate), "rate limit"),
      SourceMember("error", .object(error), "a response with status 200 that is an error", since: 2),
      .required("datasets", .list(.object(dataset), least: 1), "datasets; a parent must come before its children"),
    ])

  private static let variables = SourceObject(
    summary: "a variable; a value on the command line goes before both",
    members: [
      SourceMember("env", .matching(.variable), "environment variable that contains the value"),
      SourceMember("default", .scalar, "value if there is no other"),
    ])

  private static let rate = SourceObject(
    summary: "a rate limit",
    members: [
      .required("per_second", .positive, "maximum requests per second", upTo: 1),
      SourceMember("at_a_time", .integer(least: 1), "maximum requests at a time [default: 32]", since: 2),
      SourceMember("remaining", .matching(.field), "header with the number of requests left", since: 2),
      SourceMember(
        "reset", .matching(.field), "header with the time of the next period: seconds from now, or since 1970", since: 2
      ),
    ])

  private static let error = SourceObject(
    summary: "a response with status 200 that is an error",
    members: [
      .required("when", .object(sign), "the member that makes it an error"),
      SourceMember("message", .matching(.pointer), "JSON Pointer to the message"),
      SourceMember("retry", .truth, "true: try again"),
    ])

  static let sign = SourceObject(
    summary: "a member with a value",
    members: [
      .required("at", .matching(.pointer), "JSON Pointer to the member"),
      .required("is", .any, "the value; a missing member counts as null and false"),
    ])

  // MARK: - Authorization

  private static let variable = SourceMember.required(
    "env", .matching(.variable), newer: .either([.matching(.variable), .list(.matching(.variable), least: 1)]),
    "environment variable that contains the secret, or several to use one after the other", upTo: 1)
  private static let secretFile = SourceMember("file", .matching(.line), "file that contains the secret", since: 2)
  private static let prefix = SourceMember("prefix", .text, "text before the secret", since: 2)

  private static let authorization = [
    SourceObject(
      name: "bearer", summary: "send the header Authorization: Bearer", members: [variable, secretFile, prefix]),
    SourceObject(
      name: "basic", summary: "send the header Authorization: Basic; the variable contains user:password",
      members: [variable, secretFile]),
    SourceObject(
      name: "query", summary: "send a query parameter",
      members: [.required("param", .matching(.word), "parameter name"), variable, secretFile]),
    SourceObject(
      name: "header", summary: "send a header",
      members: [.required("header", .matching(.field), "header name"), variable, secretFile, prefix]),
    SourceObject(
      name: "oauth2", summary: "exchange secrets for a token",
      members: [
        .required("grant", .choice(SourceOAuth.Grant.allCases.map(\.rawValue)), "grant type"),
        .required("token_url", .matching(.link), "https URL of the token endpoint, or its path after the base URL"),
        .required("client_id", .object(secret), "client identifier"),
        SourceMember("client_secret", .object(secret), "client secret"),
        SourceMember("refresh_token", .object(secret), "first refresh token"),
        SourceMember("scope", .text, "scope to request"),
        SourceMember(
          "send", .choice(SourceOAuth.Sending.allCases.map(\.rawValue)),
          "how the client's credentials are sent [default: basic]"),
      ], since: 2),
  ]
  private static let laterAuthorization = SourceForm.either([
    .variants(tag: "type", authorization), .list(.variants(tag: "type", authorization), least: 1),
  ])
  private static let secret = SourceObject(
    summary: "the place of a secret: env or file",
    members: [
      SourceMember("env", .matching(.variable), "environment variable that contains the secret"),
      SourceMember("file", .matching(.line), "file that contains the secret"),
    ])

  // MARK: - Datasets

  private static let dataset = SourceObject(
    summary: "a dataset",
    members: [
      .required("name", .matching(.word), "dataset name on the command line"),
      SourceMember("summary", .text, "description, in one sentence"),
      .required("path", .matching(.path), "path appended to the base URL; {name} is replaced by a parameter"),
      SourceMember("params", .pairs, "query parameters sent with every request"),
      SourceMember("request", .object(request), "method, body and headers; requests only read", since: 2),
      SourceMember("answer", .object(response), "format of responses [default: by Content-Type]", since: 2),
      SourceMember(
        "filters", .pairs, "filters (name, production) and the server's parameter for each"),
      SourceMember("random", .object(random), "how to request a random record"),
      SourceMember(
        "records", .matching(.pointer), newer: .either([.matching(.pointer), .object(records)]),
        "JSON Pointer to the array of records in a response; empty means the whole response"),
      SourceMember("explode", pointers, "array within records whose elements become the records", since: 2),
      SourceMember("for_each", .object(iteration), "values to iterate over: one request per combination", since: 2),
      SourceMember("paging", .variants(tag: "type", SourceFilePaging.forms), "pagination"),
      SourceMember("key", .list(.matching(.word), least: 0), "key columns"),
      SourceMember(
        "occurrence", .matching(.word),
        "integer key column that numbers the records with the same other key columns"),
      SourceMember("parent", .object(parent), "dataset to iterate over: one request per record"),
      .required("columns", .list(.object(SourceFileColumn.form), least: 1), "columns, in order"),
      SourceMember(
        "ignored", .list(.matching(.pointer), least: 0), "members of records that no column reads on purpose"),
      SourceMember(
        "supplements", .list(.variants(tag: "for", supplements), least: 0), "detail requests that fill more columns"),
      SourceMember(
        "join_also", .list(.matching(.word), least: 1),
        "further columns in which records that a name relates must agree, in singular or plural [default: production]",
        since: 2),
      SourceMember("submission", .object(submission), "how to create a record"),
      SourceMember(
        "incremental", .object(SourceFileIncrement.form), "how sync requests only changed records", since: 2),
    ])

  private static let pointers = SourceForm.either([.matching(.pointer), .list(.matching(.pointer), least: 1)])

  private static let request = SourceObject(
    summary: "method, body and headers of requests",
    members: [
      SourceMember("method", .choice(["GET", "POST"]), "method [default: GET]"),
      SourceMember("body", .any, "body, with {name} in its texts"),
      SourceMember("encoding", .choice(["json", "form"]), "encoding of the body [default: json]"),
      SourceMember("headers", .entries(keys: .field, values: .matching(.line)), "further headers"),
    ])
  private static let response = SourceObject(
    summary: "format of responses",
    members: [
      .required("as", .choice(SourceResponseFormat.Name.allCases.map(\.rawValue)), "format"),
      SourceMember("delimiter", .matching(.character), "csv: field delimiter [default: comma]"),
      SourceMember(
        "encoding", .choice(SourceResponseFormat.Encoding.allCases.map(\.rawValue)), "csv: encoding [default: utf-8]"),
    ])
  private static let records = SourceObject(
    summary: "place and form of the records",
    members: [
      SourceMember("at", .matching(.pointer), "JSON Pointer to the records [default: the whole response]"),
      SourceMember("as", .choice(SourceRecordForm.allCases.map(\.rawValue)), "form of the records [default: list]"),
      SourceMember("header", .truth, "rows: the first row has the names of the columns"),
    ])
  private static let iteration = SourceObject(
    summary: "values to iterate over: values, lines or range",
    members: [
      SourceMember(
        "values", .entries(keys: .word, values: .list(.scalar, least: 1)),
        "every combination of these values; the key is {name} in the path, or a query parameter"),
      SourceMember("lines", .matching(.line), "file with one value per line"),
      SourceMember("param", .matching(.word), "lines: where the value is sent"),
      SourceMember(
        "range", .entries(keys: .word, values: .list(.scalar, least: 2)),
        "years, months, days or integers from the first to the last; now is the current one"),
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
      .required("column", .matching(.word), "column whose value is sent", upTo: 1),
      .required(
        "param", .matching(.word), "where the value is sent: {param} in the path, or a query parameter", upTo: 1),
      SourceMember("params", .pairs, "several parameters, and the column for each", since: 2),
    ])

  private static let submission = SourceObject(
    summary: "records are created with POST and a JSON object",
    members: [
      .required("path", .matching(.path), "path appended to the base URL"),
      .required("members", .pairs, "columns, and the JSON key for each"),
    ])

  private static let supplementColumns = SourceMember.required(
    "columns", .list(.object(SourceObject(summary: "a column to fill", members: SourceFileColumn.filling)), least: 1),
    "columns to fill; their types are declared in the dataset's columns")

  private static let supplements = [
    SourceObject(
      name: "each", summary: "one request per record",
      members: [
        .required("path", .matching(.path), "path appended to the base URL", upTo: 1),
        SourceMember("url", .matching(.pointer), "JSON Pointer to the URL in the record, in place of path", since: 2),
        SourceMember("params", .pairs, "query parameters sent with every request"),
        .required("param", .matching(.word), "where the first key column's value is sent, as for a parent", upTo: 1),
        SourceMember("explode", pointers, "array within the response whose elements become rows", since: 2),
        SourceMember(
          "absent", .list(.integer(least: 100), least: 0),
          "statuses that mean that there are no details [default: 404, 410]", since: 2),
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
}
