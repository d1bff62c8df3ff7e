import Domain
import Codecs
import Query
import Rows

/// A path, its query, and the body of the request.
struct RESTQuery {
  var path: String
  var parameters: [SourceParameter]
  /// The body of a POST request; nil for none.
  var body: JSON?
  /// Header fields of the request.
  var headers: [SourceParameter] = []
  /// The names whose values are numbers in a JSON body.
  private var numbers: Set<String> = []
  /// The values that were put into places.
  private var placed: [SourceParameter] = []
  /// Whether it asks for certain records, so that there may be none.
  var isFiltered = false

  init(path: String, parameters: [SourceParameter], body: JSON? = nil) {
    self.path = path
    self.parameters = []
    self.body = body
    for parameter in parameters { self = with(parameter.name, parameter.value) }
  }

  /// The request for the records of a dataset.
  init(_ dataset: APIDataset) {
    self.init(path: dataset.path, parameters: [], body: dataset.request.body)
    headers = dataset.request.headers
    let paging = dataset.paging, increment = dataset.increment
    var numbers = [paging.limitParameter, paging.type == .cursor ? nil : paging.parameter]
    if let increment, increment.isNumber(in: dataset.schema) {
      numbers += [increment.parameter, increment.endParameter]
    }
    self.numbers = Set(numbers.compactMap(\.self))
    for parameter in dataset.parameters { self = with(parameter.name, parameter.value) }
  }

  /// Adds what a request asks for, as far as the source knows it.
  mutating func add(_ filters: [SourceParameter], _ request: RowRequest) {
    for filter in filters {
      guard let value = request.parameters[filter.name] else { continue }
      set(filter.value, value)
      isFiltered = true
    }
  }

  /// The query with a value in place of `{name}` in the path, the header fields and the body, or else as a parameter.
  /// - Parameter isNumber: whether a text of a JSON body that is only `{name}` becomes a number.
  func with(_ name: String, _ value: String, isNumber: Bool = false) -> RESTQuery {
    placing(value, at: name, isNumber: isNumber)
      ?? {
        var query = self
        query.set(name, value)
        return query
      }()
  }

  /// Another request with the values of this one in its places.
  func placed(
    in path: String, _ request: SourceRequest = .get, with further: [SourceParameter] = []
  ) -> RESTQuery {
    var other = RESTQuery(path: path, parameters: [], body: request.body)
    other.headers = request.headers
    return (placed + parameters + further).reduce(other) { $0.placing($1.value, at: $1.name) ?? $0 }
  }

  /// The query without places for a value: texts of a JSON body that are only `{name}`, and such header fields, are
  /// not sent.
  func without(_ name: String) -> RESTQuery { placing(nil, at: name) ?? self }

  /// The query with a value, or nothing, in place of `{name}`; nil if it has no such place.
  func placing(_ value: String?, at name: String, isNumber: Bool = false) -> RESTQuery? {
    var query = self, isPlaced = false
    while let place = Self.place(of: name, in: query.path) {
      query.path.replaceSubrange(place, with: Self.encoded(value ?? ""))
      isPlaced = true
    }
    let fields = headers.filter { $0.value.contains("{\(name)}") }
    if !fields.isEmpty {
      // A cursor that the server chose must not begin another field.
      let plain = value.map { String(decoding: $0.utf8.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self) }
      query.headers = headers.compactMap { field in
        guard fields.contains(field) else { return field }
        return plain.map { SourceParameter(field.name, field.value.replacing("{\(name)}", with: $0)) }
      }
      isPlaced = true
    }
    if let body, body.contains(placeholder: name) {
      query.body = body.replacing(
        placeholder: name, with: value,
        isNumber: (isNumber || numbers.contains(name)) && value.flatMap(Double.init) != nil)
      isPlaced = true
    }
    guard isPlaced else { return nil }
    if let value { query.placed.append(SourceParameter(name, value)) }
    return query
  }

  /// Sets a parameter, which is sent once: an earlier value is replaced in its place.
  mutating func set(_ name: String, _ value: String) {
    path = Self.without(name, path)
    if let known = parameters.firstIndex(where: { $0.name == name }) {
      parameters[known].value = value
    } else {
      parameters.append(SourceParameter(name, value))
    }
  }

  /// The position of `{name}`.
  static func place(of name: String, in path: String) -> Range<String.Index>? {
    let mark = "{\(name)}", bytes = path.utf8
    for start in bytes.indices where bytes[start] == UInt8(ascii: "{") && bytes[start...].starts(with: mark.utf8) {
      return start..<bytes.index(start, offsetBy: mark.utf8.count)
    }
    return nil
  }

  /// The encoded text after the base URL.
  var text: String {
    guard !parameters.isEmpty else { return path }
    return path + (path.contains("?") ? "&" : "?") + Self.form(parameters)
  }

  /// Parameters as a form: `a=b&c=d`.
  static func form(_ parameters: [SourceParameter]) -> String {
    parameters.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
  }

  /// A URL without a parameter.
  static func without(_ name: String, _ url: String) -> String {
    guard let mark = url.firstIndex(of: "?") else { return url }
    let pairs = url[url.index(after: mark)...].split(separator: "&"), unwanted = encoded(name)
    let kept = pairs.filter { pair in
      let key = pair.prefix { $0 != "=" }
      return key != unwanted && key != name
    }
    return kept.count == pairs.count ? url : url[..<mark] + (kept.isEmpty ? "" : "?") + kept.joined(separator: "&")
  }

  /// Text with every byte percent-encoded that RFC 3986 does not call unreserved.
  static func encoded(_ text: String) -> String {
    PercentCoding.encoded(text)
  }
}

extension SourceIncrement {
  /// Whether the cursor is a number in a request.
  fileprivate func isNumber(in schema: Schema) -> Bool {
    let type = schema.position(of: column).map { schema.columns[$0].type }
    return type == .integer || [.epochSeconds, .epochMilliseconds].contains(format)
  }
}

extension JSON {
  /// Whether a text in the value contains `{name}`.
  func contains(placeholder name: String) -> Bool {
    switch self {
    case .string: stringValue?.contains("{\(name)}") ?? false
    case .array(let elements): elements.contains { $0.contains(placeholder: name) }
    case .object(let members): members.contains { $0.value.contains(placeholder: name) }
    default: false
    }
  }

  /// The value with `value` in place of `{name}` in its texts.
  /// - Parameters:
  ///   - value: nil to remove elements and members that are only `{name}`.
  ///   - isNumber: whether a text that is only `{name}` becomes a number.
  func replacing(placeholder name: String, with value: String?, isNumber: Bool = false) -> JSON {
    let place = JSON.string("{\(name)}")
    switch self {
    case place where isNumber: return .number(Array((value ?? "0").utf8))
    case .string: return .string((stringValue ?? "").replacing("{\(name)}", with: value ?? ""))
    case .array(let elements):
      return .array(
        elements.filter { value != nil || $0 != place }
          .map { $0.replacing(placeholder: name, with: value, isNumber: isNumber) })
    case .object(let members):
      return .object(
        members.filter { value != nil || $0.value != place }
          .map { JSON.Member($0.key, $0.value.replacing(placeholder: name, with: value, isNumber: isNumber)) })
    default: return self
    }
  }

  /// The value with another at a place; objects on the way are made.
  func setting(_ value: JSON, at steps: ArraySlice<String>) -> JSON {
    guard let step = steps.first else { return value }
    if case .array(var elements) = self, let index = Int(step), elements.indices.contains(index) {
      elements[index] = elements[index].setting(value, at: steps.dropFirst())
      return .array(elements)
    }
    var members = objectMembers ?? []
    let old = members.firstIndex { $0.name == step }
    let new = JSON.Member(step, (old.map { members[$0].value } ?? .object([])).setting(value, at: steps.dropFirst()))
    if let old { members[old] = new } else { members.append(new) }
    return .object(members)
  }

  /// A scalar as a request carries it; nil for arrays, objects and null.
  var parameterText: String? {
    switch self {
    case .string(let text), .number(let text): String(decoding: text, as: UTF8.self)
    case .boolean(let value): String(value)
    case .null, .array, .object: nil
    }
  }
}
