/// Finds records by name as users type names: any case, no accents, a part of the name.
public enum NameMatch {
  /// The positions of the names that a text means: those equal to it, else those that contain it, ignoring case and
  /// accents; none for the empty text.
  public static func positions(of text: String, in names: [String?]) -> [Int] {
    let wanted = Fold.folded(text)
    guard !wanted.isEmpty else { return [] }
    let folded = names.map { $0.map { Fold.folded($0) } }
    let equal = folded.indices.filter { folded[$0] == wanted }
    return equal.isEmpty ? folded.indices.filter { folded[$0]?.firstRange(of: wanted) != nil } : equal
  }
}
