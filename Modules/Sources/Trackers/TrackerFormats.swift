public import Rows

/// The formats of tracker files that are built in.
public enum TrackerFormats {
  private static let texts = [
    ("letterboxd", letterboxd), ("letterboxd-import", letterboxdImport), ("trakt", trakt),
    ("trakt-import", traktImport), ("tvtime", tvtime), ("imdb", imdb), ("tmdb", tmdb), ("simkl", simkl),
    ("yamtrack", yamtrack), ("seriesguide", seriesguide), ("netflix", netflix),
  ]

  /// Their names.
  public static var names: [String] { texts.map(\.0) }

  /// The names of those that are written.
  public static let writable = ["letterboxd", "trakt-import", "imdb"]

  /// All of them.
  public static func all() throws(Problem) -> [TrackerFormat] {
    try texts.map { (name, text) throws(Problem) in try TrackerFormat(Array(text.utf8), name: name) }
  }

  /// The format called `name`.
  /// - Throws: `usage` with the nearest right name.
  public static func named(_ name: String) throws(Problem) -> TrackerFormat {
    guard let text = texts.first(where: { $0.0 == name })?.1 else {
      throw Problem(.usage, "unknown tracker format “\(name)”", hint: .choose(name, from: names, "formats"))
    }
    return try TrackerFormat(Array(text.utf8), name: name)
  }
}
