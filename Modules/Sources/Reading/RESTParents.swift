import Codecs
import Domain
import Query
import Rows

extension RESTSource {
  /// One combination of values that a dataset is requested for.
  struct Combination: Sendable {
    var parameters: [SourceParameter] = []
    var context = RESTContext()
    var digest = ""
  }

  /// Passes the rows of each combination of parent values and iterations to `take`, in order. Responses are validated
  /// while others are pending.
  func readEach(
    _ parent: SourceParent?, _ reader: RESTRecordReader, _ query: RESTQuery, for selection: Selection?,
    take: (RESTRows) throws(Problem) -> Void
  ) async throws(Problem) {
    let dataset = reader.dataset
    let shelf = server + dataset.path
    let combinations = try await combinations(parent, of: dataset, selection)
    let all = Array(combinations.prefix(services.sample?.parents ?? .max))
    let failures = RESTFailures(dataset.schema.name, all: all.count, report: report, failed: services.failed)
    // Rows of many requests wait in memory until those before them have come, so not for all of them at once.
    let partSize = 2048
    var done = 0
    while done < all.count {
      let part = Array(all[done..<min(done + partSize, all.count)]), before = done
      let told = progress.map { progress in { @Sendable (count: Int) in progress(before + count, all.count) } }
      let answers = try await part.mapInParallel(most: requestsAtATime, on: transport.readers, told: told) {
        (combination) async throws(Problem) -> [RESTRows] in
        let query = combination.parameters.reduce(query) { $0.with($1.name, $1.value) }
        var rows: [RESTRows] = []
        do throws(Problem) {
          try await read(dataset, query, combination.context, reader, shelf: shelf) { (part) in rows.append(part) }
          failures.noteSuccess()
        } catch {
          let key = combination.parameters.map(\.value).joined(separator: " ")
          guard !services.failsOnPartial, let kept = try await keptRows(combination, reader),
            try failures.accepts(error, key: key)
          else { throw error }
          return kept
        }
        return rows
      }
      for rows in answers { for part in rows { try take(part) } }
      done += part.count
    }
    try failures.finish("lists")
  }

  /// The stored rows of a parent whose list could not be read: they are not lost for that.
  /// - Returns: nil if the rows have to be complete, and cannot be distinguished from those of other parents.
  private func keptRows(_ combination: Combination, _ reader: RESTRecordReader) async throws(Problem) -> [RESTRows]? {
    guard stored != nil else { return isComplete ? nil : [] }
    let dataset = reader.dataset, schema = dataset.schema
    var conditions: [(position: Int, text: String)] = []
    for parameter in combination.parameters {
      let source = dataset.parent?.parameters.first { $0.name == parameter.name }?.value
      let column = dataset.columns.first { column in
        column.from == SourceColumn.parent && combination.parameters.count == 1
          || source.map { column.from == "\(SourceColumn.parent)/\($0)" } ?? false
          || column.from == "\(SourceColumn.parent)/\(parameter.name)"
      }
      guard let column, let position = schema.position(of: column.name) else { return nil }
      conditions.append((position, parameter.value))
    }
    var kept = RESTRows(members: reader.members)
    kept.rows = try await storedRows(of: reader) { row in
      conditions.allSatisfy { row[$0.position].parameterText == $0.text }
    }
    return [kept]
  }

  /// The stored rows of a dataset that `isWanted` chooses.
  func storedRows(
    of reader: RESTRecordReader, where isWanted: ([Value]) -> Bool
  ) async throws(Problem) -> [[Value]] {
    let schema = reader.dataset.schema
    guard let stored, try await stored.tables().contains(where: { $0.name == schema.name }) else { return [] }
    let stream = try await stored.rows(of: schema.name, RowRequest())
    let positions = schema.columns.map { stream.schema.position(of: $0.name) }
    var rows: [[Value]] = []
    while let batch = try await stream.next()?.batch() {
      for number in 0..<batch.count {
        let row = positions.map {
          $0.map { batch.value(number, $0).stored(as: stream.schema.columns[$0].type) } ?? .null
        }
        if isWanted(row) { rows.append(row + reader.linked(RESTRecord(value: .null))) }
      }
    }
    return rows
  }

  /// The combinations of parent values and iterations, each once.
  /// - Parameters:
  ///   - selection: what the rows are needed for.
  ///   - stored: the source of the parent records; nil for this one.
  func combinations(
    _ parent: SourceParent?, of dataset: APIDataset, _ selection: Selection?, from stored: (any RecordSource)? = nil
  ) async throws(Problem) -> [Combination] {
    var combinations = [Combination()]
    if let parent { combinations = try await self.combinations(of: parent, for: dataset, selection, from: stored) }
    guard dataset.iteration != nil else { return combinations }
    let iterations = try iterations(of: dataset)
    return combinations.flatMap { combination in
      iterations.map { values in
        var combination = combination
        combination.parameters += values
        for value in values { combination.context.parents[value.name] = .string(value.value) }
        if combination.context.parent == nil, values.count == 1 {
          combination.context.parent = .string(values[0].value)
        }
        return combination
      }
    }
  }

  /// The values of the parent records, each combination once.
  private func combinations(
    of parent: SourceParent, for dataset: APIDataset, _ selection: Selection?, from stored: (any RecordSource)?
  ) async throws(Problem) -> [Combination] {
    let needed = parent.parameters.map(\.value) + dataset.parentColumns
    let all: any RowStream
    if let stored {
      all = try await stored.rows(of: parent.dataset, RowRequest())
    } else {
      all = try await rows(of: parent.dataset, RowRequest(columns: needed))
    }
    let wanted = RESTPushdown.parents(of: dataset, parent, in: all.schema, for: selection)
    let parents = try wanted.apply(to: all, scratch: NoScratch())
    var sent: [(name: String, position: Int)] = [], kept: [(name: String, position: Int)] = []
    for pair in parent.parameters { sent.append((pair.name, try position(of: pair.value, in: parents.schema, parent))) }
    for name in Set(needed).sorted() { kept.append((name, try position(of: name, in: parents.schema, parent))) }
    // Records that share the values need one request, or each would have the rows of all of them.
    var combinations: [Combination] = [], met: Set<[Value]> = []
    while let batch = try await parents.next()?.batch() {
      for row in 0..<batch.count where !sent.contains(where: { batch[row, $0.position].isNull }) {
        let values = sent.map { batch.value(row, $0.position) }
        guard met.insert(values).inserted else { continue }
        var combination = Combination()
        if stored != nil {
          let record = (0..<batch.width).map { batch.value(row, $0).parameterJSON }
          combination.digest = String(SHA256.hex(JSON.array(record).canonicalBytes).prefix(16))
        }
        for (column, value) in zip(sent, values) {
          combination.parameters.append(SourceParameter(column.name, value.parameterText))
        }
        if values.count == 1 { combination.context.parent = values[0].parameterJSON }
        for column in kept {
          combination.context.parents[column.name] = batch.value(row, column.position).parameterJSON
        }
        combinations.append(combination)
      }
    }
    return combinations
  }

  private func position(of column: String, in schema: Schema, _ parent: SourceParent) throws(Problem) -> Int {
    guard let position = schema.position(of: column) else {
      throw Problem(.configuration, "\(name): \(parent.dataset) has no column \(column)")
    }
    return position
  }
}

extension APIDataset {
  /// The columns of the parent dataset that columns of this one read.
  var parentColumns: [String] {
    let iterated = iteration.map { ($0.values + $0.range).map(\.name) + [$0.parameter].compactMap(\.self) } ?? []
    return columns.flatMap { [$0.from] + $0.alternatives }.filter { $0.hasPrefix("#parent/") }
      .map { String($0.dropFirst("#parent/".count)) }.filter { !iterated.contains($0) }
  }
}

extension Value {
  /// The value as a request carries it.
  var parameterText: String { String(decoding: plainText, as: UTF8.self) }
  /// The value of a column of a store; those of text formats have integers as they are spelled.
  func stored(as type: ColumnType) -> Value {
    guard type == .integer, case .number(let literal) = self,
      let number = Int64(String(decoding: literal, as: UTF8.self))
    else { return self }
    return .integer(number)
  }
  /// The value as a record would have it.
  var parameterJSON: JSON {
    switch self {
    case .null, .boolean, .integer, .number: JSON(stored: self)
    case .real, .json, .bytes, .text: .string(parameterText)
    }
  }
}
