import AppShell
import CommandLineKit
import Domain
import Rows

/// Adds, changes and deletes notes.
enum NoteWriting {
  static func add(_ desk: Desk) async throws(Problem) {
    let book = try desk.book(makes: true), choices = desk.choices(book)
    let (named, rest) = try EpisodeArguments.read(desk)
    var text = try text(rest, desk)
    let key: EpisodeKey
    if let named {
      let isKnown = try await keeping(text, on: named, desk) { () throws(Problem) in
        try await choices.choice(named, refresh: desk.has(NotesCommands.refresh)) != nil
      }
      guard isKnown else { throw try await choices.unknown(named) }
      key = named
    } else {
      guard desk.services.terminal.isInteractive else { throw EpisodeArguments.missing }
      guard let picked = try await EpisodePicker(desk, book).pick() else { return desk.say("no episode selected") }
      key = picked
    }
    let notebook = Notebook(book)
    let note = try await keeping(text, on: key, desk) { () throws(Problem) in try await notebook.note(on: key) }
    if let note, !desk.has(NotesCommands.append), !desk.has(NotesCommands.replace) {
      return try await open(note, on: key, adding: text, notebook, desk)
    }
    if text == nil {
      guard desk.services.terminal.isInteractive else {
        throw Problem(.usage, "missing argument TEXT", hint: "pass the text after the key, or - to read standard input")
      }
      text = try await edited([], on: key, desk)
    }
    guard let text else { return }
    try await write(text, on: key, notebook, desk, appends: desk.has(NotesCommands.append))
  }

  static func edit(_ desk: Desk) async throws(Problem) {
    let notebook = Notebook(try desk.book())
    let isNamed = !desk.arguments.isEmpty || desk.has(Options.season) || desk.has(Options.episode)
    let key: EpisodeKey
    if isNamed || !desk.services.terminal.isInteractive {
      key = try EpisodeArguments.one(desk)
    } else {
      guard let picked = try await pickNote(notebook, desk) else { return desk.say("no note selected") }
      key = picked
    }
    try await open(try await notebook.existingNote(on: key), on: key, adding: nil, notebook, desk, asks: false)
  }

  /// Lets the user choose one of the notes; nil if none is chosen.
  private static func pickNote(_ notebook: Notebook, _ desk: Desk) async throws(Problem) -> EpisodeKey? {
    let notes = try await notebook.book.records(of: Catalog.notes)
    guard !notes.isEmpty else { throw Problem(.absent, "no notes yet", hint: "add one: bb-notes add S05E14") }
    let labels = notes.map { note in
      let line = (note.text("text") ?? "").split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      return "\(EpisodeKey(of: note)?.text ?? note.keyText)  \(line.prefix(60))"
    }
    return try desk.services.terminal.dialog.choose("Which note?", among: labels).flatMap { EpisodeKey(of: notes[$0]) }
  }

  static func set(_ desk: Desk) async throws(Problem) {
    let (key, rest) = try EpisodeArguments.read(desk)
    guard let key else { throw EpisodeArguments.missing }
    var assignments: [Assignment] = []
    for text in rest { assignments.append(try Assignment(parsing: text)) }
    assignments += desk.invocation.all(NotesCommands.unset).map(Assignment.init(unset:))
    guard !assignments.isEmpty else { throw Problem(.usage, "nothing to set", hint: "use COLUMN=VALUE") }
    let notebook = Notebook(try desk.book())
    let note = try await notebook.existingNote(on: key)
    var after = note
    for assignment in assignments { after = try assignment.applied(to: after, today: desk.today) }
    if case .text(let text) = after["text"] { after["text"] = .text(try NoteText.checked(text)) }
    guard after != note else { return desk.say("\(key.text): no changes") }
    after["updated_at"] = .text(notebook.book.now)
    try await notebook.book.change("set \(key.text)", [RecordBook.Edit(from: note, to: after)])
    desk.say("updated \(key.text)")
  }

  static func delete(_ desk: Desk) async throws(Problem) {
    var keys: [EpisodeKey] = []
    if desk[Options.season] != nil || desk[Options.episode] != nil {
      keys = [try EpisodeArguments.one(desk)]
    } else {
      let production = try EpisodeArguments.production(desk)
      for text in desk.arguments {
        let key = try EpisodeKey(parsing: text, production: production)
        if !keys.contains(key) { keys.append(key) }
      }
    }
    guard !keys.isEmpty else { throw EpisodeArguments.missing }
    let notebook = Notebook(try desk.book())
    var edits: [RecordBook.Edit] = []
    for key in keys { edits.append(RecordBook.Edit(from: try await notebook.existingNote(on: key), to: nil)) }
    let names = keys.map(\.text).joined(separator: ", ")
    guard try desk.confirms("delete the note\(keys.count == 1 ? "" : "s") for \(names)") else {
      return desk.say("nothing deleted")
    }
    try await notebook.book.change("delete \(names)", edits)
    desk.say("deleted \(names); to restore \(keys.count == 1 ? "it" : "them"), run bb-notes undo")
  }

  /// Opens the note that is there in the editor; without a terminal says what to do instead.
  private static func open(
    _ note: StoredRecord, on key: EpisodeKey, adding text: [UInt8]?, _ notebook: Notebook, _ desk: Desk,
    asks: Bool = true
  ) async throws(Problem) {
    if asks, !desk.services.terminal.isInteractive {
      throw Problem(
        .cannotCreate, "\(key.text) already has a note",
        hint: "use --append or --replace, or run bb-notes edit \(key.argument)")
    }
    guard case .text(let saved) = note["text"] else { throw Problem(.bug, "the note is empty") }
    let start = text.map { saved + [10] + $0 } ?? saved
    let editing = try desk.editing()
    switch try await editing.edit(start, saved: saved, about: key.text) {
    case .unchanged(let why): desk.say("\(key.text): not changed: \(why)")
    case .changed(let edited, let draft):
      try await editing.saving(edited, draft: draft, about: key.text) { () throws(Problem) in
        try await notebook.write(edited, on: key, over: note, "edit \(key.text)")
      }
      desk.say("updated \(key.text)")
    }
  }

  /// Does something a text depends on; when that fails the text is kept as a draft.
  private static func keeping<Result>(
    _ text: [UInt8]?, on key: EpisodeKey, _ desk: Desk, _ body: () async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    guard let text else { return try await body() }
    return try await desk.editing().saving(text, about: key.text, body)
  }

  /// The text of a new note, from the editor; nil when there is none to be.
  private static func edited(_ text: [UInt8], on key: EpisodeKey, _ desk: Desk) async throws(Problem) -> [UInt8]? {
    switch try await desk.editing().edit(text, about: key.text) {
    case .changed(let edited, let draft):
      // It is saved at once, and kept again if that fails.
      desk.services.drafts.remove(draft)
      return edited
    case .unchanged(let why):
      desk.say("\(key.text): no note added: \(why)")
      return nil
    }
  }

  /// Replaces the current text, or appends to it.
  private static func write(
    _ text: [UInt8], on key: EpisodeKey, _ notebook: Notebook, _ desk: Desk, appends: Bool
  ) async throws(Problem) {
    let text = try NoteText.checked(text)
    try await desk.editing().saving(text, about: key.text) { () throws(Problem) in
      var tries = 0
      while true {
        let before = try await notebook.note(on: key)
        do throws(Problem) {
          guard let before else {
            try await notebook.write(text, on: key, over: nil, "add \(key.text)")
            return desk.say("added \(key.text)")
          }
          guard case .text(let saved) = before["text"] else { throw Problem(.bug, "the note is empty") }
          let isChanged = try await notebook.write(
            appends ? saved + [10] + text : text, on: key, over: before, "add \(key.text)")
          return desk.say(isChanged ? "updated \(key.text)" : "\(key.text): no changes")
        } catch {
          // Appended text fits any concurrent change; a store that stays locked is an error.
          tries += 1
          guard appends, error.kind == .busy, tries < 20, try await notebook.note(on: key) != before else {
            throw error
          }
        }
      }
    }
  }

  /// The text of `-m`, or of the words, with the tags; `-` reads standard input. Nil if there is none.
  private static func text(_ words: [String], _ desk: Desk) throws(Problem) -> [UInt8]? {
    let message = desk[NotesCommands.message]
    if message != nil, let word = words.first {
      throw Problem(.usage, "-m cannot be used together with the text “\(word)”", hint: "give one of them")
    }
    let tags = desk.invocation.all(NotesCommands.addTag)
    guard message != nil || !words.isEmpty else {
      return tags.isEmpty ? nil : Array(try NoteTags.adding(tags, to: "").utf8)
    }
    let said = message ?? words.joined(separator: " ")
    let text = try NoteText.checked(words == ["-"] ? try desk.services.terminal.input() : Array(said.utf8))
    return tags.isEmpty ? text : Array(try NoteTags.adding(tags, to: String(decoding: text, as: UTF8.self)).utf8)
  }
}

extension Desk {
  /// The episodes one can choose.
  func choices(_ book: RecordBook) -> EpisodeChoices {
    EpisodeChoices(book, builtIn: services.sources.snapshot, current: services.sources.currentEpisodes)
  }
  /// Editing in the user's editor.
  func editing() throws(Problem) -> TextEditing { TextEditing(try services.terminal.editor(), services.drafts) }
}
