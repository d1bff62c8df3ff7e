import Codecs
import Query
public import Rows

/// The user's records of one kind: found by name or identifier, added, changed and deleted.
public struct NamedRecords: Sendable {
  /// The kind.
  public let kind: RecordKind
  /// The records.
  public let book: RecordBook

  /// The records of `kind` in `book`.
  public init(_ kind: RecordKind, _ book: RecordBook) {
    self.kind = kind
    self.book = book
  }

  /// The record that a text means: its identifier, its name, or the beginning of its identifier, at least four
  /// characters.
  /// - Throws: `usage` naming the candidates when several have it; `absent` with the nearest name.
  public func find(_ text: String) async throws(Problem) -> StoredRecord {
    var exact = Selection()
    exact.alternatives = [[Condition("id", .equal, text), Condition("name", .equal, text)]]
    let found = try await book.records(of: kind.schema, exact)
    if let record = found.first(where: { $0.text("id") == text }) { return record }
    if !found.isEmpty { return try only(found, text) }
    let all = try await book.records(of: kind.schema)
    let wanted = Fold.folded(text)
    let folded = all.filter { Fold.folded($0.text("name") ?? "") == wanted }
    if !folded.isEmpty { return try only(folded, text) }
    let prefixed = text.utf8.count >= 4 ? all.filter { ($0.text("id") ?? "").hasPrefix(text) } : []
    if !prefixed.isEmpty { return try only(prefixed, text) }
    let names = all.compactMap { $0.text("name") }
    let near = Nearest.word(to: text, among: names).map { "did you mean \($0)?" }
    throw Problem(
      .absent, "\(kind.noun) not found: “\(text)”", hint: near ?? (names.isEmpty ? "there are none yet" : ""))
  }

  private func only(_ found: [StoredRecord], _ text: String) throws(Problem) -> StoredRecord {
    if found.count == 1 { return found[0] }
    let candidates = found.map { "\($0.text("id") ?? "") (\($0.text("name") ?? ""))" }.joined(separator: ", ")
    throw Problem(.usage, "“\(text)” matches \(found.count) \(kind.noun)s", hint: "use an id: \(candidates)")
  }

  /// Whether another record has this name.
  public func hasOther(named name: String, than id: String?) async throws(Problem) -> Bool {
    var selection = Selection()
    selection.conditions = [Condition("name", .equal, name)]
    return try await book.records(of: kind.schema, selection).contains { $0.text("id") != id }
  }

  /// `made`, or an identifier above that of every record, where the clock was set back: records are listed in the order
  /// in which they were added.
  public func newIdentifier(_ made: String) async throws(Problem) -> String {
    var selection = Selection()
    selection.columns = ["id"]
    let known = try await book.records(of: kind.schema, selection).compactMap { $0.text("id") }
    return RecordIdentifier.raised(made, above: known.filter(RecordIdentifier.isValid).max())
  }

  /// An empty record with a new identifier.
  public func draft(id: String) -> StoredRecord {
    let now = Value.text(book.now)
    var record = StoredRecord(kind.schema, ["id": .text(id), "created_at": now, "updated_at": now])
    record["favourite"] = .boolean(false)
    return record
  }

  /// Refuses a record that lacks what it must have, or whose values make no sense.
  /// - Parameters:
  ///   - record: the record.
  ///   - isPartial: whether it may lack anything but a name.
  /// - Throws: `usage` naming all that is missing.
  public func check(_ record: StoredRecord, isPartial: Bool = false) throws(Problem) {
    var missing = kind.missing(record)
    if isPartial { missing = missing.filter { $0 == "a name" || kind.noun == "place" } }
    guard missing.isEmpty else {
      throw Problem(
        .usage, "missing for this \(kind.noun): \(missing.joined(separator: ", "))",
        hint: missing.contains("coordinates") ? "set the coordinates: --at LAT,LON" : "")
    }
    try kind.check(record)
  }

  /// Adds a record.
  public func add(_ record: StoredRecord) async throws(Problem) {
    try await book.change("add \(kind.noun) \(record.text("name") ?? "")", [RecordBook.Edit(from: nil, to: record)])
  }

  /// Changes a record, when it still is as it was read.
  /// - Returns: false when nothing is different; then nothing is written.
  /// - Throws: `busy` when it has been changed since it was read.
  public func change(
    _ verb: String, _ before: StoredRecord, to after: StoredRecord
  ) async throws(Problem) -> Bool {
    guard after != before else { return false }
    var after = after
    after["updated_at"] = .text(book.now)
    return try await book.change(
      "\(verb) \(kind.noun) \(before.text("name") ?? "")", [RecordBook.Edit(from: before, to: after)])
  }

  /// Deletes records.
  public func delete(_ records: [StoredRecord]) async throws(Problem) {
    let names = records.map { $0.text("name") ?? "" }.joined(separator: ", ")
    try await book.change("delete \(kind.noun) \(names)", records.map { RecordBook.Edit(from: $0, to: nil) })
  }
}
