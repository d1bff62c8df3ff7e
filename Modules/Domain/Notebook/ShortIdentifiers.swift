/// Identifiers as the user types them: the shortest end that only one of them has, at least four characters.
///
/// The beginning of a UUID of version 7 is its time, which distinguishes nothing among records that were added on one
/// day.
public struct ShortIdentifiers: Sendable {
  /// The fewest characters.
  public static let shortest = 4
  private var ends: [String: String] = [:]

  /// The short forms of identifiers that all differ.
  public init(_ identifiers: [String]) {
    let sorted = identifiers.map { ($0, Array($0.utf8.reversed())) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }
    func common(_ a: Int, _ b: Int) -> Int {
      guard sorted.indices.contains(a), sorted.indices.contains(b) else { return 0 }
      return zip(sorted[a].1, sorted[b].1).prefix { $0 == $1 }.count
    }
    for (position, entry) in sorted.enumerated() {
      let count = max(common(position - 1, position), common(position, position + 1)) + 1
      ends[entry.0] = String(entry.0.suffix(max(count, Self.shortest)))
    }
  }

  /// The short form of an identifier; the identifier itself if it is not one of these.
  public subscript(_ identifier: String) -> String { ends[identifier] ?? identifier }
}
