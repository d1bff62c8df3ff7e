import Codecs
public import Rows

/// Which rows and columns, in what order: a value that knows nothing of the command line.
///
/// Order of work: conditions and search → sample → groups → sort → relations → offset and limit → columns. So a sample
/// of one quote is one quote, with all that belongs to it, and the limit counts the rows of the output. Only when a
/// condition, a group, an aggregate or a sort names a column of a relation do the relations come before those
/// conditions; what is sampled then are the joined rows. Search looks at the rows' own texts.
public struct Selection: Sendable, Hashable {
  /// All must hold.
  public var conditions: [Condition] = []
  /// Of each of these groups, one must hold.
  public var alternatives: [[Condition]] = []
  /// All must hold: conditions joined by `or` and `not`.
  public var predicates: [Predicate] = []
  /// Comparisons with numbers without quotes, among those that must hold: see `warnings`.
  private var bareNumbers: [Condition] = []
  /// Only records with one of these keys, as `RecordKey` writes them: favourites; nil for all.
  public var keys: Set<[UInt8]>?
  /// Search words; each must be a prefix of a word in the row, ignoring case and marks. Nil for no search.
  public var search: String?
  /// The number of random rows to select; nil for all. They keep their order.
  public var sample: Int?
  /// Makes the sample the same every time; nil for another one each time.
  public var seed: UInt64?
  /// What to make of the rows: one row for each group; nil for the rows themselves. What follows, from `sort` on, is
  /// about the groups, which are in ascending order unless they are sorted in another.
  public var grouping: Grouping?
  /// What to sort by, most significant first; the key and then the order of arrival decide between equals.
  public var sort: [SortKey] = []
  /// The number of rows to skip.
  public var offset = 0
  /// The most rows to give; nil for all.
  public var limit: Int?
  /// Columns to give, in this order; nil for all.
  public var columns: [String]?

  /// Relations to follow, by name: of the dataset, or of what an earlier one of them led to. To one record: its columns
  /// follow, named `character.birthday`. To many: a row for each. To none: nulls.
  public var relations: [String] = []
  /// The rows that have a match in a relation, or have none; of several relations, all rows are kept.
  public var joinKind = JoinKind.left
  /// Whether relations give a column of JSON each instead.
  public var isNested = false

  /// A column to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The column's name.
    public let column: String
    /// Whether the largest comes first. Null comes last both ways.
    let isDescending: Bool

    /// Sorts by `column`.
    public init(_ column: String, descending: Bool = false) {
      self.column = column
      isDescending = descending
    }
    /// Parses a list element: `COLUMN`, `COLUMN:asc` or `COLUMN:desc`.
    /// - Throws: `usage` for another word after the colon.
    public init(_ listed: NameListParser) throws(Problem) {
      column = listed.name
      let direction = listed.value ?? "asc"
      guard direction == "asc" || direction == "desc" else {
        throw Problem(
          .usage, "invalid sort direction “\(direction)” for \(column)", hint: "use \(column):asc or \(column):desc")
      }
      isDescending = direction == "desc"
    }
  }

  /// Everything, in the order it comes.
  public init() {}

  /// Adds what must hold, as the text of a `Predicate`.
  /// - Throws: `usage`.
  public mutating func filter(by text: String) throws(Problem) {
    var parser = PredicateParser(text)
    let predicate = try parser.parse()
    bareNumbers += parser.bareNumbers
    if let all = predicate.conjunction { conditions += all } else { predicates.append(predicate) }
  }

  /// The columns of text that are compared with a number or a date, or by which rows are sorted: each with the value it
  /// is compared with, nil for sorting.
  /// - Parameter schema: the columns of the rows.
  func textComparisons(in schema: Schema) -> [(column: Int, value: String?)] {
    var found: [(column: Int, value: String?)] = []
    let all = bareNumbers.map { ($0.column, $0.values.first) } + (grouping == nil ? sort.map { ($0.column, nil) } : [])
    for (name, value) in all {
      guard let position = schema.position(of: name), schema.columns[position].type == .text,
        !found.contains(where: { $0.column == position })
      else { continue }
      found.append((position, value))
    }
    return found
  }

  /// The columns of what must hold.
  public var filteredColumns: [String] { allPredicates.flatMap(\.columns) }

  /// The columns that it names, of the rows or of the groups.
  public var namedColumns: [String] {
    filteredColumns + sort.map(\.column) + (columns ?? [])
      + (grouping.map { $0.columns + $0.aggregates.compactMap(\.column) } ?? [])
  }

  /// Removes what must hold of columns with certain names: for a source that does not have them.
  public mutating func removeConditions(on isRemoved: (String) -> Bool) {
    func keeps(_ predicate: Predicate) -> Bool { !predicate.columns.contains(where: isRemoved) }
    conditions.removeAll { !keeps(.condition($0)) }
    alternatives.removeAll { $0.contains { !keeps(.condition($0)) } }
    predicates.removeAll { !keeps($0) }
  }

  /// Everything that must hold.
  package var allPredicates: [Predicate] {
    conditions.map { .condition($0) } + alternatives.map { .any($0.map { .condition($0) }) } + predicates
  }

  /// The rows of `stream` that are wanted.
  /// - Parameters:
  ///   - stream: the rows to select from.
  ///   - scratch: temporary files, for sorting.
  ///   - related: the tables that `relations` lead to, as `JoinTables.read` gives them.
  ///   - threads: tasks that sort and group at once, at least 1; the result does not depend on it.
  ///   - memory: the memory for sorting and for groups, in bytes; what needs more goes to `scratch`.
  /// - Throws: `usage` for an unknown column or relation, and for a value that cannot be compared.
  public func apply(
    to stream: any RowStream, scratch: any ScratchSpace, related: JoinTables = JoinTables.none,
    threads: Int = 1, memory: Int = 256 << 20
  ) throws(Problem) -> any RowStream {
    let base = stream.schema
    let compared = textComparisons(in: base)
    let stream = compared.isEmpty ? stream : TextComparisonRows(stream, compared)
    let join =
      relations.isEmpty ? nil : try Join(relations, nested: isNested, joinKind, from: base, related)
    let schema = join?.schema ?? base

    var own: [RowFilter] = [], joined: [RowFilter] = []
    for predicate in allPredicates {
      let filter = try RowFilter(predicate, of: schema) { (name) throws(Problem) in
        try position(name, schema, related.relations)
      }
      if filter.lastColumn >= base.width { joined.append(filter) } else { own.append(filter) }
    }
    var plan: GroupPlan?
    if let grouping {
      if sample != nil {
        throw Problem(.sample, "cannot be used with groups", hint: .omit(.sample))
      }
      plan = try GroupPlan(grouping, of: schema) { (name) throws(Problem) in
        try position(name, schema, related.relations)
      }
    }
    let final = plan?.schema ?? schema
    var order: [SortOrder.Key] = []
    for key in sort {
      order.append(
        SortOrder.Key(column: try position(key.column, final, related.relations), isDescending: key.isDescending))
    }
    if let plan, !order.isEmpty {
      // Groups differ, so that their order is certain when each of their columns decides.
      order += plan.order.keys.filter { key in !order.contains { $0.column == key.column } }
    }
    var positions: [Int] = []
    for name in columns ?? [] { positions.append(try position(name, final, related.relations)) }
    if Set(positions).count != positions.count { throw Problem(.columns, "contains a column more than once") }
    let looked =
      plan.map { plan in plan.columns + plan.aggregates.compactMap(\.column) } ?? order.map(\.column)
    let joinsFirst = !joined.isEmpty || plan != nil && join != nil || looked.contains { $0 >= base.width }

    // The groups are there while they are sorted.
    let memory = plan == nil || order.isEmpty ? memory : memory / 2
    var result = stream
    if keys != nil, base.key.isEmpty {
      throw Problem(.usage, "\(base.name) has no key and therefore no favourites")
    }
    if !own.isEmpty || search != nil || keys != nil {
      result = FilteredRows(result, own, search.map { SearchMatcher($0, for: base) }, keys: keys)
    }
    if let join, joinsFirst { result = JoinedRows(result, join) }
    if !joined.isEmpty { result = FilteredRows(result, joined, nil) }
    if let plan {
      result = GroupedRows(result, plan, threads: threads, memoryLimit: memory, scratch: scratch)
    }
    if let sample { result = SampledRows(result, count: sample, seed: seed, scratch: scratch) }
    if !order.isEmpty {
      // A row without a match may have no row in the output.
      let isKept = joinsFirst || join == nil || joinKind == .left
      let keep = isKept ? limit.map { $0.addingReportingOverflow(offset) } : nil
      result = SortedRows(
        result, by: SortOrder(order, result.schema),
        keeping: keep.flatMap { $0.overflow ? nil : $0.partialValue }, scratch: scratch, memoryLimit: memory,
        threads: threads)
    }
    if let join, !joinsFirst { result = JoinedRows(result, join) }
    if offset > 0 || limit != nil { result = LimitedRows(result, offset: offset, limit: limit) }
    if columns != nil { result = ProjectedRows(result, positions) }
    return result
  }

  /// The position of a column. If the column belongs to a relation that is not in `--with`, the hint names it.
  private func position(_ column: String, _ schema: Schema, _ related: [Relation]) throws(Problem) -> Int {
    let relation = related.first { relation in
      column.hasPrefix(relation.name + ".") && relation.from == schema.name && !relations.contains(relation.name)
    }
    guard let relation, schema.position(of: column) == nil else { return try schema.column(named: column) }
    throw Problem(.usage, "\(schema.name) has no column “\(column)”", hint: .set(.relations, to: relation.name))
  }
}
