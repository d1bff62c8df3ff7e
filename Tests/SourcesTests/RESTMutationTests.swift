import Codecs
import Query
import Rows
import Sources
import Testing

@Suite("malformed responses") struct RESTMutationTests {
  /// A valid response for each path of the built-in sources.
  private static let answers: [String: [String: String]] = [
    "breaking-bad": [
      "/characters":
        #"[{"character_id": 1, "name": "n", "birthday": "March 1966", "occupations": ["a"], "images": ["http://i"], "full_name": "f", "aliases": ["x"], "status": "Dead", "appearance": {"breaking_bad": [1], "better_call_saul": [], "el_camino": [1]}, "portrayed_by": "p", "productions": ["Breaking Bad"]}]"#,
      "/episodes":
        #"[{"episode_id": 1, "production": "Breaking Bad", "episode": 101, "title": "t", "air_date": "01-20-2008", "synopsis": "s", "written_by": "w", "directed_by": "d", "characters": ["n"], "image": "http://i"}]"#,
      "/quotes": #"[{"quote_id": 1, "quote": "q", "character": "n", "production": "Breaking Bad", "episode": 101}]"#,
      "/deaths":
        #"[{"death_id": 1, "character": "n", "cause": "c", "details": "d", "responsible": ["n"], "connected": [], "last_words": "l", "production": "Breaking Bad", "episode": 101, "image": "http://i"}]"#,
    ],
    "breaking-bad-classic": [
      "/characters":
        #"[{"char_id": 1, "name": "n", "birthday": "09-07-1958", "occupation": "a, b", "img": "http://i", "status": "Alive", "nickname": "x", "appearance": [1], "portrayed": "p", "category": "Breaking Bad", "better_call_saul_appearance": "1, 2"}]"#,
      "/episodes":
        #"[{"episode_id": 7, "title": "t", "season": " 1", "episode": "10", "air_date": "03-09-2008", "characters": ["a"], "series": "Breaking Bad"}]"#,
      "/quotes": #"[{"quote_id": 1, "quote": "q", "author": "n", "series": "Breaking Bad"}]"#,
      "/deaths":
        #"[{"death_id": 2, "death": "d", "cause": "c", "responsible": "A and B", "last_words": "l", "season": 4, "episode": 13, "number_of_deaths": 2}]"#,
    ],
    "tvmaze": [
      "/singlesearch/shows?q=x":
        #"{"id": 1, "name": "n", "premiered": "2002-06-02", "status": "Ended", "externals": {"imdb": "tt1", "thetvdb": 2}}"#,
      "/shows/1/episodes":
        #"[{"id": 7, "name": "t", "season": 1, "number": 2, "airdate": "2002-06-02", "summary": "<p>s</p>", "image": {"original": "http://i"}}]"#,
    ],
    "box-office": [
      "/movies?order_type=0":
        #"{"order_type": 0, "movies": [{"id": "b", "title": "B", "grade": 12, "thumb": "http://i", "reservation_grade": 1, "reservation_rate": 35.5, "user_rating": 7, "date": "2017-12-20"}]}"#,
      "/movies?order_type=1": #"{"movies": [{"id": "b"}]}"#,
      "/movie?id=b":
        #"{"id": "b", "audience": 7, "actor": "X (a, b), Y", "director": "D", "duration": 139, "genre": "1,2", "synopsis": "s", "image": "http://i"}"#,
      "/comments?movie_id=b":
        #"{"movie_id": "b", "comments": [{"id": "c", "movie_id": "b", "writer": "w", "rating": 9, "timestamp": -4.8e-06, "contents": "?"}]}"#,
    ],
  ]
  private static let strange: [JSON] = [
    .null, .boolean(true), .number(0), .number(Int64.min), .number(Array("1e400".utf8)), .number(Array("-0.0".utf8)),
    .number(Array("123456789012345678901234567890".utf8)), .string(""), .string(" "), .string("x"),
    .string("\u{0}\u{1B}[31m"),
    .string("99-99-9999"), .string("1, (2, 3"), .string(")))((("), .array([]), .array([.null, .array([.null])]),
    .object([]),
    .object(["": .object(["a": .null])]), .string("9999999999999999999"), .string("-"), .string("٣"),
  ]

  private static func mutated(_ value: JSON, _ random: inout some RandomNumberGenerator) -> JSON {
    switch value {
    case .object(var members) where !members.isEmpty && Int.random(in: 0..<8, using: &random) > 0:
      let position = Int.random(in: members.indices, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: members.remove(at: position)
      case 1: members.append(JSON.Member(Array("more\(members.count)".utf8), .null))
      default: members[position] = JSON.Member(members[position].key, mutated(members[position].value, &random))
      }
      return .object(members)
    case .array(var elements) where !elements.isEmpty && Int.random(in: 0..<8, using: &random) > 0:
      if Int.random(in: 0..<4, using: &random) == 0 {
        elements += [elements[0], mutated(elements[0], &random)]
      } else {
        elements[0] = mutated(elements[0], &random)
      }
      return .array(elements)
    default: return strange.randomElement(using: &random) ?? .null
    }
  }

  @Test(
    "become rows of the schema's types, or one problem that drives no terminal", arguments: APIDescription.builtIn)
  func mutations(source: APIDescription) async throws {
    var random = SystemRandomNumberGenerator(), rows = 0, problems = 0
    let good = try #require(Self.answers[source.name])
    for _ in 0..<40 {
      let path = try #require(good.keys.sorted().randomElement(using: &random))
      var answers = good
      var document = try JSON.parse(Array((good[path] ?? "").utf8), name: path)
      for _ in 0..<Int.random(in: 1...3, using: &random) { document = Self.mutated(document, &random) }
      answers[path] = String(decoding: document.canonicalBytes, as: UTF8.self)
      for dataset in source.datasets {
        for asWritten in [false, true] {
          do throws(Problem) {
            let rest = try RESTSource(
              source.withUsualVariables, server: "https://h", transport: CannedServer(answers), asWritten: asWritten
            ) { line in
              #expect(!line.utf8.contains(0x1B) && !line.utf8.contains(0), "\(line)")
            }
            let stream = try await rest.rows(of: dataset.schema.name, RowRequest())
            for batch in try await stream.collect() {
              rows += batch.count
              if !asWritten { Self.check(batch, stream.schema) }
            }
          } catch {
            let problem = error
            problems += 1
            #expect([.badData, .unavailable].contains(problem.kind), "\(problem) \(answers[path] ?? "")")
            #expect(!problem.description.utf8.contains(0x1B) && !problem.description.contains("\n"))
          }
        }
      }
    }
    #expect(rows > 20 && problems > 10, "both happen: \(rows) \(problems)")
  }

  @Test("a key with control characters in a message drives no terminal", arguments: [404, 500])
  func controlCharacters(status: Int) async throws {
    let server = CannedServer([
      "/movies?order_type=0": (
        200, [], #"{"movies": [{"id": "\u001b[31m\u0000", "title": "t"}, {"id": "b", "title": "u"}]}"#
      ),
      "/movies?order_type=1": (200, [], #"{"movies": []}"#), "/movie?id=b": (200, [], #"{"id": "b", "synopsis": "s"}"#),
      "/movie?id=%1B%5B31m%00": (status, [], "{}"),
    ])
    let got = try await Outcome(.boxOffice, "movies", server, columns: ["id", "synopsis"])
    #expect(got.warnings.contains { $0.contains("\u{FFFD}[31m") }, "\(got.warnings)")
    #expect(got.warnings.allSatisfy { !$0.utf8.contains(0x1B) && !$0.utf8.contains(0) })
  }

  /// That every value is of its column's type.
  private static func check(_ batch: RowBatch, _ schema: Schema) {
    for row in 0..<batch.count {
      for (position, column) in schema.columns.enumerated() {
        let isRight =
          switch (column.type, batch.value(row, position)) {
          case (_, .null): column.isNullable
          case (.integer, .integer), (.real, .real), (.boolean, .boolean), (.text, .text), (.url, .text): true
          case (.date, .text(let text)): Dates.isDate(text)
          case (.timestamp, .text(let text)): Dates.isTimestamp(text)
          case (.list, .json(let json)): json.first == UInt8(ascii: "[")
          default: false
          }
        #expect(isRight, "\(column.name): \(batch.value(row, position))")
      }
    }
  }
}

extension APIDescription {
  /// The source with a value for each variable.
  var withUsualVariables: APIDescription {
    var copy = self
    for place in copy.variables.indices { copy.variables[place].usual = "x" }
    return copy
  }
}
