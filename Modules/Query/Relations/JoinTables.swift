public import Rows

/// The tables that relations lead to, read once and held in memory.
public struct JoinTables: Sendable {
  struct Table: Sendable {
    let schema: Schema
    let batches: [RowBatch]
    let notes: [Warning]
  }
  private let tables: [String: Table]
  let relations: [Relation]
  /// By dataset, the columns in which records that a name relates must agree.
  var agreeing: [String: [String]] = [:]
  /// The names without a match.
  let tally = JoinTally()

  /// The names of the joined rows that match no record, or several: one line for each column.
  public var remarks: [String] { tally.lines }

  /// None: for selections without relations.
  public static let none = JoinTables(tables: [:], relations: [])

  /// No rows, but schemas: to check a selection before anything is read.
  public init(described schemas: [Schema], relations: [Relation]) {
    tables = Dictionary(uniqueKeysWithValues: schemas.map { ($0.name, Table(schema: $0, batches: [], notes: [])) })
    self.relations = relations
  }

  /// The tables read, and one more.
  /// - `notes`: the deviations of its rows.
  /// - `relation`: the relation that leads to it.
  public func adding(
    _ schema: Schema, _ batches: [RowBatch], notes: [Warning] = [], by relation: Relation
  ) -> JoinTables {
    var tables = tables
    tables[relation.to] = Table(schema: schema, batches: batches, notes: notes)
    var copy = JoinTables(tables: tables, relations: relations + [relation])
    copy.agreeing = agreeing
    return copy
  }

  private init(tables: [String: Table], relations: [Relation]) {
    self.tables = tables
    self.relations = relations
  }

  /// Reads what the relations called `names` need, each table once; nothing when there are no names.
  ///
  /// - Parameters:
  ///   - names: as in `Selection.relations`.
  ///   - dataset: where the relations begin.
  ///   - relations: the relations that exist.
  ///   - agreeing: by dataset, the columns in which records that a name relates must agree.
  ///   - open: the rows of a dataset.
  /// - Throws: `usage` for an unknown relation; the errors of `open` and its stream.
  public static func read(
    for names: [String], of dataset: String, among relations: [Relation], agreeing: [String: [String]] = [:],
    from open: (String) async throws(Problem) -> any RowStream
  ) async throws(Problem) -> JoinTables {
    var tables: [String: Table] = [:]
    for step in try JoinStep.steps(names, from: dataset, among: relations) {
      let characters = step.relation.names.map { [$0.dataset] } ?? []
      for name in [step.relation.to] + characters where tables[name] == nil {
        let stream = try await open(name)
        let batches = try await stream.collect()
        tables[name] = Table(schema: stream.schema, batches: batches, notes: stream.notes)
      }
    }
    var read = JoinTables(tables: tables, relations: relations)
    read.agreeing = agreeing
    return read
  }

  /// The table of a dataset.
  /// - Throws: `bug` when it was not read.
  func table(_ name: String) throws(Problem) -> Table {
    guard let table = tables[name] else {
      throw Problem(.bug, "internal error: the rows of \(name) were not loaded")
    }
    return table
  }
}

extension RowStream {
  /// Every batch that is left, without memory that holds no values.
  /// - Parameter memory: bytes of all batches together, of which 16 MiB are always allowed.
  /// - Throws: `badData` if they need more; the errors of the stream.
  public func collect(within memory: Int) async throws(Problem) -> [RowBatch] {
    var batches: [RowBatch] = [], bytes = 0
    while let work = try await next() {
      var batch = try work.batch()
      let used = (0..<batch.count).reduce(0) { $0 + batch.textBytes(ofRow: $1) }
      if batch.arena.capacity > used + max(used / 4, 64 << 10) {
        var builder = RowBatchBuilder(width: batch.width, capacity: batch.count * batch.width, bytes: used)
        for row in 0..<batch.count { builder.append(row: row, of: batch) }
        batch = builder.finish()
      }
      bytes += batch.memory
      if bytes > memory, bytes > 16 << 20 {
        throw Problem(
          .badData, "the rows need more than \(memory >> 20) MiB", at: schema.name, hint: .raise(.memory))
      }
      batches.append(batch)
    }
    return batches
  }
}

/// A relation, and where it begins: in the rows themselves, or in what an earlier relation led to.
struct JoinStep: Sendable {
  let relation: Relation
  /// The step it begins at; nil for the rows themselves.
  let parent: Int?

  /// The steps that `names` mean for a dataset, in their order.
  /// - Throws: `usage` with the nearest right name.
  static func steps(_ names: [String], from dataset: String, among relations: [Relation]) throws(Problem) -> [JoinStep]
  {
    var steps: [JoinStep] = []
    for name in names {
      let beginnings: [(dataset: String, step: Int?)] =
        [(dataset, nil)] + steps.enumerated().map { ($0.element.relation.to, $0.offset) }
      let choices = beginnings.flatMap { beginning in
        relations.filter { $0.from == beginning.dataset }.map { JoinStep(relation: $0, parent: beginning.step) }
      }
      guard let step = choices.first(where: { $0.relation.name == name }) else {
        let known = choices.map(\.relation.name)
        throw Problem(.usage, "unknown relation “\(name)” for \(dataset)", hint: hint(name, known, relations))
      }
      if steps.contains(where: { $0.relation.name == name }) {
        throw Problem(.usage, "duplicate relation \(name)")
      }
      steps.append(step)
    }
    return steps
  }

  private static func hint(_ name: String, _ known: [String], _ relations: [Relation]) -> Remedy {
    if known.isEmpty {
      return "datasets with relations: \(Set(relations.map(\.from)).sorted().joined(separator: ", "))"
    }
    return .choose(name, from: known, "available relations")
  }
}
