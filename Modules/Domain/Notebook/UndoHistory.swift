public import Rows

/// The history of a store, newest last, with undo.
public struct UndoHistory: Sendable {
  private let repository: RecordRepository

  /// The history of `repository`'s store.
  public init(_ repository: RecordRepository) { self.repository = repository }

  /// A history entry and its undo status.
  public struct Item: Sendable {
    /// The undo status of an entry.
    public enum State: Sendable, Hashable {
      case undoable
      case undone
      case undo
      /// It loaded a table, and what the load replaced is no longer kept.
      case notKept
    }
    /// The entry.
    public let entry: HistoryEntry
    /// Its undo status.
    public let state: State
    /// Records it touched.
    public var count: Int { entry.tables.reduce(0) { $0 + $1.rows.count + $1.loaded } }
  }

  /// Every entry, oldest first.
  public func items() async throws(Problem) -> [Item] {
    let entries = try await repository.store.history(), undone = entries.undone
    let loads =
      entries.contains { $0.tables.contains(where: \.isLoad) } ? try await repository.store.undoableLoads() : []
    return entries.map { entry in
      let isKept = !entry.tables.contains(where: \.isLoad) || loads.contains(entry.id)
      let state: Item.State =
        !entry.undoes.isEmpty ? .undo : undone.contains(entry.id) ? .undone : isKept ? .undoable : .notKept
      return Item(entry: entry, state: state)
    }
  }

  /// Undoes the last commands that were not undone yet, the newest first.
  /// - Throws: as `undo`; `absent` if there are fewer: then nothing is undone.
  public func undo(last count: Int) async throws(Problem) -> [(title: String, time: String)] {
    let open = try await items().filter { $0.state == .undoable || $0.state == .notKept }
    let known = Set(open.map { $0.entry.command ?? $0.entry.id }).count
    guard known >= count || known == 0 else {
      throw Problem(
        .absent, "there are only \(known) commands to undo", hint: .run(.showHistory, "list the commands"))
    }
    var undone: [(title: String, time: String)] = []
    for _ in 0..<count { undone.append(try await undo()) }
    return undone
  }

  /// Undoes a whole command: the last one that was not undone yet, or the one that has the entry `number`.
  /// - Returns: what was undone: its title, and its time.
  /// - Throws: `absent` when there is nothing to undo, or what a load replaced is no longer kept; `busy` when a record
  ///   is no longer as the command left it.
  @discardableResult
  public func undo(_ number: Int? = nil) async throws(Problem) -> (title: String, time: String) {
    let items = try await items()
    let last =
      number.map { number in items.last { $0.entry.number == number } }
      ?? items.last { $0.state == .undoable || $0.state == .notKept }
    guard let last else {
      guard let number else { throw Problem(.absent, "nothing to undo", hint: .run(.showHistory, "list the commands")) }
      throw Problem(.absent, "no entry \(number) in the history", hint: .run(.showHistory, "list the entries"))
    }
    let command = Self.command(of: last, among: items)
    let title = Self.title(of: command), time = last.entry.time
    if last.state == .undone || last.state == .undo {
      throw Problem(.absent, "cannot undo “\(title)”: it \(last.state == .undo ? "is an undo" : "was undone")")
    }
    if let load = command.first(where: { $0.state == .notKept }) {
      throw Problem(
        .absent, "cannot undo “\(load.entry.title)” of \(time): the rows that it replaced are no longer kept",
        hint: .run(.showHistory, "undo an earlier command by its number, which is listed"))
    }
    try await reverse(
      command.map(\.entry), StoreUndo(command.map(\.entry.id), title: "undo: \(title)", time: repository.now))
    return (title, time)
  }

  /// Makes the change of the last undo again, unless another command came after it; again: that of the undo before.
  /// - Returns: the title of the command that is in effect again.
  /// - Throws: `absent` when there is nothing to redo; `busy` when a record is no longer as the undo left it.
  public func redo() async throws(Problem) -> String {
    let entries = try await repository.store.history(), undone = entries.undone
    // Those that redo others are passed over.
    let undoing = Set(entries.filter { !$0.undoes.isEmpty }.map(\.id))
    let last = entries.last { !undone.contains($0.id) && ($0.undoes.isEmpty || !undoing.isSuperset(of: $0.undoes)) }
    guard let last, !last.undoes.isEmpty else { throw Problem(.absent, "nothing to redo") }
    let title = last.title.hasPrefix("undo: ") ? String(last.title.dropFirst(6)) : last.title
    do throws(Problem) {
      try await reverse([last], StoreUndo([last.id], title: "redo: \(title)", time: repository.now))
    } catch {
      guard error.kind == .absent, last.tables.contains(where: \.isLoad) else { throw error }
      throw Problem(
        .absent, "cannot redo “\(title)”: the rows are no longer kept", hint: .run(.sync, "load them again"))
    }
    return title
  }

  /// Reverses entries, with errors that say what they are about.
  private func reverse(_ entries: [HistoryEntry], _ undo: StoreUndo) async throws(Problem) {
    do throws(Problem) {
      try await repository.store.undo(undo)
    } catch {
      if error.kind == .io, let last = try? await repository.store.history().last, last.title == undo.title,
        last.time == undo.time, Set(last.undoes) == Set(undo.entries)
      {
        throw error.afterSaving()
      }
      guard error.kind == .busy else { throw error }
      let changed = try await changedSince(entries)
      let title = undo.title.replacing(": ", with: " “", maxReplacements: 1)
      throw Problem(
        .busy, "cannot \(title)”: \(changed ?? error.message)", at: changed == nil ? error.place : "",
        hint: "edit it yourself, or use trash restore")
    }
  }

  /// The entries of the command that `item` belongs to, those that were undone aside.
  private static func command(of item: Item, among items: [Item]) -> [Item] {
    guard let command = item.entry.command else { return [item] }
    let open = items.filter { $0.entry.command == command && ($0.state == .undoable || $0.state == .notKept) }
    // A table that the command loaded and changed is undone step by step.
    let loaded = open.flatMap { $0.entry.tables.filter(\.isLoad).map(\.schema.name) }
    let changed = Set(open.flatMap { $0.entry.tables.filter { !$0.isLoad }.map(\.schema.name) })
    let isOneStep = Set(loaded).count == loaded.count && changed.isDisjoint(with: loaded)
    return isOneStep && open.contains { $0.entry.id == item.entry.id } ? open : [item]
  }

  /// `sync characters, episodes` of two entries; of entries that do different things, what the last one does.
  public static func title(of command: [Item]) -> String {
    let titles = command.map { $0.entry.title.split(at: " ", maxSplits: 1) }
    guard titles.count > 1, let verb = titles.first?.first, titles.allSatisfy({ $0.count == 2 && $0[0] == verb }) else {
      return command.last?.entry.title ?? ""
    }
    var objects: [String] = []
    for title in titles where !objects.contains(String(title[1])) { objects.append(String(title[1])) }
    return "\(verb) \(objects.joined(separator: ", "))"
  }

  /// The label of the first record that changed since the entries; nil if none did.
  private func changedSince(_ entries: [HistoryEntry]) async throws(Problem) -> String? {
    for table in entries.flatMap(\.tables) {
      for row in table.rows {
        guard let values = row.after ?? row.before else { continue }
        let record = Record(table.schema, values)
        let now = try await repository.record(of: table.schema, key: record.key)?.fitted(to: table.schema)
        if now?.values != row.after { return "\(record.label) was changed since" }
      }
    }
    return nil
  }
}

extension Record {
  /// The name for users: the episode, the name, else the key.
  public var label: String {
    if let key = EpisodeKey(of: self) { return "the \(singular) on \(key.text)" }
    return "the \(singular) \(text("name") ?? keyText)"
  }
  /// `note` for a record of notes.
  private var singular: String { schema.name.hasSuffix("s") ? String(schema.name.dropLast()) : schema.name }

  /// The columns of another schema of the same table, null where there is none.
  func fitted(to other: Schema) -> Record {
    Record(other, other.columns.map { self[$0.name] })
  }
}
