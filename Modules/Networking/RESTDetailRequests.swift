import Codecs
import Domain
import Query
import Rows

extension RESTSource {
  /// The rows of each record of the parent dataset. Each response is validated while others are pending.
  func children(
    of parent: SourceParent, _ reader: RESTRecordReader, _ query: RESTQuery, for selection: Selection?
  ) async throws(Problem) -> [RESTRows] {
    let dataset = reader.dataset
    let all = try await rows(of: parent.dataset, RowRequest(columns: [parent.column]))
    let wanted = RESTPushdown.parents(of: dataset, parent, in: all.schema, for: selection)
    let parents = try wanted.apply(to: all, scratch: NoScratch())
    guard let column = parents.schema.position(of: parent.column) else {
      throw Problem(.configuration, "\(name): \(parent.dataset) has no column \(parent.column)")
    }
    // Records that share a value need one request, or each would have the rows of all of them.
    var values: [Value] = [], met: Set<Value> = []
    for batch in try await parents.collect() {
      for row in 0..<batch.count where !batch[row, column].isNull {
        let value = batch.value(row, column)
        if met.insert(value).inserted { values.append(value) }
      }
    }
    return try await inParallel(values) { (value) async throws(Problem) -> RESTRows in
      try reader.rows(
        of: try await pages(
          of: dataset, query.with(parent.parameter, value.parameterText), parent: value.parameterJSON))
    }
  }

  /// What `body` makes of each value by requests of its own.
  private func inParallel<Answer: Sendable>(
    _ values: [Value], _ body: @escaping @Sendable (Value) async throws(Problem) -> Answer
  ) async throws(Problem) -> [Answer] {
    let told = progress.map { progress in { @Sendable (done: Int) in progress(done, values.count) } }
    return try await values.mapInParallel(
      most: Self.requestsAtATime, on: transport.readers, told: told, body)
  }

  /// A record that completes a row.
  private struct Further: Sendable {
    var record: JSON
    var place: Int
    var url: String
    var believe: @Sendable () -> Void = {}
  }

  /// The records of a supplement, by the row's key they belong to.
  private func further(_ supplement: SourceSupplement, for keys: [Value]) async throws(Problem) -> [Value: Further] {
    let query = RESTQuery(path: supplement.path, parameters: supplement.parameters)
    var found: [Value: Further] = [:]
    switch supplement.scope {
    case .eachRow(let parameter):
      let answers = try await inParallel(keys) { (key) async throws(Problem) -> Further? in
        let url = server + query.with(parameter, key.parameterText).text
        guard let reply = try await reply(url, absentIsNothing: true, shelf: server + query.path) else { return nil }
        return Further(record: reply.document, place: 1, url: url, believe: reply.believe)
      }
      for (key, answer) in zip(keys, answers) { found[key] = answer }
    case .list(let records, let id):
      let url = server + query.text
      guard let reply = try await reply(url, absentIsNothing: false) else { return [:] }
      let pointer = try JSONPointer(id)
      for (position, record) in try RESTDocument.records(in: reply.document, at: records, url: url).enumerated() {
        guard let key = record.value(at: pointer)?.keyValue, found[key] == nil else { continue }
        var further = Further(record: record, place: position + 1, url: url)
        if found.isEmpty { further.believe = reply.believe }
        found[key] = further
      }
    }
    return found
  }

  /// Fills the columns of a supplement in every row.
  /// - Returns: the members of the records that differ from the description.
  func complete(
    _ rows: inout [[Value]], of dataset: APIDataset, by supplement: SourceSupplement, isPartial: Bool
  ) async throws(Problem) -> [MemberFinding] {
    guard let key = dataset.schema.key.first else {
      throw Problem(.configuration, "\(name): \(dataset.schema.name) has no key for detail requests")
    }
    let found = try await further(supplement, for: rows.map { $0[key] })
    var notes = RESTNotes()
    var others = dataset.columns.map(\.from) + dataset.supplements.flatMap { $0.columns.map(\.from) } + dataset.ignored
    if case .list(_, let id) = supplement.scope { others.append(id) }
    var members = try RESTMembers(supplement.columns, others: others)
    let readers = try supplement.readers(for: dataset.schema, asWritten: isAsWritten)
    let lacking = rows.indices.filter { found[rows[$0][key]] == nil }
    if supplement.isForEachRow, !lacking.isEmpty {
      let kept = try await keep(readers.map(\.0), of: dataset.schema, in: &rows, at: lacking)
      notes.keptFurther = kept.map { rows[$0][key].parameterText }
      notes.withoutFurther = lacking.filter { !kept.contains($0) }.map { rows[$0][key].parameterText }
    }
    for row in rows.indices {
      guard let further = found[rows[row][key]] else { continue }
      members.add(further.record)
      for (position, reader) in readers {
        do throws(Problem) {
          rows[row][position] = try reader.value(in: further.record, place: further.place, &notes)
        } catch {
          let column = dataset.schema.columns[position].name
          throw Problem(
            .badData, "\(rows[row][key].parameterText), \(column): \(error.message)", at: URLText.redacted(further.url))
        }
      }
    }
    for further in found.values { further.believe() }
    for line in notes.lines(dataset.schema.name) { report(line) }
    return members.findings(dataset.schema.name, isPartial: isPartial)
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
        guard let row = wanted[key.map { batch.value(old, $0) }] else { continue }
        for position in positions {
          guard let column = stream.schema.position(of: schema.columns[position].name) else { continue }
          rows[row][position] = batch.value(old, column)
        }
        kept.append(row)
      }
    }
    return kept.sorted()
  }
}

extension SourceSupplement {
  fileprivate var isForEachRow: Bool { if case .eachRow = scope { true } else { false } }

  /// Readers of its columns, by their position in the schema.
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

extension Value {
  /// The value as a request carries it.
  fileprivate var parameterText: String {
    switch self {
    case .null: ""
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .number(let bytes), .text(let bytes), .json(let bytes), .bytes(let bytes):
      String(decoding: bytes, as: UTF8.self)
    }
  }
  /// The value as a record would have it.
  fileprivate var parameterJSON: JSON {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .number(value)
    case .real, .number, .json, .bytes, .text: .string(parameterText)
    }
  }
}

extension JSON {
  /// The value as a key holds it.
  fileprivate var keyValue: Value {
    if let integer = integerValue { return .integer(integer) }
    return .text(stringBytes ?? canonicalBytes)
  }
}
