import Codecs
import CommandLineKit
import Domain
import Query
import Rows

/// Lists and shows notes.
enum NoteListing {
  /// What people see of a note in a list.
  private static let columns = ["production", "season", "episode", "text", "updated_at"]

  static func list(_ desk: Desk) async throws(Problem) { try await list(desk, search: nil) }

  static func search(_ desk: Desk) async throws(Problem) {
    let text = desk.arguments[0]
    guard !Words.folded(text).isEmpty else {
      throw Problem(.usage, "“\(text)” contains no searchable word", hint: "search words consist of letters and digits")
    }
    try await list(desk, search: text)
  }

  private static func list(_ desk: Desk, search: String?) async throws(Problem) {
    var selection = try Listing.selection(desk.invocation)
    selection.search = search
    selection.conditions += try EpisodeListing.conditions(desk)
    let rows = try await desk.book().rows(of: Catalog.notes, selection)
    let count = try await Listing(desk, kind: "notes", columns: columns).write(rows, selection)
    if count == 0, let production = desk[Options.production] { tellUnknown(production, desk) }
  }

  /// Says that a show of which nothing is listed is none of those that bb knows; there may be others.
  private static func tellUnknown(_ production: String, _ desk: Desk) {
    let names = Shorthand.productions.flatMap { [$0.name, $0.short] }
    guard !names.contains(EpisodeKey.production(production)) else { return }
    let near = Nearest.word(to: production, among: names).map { "; did you mean \($0)?" } ?? ""
    desk.say("no notes for “\(production)”\(near)")
  }

  static func show(_ desk: Desk) async throws(Problem) {
    let key = try EpisodeArguments.one(desk)
    let book = try desk.book()
    let note = try await Notebook(book).existingNote(on: key)
    if [Options.format, Options.json, Options.plain].contains(where: desk.has) {
      return try await Listing(desk, kind: "notes", columns: ["text"]).write([note], of: note.schema)
    }
    let title = try await desk.knownTitle(of: key, book).map { " “\($0)”" } ?? ""
    let created = note.text("created_at") ?? "", updated = note.text("updated_at") ?? ""
    let changed = created == updated ? "" : ", updated \(updated)"
    try await desk.page("\(key.text)\(title)\nadded \(created)\(changed)\n\n\(note.text("text") ?? "")\n")
  }
}

extension Desk {
  /// The episode's title, as the storage or what is built in has it; the API is not asked.
  fileprivate func knownTitle(of key: EpisodeKey, _ book: RecordBook) async throws(Problem) -> String? {
    let choices = EpisodeChoices(book, builtIn: environment.builtIn) { (_) throws(Problem) in nil }
    return try await choices.choice(key)?.title
  }

  /// Writes text to standard output, nothing in it that drives a terminal.
  func page(_ text: String) async throws(Problem) {
    let output = try environment.standardOutput()
    var buffer = ByteBuffer(capacity: 4096)
    buffer.append(Terminal.safe(text))
    try await output.write(buffer)
    try await output.commit()
  }
}
