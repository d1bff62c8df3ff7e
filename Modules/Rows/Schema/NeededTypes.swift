/// The columns of a text file whose types are needed.
public struct NeededTypes: Sendable, Hashable {
  /// The names of the columns whose values are compared or calculated with.
  public var columns: [String]
  /// The properties that are needed of the other columns.
  public var others: Others

  /// The needed properties of values that are only written.
  public enum Others: Sendable, Hashable {
    case text
    /// Their texts, and the types of all but dates and times in ISO 8601.
    case numbers
  }

  /// The types of `columns`, and what `others` says of the other columns.
  public init(_ columns: [String], others: Others) { (self.columns, self.others) = (columns, others) }
}
