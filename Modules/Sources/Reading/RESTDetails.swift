import Codecs
import Domain
import Query
import Rows

extension RESTSource {
  /// A record that completes a row.
  private struct Detail: Sendable {
    var records: [RESTRecord]
    var place: Int
    var context: RESTContext
    var commit: @Sendable () -> Void = {}
  }

  private struct Details {
    /// By the row's key, or the link to the details.
    var found: [Value: Detail] = [:]
    /// The rows whose request failed.
    var failed: Set<Value> = []
    /// Counts the requests that failed; nil for one list for all rows.
    var failures: RESTFailures?
  }

  /// The details for some rows, by the value that they are requested with.
  private func details(_ supplement: DetailRequest, for keys: [Value]) async throws(Problem) -> Details {
    let query = RESTQuery(path: supplement.path, parameters: supplement.parameters)
    var call = RESTCall(.get, SourceResponseFormat()), details = Details()
    call.shelf = server + query.path
    let absent = supplement.absent ?? [.number(404), .number(410)]
    call.absent = absent.statuses
    let wanted = try RESTRecords("", .object, explode: supplement.explode, columns: supplement.columns)
    let base = call
    @Sendable func detail(_ call: RESTCall) async throws(Problem) -> Detail? {
      guard let reply = try await reply(call, absentIsNothing: supplement.explode.isEmpty) else { return nil }
      if reply.document.isNull, absent.contains(.null) { return nil }
      var context = RESTContext()
      (context.url, context.document, context.isXML) = (call.url, reply.document, reply.isXML)
      return Detail(
        records: try wanted.records(in: context).records, place: 1, context: context, commit: reply.commit)
    }
    func each(_ url: @escaping @Sendable (Value) throws(Problem) -> String) async throws(Problem) -> Details {
      let failures = RESTFailures(description.name, all: keys.count, report: report, failed: services.failed)
      let told = progress.map { progress in { @Sendable (done: Int) in progress(done, keys.count) } }
      enum Outcome: Sendable { case found(Detail?), failed }
      let outcomes = try await keys.mapInParallel(most: requestsAtATime, on: transport.readers, told: told) {
        (key) async throws(Problem) -> Outcome in
        guard key != .null else { return .found(nil) }
        var call = base
        call.url = try url(key)
        do throws(Problem) {
          let detail = try await detail(call)
          failures.noteSuccess()
          return .found(detail)
        } catch {
          guard !services.failsOnPartial, try failures.accepts(error, key: key.parameterText) else { throw error }
          return .failed
        }
      }
      var details = Details()
      details.failures = failures
      for (key, outcome) in zip(keys, outcomes) {
        switch outcome {
        case .found(let detail): details.found[key] = detail
        case .failed: details.failed.insert(key)
        }
      }
      return details
    }
    if supplement.link != nil {
      return try await each { (key) throws(Problem) in try followed(key.parameterText, from: server + "/") }
    }
    if supplement.scope == .each {
      return try await each { (key) throws(Problem) in
        server + query.with(supplement.parameter ?? "", key.parameterText).text
      }
    }
    // One list for all rows, or one for each group of them.
    var queries = [query]
    if let most = supplement.batch {
      var known: Set<Value> = []
      let sent = keys.filter { $0 != .null && known.insert($0).inserted }.map(\.parameterText)
      queries = stride(from: 0, to: sent.count, by: most).map { start in
        let group = sent[start..<min(start + most, sent.count)]
        return query.with(supplement.parameter ?? "", group.joined(separator: supplement.separator ?? ","))
      }
    }
    let pointer = try JSONPointer(supplement.id), list = try RESTRecords(supplement.records)
    let lists = try await queries.mapInParallel(most: requestsAtATime, on: transport.readers, told: nil) {
      (query) async throws(Problem) -> [(Value, Detail)] in
      var call = base
      (call.url, call.absent, call.shelf) = (server + query.text, [], nil)
      guard let reply = try await reply(call, absentIsNothing: false) else { return [] }
      var context = RESTContext()
      (context.url, context.document, context.isXML) = (call.url, reply.document, reply.isXML)
      var found: [(Value, Detail)] = []
      for (position, record) in try list.records(in: context).records.enumerated() {
        guard let key = record.value.value(at: pointer)?.elementText.parameterText else { continue }
        var detail = Detail(records: [record], place: position + 1, context: context)
        if found.isEmpty { detail.commit = reply.commit }
        found.append((.text(Array(key.utf8)), detail))
      }
      return found
    }
    details.found = Dictionary(lists.joined()) { first, _ in first }
    return details
  }

  /// Fills the columns of a supplement in every row; with `explode`, a row becomes one for each element.
  /// - Returns: the members of the records that differ from the description.
  func complete(
    _ rows: inout [[Value]], of reader: RESTRecordReader, by supplement: DetailRequest, isPartial: Bool
  ) async throws(Problem) -> [MemberFinding] {
    let dataset = reader.dataset
    guard let key = dataset.schema.key.first else {
      throw Problem(.configuration, "\(name): \(dataset.schema.name) has no key for detail requests")
    }
    var asked = key
    if supplement.link != nil {
      let links = dataset.supplements.filter { $0.link != nil }
      asked = dataset.schema.width + (links.firstIndex(of: supplement) ?? 0)
    }
    var others: [[Value]] = []
    if let most = services.sample?.details, !supplement.isList || supplement.batch != nil, rows.count > most {
      others = Array(rows[most...])
      rows = Array(rows[..<most])
    }
    var details = try await details(supplement, for: rows.map { $0[asked] })
    var notes = RESTNotes()
    var known =
      dataset.columns.flatMap(\.pointers) + dataset.supplements.flatMap { $0.columns.flatMap(\.pointers) }
      + dataset.ignored
    if supplement.isList { known.append(supplement.id) }
    var members = try RESTMembers(supplement.columns, others: known)
    let readers = try supplement.readers(for: dataset.schema, asWritten: isAsWritten)
    var completed: [[Value]] = [], lacking: [Int] = []
    for row in rows {
      let id = supplement.isList ? Value.text(Array(row[asked].parameterText.utf8)) : row[asked]
      guard let detail = details.found[id] else {
        if supplement.explode.isEmpty {
          lacking.append(completed.count)
          completed.append(row)
        }
        continue
      }
      do throws(Problem) {
        completed += try Self.filled(row, by: detail, supplement, readers, dataset.schema, &members, &notes)
      } catch {
        // The details of one record do not discard all others.
        guard !services.failsOnPartial, let failures = details.failures,
          try failures.accepts(error, key: row[key].parameterText, isCounted: true)
        else { throw error }
        details.found[row[asked]] = nil
        details.failed.insert(row[asked])
        guard supplement.explode.isEmpty else { continue }
        lacking.append(completed.count)
        completed.append(row)
      }
    }
    try details.failures?.finish("details")
    if !supplement.explode.isEmpty, !details.failed.isEmpty {
      let failed = Set(rows.filter { details.failed.contains($0[asked]) }.map { $0[key] })
      completed += try await storedRows(of: reader) { failed.contains($0[key]) }
    }
    rows = completed
    if !supplement.isList, !lacking.isEmpty {
      let kept = try await keep(readers.map(\.0), of: dataset.schema, in: &rows, at: lacking)
      notes.keptFurther = kept.map { RESTText.plain(rows[$0][key].plainText) }
      notes.withoutFurther = lacking.filter { !kept.contains($0) && !details.failed.contains(rows[$0][asked]) }
        .map { RESTText.plain(rows[$0][key].plainText) }
    }
    rows += others
    var findings = members.findings(dataset.schema.name, isPartial: isPartial)
    findings += notes.findings(dataset, records: members.records)
    if !isPartial { try await checkDrift(of: dataset, supplement.columns, members, [], &findings) }
    for detail in details.found.values { detail.commit() }
    for line in notes.lines(dataset.schema.name) { report(line) }
    return findings
  }

  /// The rows that a row becomes with its details: one, or with `explode` one for each element.
  private static func filled(
    _ row: [Value], by detail: Detail, _ supplement: DetailRequest, _ readers: [(Int, RESTColumnReader)],
    _ schema: Schema, _ members: inout RESTMembers, _ notes: inout RESTNotes
  ) throws(Problem) -> [[Value]] {
    var rows: [[Value]] = []
    for (element, record) in detail.records.enumerated() {
      members.add(record.value)
      var new = row
      for (position, reader) in readers {
        do throws(Problem) {
          let place = supplement.explode.isEmpty ? detail.place : element + 1
          new[position] = try reader.value(in: record, place: place, detail.context, &notes) ?? .null
        } catch {
          let key = schema.key.first.map { row[$0].parameterText } ?? ""
          throw Problem(
            .badData, "\(key), \(schema.columns[position].name): \(error.message)",
            at: URLText.redacted(detail.context.url), hint: error.hint)
        }
      }
      rows.append(new)
    }
    return rows
  }

  /// Takes the columns at `positions` from stored rows, for rows without details in the source, so that data lost by
  /// the source is kept.
  /// - Returns: the rows that were stored.
  private func keep(
    _ positions: [Int], of schema: Schema, in rows: inout [[Value]], at lacking: [Int]
  ) async throws(Problem) -> [Int] {
    guard let stored, try await stored.tables().contains(where: { $0.name == schema.name }) else { return [] }
    let stream = try await stored.rows(of: schema.name, RowRequest())
    let key = schema.key.compactMap { stream.schema.position(of: schema.columns[$0].name) }
    guard key.count == schema.key.count else { return [] }
    let wanted = Dictionary(lacking.map { row in (schema.key.map { rows[row][$0] }, row) }) { first, _ in first }
    var kept: [Int] = []
    while let batch = try await stream.next()?.batch() {
      for old in 0..<batch.count {
        guard let row = wanted[key.map { batch.value(old, $0).stored(as: stream.schema.columns[$0].type) }] else {
          continue
        }
        for position in positions {
          guard let column = stream.schema.position(of: schema.columns[position].name) else { continue }
          rows[row][position] = batch.value(old, column).stored(as: stream.schema.columns[column].type)
        }
        kept.append(row)
      }
    }
    return kept.sorted()
  }
}

extension DetailRequest {
  fileprivate var isList: Bool { scope == .all }

  fileprivate func readers(for schema: Schema, asWritten: Bool) throws(Problem) -> [(Int, RESTColumnReader)] {
    var readers: [(Int, RESTColumnReader)] = []
    for column in columns {
      guard let position = schema.position(of: column.name) else {
        throw Problem(.configuration, "\(schema.name) has no column \(column.name)")
      }
      readers.append((position, try RESTColumnReader(schema.columns[position], column, asWritten: asWritten)))
    }
    return readers
  }
}

extension [JSON] {
  /// The statuses among those that mean absence.
  var statuses: Set<Int> { Set(compactMap(\.countValue)) }
}
