/// Text out of HTML fragments.
enum RESTMarkup {
  private static let blocks: Set<String> = [
    "p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote", "pre",
    "section", "article",
  ]
  private static let entities: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "hellip": "…", "mdash": "—",
    "ndash": "–", "rsquo": "’", "lsquo": "‘", "ldquo": "“", "rdquo": "”", "copy": "©", "reg": "®", "trade": "™",
    "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç", "ouml": "ö", "uuml": "ü", "auml": "ä", "szlig": "ß",
  ]

  /// The text of a fragment: tags and comments removed, entities decoded, a line end for a block, white space
  /// collapsed.
  static func text(_ html: [UInt8]) -> [UInt8] {
    var text: [UInt8] = [], rest = html[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: "<"), let tag = Tag(&rest) {
        if blocks.contains(tag.name) { text.append(10) }
      } else if byte == UInt8(ascii: "&"), let scalar = entity(&rest) {
        text += Array(scalar.utf8)
      } else {
        text.append(byte == 10 || byte == 13 || byte == 9 ? 32 : byte)
        rest = rest.dropFirst()
      }
    }
    let lines = text.split(separator: 10).map { line in
      Array(line.split(separator: 32).joined(separator: [32]))
    }
    return Array(lines.filter { !$0.isEmpty }.joined(separator: [10]))
  }

  private struct Tag {
    let name: String

    /// Removes a tag or a comment; nil for a character that begins neither.
    init?(_ rest: inout ArraySlice<UInt8>) {
      if rest.starts(with: "<!--".utf8) {
        var end = rest.startIndex + 4
        while end < rest.endIndex, !rest[end...].starts(with: "-->".utf8) { end += 1 }
        rest = rest[min(end + 3, rest.endIndex)...]
        name = ""
        return
      }
      var body = rest.dropFirst()
      if body.first == UInt8(ascii: "/") || body.first == UInt8(ascii: "!") { body = body.dropFirst() }
      guard let first = body.first, (first | 32) &- 97 < 26, let end = body.firstIndex(of: UInt8(ascii: ">")) else {
        return nil
      }
      name = String(decoding: body.prefix { ($0 | 32) &- 97 < 26 || $0 &- 48 < 10 }, as: UTF8.self).lowercased()
      rest = rest[(end + 1)...]
    }
  }

  /// Removes an entity and returns its text; nil for an ampersand that begins none.
  private static func entity(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let word = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
    var found = entities[word]
    if found == nil, word.hasPrefix("#") {
      let number = word.dropFirst(word.lowercased().hasPrefix("#x") ? 2 : 1)
      let code = UInt32(number, radix: word.lowercased().hasPrefix("#x") ? 16 : 10)
      found = code.flatMap(Unicode.Scalar.init).flatMap { $0.value == 0 ? nil : String(Character($0)) }
    }
    guard let found else { return nil }
    rest = rest[(end + 1)...]
    return found
  }
}
