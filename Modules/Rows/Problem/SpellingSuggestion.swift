/// Spelling suggestions.
public enum SpellingSuggestion {
  /// Bytes of the longest text that is taken for a word: comparing two takes as many steps as the product of their
  /// lengths.
  private static let longest = 256

  /// The candidate nearest to `word`, if it is near enough to suggest: at most a third of its letters differ, or it
  /// begins with `word`. Ignores case.
  ///
  /// The first letter is seldom wrong: if it is, no other may be, and a word of three letters is another word.
  public static func word(to word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().utf8)
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    var best: (word: String, distance: Int)?
    for candidate in candidates where candidate.utf8.count <= longest {
      let other = Array(candidate.lowercased().utf8)
      var distance = edits(wanted, other)
      if distance > 1, wanted.count >= 3, other.starts(with: wanted) { distance = 1 }
      let length = max(wanted.count, other.count)
      let limit = wanted.first == other.first ? max(1, length / 3) : length > 3 ? 1 : 0
      if distance <= limit, distance < (best?.distance ?? .max) { best = (candidate, distance) }
    }
    return best?.word ?? whole(containing: wanted, among: candidates)
  }

  /// The only candidate of several words of which one is `wanted`, such as `unit_price` for `price`.
  private static func whole(containing wanted: [UInt8], among candidates: some Sequence<String>) -> String? {
    let found = candidates.filter { candidate in
      candidate.utf8.count <= longest && !candidate.hasPrefix("-")
        && candidate.lowercased().utf8.split { "_. -/".utf8.contains($0) }.contains { $0.elementsEqual(wanted) }
    }
    return found.count == 1 ? found[0] : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
  private static func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var before: [Int] = [], last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      before = last
      last = row
    }
    return last[b.count]
  }
}
