import Codecs
import Query
public import Rows

/// The plays, ratings and lists of the user, to which rows of tracker files are added.
///
/// Nothing is guessed: a row that is not certain becomes a question.
public final class TrackerLedger {
  /// The outcome of a row: a record, a change of one, nothing, or a question.
  public enum Outcome: String, CaseIterable { case added, changed, same, questions }

  static let schemas = [
    Catalog.titles, Catalog.watches, Catalog.ratings, Catalog.lists, Catalog.notes, Catalog.questions, Catalog.imports,
    Catalog.episodes,
  ]
  private let repository: RecordRepository
  /// The records as they are stored, by dataset and key.
  private var before: [String: [String: Record]] = [:]
  /// The records as they are to be.
  var after: [String: [String: Record]] = [:]
  /// The titles that are known.
  public internal(set) var names = TitleNames.builtIn
  var titlesByID: [String: String] = [:], titlesByName: [String: Set<String>] = [:]
  private var plays: [String: String] = [:], playsAt: [EpisodeKey: [String]] = [:]
  /// The episodes by identifier, and by show and name.
  var episodesByID: [String: Set<EpisodeKey>] = [:], episodesByName: [[String]: Set<EpisodeKey>] = [:]
  /// The keys of questions, also of those that were answered.
  private(set) var asked: [String] = [], numbers: [String: Int64] = [:]
  private var lastNumber: Int64 = 0
  private var seen: [String: Int] = [:]
  /// The file of the rows that are added now, those that were read, and the questions that their rows asked.
  private var file = ""
  private(set) var filesRead: Set<[String]> = [], current: Set<String> = []
  /// The number of rows by dataset and outcome.
  public private(set) var counts: [TrackerRow.Target: [Outcome: Int]] = [:]

  /// The records of a store.
  public init(_ repository: RecordRepository) async throws(Problem) {
    self.repository = repository
    names = try await TitleNames(from: repository.store)
    for schema in Self.schemas {
      var records: [String: Record] = [:]
      for record in try await repository.records(of: schema) { records[record.keyText] = record }
      (before[schema.name], after[schema.name]) = (records, records)
    }
    for title in names.titles { enter(title) }
    for record in rows("watches").values.sorted(by: { $0.keyText < $1.keyText }) { enter(play: record) }
    let known = rows("questions").values.map { (number: $0.integer("number") ?? 0, key: $0.keyText) }
      .sorted { ($0.number, $0.key) < ($1.number, $1.key) }
    (asked, lastNumber) = (known.map(\.key), known.last?.number ?? 0)
    for (number, key) in known where !numbers.values.contains(number) { numbers[key] = number }
    // Clones of a store give the same number to different questions.
    for key in asked where numbers[key] == nil {
      lastNumber += 1
      numbers[key] = lastNumber
    }
    for record in rows("episodes").values {
      guard let key = EpisodeKey(of: record) else { continue }
      for id in record.list("ids") { episodesByID[id, default: []].insert(key) }
      episodesByName[[key.production, TrackerRow.folded(record.text("title"))], default: []].insert(key)
    }
  }

  /// The records of a dataset, by key.
  public func rows(_ dataset: String) -> [String: Record] { after[dataset] ?? [:] }
  private func record(_ dataset: String, _ key: [Value]) -> Record? { after[dataset]?[RecordKey.text(of: key)] }
  func put(_ record: Record) { after[record.schema.name]?[record.keyText] = record }

  func enter(_ title: Title) {
    for id in title.ids { titlesByID["\(title.kind.rawValue) \(id)"] = title.key }
    for name in [title.name] + title.aliases {
      titlesByName["\(title.kind.rawValue) \(TrackerRow.folded(name))", default: []].insert(title.key)
    }
  }

  func put(_ title: Title) {
    names.add(title)
    enter(title)
    var record = rows("titles")[RecordKey.text(of: [.text(title.key)])] ?? title.record
    for column in Catalog.titles.columns { record[column.name] = title.record[column.name] }
    put(record)
  }

  private func enter(play record: Record) {
    let id = record.text("id") ?? ""
    playsAt[EpisodeKey(inTitleOf: record), default: []].append(id)
    for other in record.list("ids") { plays[other] = id }
  }
  private func play(_ id: String) -> Record? { after["watches"]?[RecordKey.text(of: [.text(id)])] }

  // MARK: - Rows

  /// Begins with the rows that a rule reads from a file: equal rows are counted in each.
  public func begin(source: String, rule: String, file: String) {
    (seen, self.file) = ([:], file)
    filesRead.insert([source, rule, file])
  }

  private func numbered(_ key: String) -> String {
    let count = (seen[key] ?? 0) + 1
    seen[key] = count
    return count > 1 ? "\(key)#\(count)" : key
  }

  /// Adds a row.
  /// - Returns: why it is not certain; nil if it is.
  public func take(_ row: TrackerRow) -> String? {
    let prefix = "\(row.source):\(row.rule):"
    let mark = numbered(
      prefix
        + TrackerRow.digest(
          row.failure == nil ? row.fingerprintText + (row.ownText ?? "") : row.original))
    let base =
      row.identity.count == 1 && !row.identity[0].isEmpty
      ? row.identity[0] : TrackerRow.digest(row.identity.joined(separator: "\u{1F}"))
    let id = "\(row.source):\(numbered(base))"
    if let failure = row.failure { return ask(mark, row, id, TrackerQuestion(failure)) }
    do throws(TrackerQuestion) {
      if let fact = record("imports", [.text(mark)])?.text("fact") {
        // Later changes of the record are the user's.
        if row.isEachPlay, let play = play(plays[fact] ?? fact) { _ = numbered(EpisodeKey(inTitleOf: play).text) }
        count(.same, row)
        return nil
      }
      var rowsSoFar = 0, place: Place?
      if row.isEachPlay {
        // As many plays as rows at least. Asked again, a title that the row makes would be another one.
        let found = try address(of: row), address = found.address.text
        rowsSoFar = (seen[address] ?? 0) + 1
        seen[address] = rowsSoFar
        place = found
      }
      if record("questions", [.text(mark)])?.isTrue("dropped") == true {
        count(.same, row)
        return nil
      }
      count(try add(row, id, rowsSoFar, at: place), row)
      remember(mark, row, id)
      return nil
    } catch {
      return ask(mark, row, id, error)
    }
  }

  private func count(_ outcome: Outcome, _ row: TrackerRow) {
    counts[row.target, default: [:]][outcome, default: 0] += 1
  }

  func remember(_ mark: String, _ row: TrackerRow, _ id: String) {
    let fact = row.target == .watches ? id : row.target.rawValue
    after["questions"]?[RecordKey.text(of: [.text(mark)])] = nil
    put(Record(Catalog.imports, ["row": .text(mark), "fact": .text(fact)]))
  }

  private func ask(_ mark: String, _ row: TrackerRow, _ id: String, _ why: TrackerQuestion) -> String {
    count(.questions, row)
    current.insert(mark)
    var question: Record
    if let known = record("questions", [.text(mark)]) {
      question = known
    } else {
      lastNumber += 1
      var values = row.failure == nil ? row.values : [:]
      (values["#fact"], values["#file"]) = (.string(id), .string(file))
      question = Record(
        Catalog.questions,
        [
          "id": .text(mark), "number": .integer(lastNumber), "dataset": .text(row.target.rawValue),
          "name": row.text("name").map { .text($0) } ?? .null,
          "year": row.integer("year").map { .integer($0) } ?? .null,
          "values": .json(
            JSON.object(values.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) }).canonicalBytes),
          "dropped": .boolean(false),
        ])
      asked.append(question.keyText)
      numbers[question.keyText] = lastNumber
    }
    question["reason"] = .text(why.reason)
    question["candidates"] = .list(why.candidates)
    put(question)
    return why.reason
  }

  // MARK: - Records

  typealias Place = (address: EpisodeKey, episodeIDs: [String])

  func add(
    _ row: TrackerRow, _ id: String, _ rows: Int, at place: Place? = nil
  ) throws(TrackerQuestion) -> Outcome {
    switch row.target {
    case .watches:
      if let place { try watch(row, id, rows, at: place) } else { try watch(row, id, rows, at: address(of: row)) }
    case .ratings: try rate(row)
    case .lists: try list(row)
    case .notes: try note(row)
    }
  }

  private static let dated = ["day", "at", "rating", "rewatch", "text", "tags"]

  private func watch(
    _ row: TrackerRow, _ id: String, _ rowsSoFar: Int, at place: Place
  ) throws(TrackerQuestion) -> Outcome {
    let (address, episodeIDs) = place
    if names[address.production]?.kind == .show, address.episode == 0 {
      throw TrackerQuestion("a play of a show needs an episode")
    }
    let stated = row.integer("times") ?? 0
    let total = max(stated > 0 ? stated : 1 + (row.integer("again") ?? 0), Int64(rowsSoFar))
    let service = id.prefix { $0 != ":" }
    var outcome = Outcome.same
    var new = Record(Catalog.watches, address.inTitle)
    new["id"] = .text(id)
    new["times"] = .integer(1)
    for column in Self.dated { new[column] = row.value(column) }
    if new["tags"] == .null { new["tags"] = .list([]) }
    new["ids"] = .list([id])
    new["episode_ids"] = .list(episodeIDs.sorted())
    if plays[id] != nil || new["day"] != .null {
      var old = plays[id].flatMap(play)
      let isOwn = old?.text("id") == id
      if old == nil {
        let foreign = (playsAt[address] ?? []).compactMap(play).filter { other in
          other["day"] != .null && !other.list("ids").contains { $0.prefix { $0 != ":" } == service }
        }
        old = foreign.first { $0["at"] != .null && $0["at"] == new["at"] } ?? foreign.first { $0["day"] == new["day"] }
      }
      if var known = old {
        let unchanged = known
        for column in Self.dated where !Self.isEmpty(new[column]) && (isOwn || Self.isEmpty(known[column])) {
          known[column] = new[column]
        }
        known["ids"] = .list(Set(known.list("ids") + [id]).sorted())
        known["episode_ids"] = .list(Set(known.list("episode_ids") + episodeIDs).sorted())
        plays[id] = known.text("id")
        if known != unchanged {
          outcome = .changed
          put(known)
        }
      } else {
        put(new)
        enter(play: new)
        outcome = .added
        lower(address, -1, new)
      }
    }
    let here = (playsAt[address] ?? []).compactMap(play).reduce(0) { $0 + ($1.integer("times") ?? 0) }
    if total > here {
      lower(address, total - here, new)
      if outcome == .same { outcome = .added }
    }
    return outcome
  }

  private static func isEmpty(_ value: Value) -> Bool { value == .null || value == .list([]) }

  /// Changes the row without a day, which says how many plays there are beyond those with one.
  private func lower(_ address: EpisodeKey, _ count: Int64, _ play: Record) {
    let undated = (playsAt[address] ?? []).compactMap(self.play).first { $0["day"] == .null }
    guard var row = undated ?? (count > 0 ? play : nil) else { return }
    if undated == nil {
      row["id"] = .text("undated:\(address.production)/\(address.season)/\(address.episode)")
      for column in ["day", "at", "rating", "rewatch"] { row[column] = .null }
      if play["day"] != .null { (row["text"], row["tags"]) = (.null, .list([])) }
      (row["times"], row["ids"]) = (.integer(0), .list([]))
    }
    let times = (row.integer("times") ?? 0) + count
    row["times"] = .integer(times)
    let id = row.text("id") ?? ""
    if times > 0 {
      put(row)
      if undated == nil { enter(play: row) }
    } else {
      after["watches"]?[row.keyText] = nil
      playsAt[address]?.removeAll { $0 == id }
    }
  }

  private func rate(_ row: TrackerRow) throws(TrackerQuestion) -> Outcome {
    guard row.text("rating") != nil else { throw TrackerQuestion("no rating") }
    let address = try address(of: row).address
    var new = Record(Catalog.ratings, address.inTitle)
    for column in ["rating", "day", "at"] { new[column] = row.value(column) }
    guard let old = record("ratings", new.key) else {
      put(new)
      return .added
    }
    let (day, oldDay) = (new.text("day"), old.text("day"))
    let isLater: Bool
    if old.real("rating") == new.real("rating") {
      isLater = oldDay == nil && day != nil
    } else if let day, let oldDay {
      guard day != oldDay else { throw disagreement(old, new) }
      isLater = day > oldDay
    } else {
      guard (day == nil) != (oldDay == nil) else { throw disagreement(old, new) }
      isLater = day != nil
    }
    guard isLater else { return .same }
    var changed = old
    for column in ["rating", "day", "at"] { changed[column] = new[column] }
    put(changed)
    return .changed
  }

  private func disagreement(_ old: Record, _ new: Record) -> TrackerQuestion {
    TrackerQuestion(
      "two ratings, \(old.numberText("rating")) and \(new.numberText("rating")), and no later one",
      [new.text("title") ?? ""])
  }

  private func list(_ row: TrackerRow) throws(TrackerQuestion) -> Outcome {
    guard let name = row.text("list") else { throw TrackerQuestion("no list") }
    var new = Record(Catalog.lists, try address(of: row).address.inTitle)
    new["list"] = .text(name)
    for column in ["position", "day", "text"] { new[column] = row.value(column) }
    guard var old = record("lists", new.key) else {
      put(new)
      return .added
    }
    guard let position = new.integer("position"), position != old.integer("position") else { return .same }
    old["position"] = .integer(position)
    put(old)
    return .changed
  }

  private func note(_ row: TrackerRow) throws(TrackerQuestion) -> Outcome {
    let address = try address(of: row).address, text = row.text("text") ?? ""
    guard var old = record("notes", address.values) else {
      let key = address.values
      put(Record(Catalog.notes, ["production": key[0], "season": key[1], "episode": key[2], "text": .text(text)]))
      return .added
    }
    let known = old.text("text") ?? ""
    if known.contains(text) { return .same }
    old["text"] = .text(known + "\n" + text)
    put(old)
    return .changed
  }

  // MARK: - Storing

  /// Stores what is different now in one step of the history.
  /// - Returns: false if nothing is.
  public func store(_ title: String, isDryRun: Bool = false) async throws(Problem) -> Bool {
    var edits: [RecordRepository.Edit] = []
    for schema in Self.schemas {
      let old = before[schema.name] ?? [:], new = after[schema.name] ?? [:]
      for (key, record) in new where old[key] != record {
        var record = record
        for column in ["created_at", "updated_at"] where record.schema.position(of: column) != nil {
          if column == "updated_at" || record[column] == .null { record[column] = .text(repository.now) }
        }
        let known = old[key]
        if let known, known.schema.width > record.schema.width { record = known.merged(with: record) }
        edits.append(RecordRepository.Edit(from: known?.fitted(to: record.schema), to: record))
      }
      for (key, record) in old where new[key] == nil { edits.append(RecordRepository.Edit(from: record, to: nil)) }
    }
    if isDryRun { return !edits.isEmpty }
    return try await repository.change(title, edits)
  }
}

extension TrackerRow {
  fileprivate func value(_ name: String) -> Value {
    switch values[name] ?? .null {
    case .string(let bytes): name == "rating" ? .number(bytes) : .text(bytes)
    case .number(let literal): Int64(String(decoding: literal, as: UTF8.self)).map { .integer($0) } ?? .number(literal)
    case .boolean(let value): .boolean(value)
    case .array(let elements): .list(elements.compactMap(\.stringValue))
    case .null, .object: .null
    }
  }
}

extension Record {
  /// The number of a column as text; empty for null.
  public func numberText(_ column: String) -> String {
    switch self[column] {
    case .integer(let number): String(number)
    case .number(let literal): String(decoding: literal, as: UTF8.self)
    default: real(column).map { "\($0)" } ?? ""
    }
  }
  /// The record with the values of another that has fewer columns.
  fileprivate func merged(with other: Record) -> Record {
    var merged = self
    for column in other.schema.columns { merged[column.name] = other[column.name] }
    return merged
  }
}
