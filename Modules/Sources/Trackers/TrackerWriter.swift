public import Domain
import Rows

/// Writes the records of a ledger as files that a service reads.
public struct TrackerWriter {
  /// A file with rows.
  public struct File: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The contents.
    public fileprivate(set) var bytes: [UInt8]
    /// The number of rows.
    public fileprivate(set) var rows = 0
  }
  /// The files, of which each has a row.
  public private(set) var files: [File] = []
  /// The records that the files cannot carry.
  public private(set) var losses: [String] = []

  /// The most lines for the plays of one record.
  private static let mostRepeats: Int64 = 10_000

  private let ledger: TrackerLedger
  private let format: TrackerFormat
  /// Titles that have the kind, name and year of another.
  private let twins: Set<String>
  /// What has a play with a day.
  private let dated: Set<EpisodeKey>
  private var confused: Set<String> = []

  /// The files that a format writes.
  public init(_ ledger: TrackerLedger, as format: TrackerFormat) {
    (self.ledger, self.format) = (ledger, format)
    let titles = ledger.names.titles
    let named = Dictionary(grouping: titles) { "\($0.kind.rawValue) \(TrackerRow.folded($0.name)) \($0.year ?? 0)" }
    twins = Set(named.values.filter { $0.count > 1 }.flatMap { $0.map(\.key) })
    dated = Set(ledger.rows("watches").values.filter { $0["day"] != .null }.map(EpisodeKey.init(inTitleOf:)))
    var carried: [String: Set<String>] = [:]
    for export in format.exports { write(export, &carried) }
    for dataset in ["watches", "ratings", "lists"] {
      let left = ledger.rows(dataset).filter { carried[dataset]?.contains($0.key) != true }
      guard !left.isEmpty else { continue }
      let nouns =
        ["watches": ["play", "plays"], "ratings": ["rating", "ratings"]][dataset] ?? ["list entry", "list entries"]
      losses.append("\(left.count) \(nouns[left.count == 1 ? 0 : 1]) not written: the files have no place for them")
    }
    if !confused.isEmpty {
      losses.append("\(confused.count) titles cannot be distinguished: \(confused.sorted().joined(separator: ", "))")
    }
  }

  private mutating func write(_ export: TrackerExport, _ carried: inout [String: Set<String>]) {
    let header = Self.line(export.columns.map { $0[0] })
    var file = File(name: export.file, bytes: header), number = 1
    for dataset in ["watches", "ratings", "lists"] where [dataset, "all"].contains(export.from) {
      for (key, fact) in Self.ordered(ledger.rows(dataset)) {
        guard let title = ledger.names[fact.text("title") ?? ""] else { continue }
        var fields = fields(of: fact, title, dataset)
        if let kind = export.kind, title.kind.rawValue != kind { continue }
        if dataset == "lists", fact.text("list") != export.list ?? "watchlist" { continue }
        if let needed = export.needs, fields[needed] == nil { continue }
        carried[dataset, default: []].insert(key)
        if export.from == "all", dataset == "watches" { fields["rating"] = nil }
        let ids = export.columns.contains { column in
          (TrackerRow.services + ["letterboxd_uri"]).contains(column[1]) && fields[column[1]] != nil
        }
        if twins.contains(title.key), title.kind == .show || !ids { confused.insert(title.key) }
        var times = dataset == "watches" ? fact.integer("times") ?? 1 : 1
        // Letterboxd: watched, without an entry of the diary.
        if format.name == "letterboxd", dataset == "watches", fields["day"] == nil {
          times = dated.contains(EpisodeKey(inTitleOf: fact)) ? 0 : 1
        }
        let line = Self.line(export.columns.map { fields[$0[1]] ?? "" })
        if times > Self.mostRepeats {
          losses.append(
            "\(times - Self.mostRepeats) of \(times) plays of \(title.name) not written: at most \(Self.mostRepeats)"
          )
          times = Self.mostRepeats
        }
        for _ in 0..<times {
          if let most = export.maximumBytes, file.rows > 0, file.bytes.count + line.count > most {
            files.append(file)
            number += 1
            let dot = export.file.lastIndex(of: ".") ?? export.file.endIndex
            file = File(name: "\(export.file[..<dot])-\(number)\(export.file[dot...])", bytes: header)
          }
          file.bytes += line
          file.rows += 1
        }
      }
    }
    if file.rows > 0 { files.append(file) }
  }

  private static func ordered(_ rows: [String: Record]) -> [(key: String, value: Record)] {
    rows.map { key, fact in
      let rest = [fact.text("at") ?? fact.text("day") ?? "", fact.text("id") ?? "", fact.text("list") ?? "", key]
      return (address: EpisodeKey(inTitleOf: fact), rest: rest.joined(separator: "\0"), key: key, value: fact)
    }.sorted { a, b in
      a.address == b.address ? a.rest.utf8.lexicographicallyPrecedes(b.rest.utf8) : a.address < b.address
    }.map { ($0.key, $0.value) }
  }

  /// The fields of a record that columns of files can have.
  private func fields(of fact: Record, _ title: Title, _ dataset: String) -> [String: String] {
    let season = fact.integer("season") ?? 0, episode = fact.integer("episode") ?? 0
    let isShow = title.kind == .show, isEpisode = isShow && episode > 0
    let kind = !isShow ? "movie" : isEpisode ? "episode" : season > 0 ? "season" : "show"
    var fields = ["name": title.name, "trakt_kind": kind, "imdb_kind": isShow ? "tvSeries" : "movie"]
    fields["year"] = title.year.map(String.init)
    fields["day"] = fact.text("day").flatMap { $0.utf8.count == 10 ? $0 : nil }
    if fact["rating"] != .null { fields["rating"] = fact.numberText("rating") }
    if fact.isTrue("rewatch") { fields["rewatch"] = "true" }
    let tags = fact.list("tags")
    if !tags.isEmpty { fields["tags"] = tags.joined(separator: ", ") }
    fields["text"] = fact.text("text")
    let address = title.id(in: "letterboxd").map { "https://boxd.it/\($0)" }
    fields["letterboxd_uri"] = address ?? title.id(in: "letterboxd_slug").map { "https://letterboxd.com/film/\($0)/" }
    let episodeIDs = fact.list("episode_ids")
    for service in ["imdb", "tmdb", "tvdb", "trakt"] {
      fields[service] =
        isEpisode || kind == "season"
        ? episodeIDs.first { $0.hasPrefix(service + ":") }.map { String($0.dropFirst(service.utf8.count + 1)) }
        : title.id(in: service)
    }
    if isShow, season + episode > 0 { fields["season"] = String(season) }
    if isEpisode { fields["episode"] = String(episode) }
    let stamp = fact.text("at") ?? fields["day"]
    switch dataset {
    case "watches": fields["watched_at"] = stamp ?? "unknown"
    case "lists": fields["watchlisted_at"] = stamp ?? "unknown"
    default: fields["rated_at"] = stamp
    }
    return fields
  }

  /// A line of CSV.
  public static func line(_ fields: [String]) -> [UInt8] {
    let quoted = fields.map { field in
      field.utf8.contains { ",\"\n\r".utf8.contains($0) } ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
    }
    return Array((quoted.joined(separator: ",") + "\n").utf8)
  }
}
