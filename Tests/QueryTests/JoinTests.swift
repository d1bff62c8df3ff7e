import Domain
import Query
import Rows
import TestSupport
import Testing

@Suite("relations") struct JoinTests {
  static func table(_ schema: Schema, _ rows: [[String: Value]]) -> Table {
    Table(schema: schema, rows: rows.map { row in schema.columns.map { row[$0.name] ?? .null } })
  }
  static func list(_ json: String) -> Value { .json(Array(json.utf8)) }

  static let tables: [String: Table] = [
    "characters": table(
      Catalog.characters,
      [
        [
          "id": .integer(1), "name": .text("Ann Bell"), "aliases": list(#"["Bell","The Boss"]"#),
          "birthday": .text("1958"),
        ],
        [
          "id": .integer(2), "name": .text("Bo Díaz"), "full_name": .text("Bonifacio Díaz"),
          "nickname": .text("The Boss"),
        ],
        ["id": .integer(3), "name": .text("Mike Ehrmantraut")],
      ]),
    "quotes": table(
      Catalog.quotes,
      [
        ["id": .integer(1), "occurrence": .integer(1), "quote": .text("one"), "character": .text("ann  BELL")],
        ["id": .integer(2), "occurrence": .integer(1), "quote": .text("two"), "character": .text("Bonifacio Diaz")],
        ["id": .integer(3), "occurrence": .integer(1), "quote": .text("three"), "character": .text("Nobody")],
        ["id": .integer(4), "occurrence": .integer(1), "quote": .text("four"), "character": .null],
        ["id": .integer(5), "occurrence": .integer(1), "quote": .text("five"), "character": .text("Bell")],
        ["id": .integer(6), "occurrence": .integer(1), "quote": .text("six"), "character": .text("The Boss")],
        [
          "id": .integer(7), "occurrence": .integer(1), "quote": .text("seven"), "character": .text("Mike Erhmantraut"),
        ],
      ]),
    "deaths": table(
      Catalog.deaths,
      [
        ["id": .integer(1), "character": .text("Ann Bell"), "cause": .text("fall")],
        ["id": .integer(2), "character": .text("Bell"), "cause": .text("\"again\"\n")],
      ]),
    "episodes": table(
      Catalog.episodes,
      [
        [
          "production": .text("X"), "season": .integer(1), "episode": .integer(2), "title": .text("Two"),
          "characters": list(#"["Mike Ehrmantraut","a fly","Ann Bell","Bell"]"#),
        ],
        ["production": .text("X"), "season": .integer(1), "episode": .integer(3), "characters": list("[]")],
        ["production": .text("Twice"), "season": .integer(1), "episode": .integer(1), "title": .text("a")],
        ["production": .text("Twice"), "season": .integer(1), "episode": .integer(1), "title": .text("b")],
      ]),
    "notes": table(
      Catalog.notes,
      [
        ["production": .text("X"), "season": .number(Array("1".utf8)), "episode": .integer(2), "text": .text("n")],
        ["production": .text("X"), "season": .integer(12), "episode": .null, "text": .text("m")],
        ["production": .text("Twice"), "season": .integer(1), "episode": .integer(1), "text": .text("o")],
      ]),
  ]

  /// The rows a selection gives, each as the texts of its columns.
  static func rows(_ dataset: String, _ change: (inout Selection) throws -> Void) async throws -> [[String]] {
    var selection = Selection()
    try change(&selection)
    let related = try await JoinTables.read(for: selection.relations, of: dataset) { (name) throws(Problem) in
      guard let table = tables[name] else { throw Problem(.noInput, name) }
      return table.stream(2)
    }
    var results: Set<[[Value]]> = []
    for size in [1, 3, 100] {
      let table = try #require(tables[dataset])
      let stream = try selection.apply(to: table.stream(size), scratch: MemoryScratch(), related: related)
      results.insert(try await stream.values())
    }
    #expect(results.count == 1, "the size of batches changed the result")
    return (results.first ?? []).map { $0.map(text) }
  }
  static func text(_ value: Value) -> String {
    switch value {
    case .null: "∅"
    case .integer(let value): String(value)
    case .text(let bytes), .json(let bytes), .number(let bytes): String(decoding: bytes, as: UTF8.self)
    case .boolean, .real, .bytes: "\(value)"
    }
  }

  @Test("to one: its columns follow; names match by any way they are known, but not when they could mean two")
  func toOne() async throws {
    let rows = try await Self.rows("quotes") {
      $0.relations = ["character"]
      $0.columns = ["quote", "character.id", "character.birthday"]
    }
    #expect(
      rows == [
        ["one", "1", "1958"], ["two", "2", "∅"], ["three", "∅", "∅"], ["four", "∅", "∅"], ["five", "1", "1958"],
        ["six", "∅", "∅"], ["seven", "3", "∅"],
      ])
  }

  @Test("to many: a row for each, in their order, one with nulls for none") func toMany() async throws {
    let rows = try await Self.rows("characters") {
      $0.relations = ["deaths"]
      $0.columns = ["id", "deaths.id"]
    }
    #expect(rows == [["1", "1"], ["1", "2"], ["2", "∅"], ["3", "∅"]])
  }

  @Test("a list leads to each of its elements, each record once") func cast() async throws {
    let rows = try await Self.rows("episodes") {
      $0.relations = ["cast"]
      $0.columns = ["episode", "cast.name"]
    }
    #expect(rows == [["2", "Mike Ehrmantraut"], ["2", "Ann Bell"], ["3", "∅"], ["1", "∅"], ["1", "∅"]])
  }

  @Test("several columns match by value, whatever the form of a number; null and two of a kind match nothing")
  func values()
    async throws
  {
    let rows = try await Self.rows("notes") {
      $0.relations = ["episode"]
      $0.columns = ["text", "episode.title"]
    }
    #expect(rows == [["n", "Two"], ["m", "∅"], ["o", "∅"]])
  }

  @Test("a relation may begin where another one led") func chain() async throws {
    let rows = try await Self.rows("quotes") {
      $0.relations = ["character", "deaths"]
      $0.columns = ["id", "deaths.id"]
      $0.limit = 3
    }
    #expect(rows == [["1", "1"], ["1", "2"], ["2", "∅"]])
  }

  @Test("limits count the rows of the output, also when a condition or a sort is about a relation")
  func order() async throws {
    let plain = try await Self.rows("characters") {
      $0.relations = ["deaths"]
      $0.limit = 1
      $0.columns = ["id", "deaths.id"]
    }
    #expect(plain == [["1", "1"]])
    let inner = try await Self.rows("quotes") {
      $0.relations = ["character"]
      $0.joinKind = .inner
      $0.sort = [Selection.SortKey("id", descending: true)]
      $0.limit = 1
      $0.columns = ["id"]
    }
    #expect(inner.count == 1)
    let sorted = try await Self.rows("characters") {
      $0.relations = ["deaths"]
      $0.sort = [Selection.SortKey("deaths.id", descending: true)]
      $0.limit = 1
      $0.columns = ["id", "deaths.id"]
    }
    #expect(sorted == [["1", "2"]])
    let filtered = try await Self.rows("characters") {
      $0.relations = ["deaths"]
      $0.conditions = [try Condition(parsing: "deaths.cause ~ AGAIN"), try Condition(parsing: "id = 1")]
      $0.columns = ["deaths.id"]
    }
    #expect(filtered == [["2"]])
  }

  @Test("nested: one column of JSON a relation, the base's own columns untouched") func nested() async throws {
    let quotes = try await Self.rows("quotes") {
      $0.relations = ["character", "deaths"]
      $0.isNested = true
      $0.columns = ["character", "deaths", "character_record"]
      $0.limit = 3
    }
    #expect(quotes.map { $0[0] } == ["ann  BELL", "Bonifacio Diaz", "Nobody"])
    let wanted =
      #"[{"id":1,"character":"Ann Bell","cause":"fall","details":null,"responsible":null,"connected":null,"last_words":null,"#
      + #""production":null,"season":null,"episode":null,"number_of_deaths":null,"image":null},"#
    #expect(quotes[0][1].hasPrefix(wanted + #"{"id":2,"character":"Bell","cause":"\"again\"\n","#), "\(quotes[0][1])")
    #expect(
      quotes[0][2].hasPrefix(
        #"{"id":1,"name":"Ann Bell","full_name":null,"nickname":null,"aliases":["Bell","The Boss"],"#))
    #expect(quotes[2] == ["Nobody", "[]", "∅"])
  }

  @Test("repeated rows have no key; others keep theirs") func keys() throws {
    func key(_ relations: [String], nested: Bool = false) throws -> [Int] {
      var selection = Selection()
      selection.relations = relations
      selection.isNested = nested
      let rows = BufferedRows(schema: Catalog.characters, batches: [])
      return try selection.apply(to: rows, scratch: MemoryScratch(), related: .described).schema.key
    }
    #expect(try key(["deaths"]) == [])
    #expect(try key(["deaths"], nested: true) == [0])
  }

  @Test(
    "an invalid join is reported",
    arguments: [
      (["charakter"], "unknown relation “charakter” for quotes; did you mean character?"),
      (["deaths"], "unknown relation “deaths” for quotes; available relations: character"),
      (["character", "character"], "duplicate relation character"),
      ([], "quotes has no column “character.name”; use selection.relations character"),
    ])
  func complaints(relations: [String], complaint: String) {
    var selection = Selection()
    selection.relations = relations
    selection.columns = ["character.name"]
    let rows = BufferedRows(schema: Catalog.quotes, batches: [])
    let problem = #expect(throws: Problem.self) {
      _ = try selection.apply(to: rows, scratch: MemoryScratch(), related: .described)
    }
    #expect(problem?.kind == .usage)
    #expect(problem?.description == complaint)
  }

  @Test("every relation is about columns that are there, and its name is free in the catalogue") func declared() throws
  {
    for relation in Catalog.relations {
      let from = try Catalog.dataset(named: relation.from), to = try Catalog.dataset(named: relation.to)
      for pair in relation.columns {
        #expect(from.position(of: pair.left) != nil && to.position(of: pair.right) != nil, "\(relation.name)")
      }
      #expect(relation.names == nil || [relation.from, relation.to].contains("characters"))
    }
    #expect(Set(Catalog.relations.map { [$0.from, $0.name] }).count == Catalog.relations.count)
  }
}
