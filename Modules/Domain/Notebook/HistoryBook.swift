public import Rows

/// What was done in a storage, newest last; taking it back, and the trash.
public struct HistoryBook: Sendable {
  private let book: RecordBook

  /// The history of `book`'s storage.
  public init(_ book: RecordBook) { self.book = book }

  /// One entry, and what became of it.
  public struct Item: Sendable {
    /// The entry.
    public let entry: HistoryEntry
    /// The entry that it took back; nil when it is none of those.
    public let takesBack: Int?
    /// Whether it was taken back.
    public let isTakenBack: Bool
    /// Records it touched.
    public var count: Int { entry.tables.reduce(0) { $0 + $1.rows.count } }
    /// Whether it could be taken back: the rows of whole tables that were loaded are not in the history.
    public var canBeTakenBack: Bool { !isTakenBack && takesBack == nil && count > 0 }
  }

  /// Every entry, oldest first.
  public func items() async throws(Problem) -> [Item] {
    let entries = try await book.store.history()
    let undone = Set(entries.compactMap { UndoTitle($0.title)?.number })
    return entries.map {
      Item(entry: $0, takesBack: UndoTitle($0.title)?.number, isTakenBack: undone.contains($0.number))
    }
  }

  /// Takes the last command back whole, that was not taken back yet; another time, the one before it.
  /// - Returns: what was taken back.
  /// - Throws: `absent` when there is nothing to take back; `busy` when a record is no longer as that command left it.
  public func undo() async throws(Problem) -> HistoryEntry {
    guard let entry = try await items().last(where: \.canBeTakenBack)?.entry else {
      throw Problem(.absent, "there is nothing to take back")
    }
    var edits: [RecordBook.Edit] = []
    for table in entry.tables {
      for row in table.rows {
        edits.append(
          RecordBook.Edit(
            from: row.after.map { StoredRecord(table.schema, $0) },
            to: row.before.map { StoredRecord(table.schema, $0) }
          ))
      }
    }
    do throws(Problem) {
      try await book.change(UndoTitle(number: entry.number, undone: entry.title).text, edits)
    } catch {
      guard error.kind == .busy, let changed = try await changedSince(edits) else { throw error }
      throw Problem(
        .busy, "“\(entry.title)” cannot be taken back: \(changed) is no longer as it was left",
        hint: "change it by hand, or restore it from the trash")
    }
    return entry
  }

  /// The first record that is not as a command left it, in words; nil when all are.
  private func changedSince(_ edits: [RecordBook.Edit]) async throws(Problem) -> String? {
    for edit in edits {
      guard let record = edit.before ?? edit.after else { continue }
      if try await book.record(of: record.schema, key: record.key)?.narrowed(to: record.schema) != edit.before {
        return record.label
      }
    }
    return nil
  }
}

/// How the title of an entry says that it takes back another: `undo 12: delete Breaking Bad S05E14`.
struct UndoTitle {
  /// The number of the entry that was taken back.
  let number: Int
  private let undone: String

  init(number: Int, undone: String) {
    self.number = number
    self.undone = undone
  }
  /// Reads a title; nil when it is another.
  init?(_ title: String) {
    guard title.hasPrefix("undo "), let colon = title.firstIndex(of: ":") else { return nil }
    guard let number = Int(title[title.index(title.startIndex, offsetBy: 5)..<colon]) else { return nil }
    self.number = number
    undone = ""
  }
  var text: String { "undo \(number): \(undone)" }
}

extension StoredRecord {
  /// What people call it: the episode, the name, else the key.
  public var label: String {
    if let key = EpisodeKey(of: self) { return "the \(singular) on \(key.text)" }
    return "the \(singular) \(text("name") ?? keyText)"
  }
  /// `note` for a record of notes.
  private var singular: String { schema.name.hasSuffix("s") ? String(schema.name.dropLast()) : schema.name }

  /// The columns of another schema of the same table.
  func narrowed(to other: Schema) -> StoredRecord {
    StoredRecord(other, other.columns.map { self[$0.name] })
  }
}
