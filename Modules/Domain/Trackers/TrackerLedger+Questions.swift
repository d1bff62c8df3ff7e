import Codecs
import Query
public import Rows

/// Rows that are not certain, and the replies of the user.
extension TrackerLedger {
  /// The row of a question; nil if its values cannot be read.
  private func row(of question: Record) -> (row: TrackerRow, id: String)? {
    guard let target = TrackerRow.Target(rawValue: question.text("dataset") ?? "") else { return nil }
    var row = TrackerRow(target, source: "", rule: "")
    for member in Self.values(of: question) { row.values[member.name] = member.value }
    let id = row.values.removeValue(forKey: "#fact")?.stringValue ?? ""
    row.values["#file"] = nil
    return row.values.isEmpty ? nil : (row, id)
  }
  private static func values(of question: Record) -> [JSON.Member] {
    guard case .json(let bytes) = question["values"] else { return [] }
    return (try? JSON.parse(bytes, name: "values"))?.objectMembers ?? []
  }

  /// Removes the questions of rows that their files have no longer.
  /// - Returns: the number of them.
  public func withdraw() -> Int {
    let old = questions.filter { question in
      let id = question.text("id") ?? "", parts = id.split(at: ":")
      let file = Self.values(of: question).first { $0.name == "#file" }?.value.stringValue ?? ""
      return parts.count > 2 && !current.contains(id) && filesRead.contains([String(parts[0]), String(parts[1]), file])
    }
    for question in old { after["questions"]?[question.keyText] = nil }
    return old.count
  }

  /// Makes records of the open questions that the titles of today resolve.
  /// - Returns: the number of them.
  @discardableResult public func askAgain() -> Int {
    var answered = 0
    while true {
      var done: [String] = []
      for key in asked {
        guard var question = after["questions"]?[key], !question.isTrue("dropped"), let (row, id) = row(of: question)
        else { continue }
        do throws(TrackerQuestion) {
          _ = try add(row, id, 0)
          remember(question.text("id") ?? "", row, id)
          done.append(key)
        } catch {
          question["reason"] = .text(error.reason)
          question["candidates"] = .list(error.candidates)
          put(question)
        }
      }
      answered += done.count
      if done.isEmpty { return answered }
    }
  }

  /// The columns of title.episode.tsv, in which IMDb lists the episodes of all shows.
  public static let episodeList = Schema(
    "title.episode",
    columns: ["tconst", "parentTconst", "seasonNumber", "episodeNumber"].map { ColumnDescription($0, .text) })

  /// Gives episodes the identifiers that rows of the list say, if their show is known.
  /// - Returns: the number of episodes of known shows.
  public func identify(_ rows: [Record]) -> Int {
    var count = 0
    for row in rows {
      guard let show = row.text("parentTconst").flatMap({ titlesByID["show imdb:\($0)"] }),
        let season = row.text("seasonNumber").flatMap(Int.init), let id = row.text("tconst"),
        let number = row.text("episodeNumber").flatMap(Int.init)
      else { continue }
      let key = EpisodeKey(show, season: season, episode: number)
      episodesByID["imdb:\(id)", default: []].insert(key)
      count += 1
      guard let known = self.rows("episodes")[RecordKey.text(of: key.values)] else { continue }
      var episode = known.fitted(to: known.schema.adding([ColumnDescription("ids", .list(.text), "identifiers")]))
      episode["ids"] = .list(Set(known.list("ids").filter { !$0.hasPrefix("imdb:") } + ["imdb:\(id)"]).sorted())
      put(episode)
    }
    return count
  }

  /// The open questions, in their order.
  public var questions: [Record] {
    asked.compactMap { after["questions"]?[$0] }.filter { !$0.isTrue("dropped") }
  }

  /// The number of a question, for commands.
  public func number(of question: Record) -> Int64 { numbers[question.keyText] ?? 0 }

  /// The reply of the user to a question.
  public enum Reply: Sendable, Hashable {
    case title(String)
    case episode(EpisodeKey)
    /// A title of its own.
    case new
    /// The row is not wanted.
    case dropped
  }

  /// Resolves a question, and others that the title resolves.
  /// - Throws: `usage` for a reply that does not fit the question.
  public func resolve(_ question: Record, _ reply: Reply) throws(Problem) {
    var question = question
    if reply == .dropped {
      question["dropped"] = .boolean(true)
      return put(question)
    }
    guard let (row, id) = row(of: question) else {
      throw Problem(
        .usage, "the values of the row cannot be read: \(question.text("reason") ?? "")", hint: "drop the row")
    }
    let isUnknown = row.text("kind") == "unknown", kind = isUnknown ? Title.Kind.movie.rawValue : row.text("kind")
    var title: Title, episode: EpisodeKey?
    switch reply {
    case .title(let key): title = try known(key)
    case .episode(let key):
      title = try known(key.production)
      episode = key
    default:
      guard let name = row.text("name"), let kind = kind.flatMap(Title.Kind.init(rawValue:)) else {
        throw Problem(.usage, "the row has no name of a show or movie", hint: "name a title")
      }
      let year = row.integer("year").map { Int($0) }, ids = row.ids("")
      title = Title(names.newKey(kind, name, year: year, ids: ids), kind, name: name, year: year, ids: ids.sorted())
    }
    // The name of a row that names an episode is not that of the show.
    if let name = row.text("name"), !isUnknown || title.kind == .movie {
      if TrackerRow.folded(name) != TrackerRow.folded(title.name), !title.aliases.contains(name) {
        title.aliases = (title.aliases + [name]).sorted()
      }
      let said = Self.answer(name, row.integer("year"))
      if !title.answers.contains(said) { title.answers = (title.answers + [said]).sorted() }
    }
    if episode == nil { title.learn(row.ids("")) }
    put(title)
    // A row that names neither kind nor title of its own is what the user says it is.
    if episode != nil || isUnknown && title.kind == .movie {
      var said = row
      said.values["kind"] = .string(title.kind.rawValue)
      said.values["name"] = .string(title.name)
      said.values["year"] = title.year.map { .number(Int64($0)) } ?? .null
      if let episode {
        said.values["season"] = .number(Int64(episode.season))
        said.values["episode"] = .number(Int64(episode.episode))
      }
      if (try? add(said, id, 0)) != nil { remember(question.text("id") ?? "", row, id) }
    }
    askAgain()
    guard let open = after["questions"]?[question.keyText] else { return }
    throw Problem(
      .usage, "q\(number(of: question)) is not resolved by \(title.key): \(open.text("reason") ?? "")",
      hint: title.kind == .show ? "name an episode, for example \(names.short(of: title.key)):S01E01" : "")
  }

  private func known(_ key: String) throws(Problem) -> Title {
    guard let title = names[key] else { throw Problem(.absent, "title not found: “\(key)”") }
    return title
  }

  static func answer(_ name: String, _ year: Int64?) -> String {
    "\(TrackerRow.folded(name))/\(year.map(String.init) ?? "")"
  }
}
