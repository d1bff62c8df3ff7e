import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// The names of the records of the store, and tags of notes, for completion.
enum RecordNames {
  /// The most names that are offered.
  private static let limit = 1000

  /// The keys of notes, or the names of places, actors or movies, as the command requires.
  static func completions(
    _ kind: String, _ point: CompletionPoint, _ services: AppServices
  ) async throws(Problem) -> [Completion] {
    let invocation = point.invocation
    if kind == "tag" { return try await tags(point, services) }
    guard invocation.arguments.isEmpty || ["delete", "resolve"].contains(invocation.path.last ?? "") else { return [] }
    guard let store = try CompletionValues.store(point, services) else { return [] }
    let schema = Catalog.all.first { $0.name == invocation.path.first } ?? Catalog.notes
    let repository = RecordRepository(store, clock: services.clock)
    if invocation.path.last == "resolve" {
      let ledger = try await TrackerLedger(repository)
      let keys = ledger.questions.prefix(limit).map {
        Completion("q\(ledger.number(of: $0))", $0.text("name") ?? $0.text("reason") ?? "")
      }
      return invocation.arguments.isEmpty ? keys : keys + CompletionValues.titles(ledger.names)
    }
    var selection = Selection()
    selection.limit = limit
    let records = try await repository.records(of: schema, selection)
    let names = try await TitleNames(from: repository.store)
    return records.compactMap { (record) in
      guard schema == Catalog.notes else {
        return record.text("name").map { Completion($0, record.text("city") ?? "") }
      }
      guard let key = EpisodeKey(of: record) else { return nil }
      let isUsual = key.production == TitleNames.usual
      return Completion(
        isUsual ? key.short : names.printed(key), record.text("text").map { String($0.prefix(40)) } ?? "")
    }
  }

  private static func tags(_ point: CompletionPoint, _ services: AppServices) async throws(Problem) -> [Completion] {
    guard let store = try CompletionValues.store(point, services) else { return [] }
    let notes = try await RecordRepository(store, clock: services.clock).records(of: Catalog.notes)
    return Set(notes.flatMap { NoteTags.tags(in: $0.text("text") ?? "") }).sorted().map { Completion($0) }
  }
}
