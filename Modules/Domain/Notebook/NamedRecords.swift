import Query
public import Rows

/// The user's records of one kind: found by name or identifier, added, changed and deleted.
public struct NamedRecords: Sendable {
  /// The kind.
  public let kind: PersonalDataset
  /// The records.
  public let repository: RecordRepository

  /// The records of `kind` in `repository`.
  public init(_ kind: PersonalDataset, _ repository: RecordRepository) {
    self.kind = kind
    self.repository = repository
  }

  /// The record that a text means: its identifier or its name, either end of its identifier, at least four characters,
  /// or a unique part of its name, ignoring case and accents.
  /// `acceptsPart` returns whether a part of a name may mean the record of this name.
  /// - Throws: `usage` naming the candidates when several have it; `absent` with the nearest name.
  public func find(
    _ text: String, acceptsPart: (_ name: String) throws(Problem) -> Bool = { (_) throws(Problem) in true }
  ) async throws(Problem) -> Record {
    var exact = Selection()
    exact.alternatives = [[Condition("id", .equal, text), Condition("name", .equal, text)]]
    let found = try await repository.records(of: kind.schema, exact)
    if let record = found.first(where: { $0[.id] == text }) { return record }
    if found.count == 1 { return found[0] }
    let all = try await repository.records(of: kind.schema)
    if !found.isEmpty { return try only(found, text, among: all) }
    let wanted = Fold.folded(text)
    let folded = all.filter { Fold.folded($0[.name] ?? "") == wanted }
    if !folded.isEmpty { return try only(folded, text, among: all) }
    let isEnd = text.utf8.count >= ShortIdentifiers.shortest
    let ends = all.filter { isEnd && (($0[.id] ?? "").hasPrefix(text) || ($0[.id] ?? "").hasSuffix(text)) }
    if !ends.isEmpty { return try only(ends, text, among: all) }
    let partial = all.filter { !wanted.isEmpty && Fold.folded($0[.name] ?? "").firstRange(of: wanted) != nil }
    if let first = partial.first, let name = first[.name] {
      let isMeant = partial.count > 1 ? true : try acceptsPart(name)
      if isMeant { return try only(partial, text, among: all) }
      throw Problem(.absent, "\(kind.noun) not found: “\(text)”", hint: "did you mean \(name)?")
    }
    let names = all.compactMap { $0[.name] }
    throw Problem(
      .absent, "\(kind.noun) not found: “\(text)”",
      hint: names.isEmpty ? .advice("add \(kind.oneOfThem) first") : .choose(text, from: names))
  }

  private func only(
    _ found: [Record], _ text: String, among all: [Record]
  ) throws(Problem) -> Record {
    if found.count == 1 { return found[0] }
    let short = ShortIdentifiers(all.compactMap { $0[.id] })
    let candidates = found.prefix(10).map { "\(short[$0[.id] ?? ""]) (\($0[.name] ?? ""))" }
    throw Problem(
      .usage, "“\(text)” matches \(found.count) \(kind.noun)s",
      hint: "use an id: \(candidates.joined(separator: ", "))\(found.count > 10 ? ", …" : "")")
  }

  /// The short forms of all identifiers.
  public func shortIdentifiers() async throws(Problem) -> ShortIdentifiers {
    var selection = Selection()
    selection.columns = ["id"]
    return ShortIdentifiers(try await repository.records(of: kind.schema, selection).compactMap { $0[.id] })
  }

  /// Whether another record has this name.
  public func hasOther(named name: String, than id: String?) async throws(Problem) -> Bool {
    var selection = Selection()
    selection.conditions = [Condition("name", .equal, name)]
    return try await repository.records(of: kind.schema, selection).contains { $0[.id] != id }
  }

  /// `made`, or an identifier above that of every record, where the clock was set back: records are listed in the order
  /// in which they were added.
  public func newIdentifier(_ made: String) async throws(Problem) -> String {
    var selection = Selection()
    selection.columns = ["id"]
    let known = try await repository.records(of: kind.schema, selection).compactMap { $0[.id] }
    return RecordIdentifier.raised(made, above: known.filter(RecordIdentifier.isValid).max())
  }

  /// An empty record with a new identifier.
  public func draft(id: String) -> Record {
    let now = Value.text(repository.now)
    var record = Record(kind.schema, ["id": .text(id), "created_at": now, "updated_at": now])
    record[.favourite] = false
    return record
  }

  /// Refuses a record that lacks what it must have, or whose values make no sense.
  /// - Parameters:
  ///   - record: the record.
  ///   - isPartial: whether it may lack anything but a name.
  /// - Throws: `usage` naming all that is missing.
  public func check(_ record: Record, isPartial: Bool = false) throws(Problem) {
    var missing = kind.missing(record)
    if isPartial { missing = missing.filter { $0 == "a name" || kind.noun == "place" } }
    guard missing.isEmpty else {
      throw Problem(
        .usage, "\(kind.oneOfThem) requires \(missing.joined(separator: ", "))",
        hint: missing.contains("coordinates") ? .set(.coordinates) : "each has an option of its own"
      )
    }
    try kind.check(record)
  }

  /// Refuses a change that takes away what a record must have.
  /// - Throws: `usage` naming all that would be missing and is there now.
  public func check(_ record: Record, over before: Record) throws(Problem) {
    let known = kind.missing(before), removed = kind.missing(record).filter { !known.contains($0) }
    guard removed.isEmpty else {
      throw Problem(
        .usage, "\(before.label) must have \(removed.joined(separator: ", "))", hint: "give it another value instead")
    }
    try check(record, isPartial: true)
  }

  /// The record that has the same values as `record` in every column that the user fills in; nil if there is none.
  ///
  /// Images do not count: they have other names once they are stored.
  public func same(as record: Record) async throws(Problem) -> Record? {
    guard let name = record[.name] else { return nil }
    var selection = Selection()
    selection.conditions = [Condition("name", .equal, name)]
    let columns = kind.form.filter { $0 != "images" }
    return try await repository.records(of: kind.schema, selection).first { other in
      columns.allSatisfy { other[$0] == record[$0] }
    }
  }

  /// Adds a record.
  public func add(_ record: Record) async throws(Problem) {
    try await repository.change(
      "add \(kind.noun) \(record[.name] ?? "")", [RecordRepository.Edit(from: nil, to: record)])
  }

  /// Changes a record, when it still is as it was read.
  /// - Returns: false when nothing is different; then nothing is written.
  /// - Throws: `busy` when it has been changed since it was read.
  public func change(
    _ verb: String, _ before: Record, to after: Record
  ) async throws(Problem) -> Bool {
    guard after != before else { return false }
    var after = after
    after[.updatedAt] = repository.now
    return try await repository.change(
      "\(verb) \(kind.noun) \(before[.name] ?? "")", [RecordRepository.Edit(from: before, to: after)])
  }

  /// Deletes records.
  public func delete(_ records: [Record]) async throws(Problem) {
    let names = records.map { $0[.name] ?? "" }.joined(separator: ", ")
    try await repository.change(
      "delete \(kind.noun) \(names)", records.map { RecordRepository.Edit(from: $0, to: nil) })
  }
}
