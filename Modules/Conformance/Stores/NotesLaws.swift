import Codecs
import Domain
import Query
import Rows

/// One thing that holds for personal notes, whatever storage they are in.
public struct NotesLaw: Sendable, CustomStringConvertible {
  /// The law as a sentence.
  public let description: String
  private let body: @Sendable (NotesUnderLaw) async throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (NotesUnderLaw) async throws -> Void) {
    self.description = description
    self.body = body
  }

  /// Throws where the law does not hold.
  public func check(_ fixture: StoreFixture) async throws {
    try await body(NotesUnderLaw(law: description, open: fixture.make()))
  }

  /// Every law.
  public static let all: [NotesLaw] = [
    NotesLaw("an episode has one note, which is found by its whole key") { notes in
      for (position, key) in NotesUnderLaw.keys.enumerated() { try await notes.write("note \(position)", on: key) }
      for (position, key) in NotesUnderLaw.keys.enumerated() {
        try await notes.require(notes.text(on: key) == "note \(position)", "\(key.text) has another note")
      }
      try await notes.write("changed", on: NotesUnderLaw.keys[2])
      let count = try await notes.all().count
      try notes.require(count == NotesUnderLaw.keys.count, "\(count) notes")
    },
    NotesLaw("the same text written again writes nothing") { notes in
      let key = NotesUnderLaw.keys[0]
      let mark = notes.repository.store.capabilities.contains(.holdsNUL) ? "\u{0}" : "\u{1}"
      let text = "one\(mark)two é e\u{301} \u{1F9EA}"
      try await notes.write(text, on: key)
      let before = try await notes.repository.store.history()
      let isChanged = try await notes.write(text + "\r\n\n", on: key)
      try notes.require(!isChanged, "the same text is a change")
      try await notes.require(notes.repository.store.history() == before, "the history has grown")
    },
    NotesLaw("of two who have read a note the second to write is refused, and the first one's text stays") { notes in
      let key = NotesUnderLaw.keys[1]
      try await notes.write("both have read", on: key)
      let read = try await notes.notebook.note(on: key)
      _ = try await notes.notebook.write(Array("first".utf8), on: key, over: read, "edit")
      try await notes.refuses(.busy) {
        _ = try await notes.notebook.write(Array("second".utf8), on: key, over: read, "edit")
      }
      try await notes.require(notes.text(on: key) == "first", "the first text was lost")
      // The same where there was no note.
      try await notes.refuses(.busy) {
        _ = try await notes.notebook.write(Array("new".utf8), on: key, over: nil, "add")
      }
    },
    NotesLaw("notes come in order of production, season and episode as numbers") { notes in
      for key in NotesUnderLaw.keys.reversed() { try await notes.write("x", on: key) }
      let found = try await notes.all().compactMap(EpisodeKey.init(of:))
      try notes.require(found == NotesUnderLaw.keys, "\(found.map(\.text))")
    },
    NotesLaw("a search matches prefixes of words, ignoring case and accents") { notes in
      try await notes.write("Señor Ångström", on: NotesUnderLaw.keys[0])
      try await notes.write("nothing", on: NotesUnderLaw.keys[1])
      for query in ["senor", "ANGST", "señ angst", "Angström"] {
        var selection = Selection()
        selection.search = query
        let found = try await notes.repository.records(of: Catalog.notes, selection)
        try notes.require(found.count == 1, "“\(query)” finds \(found.count)")
      }
    },
    NotesLaw("undo takes a command on several records back whole, with their times") { notes in
      for key in NotesUnderLaw.keys { try await notes.write("x", on: key) }
      let before = try await notes.all()
      try await notes.repository.change("delete", before.prefix(3).map { RecordRepository.Edit(from: $0, to: nil) })
      let undone = try await notes.history.undo()
      try notes.require(undone.title == "delete", "undid \(undone.title)")
      try await notes.require(notes.all() == before, "the notes are not as before")
    },
    NotesLaw("undo refuses when a record is no longer as the command left it, and changes nothing") { notes in
      for key in NotesUnderLaw.keys.prefix(2) { try await notes.write("x", on: key) }
      let left = try await notes.all()
      try await notes.repository.change("delete", left.map { RecordRepository.Edit(from: $0, to: nil) })
      // Another program adds one of the records without an entry of the history.
      var other = left[0]
      other[.text] = "another text"
      var builder = RowBatchBuilder(width: other.schema.width)
      for value in other.values { builder.append(value: value) }
      var load = TableLoad("", time: "", other.schema, BufferedRows(schema: other.schema, batches: [builder.finish()]))
      load.isRemembered = false
      try await notes.repository.store.load(load)
      try await notes.refuses(.busy) { _ = try await notes.history.undo() }
      try await notes.require(notes.all() == [other], "the refused undo has changed something")
    },
    NotesLaw("what was deleted is in the trash as it was, until it is there again") { notes in
      let trash = DeletedRecords(notes.repository)
      for key in NotesUnderLaw.keys { try await notes.write("kept \(key.text)", on: key) }
      let before = try await notes.all()
      try await notes.repository.change("delete", before.suffix(2).map { RecordRepository.Edit(from: $0, to: nil) })
      let items = try await trash.items()
      try notes.require(
        items.map(\.record.values) == before.suffix(2).map(\.values), "the trash has \(items.count) others")
      try await trash.restore([items[0]])
      try await notes.write("another", on: NotesUnderLaw.keys[NotesUnderLaw.keys.count - 1])
      try await notes.require(trash.items().isEmpty, "a restored record is still in the trash")
      try await notes.refuses(.busy) { try await trash.restore([items[1]]) }
      try await notes.require(notes.all().dropLast() == before.dropLast(), "what was restored is not as it was")
    },
  ]
}

/// Notes with the questions that laws ask.
struct NotesUnderLaw: Sendable {
  /// In their order; as text 10 would come before 9.
  static let keys = [
    EpisodeKey("Better Call Saul", season: 1, episode: 2), EpisodeKey("Breaking Bad", season: 1, episode: 2),
    EpisodeKey("Breaking Bad", season: 5, episode: 9), EpisodeKey("Breaking Bad", season: 5, episode: 10),
    EpisodeKey("Breaking Bad", season: 10, episode: 1),
  ]

  let law: String
  let repository: RecordRepository
  var notebook: NoteRepository { NoteRepository(repository) }
  var history: UndoHistory { UndoHistory(repository) }

  /// Opens the store; its files are deleted with the fixture.
  private let open: @Sendable () -> any RecordStore

  init(law: String, open: @escaping @Sendable () -> any RecordStore) {
    self.law = law
    self.open = open
    repository = RecordRepository(open(), clock: StoppedClock())
  }

  @discardableResult
  func write(_ text: String, on key: EpisodeKey) async throws -> Bool {
    try await notebook.write(Array(text.utf8), on: key, over: try await notebook.note(on: key), "write \(key.text)")
  }
  func text(on key: EpisodeKey) async throws -> String? { try await notebook.note(on: key)?[.text] }
  func all() async throws -> [Record] { try await repository.records(of: Catalog.notes) }

  func require(_ holds: Bool, _ what: String) throws {
    if !holds { throw Problem(.bug, "\(law): \(what)") }
  }
  func refuses(_ kind: Problem.Kind, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let problem as Problem where problem.kind == kind { return }
    throw Problem(.bug, "\(law): nothing was refused")
  }
}

private struct StoppedClock: WallClock {
  func now() -> Instant { Instant(seconds: 1_384_000_000) }
}
