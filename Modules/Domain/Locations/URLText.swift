import Codecs
import Rows

/// URLs and other locations in messages.
public enum URLText {
  /// The scheme of a location in lower case, without the colon; nil for a path.
  public static func scheme(of text: String) -> String? {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first, first | 32 &- 97 < 26,
      text.utf8[..<end].allSatisfy({ byte in
        byte | 32 &- 97 < 26 || byte &- 48 < 10 || byte == 43 || byte == 45 || byte == 46
      })
    else { return nil }
    return text[..<end].lowercased()
  }

  /// Whether a text begins with `scheme://`.
  public static func isURL(_ text: String) -> Bool {
    scheme(of: text).map { text.utf8.dropFirst($0.utf8.count).starts(with: "://".utf8) } ?? false
  }

  /// Whether a location is the URL of a web server.
  public static func isWeb(_ text: String) -> Bool { isURL(text) && ["http", "https"].contains(scheme(of: text)) }

  /// The URL that a user named, for messages: without user and password, secret steps, and values of the query.
  public static func shown(_ url: String) -> String {
    let text = redacted(url, allValues: true),
      steps = text.prefix { $0 != "?" }.split(at: "/", omittingEmptySubsequences: false)
    return steps.map { looksSecret($0) ? "…" : $0 }.joined(separator: "/") + text.drop { $0 != "?" }
  }

  /// A URL without what may be secret: user and password, the fragment, and the values of query parameters whose names
  /// suggest a secret. Control characters become `�`.
  public static func redacted(_ url: String, allValues: Bool = false) -> String {
    // Most URLs have nothing to take away.
    let isPlain = unsafe url.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe bytes.allSatisfy { byte in
        byte > 32 && byte < 127 && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "@")
      }
    }
    if isPlain == true { return url }
    var text = String(
      String.UnicodeScalarView(
        url.unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) ? "\u{FFFD}" : $0 }))
    if let fragment = text.unicodeScalars.firstIndex(of: "#") { text = String(text[..<fragment]) }
    var query = ""
    if let mark = text.unicodeScalars.firstIndex(of: "?") {
      let pairs = text[text.index(after: mark)...].split(at: "&")
      query =
        "?"
        + pairs.map { pair in
          let name = pair.prefix { $0 != "=" }
          return name.endIndex < pair.endIndex && (allValues || isSecret(name)) ? name + "=…" : pair
        }.joined(separator: "&")
      text = String(text[..<mark])
    }
    if let authority = authority(in: text[...]), let at = authority.unicodeScalars.lastIndex(of: "@") {
      text.removeSubrange(authority.startIndex...at)
    }
    return text + query
  }

  /// The secrets in a location: the password, the values of parameters whose names suggest a secret, and the steps of
  /// the path of a URL that look like one.
  static func secrets(in text: String) -> [String] {
    guard scheme(of: text) != nil else { return [] }
    var found = assigned(in: text)
    guard let authority = authority(in: text[...]) else { return found }
    if let at = authority.unicodeScalars.lastIndex(of: "@") {
      let user = authority[..<at]
      if let colon = user.unicodeScalars.firstIndex(of: ":") {
        found.append(String(user[user.index(after: colon)...]))
      } else if looksSecret(user) {
        found.append(String(user))
      }
    }
    if isWeb(text) {
      let path = text[authority.endIndex...].prefix { $0 != "?" && $0 != "#" }
      found += path.split(at: "/").filter(looksSecret).map(String.init)
      let query = text[path.endIndex...].split { "?&#".contains($0) }
      found += query.compactMap { $0.split(at: "=", maxSplits: 1).dropFirst().first }.filter(looksSecret).map(
        String.init)
    }
    return found + found.compactMap(decoded)
  }

  /// The values of `NAME=VALUE` whose names suggest a secret, in a query, a fragment, or parameters of libpq.
  public static func assigned(in text: String) -> [String] {
    var found: [String] = []
    for part in text.split(whereSeparator: { "?&#; ".contains($0) }) {
      guard let mark = part.unicodeScalars.firstIndex(of: "=") else { continue }
      let name = part[..<mark].split(at: ":").last ?? "", value = part[mark...].dropFirst()
      guard isSecret(name) else { continue }
      // A value in quotes may have white space.
      found.append(value.first == "'" ? quoted(text[value.startIndex...]) : String(value))
    }
    return found
  }

  /// A quoted value of libpq without quotes and escapes.
  private static func quoted(_ text: Substring) -> String {
    var value = "", rest = text.dropFirst()
    while let character = rest.popFirst(), character != "'" {
      value.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return value
  }

  /// The user information, host and port of a URL; nil if there is none.
  private static func authority(in text: Substring) -> Substring? {
    text.firstRange(of: "://").map { text[$0.upperBound...].prefix { !"/?#".contains($0) } }
  }

  /// Names of parameters and variables that carry secrets, wherever they are in the name, and at its end.
  private static let secretWords = [
    "token", "secret", "passw", "pwd", "signature", "credential", "jwt", "authorization",
  ]
  private static let secretEndings = [
    "key", "keyid", "keypairid", "auth", "session", "sessionid", "policy", "appid", "passphrase",
  ]
  private static let harmless: Set = ["pagetoken", "nexttoken", "nextpagetoken", "continuationtoken"]

  /// Whether the name of a parameter or variable suggests a secret.
  public static func isSecret(_ name: some StringProtocol) -> Bool {
    let plain = name.lowercased().filter(\.isLetter)
    return !harmless.contains(plain)
      && (plain == "sig" || secretWords.contains(where: plain.contains)
        || secretEndings.contains(where: plain.hasSuffix))
  }

  /// Whether a step of a path is random: a link that only those may follow who know it.
  static func looksSecret(_ step: some StringProtocol) -> Bool {
    let bytes = Array(step.utf8)
    let kinds = bytes.map { $0 &- 48 < 10 ? 0 : $0 &- 97 < 26 ? 1 : $0 &- 65 < 26 ? 2 : $0 == 45 || $0 == 95 ? 3 : 4 }
    guard !kinds.contains(4) else { return false }
    let changes = zip(kinds, kinds.dropFirst()).count { ($0 == 0) != ($1 == 0) }
    return changes >= 4 && (bytes.count >= 16 || Set(kinds).isSuperset(of: 0...2))
  }

  private static func decoded(_ text: String) -> String? {
    text.contains("%") || text.contains("+") ? PercentCoding.decoded(text, spaces: true) : nil
  }
}
