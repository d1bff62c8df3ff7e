import Domain
import Codecs

/// The method, body and headers of a dataset's requests.
public struct SourceRequest: Sendable, Hashable {
  /// The methods. Requests with POST only read as well, so they may be repeated.
  enum Method: String, Sendable, Hashable, CaseIterable { case get = "GET", post = "POST" }
  enum Encoding: String, Sendable, Hashable, CaseIterable { case json, form, text }
  var method = Method.get
  /// The body: texts in it may contain `{name}`; a text with the encoding `text`; nil for none.
  var body: JSON?
  var encoding = Encoding.json
  /// Header fields in addition to those of the source.
  var headers: [SourceParameter] = []

  static func post(_ body: JSON?) -> SourceRequest { SourceRequest(method: .post, body: body) }
  /// GET without a body.
  static let get = SourceRequest()
}

/// The format of a dataset's responses.
public struct SourceResponseFormat: Sendable, Hashable {
  enum Name: String, Sendable, Hashable, CaseIterable {
    case json, ndjson, csv, xml
  }
  /// The format; nil if the header `Content-Type` tells.
  var name: Name?
  /// The separator of the fields of CSV; nil for a comma.
  var delimiter: String?
  /// The encoding of CSV; nil for UTF-8.
  var encoding: Encoding?

  enum Encoding: String, Sendable, Hashable, CaseIterable {
    case utf8 = "utf-8"
    case latin1 = "iso-8859-1"
    case windows1252 = "windows-1252"
  }

  /// A format; without arguments, JSON unless the response says otherwise.
  init(_ name: Name? = nil, delimiter: String? = nil, encoding: Encoding? = nil) {
    self.name = name
    self.delimiter = delimiter
    self.encoding = encoding
  }
}

/// The form of the records in a response.
public enum SourceRecordForm: String, Sendable, Hashable, CaseIterable {
  /// An array of records.
  case list
  /// An object of records by key.
  case map
  /// An object of arrays of records by key.
  case lists
  /// An array of arrays.
  case rows
  /// An array of plain values.
  case values
  /// An object of arrays of one length: a record for each position.
  case columns
  /// One record, or null.
  case object
  /// A JSON-stat dataset: a record for each value.
  case jsonStat = "json-stat"
}

/// Values that a dataset is requested for, one request for each combination: one of the three.
struct SourceIteration: Sendable, Hashable {
  /// Every combination of these values: the name of each parameter and its values.
  var values: [Parameter] = []
  /// The path of a file with one value per line.
  var lines: String?
  /// The parameter for `lines`.
  var parameter: String?
  /// One parameter and two values: all years, months, days or integers from one to the other; `now` is the current one.
  var range: [Parameter] = []

  /// A parameter and its values.
  public struct Parameter: Sendable, Hashable {
    var name: String
    var values: [String]
    init(_ name: String, _ values: [String]) { (self.name, self.values) = (name, values) }
  }
}

/// A member of a response and the value that gives it a meaning.
public struct SourceSign: Sendable, Hashable {
  /// JSON Pointer to the member.
  public var pointer: String
  var value: JSON
  /// A sign: `value` at `pointer`.
  init(at pointer: String, is value: JSON) {
    self.pointer = pointer
    self.value = value
  }

  /// Whether a document has the value there; a missing member counts as null and as false.
  func holds(in document: JSON) -> Bool {
    let found = document.value(at: pointer) ?? .null
    if found == value { return true }
    if found.isNull { return value.booleanValue == false }
    guard let a = found.realValue, let b = value.realValue else { return false }
    return a == b
  }
}

/// A variable of a description: `{name}` in URLs, parameters, headers and bodies.
public struct SourceVariable: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The environment variable with the value; nil for none.
  public var environment: String?
  /// The value if there is no other; nil if one must be given.
  public var usual: String?
  init(_ name: String, environment: String? = nil, usual: String? = nil) {
    self.name = name
    self.environment = environment
    self.usual = usual
  }
}

/// A response with status 200 that is an error.
struct SourceErrorRule: Sendable, Hashable {
  /// The conditions that make it an error.
  var sign: SourceSign
  /// JSON Pointer to the message; nil for none.
  var message: String?
  /// Whether the request is tried again.
  var isRetried: Bool
  init(_ sign: SourceSign, message: String? = nil, isRetried: Bool = false) {
    self.sign = sign
    self.message = message
    self.isRetried = isRetried
  }
}
