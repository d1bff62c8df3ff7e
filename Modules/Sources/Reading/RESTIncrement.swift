import Codecs
public import Domain
public import Query
public import Rows
import Synchronization

/// The anomalies in the records of incremental requests, by dataset.
final class RESTNoticed: Sendable {
  private let all = Mutex<[String: RESTRows]>([:])

  /// Adds the anomalies of some records.
  func add(_ part: RESTRows, to dataset: String) {
    all.withLock { all in
      var known = all[dataset] ?? part
      if all[dataset] != nil {
        known.notes.add(part.notes)
        known.members.add(part.members)
      }
      known.rows = []
      all[dataset] = known
    }
  }
  /// The members of the records of a dataset so far, if they lack those of a column for the first time; nil otherwise.
  /// - Parameter least: the number of records that a member must be absent from.
  func drift(of dataset: APIDataset, least: Int) -> RESTMembers? {
    all.withLock { all in
      guard let known = all[dataset.schema.name], !known.isCompared, known.members.records >= least,
        dataset.columns.contains(where: known.members.lacks)
      else { return nil }
      all[dataset.schema.name]?.isCompared = true
      return known.members
    }
  }
  /// Removes and returns the anomalies of a dataset.
  func take(_ dataset: String) -> RESTRows? { all.withLock { $0.removeValue(forKey: dataset) } }
}

extension RESTSource: IncrementalSource {
  /// The columns whose values say which records the source owns; empty for all.
  public func scope(of table: String) -> [String] {
    description.datasets.first { $0.schema.name == table }?.scope ?? []
  }

  /// The number of requests so far, without repeated ones.
  public var requestCount: Int { meter.requests }

  /// The way to request only the changed records of a dataset.
  public func increment(of table: String) throws(Problem) -> SyncPlan? {
    let dataset = try description.dataset(named: table)
    guard let increment = dataset.increment else { return nil }
    var plan = SyncPlan(dataset.schema, increment, digest: digest(of: dataset))
    if dataset.paging.type == .offset, dataset.paging.overlap == 0 { plan.offsetLimit = dataset.paging.limit ?? 1 }
    plan.isKeyset = dataset.isKeyset
    plan.mayBeNull = dataset.optionalColumns
    return plan
  }

  /// A digest of what decides about the requests of a dataset.
  private func digest(of original: APIDataset) -> String {
    var dataset = original
    let schema = dataset.schema
    let kept = Set(schema.key.map { schema.columns[$0].name } + [dataset.increment?.column ?? ""])
    dataset.schema = Schema(
      schema.name, key: schema.key.map { schema.columns[$0].name },
      columns: schema.columns.filter { kept.contains($0.name) }.map { ColumnDescription($0.name, $0.type) })
    dataset.columns.removeAll { !kept.contains($0.name) }
    (dataset.supplements, dataset.ignored, dataset.submission) = ([], [], nil)
    dataset.increment?.start = nil
    let source = APIDescription(name: "", baseURL: server, datasets: [dataset])
    return String(SHA256.hex(SourceFile.text(of: source)).prefix(16))
  }

  /// The parent records that a dataset is requested for.
  public func parents(of table: String, from stored: (any RecordSource)?) async throws(Problem) -> [SyncParent] {
    let dataset = try description.dataset(named: table)
    return try await combinations(dataset.parent, of: dataset, nil, from: stored).map { combination in
      var columns = combination.context.parents
      columns["#parent"] = combination.context.parent
      return SyncParent(combination.parameters, columns: columns, digest: combination.digest)
    }
  }

  /// Reads the pages of a request.
  public func read(
    _ request: SyncRequest, take: (SyncPage) async throws(Problem) -> Bool
  ) async throws(Problem) -> SyncReading {
    do throws(Problem) { return try await pages(request, take: take) } catch { throw secret.removed(from: error) }
  }

  private func pages(
    _ request: SyncRequest, take: (SyncPage) async throws(Problem) -> Bool
  ) async throws(Problem) -> SyncReading {
    var dataset = try description.dataset(named: request.table)
    if dataset.isKeyset { dataset.paging.isDeclaredWhole = true }
    let reader = try RESTRecordReader(
      dataset, asWritten: false, errorLimit: services.errorLimit, keepsSamples: stored != nil)
    let keys = try RESTRecordReader(dataset.onlyKey, asWritten: false, errorLimit: services.errorLimit)
    let deletedAt = try dataset.increment?.deletedAt.map { (text) throws(Problem) in try JSONPointer(text) }
    var query = RESTQuery(dataset)
    for parameter in request.parent.parameters + request.parameters {
      query = query.with(parameter.name, parameter.value)
    }
    var context = RESTContext()
    context.parents = request.parent.columns
    context.parent = context.parents.removeValue(forKey: "#parent")
    let width = dataset.schema.width
    let limit = RESTWalkLimit(isSoft: true, skipped: request.skipped)
    return try await walk(dataset, query, context, limit) { (page) async throws(Problem) in
      var live = page, deleted = page
      if let deletedAt {
        live.records.removeAll { $0.value.isDeleted(at: deletedAt) }
        deleted.records.removeAll { !$0.value.isDeleted(at: deletedAt) }
      } else {
        deleted.records = []
      }
      var part = try reader.rows(of: live)
      for supplement in dataset.supplements {
        _ = try await complete(&part.rows, of: reader, by: supplement, isPartial: true)
      }
      let rows = part.rows.map { $0.count > width ? Array($0.prefix(width)) : $0 }
      noticed.add(part, to: dataset.schema.name)
      // A few changed records may all lack an optional member.
      if let members = noticed.drift(of: dataset, least: 20) {
        var findings = members.findings(dataset.schema.name, isPartial: false)
        try await checkDrift(of: dataset, dataset.columns, members, part.samples, &findings)
      }
      let size = max(page.records.count, 1)
      let isWanted = try await take(
        SyncPage(
          rows: rows, deleted: try keys.rows(of: deleted).rows, isLast: page.isLast,
          pages: page.total.map { ($0 + size - 1) / size }))
      if page.isLast, page.context.page == 1 { page.commit() }
      return isWanted
    }
  }

  /// Reports the anomalies of the records that were read.
  public func finish(_ table: String) {
    guard let part = noticed.take(table) else { return }
    for line in part.notes.lines(table) { report(line) }
    let findings = part.members.findings(table, isPartial: part.members.records < 20)
    members?(findings)
    if let line = line(findings, of: table) { report(line) }
  }
}

extension APIDataset {
  /// Whether a response is a page, and the next page is requested by its last cursor.
  fileprivate var isKeyset: Bool {
    increment != nil && paging.type == .none && !paging.isDeclaredWhole && increment?.order == .ascending
  }

  /// The columns that need not have a value in any record.
  var optionalColumns: Set<String> {
    Set((columns + supplements.flatMap(\.columns)).filter(\.isOptional).map(\.name))
  }

  /// The dataset with no columns but those of its key.
  fileprivate var onlyKey: APIDataset {
    var dataset = self
    let names = schema.key.map { schema.columns[$0].name }
    dataset.schema = Schema(schema.name, key: names, columns: schema.key.map { schema.columns[$0] })
    dataset.columns.removeAll { !names.contains($0.name) }
    dataset.supplements = []
    return dataset
  }
}

extension JSON {
  /// Whether the member at a place says that the record was deleted: a value that is not null, false or empty.
  fileprivate func isDeleted(at pointer: JSONPointer) -> Bool {
    guard let value = value(at: pointer) else { return false }
    return !value.isNull && value.booleanValue != false && value.stringBytes?.isEmpty != true
  }
}
