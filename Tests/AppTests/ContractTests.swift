import Codecs
import Conformance
import Domain
import Exporters
import Fakes
import Rows
import Sources
import TestSupport
import Testing

/// Real responses of the older API and of the box office, served to the program; counts and values are compared.
@Suite("real responses of the other APIs", .enabled(if: Shell.variable("BB_TEST_DATA") != nil)) struct ContractTests {
  private static func data(_ path: String) throws -> [UInt8] {
    Shell.bytes("\(try #require(Shell.variable("BB_TEST_DATA")))/data/\(path).json")
  }
  private static func records(_ text: String) throws -> [JSON] {
    try #require(try JSON.parse(Array(text.utf8), name: "out").arrayValue)
  }

  // MARK: - The older Breaking Bad API

  private static func classic() throws -> LoopbackServer {
    var answers: [String: [UInt8]] = [:]
    for name in ["characters", "episodes", "quotes", "deaths"] { answers[name] = try data("old-bbapi/\(name)") }
    let api = try ClassicAPI(answers: answers)
    return try LoopbackServer { api.answer($0) }
  }

  @Test(
    "as many records as there are, each with its values",
    arguments: [
      ("characters", 62, "char_id"), ("episodes", 102, "episode_id"), ("quotes", 70, "quote_id"),
      ("deaths", 65, "death_id"),
    ])
  func counts(dataset: String, count: Int, id: String) throws {
    let server = try Self.classic()
    let done = Shell().run("bb-export \(dataset) --source breaking-bad-classic --api \(server.url)/api -f json")
    let rows = try Self.records(done.out)
    let source = try #require(try JSON.parse(try Self.data("old-bbapi/\(dataset)"), name: dataset).arrayValue)
    #expect(rows.count == count && source.count == count && done.err == "" && done.status == 0)
    let same = [
      "name": "name", "nickname": "nickname", "portrayed_by": "portrayed", "title": "title", "production": "series",
      "quote": "quote", "cause": "cause", "last_words": "last_words", "number_of_deaths": "number_of_deaths",
      "breaking_bad_seasons": "appearance", "better_call_saul_seasons": "better_call_saul_appearance",
    ]
    for row in rows {
      let original = try #require(source.first { $0[id] == row["id"] })
      for (column, member) in same {
        guard let value = original[member], let cell = row[column] else { continue }
        let isNothing = [.string(""), .string("?"), .string("Unknown")].contains(value)
        #expect(cell == (isNothing ? .null : value), "\(dataset) \(column)")
      }
      switch dataset {
      case "episodes":
        let season = original["season"]?.stringValue?.split(separator: " ").joined() ?? ""
        #expect(row["season"]?.integerValue == Int64(season))
        #expect(row["episode"]?.integerValue == Int64(original["episode"]?.stringValue ?? ""))
        let parts = original["air_date"]?.stringValue?.split(separator: "-") ?? []
        #expect(row["air_date"] == .string("\(parts[2])-\(parts[0])-\(parts[1])"))
        #expect(row["characters"]?.arrayValue?.contains(.string("")) == false)
      case "characters":
        #expect(row["productions"]?.arrayValue?.isEmpty == false)
        #expect(row["images"]?.arrayValue == original["img"].map { [$0] })
      case "deaths":
        #expect(row["responsible"]?.arrayValue?.count == 1 || original["responsible"] == .string("Unknown"))
      default: break
      }
    }
  }
  @Test("episodes in order of season and number, whatever the texts are") func order() throws {
    let server = try Self.classic()
    let done = Shell().run(
      "bb-export episodes --source breaking-bad-classic --api \(server.url)/api --production bb --season 1 --columns episode -f csv"
    )
    #expect(done.out == "episode\n1\n2\n3\n4\n5\n6\n7\n")
  }
  @Test("a web page with status 200 for an unknown path gives no rows") func page() throws {
    let server = try Self.classic()
    let done = Shell().run("bb-export quotes --source breaking-bad-classic --api \(server.url)/apy")
    #expect(done.status == 65 && done.err.contains("expected JSON, got a web page"))
  }
  @Test("the database's own errors are shown in one line") func postgres() throws {
    let body =
      #"{"name":"error","length":118,"severity":"FATAL","code":"28000","file":"miscinit.c","line":"716","routine":"InitializeSessionUserId"}"#
    let server = try LoopbackServer { _ in .json(body, status: 500, headers: [HTTPHeader("Retry-After", "0")]) }
    let done = Shell().run("bb-export quotes --source breaking-bad-classic --api \(server.url)/api")
    #expect(done.status == 69 && done.err.contains("HTTP status 500") && done.err.contains("FATAL"))
    #expect(isOneMessage(done.err))
  }

  // MARK: - The box office

  /// The real responses; the editors' picks and the movies by date are completed, as only their first pages
  /// were recorded.
  private static func boxOffice() throws -> (BoxOfficeAPI, LoopbackServer) {
    let list = try JSON.parse(try data("boxoffice/movies.order_type_0"), name: "movies")
    let films = try #require(list["movies"]?.arrayValue)
    func answer(_ films: [JSON]) -> [UInt8] { JSON.object(["movies": .array(films)]).canonicalBytes }
    let byDate = films.sorted { ($0["date"]?.stringValue ?? "") > ($1["date"]?.stringValue ?? "") }
    let api = try BoxOfficeAPI(
      lists: [
        "0": try data("boxoffice/movies.order_type_0"), "1": answer([films[1], films[2], films[0]] + films[3...]),
        "2": answer(byDate),
      ], details: try [0, 3, 4].map { try data("boxoffice/movie_\($0)") },
      comments: try [0, 3].map { try data("boxoffice/comments_\($0)") })
    return (api, try LoopbackServer { api.answer($0) })
  }

  @Test("movies in three orders combine the list and the page of each movie") func films() throws {
    let (_, server) = try Self.boxOffice(), shell = Shell()
    let source = try #require(
      try JSON.parse(try Self.data("boxoffice/movies.order_type_0"), name: "movies")["movies"]?.arrayValue)
    let done = shell.run("bb-export movies --api \(server.url) -f json")
    let rows = try Self.records(done.out)
    #expect(rows.count == 8 && done.status == 0 && done.err.contains("no details available for"))
    for (row, film) in zip(rows, source) {
      #expect(
        row["id"] == film["id"] && row["title"] == film["title"] && row["reservation_rate"] == film["reservation_rate"])
      #expect(row["release_date"] == film["date"] && row["thumbnail"] == film["thumb"] && row["grade"] == film["grade"])
    }
    for number in [0, 3, 4] {
      let page = try JSON.parse(try Self.data("boxoffice/movie_\(number)"), name: "movie")
      let row = try #require(rows.first { $0["id"] == page["id"] })
      for (column, member) in [
        ("audience", "audience"), ("duration_minutes", "duration"), ("synopsis", "synopsis"), ("image", "image"),
      ] {
        #expect(row[column] == page[member])
      }
      let genres = page["genre"]?.stringValue?.split(separator: ",").map { $0.drop { $0 == " " } } ?? []
      #expect(row["genres"] == .array(genres.map { .string(String($0)) }))
      #expect(row["actors"]?.arrayValue?.isEmpty == false)
    }
    func titles(_ order: String) throws -> [JSON?] {
      try Self.records(shell.run("bb-export movies --order \(order) --api \(server.url) --columns title -f json").out)
        .map { $0["title"] }
    }
    #expect(try titles("rate") == source.map { $0["title"] })
    #expect(
      try titles("curation") == [source[1], source[2], source[0]].map { $0["title"] } + source[3...].map { $0["title"] }
    )
    let byDate = source.sorted { ($0["date"]?.stringValue ?? "") > ($1["date"]?.stringValue ?? "") }
    #expect(try titles("date") == byDate.map { $0["title"] })
  }
  @Test("every comment of every movie is read, with times before 1970 and trailing line feeds") func comments() throws {
    let (_, server) = try Self.boxOffice()
    let done = Shell().run("bb-export comments --api \(server.url) -f ndjson")
    let rows = try done.out.split(separator: "\n").map { try JSON.parse(Array($0.utf8), name: "row") }
    var source: [JSON] = []
    for number in [0, 3] {
      source += try #require(
        try JSON.parse(try Self.data("boxoffice/comments_\(number)"), name: "comments")["comments"]?.arrayValue)
    }
    #expect(rows.count == source.count && rows.count == 30 && done.err == "" && done.status == 0)
    for row in rows {
      let comment = try #require(source.first { $0["id"] == row["id"] })
      #expect(row["writer"] == comment["writer"] && row["contents"] == comment["contents"])
      #expect(row["movie_id"] == comment["movie_id"])
      #expect(row["rating"]?.realValue == comment["rating"]?.realValue)
      let isEarly = comment["timestamp"]?.stringValue == nil && (comment["timestamp"]?.realValue ?? 0) < 0
      #expect((row["posted_at"]?.stringValue ?? "").hasPrefix("1969-12-31T23:59:59.99999") == isEarly)
    }
  }

  // MARK: - In every store

  private static let storages = ["sqlite:s.db", "csv:s", "json:s"]

  /// The contracts, served: how each is asked.
  private static func contracts() throws -> [(source: APIDescription, asking: String)] {
    let (_, films) = try Self.boxOffice()
    let six = try LiveTests.server(try RealAnswerTests.answers())
    return try [
      ("breaking-bad", "\(six.url)/api"), ("breaking-bad-classic", "\(try Self.classic().url)/api"),
      ("box-office", films.url),
    ].map { name, url in
      (try APIDescription.named(name), "--source \(name) --api \(url) --max-age 1000 -q")
    }
  }

  @Test("check reports the same for every store as for the API", arguments: storages)
  func findings(storage: String) throws {
    for (source, asking) in try Self.contracts() {
      let shell = Shell()
      #expect(shell.run("bb-export sync --storage \(storage) \(asking)").status == 0)
      for dataset in source.datasets.map(\.schema.name) {
        let findings = shell.run("bb-export check \(dataset) --storage \(storage) -q -f csv")
        #expect(findings.out == shell.run("bb-export check \(dataset) \(asking) -f csv").out && findings.status == 0)
      }
    }
  }

  /// Formats that need columns which these datasets do not have.
  private static let particular = ["geojson", "gpx", "kml", "vcard"]

  /// The tests above compare the counts and values of the JSON output with the responses. This one compares the other
  /// formats: from every store with the output of the API itself, and those that can be read back with the JSON.
  @Test("every store and every format give the same bytes as the API", arguments: storages)
  func formats(storage: String) throws {
    let formats = ExporterRegistry.builtIn.map(\.descriptor.name).filter { !Self.particular.contains($0) }
    #expect(formats.count >= 11)
    let counts = ["characters": 29, "episodes": 126, "quotes": 203, "deaths": 8, "movies": 8, "comments": 30]
    let classicCounts = ["characters": 62, "episodes": 102, "quotes": 70, "deaths": 65]
    for (source, asking) in try Self.contracts() {
      let shell = Shell()
      #expect(shell.run("bb-export sync --storage \(storage) \(asking)").status == 0)
      for schema in source.datasets.map(\.schema) {
        let dataset = schema.name
        let types = schema.columns.map { "\($0.name)=\($0.type.name)" }.joined(separator: ",")
        let outcome = shell.run(
          """
          for f in \(formats.joined(separator: " ")); do
            bb-export \(dataset) --storage \(storage) -q -f $f -o stored.$f || echo "$f is not written"
            bb-export \(dataset) \(asking) -f $f -o asked.$f || echo "$f is not written"
            cmp stored.$f asked.$f
          done
          for f in json ndjson csv tsv; do
            bb-export \(dataset) --from stored.$f --as \(dataset) --types '\(types)' -f json | cmp - stored.json
          done
          rm -f stored.* asked.*
          bb-export \(dataset) --storage \(storage) -q -f ndjson | wc -l
          """)
        let count = source.name == "breaking-bad-classic" ? classicCounts[dataset] : counts[dataset]
        #expect(
          outcome.out == "\(count ?? 0)\n" && outcome.err == "",
          "\(source.name) \(dataset): \(outcome.out)\(outcome.err)")
      }
    }
  }
}
