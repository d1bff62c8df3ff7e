public import Query
public import Rows

/// The orders in which the box office shows its films. Every view uses the same one.
public enum MovieOrder: String, Sendable, Hashable, CaseIterable {
  /// By rank of reservations, as the box office ranks them; this is the usual order.
  case rate
  /// By the editors' choice.
  case curation
  /// By day of release, the newest first.
  case date

  /// What the films are sorted by; those it says nothing of come last.
  public var sort: [Selection.SortKey] {
    switch self {
    case .rate: [Selection.SortKey("reservation_rank"), Selection.SortKey("reservation_rate", descending: true)]
    case .curation: [Selection.SortKey("curation_rank"), Selection.SortKey("reservation_rank")]
    case .date: [Selection.SortKey("release_date", descending: true), Selection.SortKey("reservation_rank")]
    }
  }

  /// The same for a table.
  /// - Throws: `usage` when it does not hold films.
  public func sort(of schema: Schema) throws(Problem) -> [Selection.SortKey] {
    guard sort.allSatisfy({ schema.position(of: $0.column) != nil }) else {
      throw Problem(.usage, "\(schema.name) has no order “\(rawValue)”", hint: "--order is for movies; use --sort")
    }
    return sort
  }
}
