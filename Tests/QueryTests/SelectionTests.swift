import Query
import Rows
import TestSupport
import Testing

@Suite("selection") struct SelectionTests {
  static let people = Table(
    schema: Schema(
      "people", key: ["id"],
      columns: [
        ColumnDescription("id", .integer), ColumnDescription("name", .text), ColumnDescription("born", .date),
        ColumnDescription("score", .decimal), ColumnDescription("tags", .list(.text)),
        ColumnDescription("alive", .boolean),
        ColumnDescription("seasons", .list(.integer)),
      ]),
    rows: [
      row(1, "Más", "1958", "1.10", #"["a","b,c"]"#, true, "[1,2]"),
      row(2, "mas o menos", "1958-09-07", "9007199254740993", "[]", false, "[2]"),
      row(3, "Zoë Ångström", nil, "1e400", #"["x\"y","é\n"]"#, true, "[10]"),
      row(4, "", "1966-03", "-0.5", nil, nil, nil),
      row(5, nil, "1957-12-31", "9007199254740992", #"["b"]"#, true, "[]"),
    ])

  static func row(
    _ id: Int64, _ name: String?, _ born: String?, _ score: String, _ tags: String?, _ alive: Bool?, _ seasons: String?
  ) -> [Value] {
    [
      .integer(id), name.map { Value.text($0) } ?? .null, born.map { Value.text($0) } ?? .null,
      .number(Array(score.utf8)),
      tags.map { Value.json(Array($0.utf8)) } ?? .null, alive.map { Value.boolean($0) } ?? .null,
      seasons.map { Value.json(Array($0.utf8)) } ?? .null,
    ]
  }
  /// The ids a selection gives, in order.
  static func ids(_ change: (inout Selection) throws -> Void) async throws -> [Int64] {
    var selection = Selection()
    try change(&selection)
    var results: Set<[Int64]> = []
    for size in [1, 2, 5] {
      let rows = try await selection.apply(to: people.stream(size), scratch: MemoryScratch()).values()
      results.insert(rows.compactMap { if case .integer(let id) = $0[0] { id } else { nil } })
    }
    #expect(results.count == 1, "the size of batches changed the result")
    return results.first ?? []
  }

  @Test(
    "conditions",
    arguments: [
      ("id = 2", [2]), ("id != 2", [1, 3, 4, 5]), ("id<2", [1]), ("id >= 4", [4, 5]), ("id in (1, 3,9)", [1, 3]),
      ("id = 2.0", [2]),
      ("score = 1.1", [1]), ("score > 9007199254740992", [2, 3]), ("score < 0", [4]), ("score = 10e399", [3]),
      ("score in (1.1000, -5e-1)", [1, 4]),
      ("name = 'Más'", [1]), ("name = mas o menos", [2]), ("name = ''", [4]), ("name = '=~'", []), ("name = =a", []),
      ("name is null", [5]),
      ("name IS NOT NULL", [1, 2, 3, 4]),
      ("name ~ MÁS", [1, 2]), ("name !~ mas", [3, 4]), ("name ~ angstrom", [3]), ("\"name\" < n", [1, 2, 3, 4]),
      ("born = 1958", [1, 2]), ("born = 1958-09", [2]), ("born != 1958", [4, 5]), ("born < 1958", [5]),
      ("born <= 1958", [1, 2, 5]), ("born > 1958", [2, 4]),
      ("tags = b", [5]), ("tags = 'b,c'", [1]), ("tags = 'x\"y'", [3]), ("tags != b", [1, 2, 3]), ("tags ~ É", [3]),
      ("tags in (a,b)", [1, 5]),
      ("seasons = 2", [1, 2]), ("seasons = 1", [1]), ("alive = true", [1, 3, 5]), ("alive != true", [2]),
      ("alive = false", [2]),
    ])
  func conditions(text: String, wanted: [Int64]) async throws {
    #expect(try await Self.ids { $0.conditions = [try Condition(parsing: text)] } == wanted)
  }

  @Test("a combining mark after a quote or an operator is a separate character") func marks() throws {
    #expect(try Condition(parsing: "name = '\u{301}a'") == Condition("name", .equal, "\u{301}a"))
    #expect(try Condition(parsing: "\"\u{301}\" ~\u{301}") == Condition("\u{301}", .contains, "\u{301}"))
    #expect(try Condition(parsing: "e\u{301} is null") == Condition("e\u{301}", .isNull, []))
  }

  @Test(
    "an invalid condition is reported",
    arguments: [
      ("nme = x", "people has no column “nme”; did you mean name?"),
      ("id = x", "invalid value “x” for id: expected an integer; for example 'id = 1'"),
      ("born = March", "invalid value “March” for born: expected a date; for example 'born = 1958-09'"),
      ("alive = maybe", "invalid value “maybe” for alive: expected a boolean; for example 'alive = true'"),
      ("alive < true", "alive is a boolean and cannot be compared with < or >; use 'alive = true'"),
      ("tags < a", "tags is a list and cannot be compared with < or >; use 'tags = ELEMENT' or 'tags ~ TEXT'"),
      (
        "id",
        "invalid condition “id”: missing operator after id; use COLUMN OP VALUE"
      ),
      ("id == 1", "invalid condition “id == 1”: unknown operator “==” at character 4; use ="),
      ("id <> 1", "invalid condition “id <> 1”: unknown operator “<>” at character 4; use !="),
      ("name LIKE x", "invalid condition “name LIKE x”: unknown operator “like” at character 6; use ~ or starts with"),
      ("id =", "invalid condition “id =”: missing value at character 5; use '' for an empty string"),
      ("name = 'x", "invalid condition “name = 'x”: unterminated ' at character 8; write '' for a quote inside"),
      (
        "name = 'x' y",
        "invalid condition “name = 'x' y”: unexpected text after the condition at character 12; join conditions with and or or; quote a value that contains quotes: 'it''s'"
      ),
      ("id in 3", "invalid condition “id in 3”: missing ( at character 7; use in (a,b)"),
      ("", "invalid condition “”: missing column at character 1; use COLUMN OP VALUE, for example 'season = 1'"),
      ("born = 2021-02-30", "invalid value “2021-02-30” for born: expected a date; February 2021 has 28 days"),
    ])
  func complaints(text: String, complaint: String) async {
    let problem = await #expect(throws: Problem.self) {
      _ = try await Self.ids { $0.conditions = [try Condition(parsing: text)] }
    }
    #expect(problem?.kind == .usage)
    #expect(problem?.description == complaint)
  }

  @Test(
    "search finds the beginnings of words, in texts and lists",
    arguments: [
      ("mas", [1, 2]), ("MEN mas", [2]), ("enos", []), ("angs zoe", [3]), ("c", [1]), ("", [1, 2, 3, 4, 5]),
      ("!?", [1, 2, 3, 4, 5]), ("é", [3]),
    ])
  func search(query: String, wanted: [Int64]) async throws {
    #expect(try await Self.ids { $0.search = query } == wanted)
  }

  @Test(
    "sorting: null last both ways, numbers by value, text as bytes, ties by key",
    arguments: [
      ("name", [4, 1, 3, 2, 5]), ("name:desc", [2, 3, 1, 4, 5]), ("born", [5, 1, 2, 4, 3]),
      ("born:desc", [4, 2, 1, 5, 3]), ("score", [4, 1, 5, 2, 3]),
      ("alive", [2, 1, 3, 5, 4]), ("alive:desc", [1, 3, 5, 2, 4]),
    ])
  func sorting(key: String, wanted: [Int64]) async throws {
    #expect(try await Self.ids { $0.sort = try Self.sort(key) } == wanted)
    #expect(
      try await Self.ids {
        $0.sort = try Self.sort(key)
        $0.offset = 1
        $0.limit = 2
      } == Array(wanted[1..<3]))
  }

  @Test("offset and limit", arguments: [(0, 0, []), (0, 2, [1, 2]), (3, 9, [4, 5]), (9, 1, [])])
  func limits(offset: Int, limit: Int, wanted: [Int64]) async throws {
    #expect(
      try await Self.ids {
        $0.offset = offset
        $0.limit = limit
      } == wanted)
  }

  @Test("only records with certain keys, whatever the form of the key's values") func keys() async throws {
    #expect(try await Self.ids { $0.keys = [Array("2".utf8), Array("5".utf8), Array("9".utf8)] } == [2, 5])
    var builder = RowBatchBuilder(width: 2)
    for (first, second) in [("a/b", "1"), ("a", "1")] {
      builder.append(text: first)
      builder.append(number: Array(second.utf8))
    }
    let schema = Schema(
      "t", key: ["x", "y"], columns: [ColumnDescription("x", .text), ColumnDescription("y", .integer)])
    let batch = builder.finish()
    #expect(RecordKey.text(of: 0, in: batch, schema) == Array("a%2Fb/1".utf8))
    #expect(RecordKey.text(of: 1, in: batch, schema) == Array("a/1".utf8))
  }

  @Test("a limit stops the reading") func stops() async throws {
    var selection = Selection()
    selection.limit = 1
    let stream = Self.people.stream(1)
    _ = try await selection.apply(to: stream, scratch: MemoryScratch()).values()
    #expect(try await stream.values().count == 4)
  }

  @Test("columns in the order asked for, each once") func columns() async throws {
    var selection = Selection()
    selection.columns = ["alive", "id"]
    let stream = try selection.apply(to: Self.people.stream(), scratch: MemoryScratch())
    #expect(stream.schema.columns.map(\.name) == ["alive", "id"])
    #expect(try await stream.values()[1] == [.boolean(false), .integer(2)])
    selection.columns = ["id", "id"]
    #expect(throws: Problem.self) { try selection.apply(to: Self.people.stream(), scratch: MemoryScratch()) }
  }

  @Test("the order of work is fixed: where, sample, sort, limit") func order() async throws {
    let ids = try await Self.ids {
      $0.conditions = [try Condition(parsing: "id > 1")]
      $0.sample = 3
      $0.seed = 5
      $0.sort = [Selection.SortKey("id", descending: true)]
      $0.limit = 2
    }
    #expect(ids.count == 2 && ids == ids.sorted(by: >) && !ids.contains(1))
  }
}

@Suite("large selections") struct LargeSelectionTests {
  static let schema = Schema(
    "t", key: ["id"], columns: [ColumnDescription("id", .integer), ColumnDescription("word", .text)])
  static func table(_ count: Int) -> Table {
    var random = Generator(state: 3)
    return Table(
      schema: schema,
      rows: (0..<count).map {
        [
          .integer(Int64($0)),
          .text(String(repeating: "é", count: Int(random.next() % 7)) + String(random.next() % 50)),
        ]
      })
  }
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }

  @Test(
    "a sample has its size, keeps the order, and its seed decides, however the rows are cut",
    arguments: [0, 1, 7, 100, 2000])
  func sample(size: Int) async throws {
    let table = Self.table(1000)
    var results: Set<[[Value]]> = []
    for batch in [1, 13, 1000] {
      var selection = Selection()
      selection.sample = size
      selection.seed = 11
      results.insert(try await selection.apply(to: table.stream(batch), scratch: MemoryScratch()).values())
    }
    let rows = try #require(results.first)
    #expect(results.count == 1 && rows.count == min(size, 1000))
    #expect(rows == table.rows.filter(Set(rows).contains))
    var selection = Selection()
    selection.sample = size
    selection.seed = 12
    let other = try await selection.apply(to: table.stream(7), scratch: MemoryScratch()).values()
    #expect(size == 0 || size >= 1000 || other != rows)
  }

  @Test("every row is equally likely to be in a sample") func fair() async throws {
    var counts = [Int](repeating: 0, count: 20)
    for seed in 0..<400 {
      var selection = Selection()
      selection.sample = 5
      selection.seed = UInt64(seed)
      for row in try await selection.apply(to: Self.table(20).stream(), scratch: MemoryScratch()).values() {
        if case .integer(let id) = row[0] { counts[Int(id)] += 1 }
      }
    }
    // 100 are expected of each; five standard deviations are 43.
    #expect(counts.allSatisfy { (57...143).contains($0) }, "\(counts)")
  }
}

extension SelectionTests {
  /// What `--sort` says.
  static func sort(_ text: String) throws(Problem) -> [Selection.SortKey] {
    try NameListParser.list(text, mark: ":", of: "sort").map { (key) throws(Problem) in try Selection.SortKey(key) }
  }
}
