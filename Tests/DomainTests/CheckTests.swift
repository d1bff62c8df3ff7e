import Domain
import Rows
import TestSupport
import Testing

/// A few columns of a dataset, and rows of them.
private func table(_ dataset: String, _ columns: [String], _ rows: [[Value]]) throws -> (String, any RowStream) {
  let known = try Catalog.dataset(named: dataset)
  let described = try columns.map { name in
    let column = try #require(known.columns.first { $0.name == name })
    return ColumnDescription(name, column.type, column.summary)
  }
  return (dataset, Table(schema: Schema(dataset, columns: described), rows: rows).stream())
}

private func list(_ names: String...) -> Value {
  .json(Array("[\(names.map { "\"\($0)\"" }.joined(separator: ","))]".utf8))
}

/// The findings, as `check|record|column|value|count`.
private func found(_ dataset: String, in tables: [(String, any RowStream)]) async throws -> (
  lines: [String], said: [String]
) {
  var read = CheckTables(), said: [String] = []
  let findings = try await Check().findings(in: dataset, &read, report: { said.append($0) }) { name in
    tables.first { $0.0 == name }?.1
  }
  let rows = try await Check.rows(of: findings).values()
  func text(_ value: Value) -> String {
    switch value {
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .integer(let value): String(value)
    default: "null"
    }
  }
  return (rows.map { row in row[1...5].map(text).joined(separator: "|") }, said)
}

@Suite("checks of datasets") struct CheckTests {
  private static let people = ["id", "name", "status", "aliases"]

  @Test("names that no character has, with how often; other names and aliases are known") func names() async throws {
    let characters = try table(
      "characters", Self.people, [[.integer(1), .text("Hank Schrader"), .text("alive"), list("ASAC")]])
    let episodes = try table(
      "episodes", ["production", "season", "episode", "characters"],
      [
        [.text("B"), .integer(1), .integer(2), list("Henry Schrader", "a fly", "asac")],
        [.text("B"), .integer(1), .integer(3), list("a fly", "Nobody")],
      ])
    let got = try await found("episodes", in: [characters, episodes])
    #expect(got.lines == ["unresolved-name|B/1/2|characters|a fly|2", "unresolved-name|B/1/3|characters|Nobody|1"])
    let alone = try await found("episodes", in: [try table("episodes", ["characters"], [[list("a fly")]])])
    #expect(alone.lines.isEmpty && alone.said == ["episodes: not compared with characters (not available)"])
  }
  @Test("the dead without a record, the living with one") func deaths() async throws {
    let characters = try table(
      "characters", Self.people,
      [
        [.integer(1), .text("A"), .text("dead"), .null], [.integer(2), .text("B"), .text("dead"), .null],
        [.integer(3), .text("C"), .text("alive"), .null], [.integer(4), .text("D"), .text("presumed dead"), .null],
      ])
    let deaths = try table("deaths", ["id", "character"], [[.integer(1), .text("b")], [.integer(2), .text("C")]])
    let got = try await found("characters", in: [characters, deaths])
    #expect(got.lines == ["no-death-record|1|status|A|1", "alive-with-death-record|3|status|C|1"])
  }
  @Test("records that share an identifier, a name, their words") func duplicates() async throws {
    let quotes = try table(
      "quotes", ["id", "occurrence", "quote", "character"],
      [
        [.integer(7), .integer(1), .text("Yes"), .text("A")], [.integer(7), .integer(2), .text("No"), .text("A")],
        [.integer(8), .integer(1), .text("yes"), .text("a")], [.integer(9), .integer(1), .text("Yes"), .text("B")],
        [.integer(10), .integer(1), .text("x"), .null],
      ])
    let characters = try table(
      "characters", Self.people, [[.integer(1), .text("A"), .null, .null], [.integer(2), .text("B"), .null, .null]])
    let got = try await found("quotes", in: [quotes, characters])
    #expect(got.lines == ["duplicate-key|7/1|id|7|2", "duplicate-text|7/1|quote|Yes|2"])
    let twice = try table(
      "characters", Self.people, [[.integer(1), .text("É"), .null, .null], [.integer(2), .text("e"), .null, .null]])
    let deaths = try table("deaths", ["id", "character"], [])
    #expect(try await found("characters", in: [twice, deaths]).lines == ["duplicate-name|1|name|É|2"])
    let titles = try table(
      "episodes", ["production", "title"],
      [[.text("p"), .text("T")], [.text("q"), .text("T")], [.text("p"), .text("t")]])
    #expect(try await found("episodes", in: [titles]).lines.contains("duplicate-title|record 1|title|T|2"))
  }
  @Test("texts that say nothing, columns without a value, values of another type") func values() async throws {
    let deaths = try table(
      "deaths", ["id", "character", "cause", "connected", "season", "number_of_deaths"],
      [
        [.integer(1), .null, .text(" \n"), list("a", ""), .text("x"), .integer(0)],
        [.integer(2), .text("c"), .null, .json(Array("[]".utf8)), .integer(1), .integer(167)],
      ])
    let got = try await found("deaths", in: [deaths])
    #expect(
      got.lines == [
        "empty-text|1|cause| \n|1", "empty-text|1|connected||1", "missing-value|1|character|null|1",
        "impossible-value|1|season|x|1", "impossible-number|1|number_of_deaths|0|1",
      ])
  }
  @Test(
    "a rate above that of a movie with a better rank is found, however numbers are represented",
    arguments: [false, true])
  func rates(areLiterals: Bool) async throws {
    let rows = [(1, 35.5), (2, 12.63), (3, 61.69), (4, 14.93), (5, 1.0)].map { rank, rate -> [Value] in
      let held: (any CustomStringConvertible, Value) -> Value = { areLiterals ? .number(Array("\($0)".utf8)) : $1 }
      return [
        .text("f\(rank)"), .text("t\(rank)"), held(rank, .integer(Int64(rank))), held(rate, .real(rate)),
        held(10.5, .real(10.5)),
      ]
    }
    let movies = try table("movies", ["id", "title", "reservation_rank", "reservation_rate", "user_rating"], rows)
    let got = try await found("movies", in: [movies])
    #expect(got.lines.filter { $0.hasPrefix("impossible-number|") }.count == 5)
    #expect(
      got.lines.suffix(2) == [
        "rank-against-rate|f3|reservation_rate|61.69|2", "rank-against-rate|f4|reservation_rate|14.93|1",
      ])
  }
  @Test(
    "dates that are in no calendar, times no clock showed",
    arguments: [
      ("release_date", "2013-02-29", true), ("release_date", "Invalid date", true),
      ("release_date", "0013-02-01", true),
      ("release_date", "2012-02-29", false), ("release_date", "1958", false), ("release_date", "1966-03", false),
    ])
  func dates(column: String, value: String, isOdd: Bool) async throws {
    let got = try await found(
      "movies", in: [try table("movies", ["id", "title", column], [[.text("a"), .text("t"), .text(value)]])])
    #expect(got.lines == (isOdd ? ["impossible-date|a|\(column)|\(value)|1"] : []))
  }
  @Test(
    "times",
    arguments: [
      ("1969-12-31T23:59:59.99Z", true), ("51000", true), ("9999-01-01T00:00:00Z", true),
      ("2019-09-20T20:44:38.5Z", false),
    ])
  func times(value: String, isOdd: Bool) async throws {
    let got = try await found(
      "comments",
      in: [try table("comments", ["id", "movie_id", "posted_at"], [[.text("a"), .text("m"), .text(value)]])])
    #expect(got.lines == (isOdd ? ["impossible-date|a|posted_at|\(value)|1"] : []))
  }
  @Test("every dataset without a row is without a finding") func nothing() async throws {
    let tables = Catalog.all.map { ($0.name, BufferedRows(schema: $0, batches: []) as any RowStream) }
    for (name, _) in tables {
      let got = try await found(name, in: tables)
      #expect(got.lines.isEmpty && got.said.isEmpty)
    }
  }
}
