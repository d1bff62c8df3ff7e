import Codecs
public import Rows

/// Records of the user's that come from a file, put among those that are there in one step.
public struct RecordImport: Sendable {
  /// The action for an existing record that differs.
  public enum Conflict: String, Sendable, Hashable, CaseIterable {
    case skip
    /// The imported one takes its place.
    case replace
    /// The imported text is appended to the existing text.
    case append
  }

  /// The outcome of an import.
  public struct Outcome: Sendable, Hashable {
    /// Records that were not there.
    public var added = 0
    /// Records that are different now.
    public var changed = 0
    /// Records that were there, and stayed as they were.
    public var unchanged = 0
  }

  private let repository: RecordRepository
  private let names: TitleNames
  private let conflict: Conflict?
  private let images: EmbeddedImages?
  private let makeIdentifier: @Sendable () -> String
  private let checkNew: @Sendable ([Record]) async throws(Problem) -> Void

  /// An import into `repository`.
  /// - Parameters:
  ///   - repository: the repository that gets the records.
  ///   - names: the titles that are known.
  ///   - conflict: nil to refuse when there is one.
  ///   - images: puts images that are part of the records into the store; nil to keep them as they are.
  ///   - identifier: the identifier of a new record.
  ///   - checkNew: refuses records to be added, whose keys name nothing.
  public init(
    into repository: RecordRepository, _ names: TitleNames, _ conflict: Conflict?, images: EmbeddedImages? = nil,
    identifier: @escaping @Sendable () -> String, checkNew: @escaping @Sendable ([Record]) async throws(Problem) -> Void
  ) {
    self.repository = repository
    self.names = names
    self.images = images
    self.conflict = conflict
    makeIdentifier = identifier
    self.checkNew = checkNew
  }

  /// Records of one import at most: they are in memory until all are written in one step.
  static let mostRecords = 100_000

  /// - Throws: `badData` if a file has more records than one import takes.
  public static func check(_ count: Int, _ name: String) throws(Problem) {
    if count <= mostRecords { return }
    throw Problem(.badData, "the file has more than \(mostRecords) records", at: name, hint: "split the file")
  }

  /// The column that `append` adds to.
  private static let texts = ["notes": "text", "places": "comment", "actors": "description"]

  /// Imports records of one dataset.
  /// - Throws: `cannotCreate` with the conflicting records, unless an action was given; `badData` for an invalid
  ///   record.
  public func run(
    _ records: [Record], of schema: Schema, from name: String, isDryRun: Bool = false
  ) async throws(Problem) -> Outcome {
    if conflict == .append, Self.texts[schema.name] == nil {
      throw Problem(
        .importConflict, "append does not apply to \(schema.name)", hint: .set(.importConflict, to: "skip", "replace"))
    }
    let stored = try await repository.records(of: schema)
    // The schema of the records, which may have more columns than that of the store.
    let kept = (stored.first?.schema ?? schema).adding(schema.columns)
    let hasForeign = kept.columns.contains { $0.name == ForeignMembers.column && $0.type == .json }
    let existing = stored.map { $0.fitted(to: kept) }
    var byKey: [[Value]: Record] = [:], byLabel: [String: Record] = [:]
    for record in existing {
      byKey[record.key] = record
      byLabel[Self.likeness(record)] = record
    }
    var last = existing.compactMap { $0[.id] }.filter(RecordIdentifier.isValid).max()
    var edits: [[Value]: RecordRepository.Edit] = [:], order: [[Value]] = [], conflicts: [String] = [],
      outcome = Outcome()
    for imported in records {
      var record = Record(kept, Array(repeating: .null, count: kept.width))
      for column in imported.schema.columns { record[column.name] = imported[column.name] }
      // The user has a column of this name.
      if case .json(let text) = record[ForeignMembers.column], !hasForeign {
        record[ForeignMembers.column] = .text(text)
      }
      if let production = EpisodeKey(of: record)?.production {
        record[.production] = try names.exactKey(of: production)
      }
      let isNamed = record.key.contains(.null) && record[.name] != nil
      let before = isNamed ? byLabel[Self.likeness(record)] : byKey[record.key]
      // Columns that are not in the file keep their values.
      if let before {
        for column in kept.columns where imported.schema.position(of: column.name) == nil {
          record[column.name] = before[column.name]
        }
      }
      complete(&record, from: before, above: &last)
      if let images, schema.name == Catalog.actors.name { record = try images.known(in: record, before: before) }
      try check(record, name)
      let label = record.label
      guard edits[record.key] == nil else {
        throw Problem(.badData, "duplicate record \(label)", at: name)
      }
      guard let before else {
        outcome.added += 1
        edits[record.key] = RecordRepository.Edit(from: nil, to: record)
        order.append(record.key)
        continue
      }
      let isSame = schema.columns.allSatisfy { column in
        column.name == "created_at" || column.name == "updated_at" || before[column.name] == record[column.name]
      }
      guard !isSame else {
        outcome.unchanged += 1
        continue
      }
      switch conflict {
      case nil: conflicts.append(label)
      case .skip: outcome.unchanged += 1
      case .replace, .append:
        if conflict == .append {
          let column = Self.texts[schema.name] ?? ""
          let parts = [before.text(column), record.text(column)].compactMap { $0 }
          record = before
          // Text that already exists is not appended again.
          guard parts.count < 2 || !parts[0].hasSuffix(parts[1]) else {
            outcome.unchanged += 1
            continue
          }
          record[column] = .text(parts.joined(separator: "\n"))
        }
        if record.schema.position(of: "updated_at") != nil { record[.updatedAt] = repository.now }
        outcome.changed += 1
        edits[record.key] = RecordRepository.Edit(from: before, to: record)
        order.append(record.key)
      }
    }
    guard conflicts.isEmpty else {
      let some = conflicts.prefix(5).joined(separator: ", ") + (conflicts.count > 5 ? ", …" : "")
      throw Problem(
        .cannotCreate,
        conflicts.count == 1
          ? "1 imported record differs from an existing one: \(some)"
          : "\(conflicts.count) imported records differ from existing ones: \(some)", at: name,
        hint: .set(.importConflict, to: "skip", "replace", "append"))
    }
    do throws(Problem) {
      try await checkNew(order.compactMap { edits[$0] }.filter { $0.before == nil }.compactMap(\.after))
    } catch { throw Problem(.badData, error.message, at: name, hint: error.hint) }
    if isDryRun { return outcome }
    // The last step but one: files of records that are not imported would remain.
    if let images, schema.name == Catalog.actors.name {
      for (key, edit) in edits {
        guard let record = edit.after else { continue }
        edits[key] = RecordRepository.Edit(
          from: edit.before, to: try await images.stored(record, of: schema.name, from: "\(name): \(record.label)"))
      }
    }
    try await repository.change("import \(name)", order.compactMap { edits[$0] })
    return outcome
  }

  /// The values that are equal in two records without identifiers that are the same.
  private static func likeness(_ record: Record) -> String {
    let place = [record[.latitude], record[.longitude]].compactMap { $0 }.map { "\($0)" }
    return ([record[.name] ?? ""] + place).joined(separator: "\n")
  }

  /// Fills in identifiers, each above the `last`, and times.
  private func complete(_ record: inout Record, from before: Record?, above last: inout String?) {
    if record.schema.position(of: "id") != nil, record[.id] == nil {
      if let known = before?["id"] {
        record["id"] = known
      } else {
        let id = RecordIdentifier.raised(makeIdentifier(), above: last)
        record[.id] = id
        last = id
      }
    }
    for column in ["created_at", "updated_at"]
    where record.schema.position(of: column) != nil && record[column] == .null {
      record[column] = before?[column] ?? .text(repository.now)
    }
    if record.schema.position(of: "favourite") != nil, record["favourite"] == .null {
      record["favourite"] = before?["favourite"] ?? .boolean(false)
    }
  }

  private func check(_ record: Record, _ name: String) throws(Problem) {
    for column in record.schema.columns where !column.isNullable && record[column.name] == .null {
      throw Problem(.badData, "\(record.label): missing \(column.name)", at: name)
    }
    do throws(Problem) {
      switch record.schema.name {
      case "notes":
        _ = try NoteText.checked(Array((record[.text] ?? "").utf8))
        if let key = EpisodeKey(of: record), key.season < 0 || key.episode < 0 {
          throw Problem(.badData, "season and episode numbers must not be negative")
        }
      case "places": try NamedRecords(.place, repository).check(record)
      case "actors": try NamedRecords(.actor, repository).check(record, isPartial: true)
      default: break
      }
    } catch {
      throw Problem(.badData, "\(record.label): \(error.message)", at: name, hint: error.hint)
    }
  }
}
