import Query
public import Rows

/// Dangling references of personal records: notes on unknown episodes, favourites of deleted records.
public struct DanglingReferences: Sendable {
  private let repository: RecordRepository
  private let choices: EpisodeChoices

  /// One such record.
  public struct Finding: Sendable, Hashable {
    /// The dataset it is in, and its key.
    public let dataset: String, key: String
    /// A description of the problem.
    public let what: String
  }

  /// Looks at the records of `repository`; `choices` are the episodes that are known.
  public init(_ repository: RecordRepository, _ choices: EpisodeChoices) {
    self.repository = repository
    self.choices = choices
  }

  /// The findings, in order of dataset and key.
  public func findings() async throws(Problem) -> [Finding] { try await notes() + favourites() }

  private func notes() async throws(Problem) -> [Finding] {
    let known = Set(try await choices.all().map(\.key))
    var findings: [Finding] = []
    for note in try await repository.records(of: Catalog.notes) {
      guard let key = EpisodeKey(of: note), !known.contains(key) else { continue }
      findings.append(Finding(dataset: "notes", key: note.keyText, what: "unknown episode \(key.text)"))
    }
    return findings
  }

  /// Checks favourites of datasets that the store contains; others cannot be checked.
  private func favourites() async throws(Problem) -> [Finding] {
    var wanted: [String: [Record]] = [:]
    for favourite in try await repository.records(of: Catalog.favourites) {
      if let dataset = favourite[.dataset] { wanted[dataset, default: []].append(favourite) }
    }
    let stored = Set(try await repository.store.tables().map(\.name))
    var findings: [Finding] = []
    for (dataset, favourites) in wanted.sorted(by: { $0.key < $1.key }) where stored.contains(dataset) {
      guard let schema = Catalog.all.first(where: { $0.name == dataset }) else { continue }
      let keys = Set(try await repository.records(of: schema).map(\.keyText))
      for favourite in favourites where !keys.contains(favourite[.recordKey] ?? "") {
        findings.append(
          Finding(dataset: "favourites", key: favourite.keyText, what: "no such record in \(dataset)"))
      }
    }
    return findings
  }
}
