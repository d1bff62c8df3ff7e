public import Query
public import Rows

/// The orders of movies in the box office. All views share them.
public enum MovieOrder: String, Sendable, Hashable, CaseIterable {
  /// By rank of reservations, as the box office ranks them; this is the usual order.
  case rate
  /// By the editors' choice.
  case curation
  /// By day of release, the newest first.
  case date

  /// The sort keys; movies without a value come last.
  public var sort: [Selection.SortKey] {
    switch self {
    case .rate: [Selection.SortKey("reservation_rank"), Selection.SortKey("reservation_rate", descending: true)]
    case .curation: [Selection.SortKey("curation_rank"), Selection.SortKey("reservation_rank")]
    case .date: [Selection.SortKey("release_date", descending: true), Selection.SortKey("reservation_rank")]
    }
  }

  /// Whether a table has the columns that it sorts by: another API may have movies as well.
  public func isOrder(of schema: Schema) -> Bool { sort.allSatisfy { schema.position(of: $0.column) != nil } }

  /// The sort keys for a table.
  /// - Throws: `usage` if the table does not contain movies.
  public func sort(of schema: Schema) throws(Problem) -> [Selection.SortKey] {
    guard isOrder(of: schema) else {
      throw Problem(
        .movieOrder, "applies only to movies, and this is \(schema.name)", hint: .set(.order))
    }
    return sort
  }
}
