import Domain
import Query

/// A path and its query.
struct RESTQuery {
  var path: String
  var parameters: [SourceParameter]
  /// Whether it asks for certain records, so that there may be none.
  var isFiltered = false

  /// A query with these parameters, each in its place.
  init(path: String, parameters: [SourceParameter]) {
    self.path = path
    self.parameters = []
    for parameter in parameters { self = with(parameter.name, parameter.value) }
  }

  /// Adds what a request asks for, as far as the source knows it.
  mutating func add(_ filters: [SourceParameter], _ request: RowRequest) {
    for filter in filters {
      guard let value = request.parameters[filter.name] else { continue }
      set(filter.value, value)
      isFiltered = true
    }
  }

  /// The query with a value in place of `{name}` in the path, or as a parameter.
  func with(_ name: String, _ value: String) -> RESTQuery {
    var query = self
    if let place = Self.place(of: name, in: path) {
      query.path.replaceSubrange(place, with: Self.encoded(value))
    } else {
      query.set(name, value)
    }
    return query
  }

  /// Sets a parameter, which is sent once: an earlier value is replaced in its place.
  private mutating func set(_ name: String, _ value: String) {
    path = Self.without(name, path)
    if let known = parameters.firstIndex(where: { $0.name == name }) {
      parameters[known].value = value
    } else {
      parameters.append(SourceParameter(name, value))
    }
  }

  /// The position of `{name}`.
  private static func place(of name: String, in path: String) -> Range<String.Index>? {
    let mark = "{\(name)}", bytes = path.utf8
    for start in bytes.indices where bytes[start] == UInt8(ascii: "{") && bytes[start...].starts(with: mark.utf8) {
      return start..<bytes.index(start, offsetBy: mark.utf8.count)
    }
    return nil
  }

  /// The encoded text after the base URL.
  var text: String {
    guard !parameters.isEmpty else { return path }
    let pairs = parameters.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }
    return path + (path.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
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
    if text.utf8.allSatisfy(isUnreserved) { return text }
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
