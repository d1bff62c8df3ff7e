import Query
public import Rows

/// The user's notes on episodes, one per episode.
public struct NoteRepository: Sendable {
  /// The records.
  public let repository: RecordRepository

  /// The notes in `repository`.
  public init(_ repository: RecordRepository) { self.repository = repository }

  /// The note on an episode; nil when there is none.
  public func note(on key: EpisodeKey) async throws(Problem) -> Record? {
    try await repository.record(of: Catalog.notes, key: key.values)
  }

  /// Every note there is on episodes of a production, without texts: for advice.
  func keys(of production: String) async throws(Problem) -> [EpisodeKey] {
    var selection = Selection()
    selection.conditions = [Condition("production", .equal, production)]
    return try await repository.records(of: Catalog.notes, selection).compactMap(EpisodeKey.init)
  }

  /// The note on an episode that must have one.
  /// - Throws: `absent`, with the nearest notes.
  public func existingNote(on key: EpisodeKey) async throws(Problem) -> Record {
    if let note = try await note(on: key) { return note }
    let near = try await keys(of: key.production).sorted { key.distance(to: $0) < key.distance(to: $1) }.prefix(3)
      .sorted()
    let hint: Remedy =
      near.isEmpty
      ? "add a note first"
      : "nearest notes: \(near.map(\.short).joined(separator: ", "))"
    throw Problem(.absent, "no note for \(key.text)", hint: hint)
  }

  /// Writes a note, when the record still is as it was read.
  ///
  /// - Parameters:
  ///   - text: the new text.
  ///   - key: the episode of the note.
  ///   - before: the note as it was read; nil when there was none.
  ///   - title: the action of the user, as the history shows it.
  /// - Returns: false when the text is the same; then nothing is written.
  /// - Throws: `usage` for an empty text, `busy` when the note has been changed since it was read.
  @discardableResult
  public func write(
    _ text: [UInt8], on key: EpisodeKey, over before: Record?, _ title: String
  ) async throws(Problem) -> Bool {
    let text = try NoteText.checked(text)
    if let before {
      var after = before
      after["text"] = .text(text)
      guard after != before else { return false }
      after[.updatedAt] = repository.now
      return try await repository.change(title, [RecordRepository.Edit(from: before, to: after)])
    }
    let now = Value.text(repository.now)
    let values = key.values
    let note = Record(
      Catalog.notes,
      [
        "production": values[0], "season": values[1], "episode": values[2], "text": .text(text), "created_at": now,
        "updated_at": now,
      ])
    return try await repository.change(title, [RecordRepository.Edit(from: nil, to: note)])
  }
}

/// The text of a note: UTF-8, without line ends at its end, never empty.
public enum NoteText {
  /// The text without line ends at its end; nothing if it is blank.
  public static func trimmed(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { !" \t\r\n".utf8.contains($0) }) else { return [] }
    return Array(text[...(text.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? 0)])
  }

  /// The text, trimmed.
  /// - Throws: `usage` when nothing is left, `badData` when it is not UTF-8.
  public static func checked(_ text: [UInt8]) throws(Problem) -> [UInt8] {
    let trimmed = trimmed(text)
    guard !trimmed.isEmpty else {
      throw Problem(.usage, "the text is empty", hint: "add some text, or delete the note")
    }
    guard String(validating: trimmed, as: UTF8.self) != nil else {
      throw Problem(.badData, "the text is not valid UTF-8")
    }
    return trimmed
  }
}
