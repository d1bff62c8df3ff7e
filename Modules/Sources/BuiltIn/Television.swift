public import Domain
import Rows

extension APIDescription {
  /// The API of TVmaze: shows by name, and their episodes. Its data is licensed CC BY-SA.
  public static let television = television(.named)

  /// The API with the shows of a lookup.
  public static func television(_ lookup: ShowLookup) -> APIDescription {
    let root = lookup == .matching ? "/show" : ""
    let path =
      switch lookup {
      case .named: "/singlesearch/shows"
      case .matching: "/search/shows"
      case .identified(let id): "/shows/\(id)"
      }
    let parameters = if case .identified = lookup { [SourceParameter]() } else { [SourceParameter("q", "{show}")] }
    var shows = APIDataset(
      Schema(
        "shows", "shows of TVmaze", key: ["id"],
        columns: [
          ColumnDescription("id", .integer, nullable: false, "identifier of TVmaze"),
          ColumnDescription("name", .text, "name", role: .title),
          ColumnDescription("premiered", .date, "day of the first episode"),
          ColumnDescription("status", .text, "status"),
          ColumnDescription("imdb", .text, "identifier of IMDb"),
          ColumnDescription("tvdb", .integer, "identifier of TheTVDB"),
        ]),
      path: path, parameters: parameters,
      ignored: [
        "url", "type", "language", "genres", "runtime", "averageRuntime", "ended", "officialSite", "schedule", "rating",
        "weight", "network", "webChannel", "dvdCountry", "externals/tvrage", "image", "summary", "updated", "_links",
      ].map { "\(root)/\($0)" } + (root.isEmpty ? [] : ["/score"]),
      columns: [
        SourceColumn("id", from: "\(root)/id"), SourceColumn("name", from: "\(root)/name"),
        SourceColumn("premiered", from: "\(root)/premiered", nulls: [""]),
        SourceColumn("status", from: "\(root)/status"),
        SourceColumn("imdb", from: "\(root)/externals/imdb", nulls: [""]),
        SourceColumn("tvdb", from: "\(root)/externals/thetvdb"),
      ])
    if lookup != .matching { shows.recordForm = .object }
    var episodes = APIDataset(
      Catalog.episodes, path: "/shows/{id}/episodes",
      parent: SourceParent(dataset: "shows", column: "id", parameter: "id"),
      ignored: ["/url", "/type", "/airtime", "/airstamp", "/runtime", "/rating", "/_links"],
      columns: [
        SourceColumn("production", from: "\(SourceColumn.parent)/name"), SourceColumn("season", from: "/season"),
        SourceColumn("episode", from: "/number"), SourceColumn("id", from: "/id"),
        SourceColumn("title", from: "/name"), SourceColumn("air_date", from: "/airdate", nulls: [""]),
        SourceColumn("synopsis", from: "/summary", nulls: [""], steps: [.stripHTML]),
        SourceColumn("image", from: "/image/original", isOptional: true),
      ])
    episodes.ignored.append("/image/medium")
    episodes.scope = Catalog.episodeScope
    var description = APIDescription(
      name: "tvmaze", summary: "shows and their episodes, by the variable show, from TVmaze.com, licensed CC BY-SA",
      baseURL: "https://api.tvmaze.com", requestsPerSecond: 2, datasets: [shows, episodes])
    description.variables = [SourceVariable("show")]
    description.grammar = 2
    if case .identified = lookup { description.variables[0].usual = "" }
    return description
  }
}
