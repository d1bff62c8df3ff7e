public import Rows

/// Every dataset bb knows, described once: storages, formats, help texts, completions and tests are made from these.
public enum Catalog {
  /// All of them, in the order of the help.
  public static let all: [Schema] = [
    characters, episodes, quotes, deaths, movies, comments, notes, places, actors, favourites,
  ]

  /// The dataset called `name`.
  /// - Throws: `usage` with the nearest right name.
  public static func dataset(named name: String) throws(Problem) -> Schema {
    if let schema = all.first(where: { $0.name == name }) { return schema }
    let names = all.map(\.name)
    let hint =
      Nearest.word(to: name, among: names).map { "did you mean \($0)?" }
      ?? "there are: \(names.joined(separator: ", "))"
    throw Problem(.usage, "no dataset “\(name)”", hint: hint)
  }
}
