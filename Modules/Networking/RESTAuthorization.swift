import Codecs
import Domain
import Rows

extension RESTSource {
  /// A URL with its header fields: the configured ones, the authorization, and `Accept` for JSON. Another origin than
  /// the source's own receives only the last.
  /// - Throws: `configuration` if the variable of the secret is not set.
  func authorized(_ url: String) throws(Problem) -> (url: String, headers: [HTTPHeader]) {
    let accept = HTTPHeader("Accept", "application/json")
    // Most URLs are the server's own, followed by a path.
    let isBelow = url.hasPrefix(server) && url.utf8.dropFirst(server.utf8.count).first == UInt8(ascii: "/")
    guard isBelow || RESTOrigin(url) == RESTOrigin(server) else { return (url, [accept]) }
    var headers = description.headers.map { HTTPHeader($0.name, $0.value) }
    if !headers.contains(where: { $0.isCalled("accept") }) { headers.insert(accept, at: 0) }
    switch description.authorization {
    case .none: break
    case .bearer(let variable): headers.append(HTTPHeader("Authorization", "Bearer " + (try secret(variable))))
    case .header(let name, let variable): headers.append(HTTPHeader(name, try secret(variable)))
    case .basic(let variable):
      headers.append(HTTPHeader("Authorization", "Basic " + base64(try secret(variable))))
    case .query(let parameter, let variable):
      // A link that the server gave may have the key already, or what it shows instead of it.
      var query = RESTQuery(path: RESTQuery.without(parameter, url), parameters: [])
      query.parameters = [SourceParameter(parameter, try secret(variable))]
      return (query.text, headers)
    }
    return (url, headers)
  }

  private func base64(_ login: String) -> String {
    String(decoding: Base64.encoded(Array(login.utf8)), as: UTF8.self)
  }

  private func secret(_ variable: String) throws(Problem) -> String {
    guard let value = environment[variable], !value.isEmpty else {
      throw Problem(
        .configuration, "\(name) requires a key, but the environment variable \(variable) is not set",
        hint: "export \(variable)=…")
    }
    guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw Problem(
        .configuration, "the environment variable \(variable) contains control characters", hint: "set it again")
    }
    return value
  }
}

/// The server a URL names: scheme, host and port, in lower case.
struct RESTOrigin: Hashable {
  private let text: String

  /// The origin of an absolute URL.
  init(_ url: String) {
    let lower = url.prefix { $0 != "?" && $0 != "#" }
    guard let mark = lower.firstRange(of: "://") else {
      text = ""
      return
    }
    let scheme = lower[..<mark.lowerBound].lowercased()
    var host = lower[mark.upperBound...].prefix { $0 != "/" }.lowercased()
    if let at = host.lastIndex(of: "@") { host = String(host[host.index(after: at)...]) }
    let usual = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(usual) { host.removeLast(usual.count) }
    text = scheme + "://" + host
  }

  /// A link in a response from `url`, made absolute.
  static func resolved(_ link: String, against url: String) -> String {
    // The text before the mark is a scheme, unless it is part of a path or a query.
    if let mark = link.firstRange(of: "://"), !link[..<mark.lowerBound].contains(where: { "/?#".contains($0) }) {
      return link
    }
    let plain = url.prefix { $0 != "?" && $0 != "#" }
    guard let mark = plain.firstRange(of: "://") else { return link }
    let path = plain[mark.upperBound...].firstIndex(of: "/") ?? plain.endIndex
    if link.hasPrefix("//") { return plain[..<mark.lowerBound] + ":" + link }
    if link.hasPrefix("/") { return plain[..<path] + link }
    if link.hasPrefix("?") { return plain + link }
    let folder = plain[path...].lastIndex(of: "/").map { plain[...$0] } ?? plain + "/"
    return folder + link
  }
}
