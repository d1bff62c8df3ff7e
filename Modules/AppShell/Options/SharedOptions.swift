import Domain
import Codecs
package import CommandLineKit
package import Query
package import Rows

/// The options that both programs have, apart from those of outputs.
package enum SharedOptions {
  private static let general = "General"
  /// Whether messages are suppressed.
  package static let quiet = Option.flag("quiet", short: "q", in: general, "suppress all messages except errors")
  /// Whether details are reported.
  package static let verbose = Option.flag("verbose", short: "v", in: general, "show more detail")
  static let errors = Option.value(
    "errors", "FORMAT", values: .words(["text", "json"]), default: "text", in: general, "error format")
  static let color = Option.value(
    "color", aliases: ["colour"], "WHEN", values: .words(ColorChoice.allCases.map(\.rawValue)), default: "auto",
    in: general, "when to colour output; auto means on a terminal, unless NO_COLOR is set")
  /// The options of every command.
  package static let everywhere = [quiet, verbose, errors, color]

  private static let selection = "Selection"
  /// Conditions that all rows match.
  package static let filter = Option.value(
    "where", "CONDITION", values: .dynamic("column"), repeatable: true, setting: .conditions, in: selection,
    "keep only rows that match 'COLUMN OP VALUE', with and, or, not; may be repeated (all must match)")
  /// Whether rows are counted.
  package static let count = Option.flag(
    "count", setting: .count, in: selection, "output the number of rows instead of the rows"
  ).excluding("group", "agg", hint: "use --agg count")
  /// The columns of groups.
  package static let group = Option.value(
    "group", "A,B", values: .list("column"), setting: .grouping, in: selection,
    "output one row for each combination of these columns")
  /// The values computed for each group.
  package static let aggregates = Option.value(
    "agg", "COUNT,SUM(A),…", default: "count", setting: .aggregates, in: selection,
    "with or without --group: compute count, sum, avg, min, max or distinct of a column")
  /// The columns whose values are counted.
  package static let countBy = Option.value(
    "count-by", "A,B", values: .list("column"), setting: .countBy, in: selection,
    "count the rows for each value of these columns, or each element of a list; most frequent first"
  ).excluding("count", "group", "agg", hint: "use --group A,B --agg count,…")
  /// The columns.
  package static let columns = Option.value(
    "columns", "A,B", values: .list("column"), setting: .columns, in: selection, "columns to output, in this order")
  /// The order of the rows.
  package static let sort = Option.value(
    "sort", "A,B:desc", values: .list("order"), setting: .order, in: selection,
    "sort by these columns; nulls sort last")
  /// The greatest number of rows.
  package static let limit = Option.value("limit", "N", setting: .limit, in: selection, "output at most N rows")
  /// The number of rows to skip.
  package static let offset = Option.value("offset", "N", in: selection, "skip the first N rows")
  /// The show.
  package static let production = Option.value(
    "production", "NAME", values: .dynamic("production"), setting: .production, in: selection,
    "filter by show: its name or short name, as bb")
  /// The options that `Invocation.selection()` reads.
  package static let selecting =
    [filter, count, countBy, group, aggregates, sort, columns, limit, offset] + StepOptions.all
}

extension Invocation {
  /// Reads `--group`, `--agg` and `--count`; nil if none is given.
  /// - Throws: `usage` for an invalid aggregate, or for options that exclude each other.
  package func grouping() throws(Problem) -> Grouping? {
    let columns = try names(SharedOptions.group), text = self[SharedOptions.aggregates]
    if let counted = try names(SharedOptions.countBy) {
      return Grouping(by: counted, [Aggregate(.count, as: Self.countName(counted))], splittingLists: true)
    }
    if has(SharedOptions.count) { return .count }
    guard columns != nil || text != nil else { return nil }
    return Grouping(by: columns ?? [], try text.map(Aggregate.list) ?? [Aggregate(.count)])
  }

  /// The order of the rows of `--count-by`, the greatest number first; nothing without it.
  package var orderOfCounts: [Selection.SortKey] {
    let counted = (try? names(SharedOptions.countBy)) ?? []
    return counted.isEmpty ? [] : [Selection.SortKey(Self.countName(counted), descending: true)]
  }

  /// The name of the number of rows, which no counted column has.
  private static func countName(_ counted: [String]) -> String {
    ["rows", "count"].first { !counted.contains($0) } ?? "number_of_rows"
  }

  /// Reads the options of `SharedOptions.selecting`.
  /// - Throws: `usage` for an invalid condition, name or number.
  package func selection() throws(Problem) -> Selection {
    var selection = Selection()
    for text in all(SharedOptions.filter) { try selection.filter(by: text) }
    selection.grouping = try grouping()
    selection.sort = try sortKeys(SharedOptions.sort)
    if selection.sort.isEmpty { selection.sort = orderOfCounts }
    selection.columns = try names(SharedOptions.columns)
    selection.limit = try integer(SharedOptions.limit, in: 0...Int.max)
    selection.offset = try integer(SharedOptions.offset, in: 0...Int.max) ?? 0
    return selection
  }
}
