import Query
public import Rows

/// Tags of notes: words of the text that begin with `#`, such as `#finale`, compared ignoring case and accents.
public enum NoteTags {
  /// The tag that an option names, with or without its `#`, as it is compared.
  /// - Throws: `usage` for a text that is not a tag.
  public static func folded(_ text: String) throws(Problem) -> String {
    let name = text.hasPrefix("#") ? String(text.dropFirst()) : text
    guard !name.isEmpty, name.unicodeScalars.allSatisfy(isPart) else {
      throw Problem(.usage, "invalid tag “\(text)”", hint: "use letters, digits, _ and -")
    }
    return plain(name)
  }

  /// The tags of a text as they are compared, each once, in the order of the text.
  public static func tags(in text: String) -> [String] {
    var tags: [String] = [], before: Unicode.Scalar = " ", rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      rest = rest.dropFirst()
      // Not within a word: a#b, or the fragment of an address.
      if scalar == "#", !isPart(before), before != "/", before != "#" {
        let name = rest.prefix(while: isPart)
        let tag = plain(String(name))
        if !name.isEmpty, !tags.contains(tag) { tags.append(tag) }
      }
      before = scalar
    }
    return tags
  }

  /// A text with the tags that it lacks at its end.
  public static func adding(_ tags: [String], to text: String) throws(Problem) -> String {
    var result = text
    for tag in tags {
      let wanted = try folded(tag)
      if !Self.tags(in: result).contains(wanted) {
        result += (result.isEmpty ? "" : " ") + (tag.hasPrefix("#") ? tag : "#" + tag)
      }
    }
    return result
  }

  /// The record with its tags in the column `tags`.
  public static func added(to record: Record) -> Record {
    var record = record
    record["tags"] = .list(tags(in: record[.text] ?? ""))
    return record
  }

  private static func plain(_ name: String) -> String { String(decoding: Fold.folded(name), as: UTF8.self) }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" || scalar == "-"
      || scalar.properties.generalCategory == .nonspacingMark
  }
}
