import AppShell
import CommandLineKit
import Domain
import Rows

/// Adds, changes and deletes notes.
enum NoteWriting {
  static func add(_ context: CommandContext) async throws(Problem) {
    let repository = try context.repository(makes: true), choices = try context.choices(repository)
    let (named, rest) = try await EpisodeArguments.read(context, wholeTitle: true)
    var text = try text(rest, context)
    let key: EpisodeKey
    if let named {
      let isKnown = try await keeping(text, on: named, context) { () throws(Problem) in
        try await choices.holds(
          named, try await context.titleNames(repository), refresh: context.has(NotesCommands.refresh))
      }
      guard isKnown || context.has(NotesCommands.force) else {
        throw try await choices.unknown(named, try await context.titleNames(repository))
      }
      key = named
    } else {
      guard context.services.terminal.isInteractive else { throw EpisodeArguments.missing }
      guard let picked = try await EpisodePicker(context, repository).pick() else {
        return context.say("no episode selected")
      }
      key = picked
    }
    let notebook = NoteRepository(repository)
    let note = try await keeping(text, on: key, context) { () throws(Problem) in try await notebook.note(on: key) }
    if let note, !context.has(NotesCommands.append), !context.has(NotesCommands.replace) {
      return try await open(note, on: key, adding: text, notebook, context)
    }
    if text == nil {
      guard context.services.terminal.isInteractive else {
        throw Problem(.usage, "missing argument TEXT", hint: "pass the text after the key, or - to read standard input")
      }
      text = try await edited([], on: key, context)
    }
    guard let text else { return }
    try await write(text, on: key, notebook, context, appends: context.has(NotesCommands.append))
  }

  static func edit(_ context: CommandContext) async throws(Problem) {
    let notebook = NoteRepository(try context.repository())
    let isNamed = !context.arguments.isEmpty || context.has(Options.season) || context.has(Options.episode)
    let key: EpisodeKey
    if isNamed || !context.services.terminal.isInteractive {
      let (named, rest) = try await EpisodeArguments.read(context)
      guard let named else { throw EpisodeArguments.missing }
      key = named
      if !rest.isEmpty {
        let note = try await notebook.existingNote(on: key)
        let isChanged = try await notebook.write(
          Array(rest.joined(separator: " ").utf8), on: key, over: note, "edit \(key.text)")
        return context.say(isChanged ? "updated \(key.text)" : "\(key.text): no changes")
      }
    } else {
      guard let picked = try await pickNote(notebook, context) else { return context.say("no note selected") }
      key = picked
    }
    try await open(try await notebook.existingNote(on: key), on: key, adding: nil, notebook, context, asks: false)
  }

  /// Lets the user choose one of the notes; nil if none is chosen.
  private static func pickNote(_ notebook: NoteRepository, _ context: CommandContext) async throws(Problem)
    -> EpisodeKey?
  {
    let usual = try EpisodeArguments.production(context, try await context.titleNames(notebook.repository))
    var notes: [(key: EpisodeKey, text: String)] = []
    for note in try await notebook.repository.records(of: Catalog.notes) {
      guard let key = EpisodeKey(of: note) else { continue }
      if key.production == usual || !context.has(SharedOptions.production) { notes.append((key, note[.text] ?? "")) }
    }
    // The default show first, as in the list of seasons.
    notes = notes.filter { $0.key.production == usual } + notes.filter { $0.key.production != usual }
    guard !notes.isEmpty else {
      let show = context.has(SharedOptions.production) ? " for \(usual)" : ""
      throw Problem(.absent, "no notes\(show) yet", hint: "add one: bb-notes add S05E14")
    }
    let titles = try await context.knownTitles(notebook.repository)
    let labels = notes.map { key, text in
      let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      return key.text + (titles[key].map { " “\($0)”" } ?? "") + "  \(line.prefix(60))"
    }
    return try context.services.terminal.dialog.choose("Which note?", among: labels).map { notes[$0].key }
  }

  /// The assignments of texts, and those of `--unset`.
  static func assignments(_ texts: [String], _ context: CommandContext) throws(Problem) -> [Assignment] {
    var assignments: [Assignment] = []
    for text in texts { assignments.append(try Assignment(parsing: text)) }
    assignments += context.invocation.all(NotesCommands.unset).map(Assignment.init(unset:))
    guard !assignments.isEmpty else { throw Problem(.usage, "nothing to set", hint: "use COLUMN=VALUE") }
    return assignments
  }

  static func set(_ context: CommandContext) async throws(Problem) {
    if let table = TableRecords.table(context) { return try await TableRecords.set(table, context) }
    let (key, rest) = try await EpisodeArguments.read(context)
    guard let key else { throw EpisodeArguments.missing }
    let assignments = try assignments(rest, context)
    let notebook = NoteRepository(try context.repository())
    let note = try await notebook.existingNote(on: key)
    var after = note
    for assignment in assignments { after = try assignment.applied(to: after, today: context.today) }
    if case .text(let text) = after["text"] { after["text"] = .text(try NoteText.checked(text)) }
    guard after != note else { return context.say("\(key.text): no changes") }
    after[.updatedAt] = notebook.repository.now
    try await notebook.repository.change("set \(key.text)", [RecordRepository.Edit(from: note, to: after)])
    context.say("updated \(key.text)")
  }

  static func delete(_ context: CommandContext) async throws(Problem) {
    if let table = TableRecords.table(context) { return try await TableRecords.delete(table, context) }
    var keys: [EpisodeKey] = []
    if context[Options.season] != nil || context[Options.episode] != nil {
      keys = [try await EpisodeArguments.one(context)]
    } else {
      let names = try await context.titleNames(try context.repository())
      for text in context.arguments {
        let key = try await EpisodeArguments.key(text, context, names)
        if !keys.contains(key) { keys.append(key) }
      }
    }
    guard !keys.isEmpty else { throw EpisodeArguments.missing }
    let notebook = NoteRepository(try context.repository())
    var edits: [RecordRepository.Edit] = []
    for key in keys { edits.append(RecordRepository.Edit(from: try await notebook.existingNote(on: key), to: nil)) }
    let names = keys.map(\.text).joined(separator: ", ")
    guard try context.confirms("delete the note\(keys.count == 1 ? "" : "s") for \(names)") else {
      return context.say("nothing deleted")
    }
    try await notebook.repository.change("delete \(names)", edits)
    context.say("deleted \(names); to restore \(keys.count == 1 ? "it" : "them"), run bb-notes undo")
  }

  /// Opens the note that is there in the editor; without a terminal says what to do instead.
  private static func open(
    _ note: Record, on key: EpisodeKey, adding text: [UInt8]?, _ notebook: NoteRepository, _ context: CommandContext,
    asks: Bool = true
  ) async throws(Problem) {
    if asks, !context.services.terminal.isInteractive {
      let shown = try await context.titleNames(notebook.repository).argument(key)
      throw Problem(
        .cannotCreate, "\(key.text) already has a note",
        hint: "use --append or --replace, or run bb-notes edit \(shown)")
    }
    guard case .text(let saved) = note["text"] else { throw Problem(.bug, "the note is empty") }
    let start = text.map { saved + [10] + $0 } ?? saved
    let editing = try context.editing()
    switch try await editing.edit(start, saved: saved, about: key.text) {
    case .unchanged(let why): context.say("\(key.text): not changed: \(why)")
    case .changed(let edited, let draft):
      try await editing.saving(edited, draft: draft, about: key.text) { () throws(Problem) in
        try await notebook.write(edited, on: key, over: note, "edit \(key.text)")
      }
      context.say("updated \(key.text)")
    }
  }

  /// Does something a text depends on; when that fails the text is kept as a draft.
  private static func keeping<Result>(
    _ text: [UInt8]?, on key: EpisodeKey, _ context: CommandContext, _ body: () async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    guard let text else { return try await body() }
    return try await context.editing().saving(text, about: key.text, body)
  }

  /// The text of a new note, from the editor; nil when there is none to be.
  private static func edited(_ text: [UInt8], on key: EpisodeKey, _ context: CommandContext) async throws(Problem)
    -> [UInt8]?
  {
    switch try await context.editing().edit(text, about: key.text) {
    case .changed(let edited, let draft):
      // It is saved at once, and kept again if that fails.
      context.services.drafts.remove(draft)
      return edited
    case .unchanged(let why):
      context.say("\(key.text): no note added: \(why)")
      return nil
    }
  }

  /// Replaces the current text, or appends to it.
  private static func write(
    _ text: [UInt8], on key: EpisodeKey, _ notebook: NoteRepository, _ context: CommandContext, appends: Bool
  ) async throws(Problem) {
    let text = try NoteText.checked(text)
    try await context.editing().saving(text, about: key.text) { () throws(Problem) in
      var tries = 0
      while true {
        let before = try await notebook.note(on: key)
        do throws(Problem) {
          guard let before else {
            try await notebook.write(text, on: key, over: nil, "add \(key.text)")
            return context.say("added \(key.text)")
          }
          guard case .text(let saved) = before["text"] else { throw Problem(.bug, "the note is empty") }
          let isChanged = try await notebook.write(
            appends ? saved + [10] + text : text, on: key, over: before, "add \(key.text)")
          return context.say(isChanged ? "updated \(key.text)" : "\(key.text): no changes")
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
  private static func text(_ words: [String], _ context: CommandContext) throws(Problem) -> [UInt8]? {
    let message = context[NotesCommands.message]
    if message != nil, let word = words.first {
      throw Problem(.usage, "-m cannot be used together with the text “\(word)”", hint: "give one of them")
    }
    let tags = context.invocation.all(NotesCommands.addTag)
    guard message != nil || !words.isEmpty else {
      return tags.isEmpty ? nil : Array(try NoteTags.adding(tags, to: "").utf8)
    }
    let said = message ?? words.joined(separator: " ")
    let text = try NoteText.checked(words == ["-"] ? try context.services.terminal.input() : Array(said.utf8))
    return tags.isEmpty ? text : Array(try NoteTags.adding(tags, to: String(decoding: text, as: UTF8.self)).utf8)
  }
}

extension CommandContext {
  func choices(_ repository: RecordRepository) throws(Problem) -> EpisodeChoices {
    let options = try APIOptions(invocation), sources = services.sources
    return EpisodeChoices(repository, builtIn: sources.snapshot) { (freshness) async throws(Problem) in
      try await sources.currentEpisodes(freshness, options)
    }
  }
  func editing() throws(Problem) -> TextEditing { TextEditing(try services.terminal.editor(), services.drafts) }
}
