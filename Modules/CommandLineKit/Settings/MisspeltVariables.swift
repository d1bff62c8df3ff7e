package import Rows

extension ConfigurationKey {
  /// Variables of the environment with the prefix of the settings that are not settings.
  private static let others = ["BB_NOW", "BB_PLUGIN_PATH", "BB_TEST"]

  /// A warning for each variable that is probably a misspelt setting: `BB_STORGE`.
  ///
  /// Other programs have variables with this prefix, too: those that are not near to a setting are ignored.
  /// - Parameter names: the names of all variables of the environment.
  package static func misspeltVariables(among names: some Sequence<String>) -> [Warning] {
    let prefix = "BB_", names = names.filter { $0.utf8.starts(with: prefix.utf8) }
    guard !names.isEmpty else { return [] }
    let known = all.flatMap(\.variables) + others
    return names.filter { !known.contains($0) }.sorted().compactMap { name in
      // The prefix is right: only what follows it is compared.
      let words = known.map { String($0.dropFirst(prefix.count)) }, word = String(name.dropFirst(prefix.count))
      guard let near = SpellingSuggestion.word(to: word, among: words), near.utf8.count < word.utf8.count + 4 else {
        return nil
      }
      return Warning("unknown variable \(name)", hint: .advice("did you mean \(prefix)\(near)?"))
    }
  }
}
