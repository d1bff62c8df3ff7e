/// A set of column positions that merges with others in any order.
public struct ColumnSet: Sendable, Hashable {
  private static let limit = 1 << 24
  private var words: [UInt64] = []

  /// No columns.
  public init() {}

  /// Adds a position, which must be below 2^24.
  public mutating func insert(_ position: Int) {
    precondition((0..<Self.limit).contains(position), "internal error: column index out of range")
    while words.count <= position / 64 { words.append(0) }
    words[position / 64] |= 1 << UInt64(position % 64)
  }
  /// Whether a position is in the set.
  public func contains(_ position: Int) -> Bool {
    position >= 0 && position / 64 < words.count && words[position / 64] & 1 << UInt64(position % 64) != 0
  }
  /// Adds the positions of another set.
  public mutating func formUnion(_ other: ColumnSet) {
    while words.count < other.words.count { words.append(0) }
    for index in other.words.indices { words[index] |= other.words[index] }
  }
}
