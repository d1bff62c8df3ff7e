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
    let directory = plain[path...].lastIndex(of: "/").map { plain[...$0] } ?? plain + "/"
    return directory + link
  }
}
