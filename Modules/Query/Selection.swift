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
  /// The sort keys, most significant first; the key and then the order of arrival decide between equals.
  public var sort: [SortKey] = []
  /// The number of rows to skip.
  public var offset = 0
  /// The most rows to give; nil for all.
  public var limit: Int?
  /// Columns to give, in this order; nil for all.
  public var columns: [String]?
  /// Members that are columns of the output because something else names them, unless columns are chosen.
  public var shownMembers: [String] = []
  /// The types of members, among others.
  public var types = ColumnTypes()

  /// Relations to follow, by name: of the dataset, or of what an earlier one of them led to. To one record: its columns
  /// follow, named `character.birthday`. To many: a row for each. To none: nulls.
  public var relations: [String] = []
  /// The rows that have a match in a relation, or have none; of several relations, all rows are kept.
  public var joinKind = JoinKind.left
  /// Whether relations give a column of JSON each instead.
  public var isNested = false

  /// The other steps.
  public var steps = Steps()
  /// The context of conditions besides columns.
  private var written = Conditions()
  /// The calculations that conditions compare, by the names that stand for their columns.
  private var computed: [String: Expression] { written.computed }

  /// Everything, in the order it comes.
  public init() {}

  /// Everything, with columns for those of some names that are members.
  init(makingColumnsOf names: [String], in schema: Schema, _ types: ColumnTypes) {
    self.types = types
    for name in names where schema.position(of: name) == nil && CompiledExpression.base(of: name, in: schema) != nil {
      steps.assigned.append(member(name))
    }
  }

  /// A member as a column, of its type if that is given.
  private func member(_ name: String) -> Assigned {
    Assigned(name, types[name].map { .cast(.column(name), $0, strict: true) } ?? .column(name))
  }

  /// Adds what must hold, as the text of a `Predicate`.
  /// - Throws: `usage`.
  public mutating func filter(by text: String) throws(Problem) {
    let predicate = try written.read(text)
    if let all = predicate.conjunction { conditions += all } else { predicates.append(predicate) }
  }

  /// Adds what groups must be like, as the text of a `Predicate`.
  /// - Throws: `usage`.
  public mutating func filterGroups(by text: String) throws(Problem) {
    steps.having.append(try written.read(text))
  }

  /// The columns of text that are compared with a number or a date, or by which rows are sorted: each with the value it
  /// is compared with, nil for sorting.
  /// - Parameter schema: the columns of the rows.
  func textComparisons(in schema: Schema) -> [(column: Int, value: String?)] {
    var found: [(column: Int, value: String?)] = []
    let all =
      written.bareValues.map { ($0.column, $0.values.first) }
      + (grouping?.aggregates.filter(\.ordersValues).compactMap(\.column) ?? sort.map(\.column)).map { ($0, nil) }
    for (name, value) in all {
      guard let position = schema.position(of: name), schema.columns[position].type == .text, !steps.changes(name),
        !name.hasPrefix(Conditions.mark),
        !found.contains(where: { $0.column == position })
      else { continue }
      found.append((position, value))
    }
    return found
  }

  /// The columns of what must hold.
  public var filteredColumns: [String] {
    allPredicates.flatMap(\.columns).flatMap { computed[$0]?.columns ?? [$0] }
  }

  /// The columns that it names, of the rows or of the groups.
  public var namedColumns: [String] {
    filteredColumns + sort.map(\.column) + (columns ?? [])
      + (grouping.map { $0.columns + $0.aggregates.flatMap(\.columns) } ?? [])
  }

  /// Whether it needs `FileNamedRows`.
  public var namesFiles: Bool {
    let calculated = steps.assigned.map(\.expression) + (grouping?.aggregates.compactMap(\.expression) ?? [])
    return (filteredColumns + calculated.flatMap(\.columns)).contains(FileNamedRows.column)
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
    var work = Work(scratch: scratch, related: related, threads: threads, memory: memory)
    return try apply(to: stream, &work)
  }

  private func apply(to stream: any RowStream, _ work: inout Work) throws(Problem) -> any RowStream {
    let first = work
    let (rows, last) = try clear { () throws(Problem) -> (any RowStream, Work) in
      var work = first
      var (rows, resting) = try selected(from: stream, &work)
      rows = try grouped(rows, &resting, work)
      // The columns that the values of another one become are known when all rows are read.
      return (steps.pivot == nil ? try finished(rows, resting, work) : rows, work)
    }
    work = last
    return rows
  }

  /// Refuses types of members that nothing names, and patterns of members.
  private func checkTypes(of members: [String], in schema: Schema) throws(Problem) {
    let typed = types.names.filter { schema.position(of: $0) == nil }
    for name in typed where CompiledExpression.base(of: name, in: schema) != nil {
      if types.pattern(of: name) != nil {
        throw Problem(.usage, "\(name) is a member, which has no pattern", hint: "calculate strptime(…)")
      }
      guard !members.contains(name) else { continue }
      throw Problem(
        .usage, "\(name) is a member, which is a column only where it is named", hint: .set(.columns, to: name))
    }
  }

  /// Checks the selection for rows with certain columns, as far as types within JSON do not matter.
  /// - Returns: the columns of the result, nil if some depend on such types; whether there are such types.
  public func check(
    _ schema: Schema, related: JoinTables = .none
  ) throws(Problem) -> (schema: Schema?, needsValues: Bool) {
    let types = LooseTypes()
    var work = Work(scratch: NoScratch(), related: related, threads: 1, memory: 256 << 20, types: types)
    do throws(Problem) {
      let result = try apply(to: BufferedRows(schema: schema, batches: []), &work).schema
      return types.isPending ? (nil, true) : (result, false)
    } catch {
      if types.isPending { return (nil, true) }
      throw error
    }
  }

  /// The same rows, which begin again if a value within JSON does not have the type of earlier ones.
  public func retyping(
    _ rows: any RowStream, related: JoinTables = .none
  ) async throws(Problem) -> any RowStream {
    guard try check(rows.schema, related: related).needsValues, try await rows.reopened() != nil else { return rows }
    return RetypedRows(inner: rows, types: LooseTypes())
  }

  /// The same, for rows whose values may become columns or show types.
  public func applied(
    to stream: any RowStream, scratch: any ScratchSpace, related: JoinTables = JoinTables.none,
    threads: Int = 1, memory: Int = 256 << 20
  ) async throws(Problem) -> any RowStream {
    let types = (stream as? RetypedRows)?.types ?? LooseTypes()
    var work = Work(scratch: scratch, related: related, threads: threads, memory: memory, types: types)
    let first = work
    let rows = try await types.settling(stream) { (rows) throws(Problem) in
      work = first
      return try apply(to: rows, &work)
    }
    try checkTypes(of: work.members + steps.assigned.map(\.name), in: stream.schema)
    guard let (names, values) = steps.pivot.map({ ($0.name, $0.value ?? "") }) else { return rows }
    let pivoted = try await PivotedRows.pivoting(
      rows, name: try rows.schema.column(named: names), value: try rows.schema.column(named: values),
      KeyedRows.Work(scratch: scratch, memory: memory))
    let last = work
    return try clear { () throws(Problem) in try finished(pivoted, nil, last) }
  }

  /// The members of columns that are named like columns: `user.name`.
  private func members(of schema: Schema, _ related: [Relation], beforeSteps: Bool) -> [Assigned] {
    var seen: Set<String> = []
    let changed = (steps.explode.map { [$0] } ?? []) + steps.assigned.map(\.name)
    let named =
      namedColumns + (steps.distinct ?? []) + (steps.explode.map { [$0] } ?? []) + steps.fill.compactMap(\.column)
      + renamedMembers(of: schema) + steps.unpivot + typedMembers
      + (steps.pivot.map { [$0.name] + ($0.value.map { [$0] } ?? []) } ?? [])
      + related.filter { relations.contains($0.name) }.flatMap { $0.columns.map(\.left) }
    return named.compactMap { name in
      guard schema.position(of: name) == nil, computed[name] == nil, !changed.contains(name) || name == steps.explode,
        let base = CompiledExpression.base(of: name, in: schema), seen.insert(name).inserted
      else { return nil }
      let isChanged = changed.contains(base) || changed.contains { $0 != name && name.hasPrefix($0 + ".") }
      return beforeSteps && isChanged ? nil : member(name)
    }
  }

  /// The members of which calculations need the given types.
  private var typedMembers: [String] {
    types.isEmpty ? [] : steps.assigned.flatMap(\.expression.columns).filter { types[$0] != nil }
  }

  /// The members that become columns because they get a name, or because the output names them.
  private func renamedMembers(of schema: Schema) -> [String] {
    guard columns == nil, grouping == nil, steps.pivot == nil, steps.unpivot.isEmpty else { return [] }
    return (steps.renamed.map(\.name) + shownMembers).filter {
      schema.position(of: $0) == nil && CompiledExpression.base(of: $0, in: schema) != nil
    }
  }

  /// The resources for the work on rows.
  private struct Work {
    let scratch: any ScratchSpace
    let related: JoinTables
    let threads: Int
    let memory: Int
    /// The types that values show; nil if those are JSON.
    var types: LooseTypes?
    /// The members that are columns.
    var members: [String] = []
    /// The numbers of the rows of the input, if calculations see only some of them.
    var numbers: RecordNumbers?
  }

  /// Calls `body`; its errors name calculations as they were written.
  private func clear<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
    do throws(Problem) { return try body() } catch {
      var problem = error
      problem.message = problem.message.replacing(Conditions.mark, with: "")
      problem.hint = problem.hint.mapTexts { $0.replacing(Conditions.mark, with: "") }
      throw problem
    }
  }

  /// The rows that pass filters, which may compare calculations.
  private func filtered(
    _ stream: any RowStream, _ predicates: [Predicate], search: String? = nil, keys: Set<[UInt8]>? = nil,
    _ work: Work
  ) throws(Problem) -> any RowStream {
    if predicates.isEmpty, search == nil, keys == nil { return stream }
    let base = stream.schema, related = work.related.relations
    var seen: Set<String> = []
    let made = predicates.flatMap(\.columns).filter { computed[$0] != nil && seen.insert($0).inserted }
    let wide = try calculated(stream, made.compactMap { name in computed[name].map { Assigned(name, $0) } }, work)
    let schema = wide.schema
    for name in predicates.flatMap(\.columns) where written.lone.contains(name) {
      let type = schema.columns[try position(name, schema, related)].type
      guard type != .boolean else { continue }
      throw Problem(
        .usage, "\(name) is \(type.name), not a condition", hint: "quote the condition, for example '\(name) = VALUE'")
    }
    let filters = try predicates.map { (predicate) throws(Problem) in
      try RowFilter(predicate.dated(in: schema, today: steps.today), of: schema) { (name) throws(Problem) in
        try position(name, schema, related)
      }
    }
    let rows = FilteredRows(wide, filters, search.map { SearchMatcher($0, for: base) }, keys: keys)
    return made.isEmpty ? rows : ProjectedRows(rows, Array(0..<base.width))
  }

  /// The rows with members that are named like columns.
  private func withMembers(
    _ rows: any RowStream, beforeSteps: Bool = false, _ work: inout Work
  ) throws(Problem) -> any RowStream {
    let members = members(of: rows.schema, work.related.relations, beforeSteps: beforeSteps)
    work.members += members.map(\.name)
    return try calculated(rows, members, work)
  }

  /// The rows with the results of calculations.
  private func calculated(
    _ rows: any RowStream, _ assigned: [Assigned], _ work: Work
  ) throws(Problem) -> any RowStream {
    if assigned.isEmpty { return rows }
    return try ComputedColumns(
      rows, assigned, today: steps.today, now: steps.now, numbers: work.numbers, types: work.types
    ) { (name, schema) throws(Problem) in try position(name, schema, work.related.relations) }
  }

  private func columns(of predicate: Predicate) -> [String] {
    predicate.columns.flatMap { computed[$0]?.columns ?? [$0] }
  }

  /// The rows after all steps up to the conditions; the join that is still to be made.
  private func selected(from stream: any RowStream, _ work: inout Work) throws(Problem) -> (any RowStream, Join?) {
    let related = work.related.relations
    if keys != nil, stream.schema.key.isEmpty {
      throw Problem(.usage, "\(stream.schema.name) has no key and therefore no favourites")
    }
    var stream = try withMembers(stream, beforeSteps: true, &work)
    let compared = textComparisons(in: stream.schema)
    if !compared.isEmpty { stream = TextComparisonRows(stream, compared) }
    // Conditions on what is read come first, so that a calculation needs not hold for other rows.
    let early = allPredicates.filter { predicate in
      steps.changesRows
        && columns(of: predicate).allSatisfy { stream.schema.position(of: $0) != nil && !steps.changes($0) }
    }
    var rows = stream
    let calculates = !steps.assigned.isEmpty || !computed.isEmpty
    let isGrouped = grouping?.aggregates.contains { $0.expression != nil } == true && !allPredicates.isEmpty
    if isGrouped || calculates && (steps.explode != nil || !early.isEmpty && !steps.assigned.isEmpty) {
      let numbers = RecordNumbers()
      rows = NumberedRows(rows, numbers)
      work.numbers = numbers
    }
    rows = try filtered(rows, early, work)
    if let explode = steps.explode {
      let place = try position(explode, rows.schema, related), type = rows.schema.columns[place].type
      guard type.isNested else {
        throw Problem(
          .usage, "\(explode) is \(type.name), not a list",
          hint: .set(.columnTypes, to: "\(NameListParser.written(explode))=json", for: "read JSON"))
      }
      rows = ReshapedRows.exploding(rows, place, work.types)
      rows = try withMembers(rows, &work)
    }
    rows = try steps.filled(rows) { (name, schema) throws(Problem) in try position(name, schema, related) }
    rows = try calculated(rows, steps.assigned, work)
    rows = try withMembers(rows, &work)
    let base = rows.schema
    let join =
      relations.isEmpty ? nil : try Join(relations, nested: isNested, joinKind, from: base, work.related)
    let wide = join?.schema ?? base
    var own: [Predicate] = [], joined: [Predicate] = []
    for predicate in allPredicates where !early.contains(predicate) {
      var isOwn = true
      for name in columns(of: predicate) {
        if name.hasPrefix(Conditions.mark) { continue }
        if base.position(of: name) == nil,
          wide.position(of: name) != nil || CompiledExpression.base(of: name, in: wide) != nil
        {
          isOwn = false
        }
      }
      if isOwn { own.append(predicate) } else { joined.append(predicate) }
    }
    rows = try filtered(rows, own, search: search, keys: keys, work)
    guard let join else { return (rows, nil) }
    let looked = grouping.map { $0.columns + $0.aggregates.flatMap(\.columns) } ?? sort.map(\.column)
    let needsJoin = looked.contains { base.position(of: $0) == nil && wide.position(of: $0) != nil }
    let hasMembers = !members(of: wide, related, beforeSteps: false).isEmpty
    if !joined.isEmpty || grouping != nil || needsJoin || steps.comesAfterJoins || hasMembers {
      rows = try withMembers(JoinedRows(rows, join), &work)
      return (try filtered(rows, joined, work), nil)
    }
    return (rows, join)
  }

  /// The groups of the rows, if they are grouped.
  private func grouped(_ stream: any RowStream, _ join: inout Join?, _ work: Work) throws(Problem) -> any RowStream {
    let related = work.related.relations
    var rows = stream
    if let grouping, !counts {
      if sample != nil {
        throw Problem(.sample, "cannot be used with groups", hint: .omit(.sample))
      }
      let made = grouping.aggregates.compactMap { aggregate -> Assigned? in
        guard let name = aggregate.column, let expression = aggregate.expression, rows.schema.position(of: name) == nil
        else { return nil }
        return Assigned(name, expression)
      }
      rows = try calculated(rows, made, work)
      if grouping.splitsLists {
        for name in grouping.columns {
          let column = try position(name, rows.schema, related)
          guard rows.schema.columns[column].type == .json else { continue }
          rows = ReshapedRows.exploding(rows, column, counted: true, work.types)
        }
      }
      if countsOnly { for name in shownColumns { _ = try position(name, rows.schema, related) } }
      let schema = rows.schema
      let plan = try GroupPlan(grouping, of: schema) { (name) throws(Problem) in try position(name, schema, related) }
      rows = GroupedRows(
        rows, plan, threads: work.threads, memoryLimit: sort.isEmpty ? work.memory : work.memory / 2,
        scratch: work.scratch)
    } else if !steps.having.isEmpty {
      throw Problem(.usage, "conditions on groups need groups", hint: .set(.conditions, for: "select rows"))
    }
    rows = try filtered(rows, steps.having, work)
    if join == nil, steps.pivot != nil || !steps.unpivot.isEmpty {
      let all = rows.schema.columns
      let hidden = hidden(work),
        kept = all.indices.filter { !hidden.contains(all[$0].name) || steps.names(all[$0].name) }
      if kept.count < all.count { rows = ProjectedRows(rows, kept) }
    }
    if !steps.unpivot.isEmpty {
      var turned: [Int] = []
      for name in steps.unpivot { turned.append(try position(name, rows.schema, related)) }
      rows = try ReshapedRows.unpivoting(rows, turned)
    }
    return rows
  }

  /// The columns that are omitted from the output: members, which are columns only where they are named, and those of
  /// rows.
  private func hidden(_ work: Work) -> [String] {
    work.members.filter { name in
      steps.explode != name && !(columns == nil && (steps.renamed.map(\.name) + shownMembers).contains(name))
    } + [NumberedRows.column, FileNamedRows.column]
  }

  /// Whether all rows that the other steps leave are counted, after them.
  private var counts: Bool { grouping == .count && steps.leavesFewer }

  /// The columns of rows that options of the output name.
  private var shownColumns: [String] { (columns ?? []) + sort.map(\.column) + steps.dropped }
  /// Whether rows are counted whose columns and order do not matter.
  private var countsOnly: Bool {
    grouping == .count && !counts && !shownColumns.isEmpty && !shownColumns.contains("count")
  }

  /// The columns that are named although only their rows are counted.
  package var countedColumns: [String] { countsOnly ? shownColumns : [] }

  /// The rows after the columns, the order and the limit.
  private func finished(_ stream: any RowStream, _ join: Join?, _ work: Work) throws(Problem) -> any RowStream {
    if countsOnly {
      var rest = self
      (rest.columns, rest.sort, rest.steps.dropped) = (nil, [], [])
      return try rest.finished(stream, join, work)
    }
    let related = work.related.relations, memory = grouping == nil ? work.memory : work.memory / 2
    var rows = stream
    // A join that is still to be made adds columns, which may be chosen.
    let final = join?.schema ?? rows.schema
    var positions: [Int]?
    if let columns {
      var chosen: [Int] = []
      for name in columns where !(counts) { chosen.append(try position(name, final, related)) }
      if Set(chosen).count != chosen.count { throw Problem(.columns, "contains a column more than once") }
      positions = counts ? nil : chosen
    } else if !steps.dropped.isEmpty
      || grouping == nil && hidden(work).contains(where: { final.position(of: $0) != nil })
    {
      var dropped = Set(
        hidden(work).compactMap {
          grouping == nil ? final.position(of: $0) : nil
        })
      for name in steps.dropped {
        if final.position(of: name) == nil, let base = CompiledExpression.base(of: name, in: final) {
          throw Problem(
            .usage, "\(name) is a member of \(base), not a column",
            hint: "drop \(base), and name the members to keep as columns")
        }
        dropped.insert(try position(name, final, related))
      }
      positions = final.columns.indices.filter { !dropped.contains($0) }
      if positions?.isEmpty == true, !steps.dropped.isEmpty {
        throw Problem(.usage, "all columns would be dropped", hint: "keep one of them")
      }
    }
    if steps.isDistinct {
      let keyed = KeyedRows.Work(scratch: work.scratch, memory: work.memory)
      if let names = steps.distinct {
        var by: [Int] = []
        for name in names { by.append(try position(name, rows.schema, related)) }
        rows = DistinctRows(rows, by: by, keyed)
      } else {
        if let chosen = positions { rows = ProjectedRows(rows, chosen) }
        positions = nil
        rows = DistinctRows(rows, by: Array(0..<rows.schema.width), keyed)
      }
    }
    if let sample { rows = SampledRows(rows, count: sample, seed: seed, scratch: work.scratch) }
    var order: [SortOrder.Key] = []
    for key in sort where !counts {
      do throws(Problem) {
        order.append(
          SortOrder.Key(column: try position(key.column, rows.schema, related), isDescending: key.isDescending))
      } catch {
        throw key.problem(error, after: sort, in: rows.schema)
      }
    }
    if let grouping, !order.isEmpty {
      // Groups differ, so that their order is certain when each of their columns decides.
      let others = rows.schema.columns.indices.prefix(grouping.columns.count)
      order += others.filter { column in !order.contains { $0.column == column } }
        .map { SortOrder.Key(column: $0, isDescending: false) }
    }
    if !order.isEmpty {
      // A row without a match may have no row in the output.
      let isKept = join == nil || joinKind == .left
      let keep = isKept && steps.tail == nil ? limit.map { $0.addingReportingOverflow(offset) } : nil
      rows = SortedRows(
        rows, by: SortOrder(order, rows.schema),
        keeping: keep.flatMap { $0.overflow ? nil : $0.partialValue }, scratch: work.scratch, memoryLimit: memory,
        threads: work.threads)
    }
    if let join { rows = JoinedRows(rows, join) }
    if let tail = steps.tail {
      if offset > 0 || limit != nil {
        throw Problem(.usage, "the last rows cannot be limited as well", hint: "use one of both")
      }
      rows = LastRows(rows, count: tail)
    }
    if offset > 0 || limit != nil { rows = LimitedRows(rows, offset: offset, limit: limit) }
    if let positions { rows = ProjectedRows(rows, positions) }
    if counts {
      let plan = try GroupPlan(.count, of: rows.schema) { (_) throws(Problem) in 0 }
      rows = GroupedRows(rows, plan, threads: work.threads, memoryLimit: memory, scratch: work.scratch)
    }
    if !steps.renamed.isEmpty {
      rows = try ReshapedRows.renaming(rows, steps.renamed.map { ($0.name, $0.value ?? "") })
    }
    return rows
  }

  /// The position of a column. If the column belongs to a relation that is not in `--with`, the hint names it.
  private func position(_ column: String, _ schema: Schema, _ related: [Relation]) throws(Problem) -> Int {
    let relation = related.first { relation in
      column.hasPrefix(relation.name + ".") && relation.from == schema.name && !relations.contains(relation.name)
    }
    if schema.position(of: column) == nil, let old = steps.renamed.first(where: { $0.value == column })?.name {
      throw Problem(
        .usage, "\(schema.name) has no column “\(column)”, which is the new name of \(old)",
        hint: "use \(old): only the output has the new name")
    }
    guard let relation, schema.position(of: column) == nil else { return try schema.column(named: column) }
    throw Problem(.usage, "\(schema.name) has no column “\(column)”", hint: .set(.relations, to: relation.name))
  }
}

extension Selection {
  /// The part of the selection that a source may know: conditions on what it reads, and the rest if no step comes
  /// before it.
  var pushed: Selection {
    if steps.isEmpty, computed.isEmpty { return self }
    var copy = self
    copy.steps = Steps()
    copy.written = Conditions()
    copy.removeConditions { computed[$0] != nil || steps.changes($0) }
    let isWhole = steps.isEmpty && copy.allPredicates.count == allPredicates.count
    if !isWhole {
      (copy.limit, copy.sample, copy.sort, copy.grouping, copy.columns) = (nil, nil, [], nil, nil)
      (copy.offset, copy.search) = (0, steps.changesRows ? nil : search)
      (copy.relations, copy.keys) = ([], keys)
    }
    return copy
  }
}
