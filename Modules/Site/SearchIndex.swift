import Codecs
import Rows

/// The entries that the search of the site finds, as a script: `fetch` of files does not work in browsers.
struct SearchIndex {
  /// The kinds of entries, as readers see them.
  enum Kind: Int, CaseIterable {
    case character, episode, quote, death, movie, place, actor, note, comment, table

    var label: String {
      let name = String(describing: self)
      return name.prefix(1).uppercased() + name.dropFirst()
    }
  }

  private var entries: [(kind: Kind, path: String, title: String, text: String)] = []

  /// The most bytes of the text of an entry, and of all entries.
  private static let longestText = 300, most = 4 << 20

  mutating func add(_ kind: Kind, _ link: SiteLink, _ title: String, _ text: [String?]) {
    let joined = text.compactMap(\.self).joined(separator: " ")
    entries.append((kind, link.text, Self.cut(title), Self.cut(joined)))
  }

  /// The first bytes of a text, in whole characters.
  private static func cut(_ text: String) -> String {
    if text.utf8.count <= longestText { return text }
    var cut = String(decoding: Array(text.utf8.prefix(longestText)), as: UTF8.self)
    while cut.last == "\u{FFFD}" { cut.removeLast() }
    return cut
  }

  /// The script, and whether it has titles only because of its size.
  var text: (bytes: [UInt8], isCut: Bool) {
    let whole = text(withTexts: true)
    return whole.count <= Self.most ? (whole, false) : (text(withTexts: false), true)
  }

  private func text(withTexts: Bool) -> [UInt8] {
    var out = ByteBuffer(capacity: 1 << 16)
    out.append("window.BB = {\"kinds\":[")
    for (place, kind) in Kind.allCases.enumerated() {
      if place > 0 { out.append(",") }
      out.append(jsonString: kind.label)
    }
    out.append("],\"rows\":[\n")
    for (place, entry) in entries.enumerated() {
      out.append(place > 0 ? ",\n[" as StaticString : "[")
      out.append(String(entry.kind.rawValue))
      for text in [entry.path, entry.title, withTexts ? entry.text : ""] {
        out.append(",")
        out.append(jsonString: text)
      }
      out.append("]")
    }
    out.append("\n]};\n")
    return out.bytes()
  }
}
