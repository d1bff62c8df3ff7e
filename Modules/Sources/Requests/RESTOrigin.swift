import Domain

/// The server a URL names: scheme, host and port, in lower case.
struct RESTOrigin: Hashable {
  let text: String

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

  /// Whether a secret may be sent there: encrypted, or to this machine.
  var keepsSecrets: Bool { URLText.scheme(of: text) == "https" || URLText.isWeb(text) && isLoopback }

  /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or `::1`.
  private var isLoopback: Bool {
    let host = text[(text.firstRange(of: "://")?.upperBound ?? text.startIndex)...]
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    let port = host.dropFirst(name.count)
    guard host.hasPrefix(name), port.isEmpty || port.first == ":" && port.utf8.dropFirst().allSatisfy({ $0 &- 48 < 10 })
    else { return false }
    if ["localhost", "[::1]"].contains(name) { return true }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127"
      && numbers.allSatisfy { (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 &- 48 < 10 } }
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
