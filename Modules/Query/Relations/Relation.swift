/// A relation from the records of one dataset to those of another.
public struct Relation: Sendable, Hashable {
  /// The name for `--with`.
  public let name: String
  /// The dataset it leads from, and the one it leads to.
  public let from: String, to: String
  /// Whether a record leads to any number of records; else to one at most.
  let isToMany: Bool
  /// The columns that say which records belong together: of `from` on the left, of `to` on the right.
  public let columns: [Pair]
  /// The resolution of names in those columns to records; nil when the values must be equal.
  public let names: NameMatching?

  /// A column of `from` and one of `to`.
  public struct Pair: Sendable, Hashable {
    /// The columns' names.
    public let left: String, right: String
  }

  /// A relation by columns of equal values, or, with `byName`, of names.
  public init(
    _ name: String, from: String, to: String, toMany: Bool = false, byName names: NameMatching? = nil,
    on columns: KeyValuePairs<String, String>
  ) {
    self.name = name
    self.from = from
    self.to = to
    isToMany = toMany
    self.names = names
    self.columns = columns.map { Pair(left: $0.key, right: $0.value) }
  }

  /// A relation to any number of records by columns of equal values: of `from` on the left, of `to` on the right.
  public init(_ name: String, from: String, to: String, on pairs: [(left: String, right: String)]) {
    (self.name, self.from, self.to) = (name, from, to)
    isToMany = true
    names = nil
    columns = pairs.map { Pair(left: $0.left, right: $0.right) }
  }
}
