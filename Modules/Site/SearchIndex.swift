import Codecs
import Rows

/// The entries that the search of the site finds, as scripts: `fetch` of files does not work in browsers.
struct SearchIndex {
  /// The kinds of entries, as readers see them.
  enum Kind: Int, CaseIterable {
    case character, episode, quote, death, movie, place, actor, note, comment, table

    var label: String {
      let name = String(describing: self)
      return name.prefix(1).uppercased() + name.dropFirst()
    }
  }

  private var entries: [(kind: Kind, text: [UInt8])] = []

  /// The most bytes of a text of an entry, of a file, and of all files.
  private static let longestText = 64 << 10, longestFile = 4 << 20, most = 64 << 20

  mutating func add(_ kind: Kind, _ link: SiteLink, _ title: String, _ text: [String?]) {
    let joined = text.compactMap(\.self).joined(separator: " · ")
    var out = ByteBuffer(capacity: 256)
    out.append("[\(kind.rawValue)")
    for text in [link.text, Self.cut(title, to: Self.longestText), Self.cut(joined, to: Self.longestText)] {
      out.append(",")
      out.append(jsonString: text)
    }
    out.append("]")
    entries.append((kind, out.bytes()))
  }

  /// A text, or the beginning of a longer one with an ellipsis.
  static func shortened(_ text: String, to length: Int) -> String {
    let cut = cut(text, to: length)
    return cut == text ? text : cut + "…"
  }

  /// The first bytes of a text, in whole characters.
  static func cut(_ text: String, to length: Int) -> String {
    if text.utf8.count <= length { return text }
    var cut = String(decoding: Array(text.utf8.prefix(length)), as: UTF8.self)
    while cut.last == "\u{FFFD}" { cut.removeLast() }
    return cut
  }

  /// The scripts, each of at most 4 MiB, and the kinds that they omit because of their size. The first one has the
  /// number of all.
  var files: (files: [[UInt8]], omitted: [String]) {
    var sizes: [Kind: Int] = [:], omitted: [Kind] = []
    for entry in entries { sizes[entry.kind, default: 0] += entry.text.count + 2 }
    while sizes.values.reduce(0, +) > Self.most,
      let largest = sizes.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) })
    {
      sizes[largest.key] = nil
      omitted.append(largest.key)
    }
    var parts: [[UInt8]] = [[]]
    for entry in entries where sizes[entry.kind] != nil {
      if parts[parts.count - 1].count + entry.text.count > Self.longestFile - 1024 { parts.append([]) }
      parts[parts.count - 1] += Array((parts[parts.count - 1].isEmpty ? "\n" : ",\n").utf8) + entry.text
    }
    let files = parts.enumerated().map { place, part in
      var out = ByteBuffer(capacity: part.count + 1024)
      out.append("(window.BB ||= []).push({\"files\":\(parts.count),\"kinds\":[")
      for (place, kind) in Kind.allCases.enumerated() {
        if place > 0 { out.append(",") }
        out.append(jsonString: kind.label)
      }
      out.append("],\"rows\":[")
      out.append(bytes: part)
      out.append("\n]});\n")
      return out.bytes()
    }
    return (files, omitted.map { $0.label.lowercased() + "s" })
  }
}
