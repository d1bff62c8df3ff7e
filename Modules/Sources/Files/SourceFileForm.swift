import Codecs
import Domain
import Rows

struct SourceFileContents: Sendable {
  var source = APIDescription(name: "", baseURL: "", datasets: [])
  var datasets: [SourceFileDataset] = []
}

/// The grammar of a source definition: the whole document.
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

  static let table = SourceTable<SourceFileContents>(
    SourceFileContents(), "definition of a JSON API as a source",
    [
      .key(
        "bb_source", \.source.grammar,
        SourceKind(.version, read: { $0.integer }, write: { .number(Int64($0)) }), "version of this file format"
      ).required(),
      .key("name", \.source.name, .matching(.word), "name of the source, used in messages").required(),
      .key("summary", \.source.summary, .text, "description, in one sentence"),
      .key(
        "base_url", \.source.baseURL, .matching(.url, newer: .urlTemplate), "base URL: server and common path prefix"
      ).required(),
      .key(
        "variables", \.source.variables, .entries(\.name, .variable, .object(variables)),
        "values for {name} in URLs, parameters, headers and bodies", since: 2),
      .key("headers", \.source.headers, .headers, "headers sent with every request; put secrets in auth"),
      .key(
        "auth", \.source.authorization, .oneOrMore(.variants("type", \.type, SourceAuthorization.tables)),
        "authentication"),
      .part("rate", rate, "rate limit"),
      .optional("error", \.source.errorRule, .object(error), "a response with status 200 that is an error", since: 2),
      .key(
        "datasets", \.datasets, .list(.object(SourceFileDataset.table), least: 1),
        "datasets; a parent must come before its children"
      ).required(),
    ])

  static let variables = SourceTable(
    SourceVariable(""), "a variable; a value on the command line goes before both",
    [
      .optional("env", \.environment, .matching(.variable), "environment variable that contains the value"),
      .optional("default", \.usual, .scalar, "value if there is no other"),
    ])

  private static let rate = SourceTable<SourceFileContents>(
    SourceFileContents(), "a rate limit",
    [
      .optional(
        "per_second", \.source.requestsPerSecond,
        SourceKind(.positive, read: { $0.json.realValue }, write: { .number(Array($0.description.utf8)) }),
        "maximum requests per second"
      ).required(upTo: 1),
      .optional(
        "at_a_time", \.source.requestsAtATime, .integer(least: 1), "maximum requests at a time [default: 32]", since: 2),
      .optional(
        "remaining", \.source.remainingField, .matching(.field), "header with the number of requests left", since: 2),
      .optional(
        "reset", \.source.resetField, .matching(.field),
        "header with the time of the next period: seconds from now, or since 1970", since: 2),
    ])

  private static let error = SourceTable(
    SourceErrorRule(SourceSign(at: "", is: .null)), "a response with status 200 that is an error",
    [
      .key("when", \.sign, .object(SourceSign.table), "the member that makes it an error").required(),
      .optional("message", \.message, .matching(.pointer), "JSON Pointer to the message"),
      .key("retry", \.isRetried, .truth, "true: try again"),
    ])
}

/// A dataset as its file has it: the columns with the places of their values, and the names of the key.
struct SourceFileDataset: Sendable, Equatable {
  var dataset = APIDataset(Schema("", columns: []), path: "", columns: [])
  var name = "", summary = ""
  var key: [String] = []
  var columns: [SourceFileColumn] = []

  static let table = SourceTable<SourceFileDataset>(
    SourceFileDataset(), "a dataset",
    [
      .key("name", \.name, .matching(.word), "dataset name on the command line").required(),
      .key("summary", \.summary, .text, "description, in one sentence"),
      .key(
        "path", \.dataset.path, .matching(.path), "path appended to the base URL; {name} is replaced by a parameter"
      ).required(),
      .key("params", \.dataset.parameters, .pairs, "query parameters sent with every request"),
      .key(
        "request", \.dataset.request, .object(request), "method, body and headers; requests only read", since: 2),
      .key(
        "answer", \.dataset.responseFormat, .object(response),  // prose-lint: ignore
        "format of responses [default: by Content-Type]", since: 2),
      .optional("job", \.dataset.job, .object(SourceJob.table), "an export job that makes the records", since: 2),
      .key("filters", \.dataset.filters, .pairs, "filters (name, production) and the server's parameter for each"),
      .part("random", random, "how to request a random record"),
      recordsKey,
      .key(
        "explode", \.dataset.explode, .oneOrMore(.matching(.pointer)),
        "array within records whose elements become the records", since: 2),
      .optional(
        "for_each", \.dataset.iteration, .object(iteration), "values to iterate over: one request per combination",
        since: 2),
      .key("paging", \.dataset.paging, .variants("type", \.type, SourcePaging.tables), "pagination"),
      .key("key", \.key, .list(.matching(.word)), "key columns"),
      .optional(
        "occurrence", \.dataset.occurrence, .matching(.word),
        "integer key column that numbers the records with the same other key columns"),
      .optional("parent", \.dataset.parent, .object(parent), "dataset to iterate over: one request per record"),
      .key("columns", \.columns, .list(.object(SourceFileColumn.table), least: 1), "columns, in order").required(),
      .key(
        "ignored", \.dataset.ignored, .list(.matching(.pointer)), "members of records that no column reads on purpose"),
      .key(
        "supplements", \.dataset.supplements, .list(.variants("for", \.scope, supplements)),
        "detail requests that fill more columns"),
      .key(
        "join_also", \.dataset.joinAlso, .list(.matching(.word), least: 1),
        "further columns in which records that a name relates must agree, in singular or plural [default: production]",
        since: 2
      ).written(before: "parent"),
      .key(
        "scope", \.dataset.scope, .list(.matching(.word), least: 1),
        "columns whose values say which records of the table the source owns: sync leaves all others [default: all]",
        since: 2),
      .optional(
        "absent", \.dataset.absent, absent,
        "with parent or for_each: statuses, or null as the response, that mean an empty list [default: none]", since: 2),
      .optional("submission", \.dataset.submission, .object(submission), "how to create a record"),
      .optional(
        "incremental", \.dataset.increment, .object(SourceIncrement.table), "how sync requests only changed records",
        since: 2),
    ])

  static let request = SourceTable(
    SourceRequest.get, "method, body and headers of requests",
    [
      .key("method", \.method, .word, "method [default: GET]"),
      .optional("body", \.body, .any, "body, with {name} in its texts; a text for the encoding text"),
      .key("encoding", \.encoding, .word, "encoding of the body [default: json]"),
      .key("headers", \.headers, .headers, "further headers"),
    ])
  private static let response = SourceTable(
    SourceResponseFormat(), "format of responses",
    [
      .optional("as", \.name, .word, "format").required(),
      .optional("delimiter", \.delimiter, .matching(.character), "csv: field delimiter [default: comma]"),
      .optional("encoding", \.encoding, .word, "csv: encoding [default: utf-8]"),
    ])
  private static let records = SourceTable<SourceFileDataset>(
    SourceFileDataset(), "place and form of the records",
    [
      .key(
        "at", \.dataset.records, .matching(.pointer), "JSON Pointer to the records [default: the whole response]"),
      .key("as", \.dataset.recordForm, .word, "form of the records [default: list]"),
      .key("header", \.dataset.hasHeaderRow, .truth, "rows: the first row has the names of the columns"),
    ])
  /// A list is described by its place alone.
  private static let recordsKey = SourceKey<SourceFileDataset>(
    member: SourceMember(
      "records", .matching(.pointer), newer: .either([.matching(.pointer), .object(records.object)]),
      "JSON Pointer to the array of records in a response; empty means the whole response"),
    read: { node, whole in
      if node.json.stringBytes == nil { records.read(node, into: &whole) } else { whole.dataset.records = node.text }
    },
    write: { whole, _ in
      guard whole.dataset.recordForm == .list else { return .object(records.members(whole)) }
      return whole.dataset.records.isEmpty ? nil : .string(whole.dataset.records)
    })
  private static let iteration = SourceTable(
    SourceIteration(), "values to iterate over: values, lines or range",
    [
      .key(
        "values", \.values, .entries(\.name, .word, list(least: 1)),
        "every combination of these values; the key is {name} in the path, or a query parameter"),
      .optional("lines", \.lines, .matching(.line), "file with one value per line"),
      .optional("param", \.parameter, .matching(.word), "lines: where the value is sent"),
      .key(
        "range", \.range, .entries(\.name, .word, list(least: 2)),
        "years, months, days or integers from the first to the last; now is the current one"),
    ])
  private static func list(least: Int) -> SourceKind<SourceIteration.Parameter> {
    let texts = SourceKind<[String]>.list(.scalar, least: least)
    return SourceKind(
      texts.form, read: { texts.read($0).map { SourceIteration.Parameter("", $0) } }, write: { texts.write($0.values) })
  }
  private static let random = SourceTable<SourceFileDataset>(
    SourceFileDataset(), "random record endpoint",
    [
      .optional("path", \.dataset.randomPath, .matching(.path), "path appended to the base URL").required(),
      .key("filters", \.dataset.randomFilters, .pairs, "filters, as for the dataset"),
    ])
  private static let parent = SourceTable(
    SourceParent(dataset: "", parameters: []), "dataset to iterate over: one request per record",
    [
      .key("dataset", \.dataset, .matching(.word), "a dataset defined before this one").required(),
      .optional("column", \.column, .matching(.word), "column whose value is sent").required(upTo: 1),
      .optional(
        "param", \.parameter, .matching(.word), "where the value is sent: {param} in the path, or a query parameter"
      ).required(upTo: 1),
      .key("params", \.several, .pairs, "several parameters, and the column for each", since: 2),
    ])
  private static let submission = SourceTable(
    SourceSubmission(path: "", members: []), "records are created with POST and a JSON object",
    [
      .key("path", \.path, .matching(.path), "path appended to the base URL").required(),
      .key("members", \.members, .pairs, "columns, and the JSON key for each").required(),
    ])
  private static let absent = SourceKind<[JSON]>.list(
    SourceKind(.either([.integer(least: 300), .null]), read: { $0.json }, write: { $0 }))
  private typealias Detail = SourceKey<DetailRequest>
  private static let detailPath = Detail.key("path", \.path, .matching(.path), "path appended to the base URL")
  private static let detailParameters = Detail.key(
    "params", \.parameters, .pairs, "query parameters sent with every request")
  private static let detailColumns = Detail.key(
    "columns", \.columns,
    .list(.object(SourceTable(SourceColumn("", from: ""), "a column to fill", SourceColumn.keys)), least: 1),
    "columns to fill; their types are declared in the dataset's columns"
  ).required()
  private static let supplements: [SourceTable<DetailRequest>] = [
    SourceTable(
      DetailRequest(.each, columns: []), name: "each", "one request per record",
      [
        detailPath.required(upTo: 1),
        .optional(
          "url", \.link, .matching(.pointer), "JSON Pointer to the URL in the record, in place of path", since: 2),
        detailParameters,
        .optional(
          "param", \.parameter, .matching(.word), "where the first key column's value is sent, as for a parent"
        ).required(upTo: 1),
        .key(
          "explode", \.explode, .oneOrMore(.matching(.pointer)),
          "array within the response whose elements become rows", since: 2),
        .optional(
          "absent", \.absent, absent,
          "statuses, or null as the response, that mean that there are no details [default: 404, 410]", since: 2),
        detailColumns,
      ]),
    SourceTable(
      DetailRequest(.all, columns: []), name: "all", "one list for all records, or one per batch of records",
      [
        detailPath.required(), detailParameters,
        .optional(
          "param", \.parameter, .matching(.word), "where values of the first key column are sent, several at a time",
          since: 2),
        .optional("batch", \.batch, .integer(least: 1), "param: maximum number of values per request", since: 2),
        .optional("separator", \.separator, .text, "param: text between the values [default: comma]", since: 2),
        .key("records", \.records, .matching(.pointer), "JSON Pointer to the list").required(),
        .key("id", \.id, .matching(.pointer), "JSON Pointer to the first key column's value in a record").required(),
        detailColumns,
      ]),
  ]
}

extension SourceParent {
  /// The parts of the only parameter; nil for none, and for several.
  fileprivate var column: String? {
    get { parameters.count == 1 ? parameters[0].value : nil }
    set { parameters = [SourceParameter(parameter ?? "", newValue ?? "")] }
  }
  fileprivate var parameter: String? {
    get { parameters.count == 1 ? parameters[0].name : nil }
    set { parameters = [SourceParameter(newValue ?? "", column ?? "")] }
  }
  fileprivate var several: [SourceParameter] {
    get { parameters.count == 1 ? [] : parameters }
    set { parameters = newValue }
  }
}
