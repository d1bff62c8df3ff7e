import Query
public import Rows

/// Dangling references of personal records: those to unknown titles and episodes, and favourites of deleted records.
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
  public func findings() async throws(Problem) -> [Finding] { try await episodes() + favourites() }

  /// Notes, plays, ratings and lists of episodes that a show does not have, as far as its episodes are known.
  private func episodes() async throws(Problem) -> [Finding] {
    let known = Set(try await choices.all().map(\.key)), shows = Set(known.map(\.production))
    let names = try await TitleNames(from: repository.store)
    var findings: [Finding] = []
    for schema in [Catalog.notes, Catalog.watches, Catalog.ratings, Catalog.lists] {
      for record in try await repository.records(of: schema) {
        let title = record.text("production") ?? record.text("title") ?? ""
        let key = EpisodeKey(
          title, season: Int(record.integer("season") ?? 0), episode: Int(record.integer("episode") ?? 0))
        if known.contains(key) { continue }
        if names[title] == nil {
          findings.append(Finding(dataset: schema.name, key: record.keyText, what: "unknown title \(title)"))
        } else if shows.contains(title), schema == Catalog.notes || key.episode > 0 {
          findings.append(Finding(dataset: schema.name, key: record.keyText, what: "unknown episode \(key.text)"))
        }
      }
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
