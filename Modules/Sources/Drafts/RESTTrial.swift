import Codecs
import Domain
public import Rows

extension RESTSource {
  /// Reads a sample of the records of a dataset, and compares it with the definition.
  ///
  /// The source has a sample in its services, so that it reads only some pages and details.
  public func trial(of table: String) async throws(Problem) -> SourceTrial {
    var trial = SourceTrial(table)
    let dataset = try description.dataset(named: table)
    var statistics = try TrialStatistics(dataset, errorLimit: services.errorLimit)
    let query = RESTQuery(dataset)
    do throws(Problem) {
      var combinations = [Combination()]
      if dataset.parent != nil || dataset.iteration != nil {
        combinations = try await self.combinations(dataset.parent, of: dataset, nil)
      }
      for combination in combinations.prefix(services.sample?.parents ?? .max) {
        let query = combination.parameters.reduce(query) { $0.with($1.name, $1.value) }
        _ = try await walk(dataset, query, combination.context) { (page) throws(Problem) in
          try statistics.add(page)
          return true
        }
      }
      for supplement in dataset.supplements {
        var rows = Array(statistics.rows.prefix(services.sample?.details ?? .max))
        let findings = try await complete(&rows, of: statistics.reader, by: supplement, isPartial: true)
        statistics.add(rows, of: supplement, findings)
      }
    } catch {
      trial.problem = secret.removed(from: error)
      trial.rows.append(SourceTrial.Row(nil, note: secret.removed(from: error.message)))
    }
    if trial.problem == nil || statistics.records > 0 { trial.rows = statistics.shown + trial.rows }
    if trial.problem == nil { trial.problem = statistics.problem }
    trial.misfits = statistics.misfits
    // A server may repeat them.
    for position in trial.rows.indices {
      trial.rows[position].note = secret.removed(from: trial.rows[position].note)
      trial.rows[position].example = trial.rows[position].example.map(secret.removed)
    }
    return trial
  }
}

/// The values of a sample of records in the columns of a dataset.
private struct TrialStatistics {
  private struct Column {
    var filled = 0
    var distinct: Set<Value> = []
    var example: Value?
    /// Values that do not fit, and the first problem.
    var misfits = 0
    var misfit: Problem?
    var records = 0
  }
  private let dataset: APIDataset
  let reader: RESTRecordReader
  private var columns: [Column]
  private var members: RESTMembers
  private var notes = RESTNotes()
  private var findings: [MemberFinding] = []
  /// The rows, with null for values that do not fit.
  private(set) var rows: [[Value]] = []
  private var first: JSON?
  private var advice: [String] = []
  private(set) var records = 0

  init(_ dataset: APIDataset, errorLimit: Int) throws(Problem) {
    self.dataset = dataset
    reader = try RESTRecordReader(dataset, asWritten: false, errorLimit: errorLimit)
    columns = dataset.schema.columns.map { _ in Column() }
    members = reader.members
  }

  mutating func add(_ page: RESTPage) throws(Problem) {
    if advice.isEmpty { advice = cursorAdvice(page) }
    for (position, record) in page.records.enumerated() {
      records += 1
      if first == nil { first = record.value }
      members.add(record.value)
      var row: [Value] = [], isSkipped = false
      for (column, known) in reader.columns.enumerated() {
        var value = Value.null
        if let known {
          do throws(Problem) {
            if let found = try known.value(in: record, place: position + 1, page.context, &notes) {
              value = found
            } else {
              isSkipped = true
            }
            if value == .null, !dataset.schema.columns[column].isNullable {
              throw Problem(.badData, "missing value")
            }
          } catch {
            columns[column].misfits += 1
            if columns[column].misfit == nil { columns[column].misfit = error }
          }
          note(value, in: column)
        }
        row.append(value)
      }
      if !isSkipped { rows.append(row + reader.linked(record)) }
    }
  }

  mutating func add(_ completed: [[Value]], of supplement: DetailRequest, _ others: [MemberFinding]) {
    findings += others
    for source in supplement.columns {
      guard let column = dataset.schema.position(of: source.name) else { continue }
      for row in completed { note(row[column], in: column) }
    }
  }

  private mutating func note(_ value: Value, in column: Int) {
    columns[column].records += 1
    guard value != .null else { return }
    columns[column].filled += 1
    columns[column].distinct.insert(value)
    if columns[column].example == nil { columns[column].example = value }
  }

  /// Counted pages lose records of a list that changes while it is read; a cursor does not.
  private func cursorAdvice(_ page: RESTPage) -> [String] {
    guard [.page, .offset].contains(dataset.paging.type) else { return [] }
    let guesses = DraftPaging(
      page.context.document, headers: page.headers, [], records: dataset.records, page.records.map(\.value), key: nil,
      body: dataset.request.body
    ).guesses
    let cursor = guesses.first { [.nextURL, .linkHeader, .cursor].contains($0.paging.type) }
    return cursor.map { guess in
      ["the API has a cursor: \(guess.paging.shown); counted pages lose records if the list changes while it is read"]
    } ?? []
  }

  /// The error of the columns with values that do not fit, and of a key that is not unique.
  var problem: Problem? {
    let misfits = columns.count { $0.misfits > 0 }
    if misfits > 0 {
      return Problem(
        .badData,
        misfits == 1 ? "1 column has values that do not fit" : "\(misfits) columns have values that do not fit",
        at: dataset.schema.name)
    }
    guard dataset.occurrence == nil, repeatedKeys > 0 else { return nil }
    return Problem(.badData, "the key is not unique", at: dataset.schema.name)
  }

  /// The columns with values that do not fit.
  var misfits: [String] {
    zip(dataset.schema.columns, columns).filter { $0.1.misfits > 0 }.map(\.0.name)
  }

  private var repeatedKeys: Int {
    let key = dataset.schema.key
    guard !key.isEmpty else { return 0 }
    return rows.count - Set(rows.map { row in key.map { row[$0] } }).count
  }

  private static func text(_ value: Value) -> String { RESTText.plain(value.plainText) }

  var shown: [SourceTrial.Row] {
    var shown: [SourceTrial.Row] = []
    for (position, column) in columns.enumerated() {
      let description = dataset.schema.columns[position]
      guard column.records > 0 else {
        if records > 0 || dataset.schema.width > 0 { shown.append(SourceTrial.Row(description.name, note: "not read")) }
        continue
      }
      var notes: [String] = []
      if let misfit = column.misfit { notes.append("\(column.misfits) of \(column.records): \(misfit.message)") }
      if column.filled == 0, column.misfits == 0 { notes.append("no record has a value") }
      if dataset.schema.key.first == position, dataset.occurrence == nil, repeatedKeys > 0 {
        notes.append("\(repeatedKeys) of \(rows.count) records repeat a key")
      }
      var share = column.filled * 100 / column.records
      if share == 0, column.filled > 0 { share = 1 }
      shown.append(
        SourceTrial.Row(
          description.name, filled: share, distinct: column.distinct.count, example: column.example.map(Self.text),
          note: notes.joined(separator: "; ")))
    }
    let all = MemberFinding.merged(members.findings(dataset.schema.name, isPartial: true) + findings)
    for finding in all where finding.kind == .unmapped {
      let value = (try? JSONPointer(finding.pointer)).flatMap { first?.value(at: $0) }
      shown.append(
        SourceTrial.Row(
          finding.pointer, example: value.map { RESTText.plain($0.stringBytes ?? $0.canonicalBytes) },
          note: "no column reads it; add a column, or add it to “ignored”"))
    }
    if records == 0 { shown.append(SourceTrial.Row(nil, note: "the response has no records")) }
    let lines = advice + notes.lines(dataset.schema.name).map { String($0.dropFirst(dataset.schema.name.count + 2)) }
    return shown + lines.map { SourceTrial.Row(nil, note: $0) }
  }
}
