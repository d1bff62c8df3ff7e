import Codecs
import Domain
import Query
import Rows

/// A record that was read, to be compared with the stored row of the same key.
struct RESTDriftSample: Sendable {
  var key: [Value]
  var record: RESTRecord
}

extension RESTSource {
  /// Compares the members of records with the stored rows that they are to replace.
  /// - Parameters:
  ///   - columns: those that the records fill.
  ///   - samples: some of the records.
  ///   - findings: the differences from the description; renamed members get their probable name.
  /// - Throws: `badData` if stored values would be replaced with null as no record has their member, unless that is
  ///   accepted.
  func checkDrift(
    of dataset: APIDataset, _ columns: [SourceColumn], _ members: RESTMembers, _ samples: [RESTDriftSample],
    _ findings: inout [MemberFinding]
  ) async throws(Problem) {
    guard let stored, !isAsWritten else { return }
    let schema = dataset.schema
    var lacking: [DriftColumn] = [], retyped: [DriftColumn] = []
    for column in columns {
      guard let position = schema.position(of: column.name) else { continue }
      if members.lacks(column) {
        lacking.append(DriftColumn(source: column, description: schema.columns[position]))
      } else {
        let kinds = members.kinds(of: column)
        let isOther =
          switch schema.columns[position].type {
          case .text, .url: !kinds.isEmpty && kinds.isSubset(of: [.number, .boolean])
          case .json: !kinds.isEmpty && column.steps.isEmpty
          default: false
          }
        if isOther { retyped.append(DriftColumn(source: column, description: schema.columns[position], kinds: kinds)) }
      }
    }
    guard !lacking.isEmpty || !retyped.isEmpty,
      try await stored.tables().contains(where: { $0.name == schema.name })
    else { return }
    try await compare(with: stored, schema, &lacking, &retyped, samples, findings)
    for column in retyped where column.isRetyped {
      var finding = MemberFinding(
        .retyped, in: schema.name, column.source.from, count: members.records)
      finding.column = column.source.name
      finding.detail =
        "values of \(column.source.from) are \(column.kinds.names), stored as \(column.storedKinds.names)"
      findings.append(finding)
    }
    var problems: [Problem] = []
    for column in lacking where column.stored > 0 {
      let pointers = column.source.pointers
      for position in findings.indices
      where findings[position].kind == .vanished && pointers.contains(findings[position].pointer) {
        if let renamed = column.renamed { findings[position].nearest = renamed }
      }
      let values = column.stored == 1 ? "1 stored value" : "\(column.stored) stored values"
      let accept = Remedy.set(.drift, for: "accept the nulls")
      let nearest = column.renamed ?? findings.first { pointers.contains($0.pointer) }?.nearest
      problems.append(
        Problem(
          .badData,
          "refusing to replace \(values) of \(column.source.name) with null: no record has "
            + pointers.joined(separator: " or "),
          at: schema.name,
          hint: nearest.map { .advice("if the API renamed it to \($0), correct \(definition)").or(accept) } ?? accept))
    }
    guard !services.acceptsDrift, var first = problems.first else { return }
    first.others = Array(problems.dropFirst())
    self.members?(findings)
    throw first
  }

  /// Counts the stored values of columns, and finds the members that hold them now.
  private func compare(
    with stored: any RecordSource, _ schema: Schema, _ lacking: inout [DriftColumn], _ retyped: inout [DriftColumn],
    _ samples: [RESTDriftSample], _ findings: [MemberFinding]
  ) async throws(Problem) {
    let keyNames = schema.key.map { schema.columns[$0].name }
    let names = keyNames + (lacking + retyped).map(\.source.name).filter { !keyNames.contains($0) }
    let stream = try await stored.rows(of: schema.name, RowRequest(columns: names))
    let key = keyNames.compactMap { stream.schema.position(of: $0) }
    for index in lacking.indices { lacking[index].position = stream.schema.position(of: lacking[index].source.name) }
    for index in retyped.indices { retyped[index].position = stream.schema.position(of: retyped[index].source.name) }
    let known = key.count == keyNames.count && !key.isEmpty ? samples : []
    let wanted = Dictionary(known.enumerated().map { ($0.element.key, $0.offset) }) { first, _ in first }
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        let sample = wanted.isEmpty ? nil : wanted[key.map { batch.value(row, $0) }]
        for index in lacking.indices {
          guard let position = lacking[index].position, !batch[row, position].isNull else { continue }
          lacking[index].stored += 1
          if let sample { lacking[index].values[sample] = batch.value(row, position) }
        }
        for index in retyped.indices {
          guard let position = retyped[index].position, !batch[row, position].isNull else { continue }
          retyped[index].storedKinds.formUnion(Self.kind(of: batch.value(row, position)))
        }
      }
    }
    let candidates = findings.filter { $0.kind == .unmapped }.map(\.pointer)
    for index in lacking.indices { try lacking[index].findName(among: candidates, samples) }
  }

  /// The kind that a stored value had as JSON; a text that is a number or Boolean may have been one.
  private static func kind(of value: Value) -> RESTMembers.Kinds {
    switch value {
    case .json(let bytes): return (try? JSON.parse(bytes, name: "")).map(RESTMembers.Kinds.init) ?? []
    case .text(let text):
      let document = try? JSON.parse(text, name: "")
      return document?.numberLiteral != nil || document?.booleanValue != nil ? [] : .text
    default: return []
    }
  }
}

/// A column whose members changed.
private struct DriftColumn {
  let source: SourceColumn
  let description: ColumnDescription
  /// The kinds of the values that were read, and of those that are stored.
  var kinds: RESTMembers.Kinds = [], storedKinds: RESTMembers.Kinds = []
  var position: Int?
  var stored = 0
  /// Stored values by the number of the sample with the same key.
  var values: [Int: Value] = [:]
  /// The member that has the stored values now.
  var renamed: String?

  init(source: SourceColumn, description: ColumnDescription, kinds: RESTMembers.Kinds = []) {
    (self.source, self.description, self.kinds) = (source, description, kinds)
  }

  /// Whether no value is of a kind that was stored.
  var isRetyped: Bool { !storedKinds.isEmpty && storedKinds.isDisjoint(with: kinds) }

  /// Finds the member that has at least 80 % of the stored values.
  mutating func findName(among candidates: [String], _ samples: [RESTDriftSample]) throws(Problem) {
    guard !values.isEmpty else { return }
    var best = 0
    for pointer in candidates {
      var column = source
      (column.from, column.alternatives) = (pointer, [])
      let reader = try RESTColumnReader(description, column, asWritten: true)
      var notes = RESTNotes(), equal = 0
      for (sample, value) in values {
        if try reader.value(in: samples[sample].record, RESTContext(), &notes) == value { equal += 1 }
      }
      if equal * 5 >= values.count * 4, equal > best { (best, renamed) = (equal, pointer) }
    }
  }
}
