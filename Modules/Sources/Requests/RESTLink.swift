/// A link of a header `Link` (RFC 8288): `<https://h/t?page=2>; rel="next"; title="more, of these"`.
struct RESTLink: Equatable {
  /// The text between the angle brackets.
  var target = ""
  /// The words of its first `rel`, in small letters.
  var relations: [String] = []

  /// The links of a header field's value, in order. Text that is not a link ends the list.
  static func list(_ value: String) -> [RESTLink] {
    var links: [RESTLink] = [], rest = value[...]
    while true {
      rest = rest.drop { $0 == "," || isBlank($0) }
      guard rest.popFirst() == "<", let end = rest.firstIndex(of: ">") else { return links }
      var link = RESTLink(target: String(rest[..<end]))
      rest = rest[rest.index(after: end)...]
      var isRelated = false
      while let (name, value) = parameter(&rest) {
        guard name == "rel", !isRelated else { continue }
        isRelated = true
        link.relations = value.lowercased().split(whereSeparator: isBlank).map(String.init)
      }
      links.append(link)
      // Text before the next comma that is not a parameter is ignored.
      rest = rest.drop { $0 != "," }
    }
  }

  /// The next `; name=value`, the name in small letters; nil where there is none.
  private static func parameter(_ rest: inout Substring) -> (name: String, value: String)? {
    rest = rest.drop(while: isBlank)
    guard rest.first == ";" else { return nil }
    rest = rest.drop { $0 == ";" || isBlank($0) }
    let name = rest.prefix { !isBlank($0) && !"=;,".contains($0) }
    rest = rest[name.endIndex...].drop(while: isBlank)
    guard rest.first == "=" else { return (name.lowercased(), "") }
    rest = rest.dropFirst().drop(while: isBlank)
    return (name.lowercased(), rest.first == "\"" ? quoted(&rest) : word(&rest))
  }

  private static func word(_ rest: inout Substring) -> String {
    let word = rest.prefix { !isBlank($0) && $0 != ";" && $0 != "," }
    rest = rest[word.endIndex...]
    return String(word)
  }

  /// A quoted text, in which a backslash escapes the next character.
  private static func quoted(_ rest: inout Substring) -> String {
    var text = ""
    rest = rest.dropFirst()
    while let character = rest.popFirst(), character != "\"" {
      if character == "\\" { rest.popFirst().map { text.append($0) } } else { text.append(character) }
    }
    return text
  }

  private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
