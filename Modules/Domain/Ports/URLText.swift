/// URLs in messages.
public enum URLText {
  /// A URL without what may be secret: user and password, the fragment, and the values of query parameters whose names
  /// suggest a secret. Control characters become `�`.
  public static func redacted(_ url: String) -> String {
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
    if let fragment = text.firstIndex(of: "#") { text = String(text[..<fragment]) }
    var query = ""
    if let mark = text.firstIndex(of: "?") {
      let pairs = text[text.index(after: mark)...].split(separator: "&")
      query =
        "?"
        + pairs.map { pair in
          let name = pair.prefix { $0 != "=" }
          return name.endIndex < pair.endIndex && isSecret(name) ? name + "=…" : pair
        }.joined(separator: "&")
      text = String(text[..<mark])
    }
    let afterScheme = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    let authority = text[afterScheme...].prefix { $0 != "/" }
    if let at = authority.lastIndex(of: "@") { text.removeSubrange(afterScheme...at) }
    return text + query
  }

  /// Parts of the names of parameters that carry secrets.
  private static let secretNames = [
    "key", "token", "secret", "password", "passwd", "pwd", "signature", "auth", "session", "credential", "policy",
    "jwt",
  ]

  /// Whether the name of a query parameter suggests a secret.
  private static func isSecret(_ name: Substring) -> Bool {
    let name = name.lowercased()
    return name == "sig" || secretNames.contains(where: name.contains)
  }
}
