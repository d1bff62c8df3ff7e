/// Which rows and columns, in what order: a value that knows nothing of the command line.
///
/// Order of work: conditions and search → sample → sort → offset and limit → columns.
public struct Selection: Sendable, Hashable {
  /// All must hold.
  public var conditions: [Condition] = []
  /// Of each of these groups, one must hold.
  public var alternatives: [[Condition]] = []
  /// Every word of it begins a word of the row, without regard to case and marks; nil for no search.
  public var search: String?
  /// How many rows to take at random; nil for all. They stay in the order they came in.
  public var sample: Int?
  /// Makes the sample the same every time; nil for another one each time.
  public var seed: UInt64?
  /// What to sort by, most significant first; the key and then the order of arrival decide between equals.
  public var sort: [SortKey] = []
  /// Rows to leave out at the beginning.
  public var offset = 0
  /// The most rows to give; nil for all.
  public var limit: Int?
  /// Columns to give, in this order; nil for all.
  public var columns: [String]?

  /// A column to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The column's name.
    public let column: String
    /// Whether the largest comes first. Null comes last both ways.
    public let isDescending: Bool

    /// Sorts by `column`.
    public init(_ column: String, descending: Bool = false) {
      self.column = column
      isDescending = descending
    }
    /// Reads `COLUMN`, `COLUMN:asc` or `COLUMN:desc`.
    /// - Throws: `usage` for another word behind the colon.
    public init(parsing text: String) throws(Problem) {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      column = String(parts[0])
      let direction = parts.count == 2 ? String(parts[1]) : "asc"
      guard direction == "asc" || direction == "desc" else {
        throw Problem(
          .usage, "no direction “\(direction)” to sort \(column)", hint: "write \(column):asc or \(column):desc")
      }
      isDescending = direction == "desc"
    }
  }

  /// Everything, in the order it comes.
  public init() {}

  /// The rows of `stream` that are wanted.
  /// - Throws: `usage` for a column the schema does not have or a value it cannot compare.
  public func apply(to stream: any RowStream, scratch: any ScratchSpace) throws(Problem) -> any RowStream {
    let schema = stream.schema
    var groups: [[ConditionMatcher]] = []
    for group in conditions.map({ [$0] }) + alternatives {
      var matchers: [ConditionMatcher] = []
      for condition in group { matchers.append(try ConditionMatcher(condition, for: schema)) }
      groups.append(matchers)
    }
    var order: [SortOrder.Key] = []
    for key in sort {
      order.append(SortOrder.Key(column: try schema.column(named: key.column), isDescending: key.isDescending))
    }
    var positions: [Int] = []
    for name in columns ?? [] { positions.append(try schema.column(named: name)) }
    if Set(positions).count != positions.count { throw Problem(.usage, "a column is named twice in --columns") }

    var result = stream
    if !groups.isEmpty || search != nil {
      result = FilteredRows(result, groups, search.map { SearchMatcher($0, for: schema) })
    }
    if let sample { result = SampledRows(result, count: sample, seed: seed, scratch: scratch) }
    if !order.isEmpty {
      let keep = limit.map { $0.addingReportingOverflow(offset) }
      result = SortedRows(
        result, by: SortOrder(order, schema), keeping: keep.flatMap { $0.overflow ? nil : $0.partialValue },
        scratch: scratch)
    }
    if offset > 0 || limit != nil { result = LimitedRows(result, offset: offset, limit: limit) }
    if columns != nil { result = ProjectedRows(result, positions) }
    return result
  }

  /// Whether rows can be given before the last one was read.
  public var isStreaming: Bool { sample == nil && sort.isEmpty }
}
