public import Rows

/// All datasets of bb. Stores, formats, help, completions and tests are derived from these descriptions.
public enum Catalog {
  /// All of them, in the order of the help.
  public static let all: [Schema] =
    [
      characters, episodes, quotes, deaths, movies, comments,
    ] + personal

  /// The datasets of the user's own records, which exist only in stores.
  public static let personal: [Schema] = [
    notes, places, actors, favourites, titles, watches, ratings, lists, questions, imports,
  ]

  /// The dataset called `name`.
  /// - Throws: `usage` with the nearest right name.
  public static func dataset(named name: String) throws(Problem) -> Schema {
    if let schema = all.first(where: { $0.name == name }) { return schema }
    let names = all.map(\.name)
    let hint =
      Remedy.choose(name, from: names, "available datasets")
    throw Problem(.usage, "unknown dataset “\(name)”", hint: hint)
  }
}
