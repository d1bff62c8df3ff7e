import Conformance
@testable import Persistence
import Query
import Rows
import Testing

@Suite("SQL over tables of any source") struct SQLQueryTests {
  /// A source with one table in memory.
  private struct Source: RecordSource {
    let name = "memory"
    let schema: Schema
    let batch: RowBatch
    func tables() -> [Schema] { [schema] }
    func rows(of table: String, _ request: RowRequest) throws(Problem) -> any RowStream {
      var selection = Selection()
      selection.columns = request.columns
      return try selection.apply(to: BufferedRows(schema: schema, batches: [batch]), scratch: NoScratch())
    }
  }

  private func source(_ name: String, _ columns: [ColumnDescription], _ rows: [[Value]]) -> Source {
    var builder = RowBatchBuilder(width: columns.count)
    for row in rows { for value in row { builder.append(value: value) } }
    return Source(schema: Schema(name, columns: columns), batch: builder.finish())
  }

  private func rows(_ sql: String, _ sources: [Source]) async throws -> (Schema, [[Value]]) {
    let stream = try await SQLQuery(sql, over: sources).rows(named: "result", cores: 1)
    var rows: [[Value]] = []
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count { rows.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    return (stream.schema, rows)
  }

  @Test("a column that is returned as it is keeps its type and values") func types() async throws {
    let values: [(ColumnType, Value)] = [
      (.integer, .integer(-7)), (.real, .real(0.1)), (.decimal, .real(2.5)), (.boolean, .boolean(true)),
      (.text, .text("é\u{0}x")), (.bytes, .bytes([0, 255])), (.date, .text("1966-03")),
      (.timestamp, .text("2024-05-01T10:30:00Z")), (.url, .text("https://h/")),
      (.list(.integer), .json(Array("[1,2]".utf8))),
      (.json, .json(Array(#"{"a":1}"#.utf8))),
    ]
    let columns = values.enumerated().map { ColumnDescription("c\($0)", $1.0) }
    let table = source("t", columns, [values.map(\.1), values.map { _ in .null }])
    let (schema, rows) = try await rows("SELECT * FROM t ORDER BY c0 IS NULL", [table])
    #expect(schema.columns.map(\.type) == columns.map(\.type))
    #expect(rows == [values.map(\.1), values.map { _ in .null }])
  }

  @Test(
    "a NaN is read as null, with a warning",
    arguments: [
      "SELECT x FROM t", "SELECT x FROM t WHERE n > 0 ORDER BY n", "SELECT count(x), n FROM t GROUP BY n",
      "WITH a AS (SELECT x FROM t) SELECT * FROM a, t",
    ])
  func notANumber(_ sql: String) async throws {
    let columns = [ColumnDescription("x", .real), ColumnDescription("n", .integer)]
    let values: [Double] = [1.5, .nan, -.infinity, -.nan]
    let table = source("t", columns, values.map { [.real($0), .integer(1)] })
    let stream = try await SQLQuery(sql, over: [table]).rows(named: "result", cores: 1)
    while try await stream.next()?.batch() != nil {}
    #expect(stream.notes.map(\.message) == ["2 values NaN, read as null by SQL"])
    let other = try await SQLQuery(sql, over: [source("t", columns, [[.real(1.5), .integer(1)]])])
      .rows(named: "result", cores: 1)
    while try await other.next()?.batch() != nil {}
    #expect(other.notes.isEmpty)
  }

  @Test("timestamps are compared as times") func times() async throws {
    let texts = [
      "2024-01-01T00:00:00.000001Z", "2024-01-01T00:00:00Z", "2023-12-31T23:59:59.90Z", "2024-01-01T00:00:00.0Z",
    ]
    let table = source(
      "t", [ColumnDescription("at", .timestamp), ColumnDescription("n", .integer)],
      texts.enumerated().map { [.text($1), .integer(Int64($0))] })
    func numbers(_ sql: String) async throws -> [Int64] {
      try await rows(sql, [table]).1.map { if case .integer(let number) = $0[0] { number } else { -1 } }
    }
    #expect(try await numbers("SELECT n FROM t ORDER BY at, n") == [2, 1, 3, 0])
    #expect(try await numbers("SELECT n FROM t WHERE at = '2024-01-01T00:00:00.00Z' ORDER BY n") == [1, 3])
    #expect(try await numbers("SELECT n FROM t WHERE at > '2023-12-31T23:59:59.9Z' ORDER BY n") == [0, 1, 3])
    #expect(try await numbers("SELECT count(*) FROM t GROUP BY at ORDER BY at") == [1, 2, 1])
    #expect(try await numbers("SELECT count(DISTINCT at) FROM t") == [3])
    #expect(try await rows("SELECT max(at) FROM t", [table]).1 == [[.text(texts[0])]])
  }

  @Test("only the columns that the statement names are loaded") func columns() async throws {
    // The second column could not be loaded.
    let table = source(
      "t", [ColumnDescription("a", .integer), ColumnDescription("b", .decimal)],
      [[.integer(1), .number(Array("0.12345678901234567890".utf8))]])
    #expect(try await rows("SELECT a FROM t", [table]).1.count == 1)
    #expect(try await rows("SELECT count(*) FROM t", [table]).1 == [[.integer(1)]])
    let problem = await #expect(throws: Problem.self) { try await rows("SELECT b FROM t", [table]) }
    #expect(problem?.kind == .badData && problem?.message.contains("more digits") == true)
  }

  @Test("sums of decimals are exact, in windows as well", arguments: 0..<20) func sums(seed: Int) async throws {
    var random = SystemRandomNumberGenerator()
    let scaled = (0..<200).map { _ in Int64.random(in: -999_999...999_999, using: &random) }
    let table = source(
      "t", [ColumnDescription("n", .integer), ColumnDescription("a", .decimal)],
      scaled.enumerated().map { index, value in
        let cents = abs(value) % 100
        let literal = "\(value < 0 ? "-" : "")\(abs(value) / 100).\(cents < 10 ? "0" : "")\(cents)"
        return [.integer(Int64(index)), .number(Array(literal.utf8))]
      })
    let (_, total) = try await rows("SELECT sum(a) * 1 FROM t", [table])
    #expect(total == [[.real(Double(scaled.reduce(0, +)) / 100)]])
    let (_, moving) = try await rows("SELECT sum(a) OVER (ORDER BY n ROWS 2 PRECEDING) FROM t", [table])
    for index in scaled.indices {
      let sum = scaled[max(0, index - 2)...index].reduce(0, +)
      #expect(moving[index] == [.real(Double(sum) / 100)], "\(index)")
    }
  }

  @Test("a sum that no number holds is an error, never rounded") func tooLong() async throws {
    let table = source(
      "t", [ColumnDescription("a", .decimal)], ["900719925474.1", "0.000000123"].map { [.number(Array($0.utf8))] })
    let problem = await #expect(throws: Problem.self) { try await rows("SELECT sum(a) FROM t", [table]) }
    #expect(problem?.message.contains("900719925474.100000123") == true, "\(String(describing: problem))")
    #expect(try await rows("SELECT total(a) FROM t", [table]).1 == [[.real(900_719_925_474.1)]])
  }

  @Test(
    "what is not one statement that reads is refused",
    arguments: [
      "DELETE FROM t", "SELECT 1; SELECT 2", "", "--", "EXPLAIN SELECT 1", "PRAGMA user_version", "SELECT ?",
      "ATTACH 'x' AS y", "SELECT load_extension('x')", "CREATE TABLE x(a)", "SELECT \u{0}1", "VACUUM INTO '/tmp/x'",
      "WITH x AS (SELECT 1) DELETE FROM t", "SELECT * FROM pragma_table_info('t')", "BEGIN", "SELECT 1 UNION",
    ])
  func refused(_ sql: String) async throws {
    let table = source("t", [ColumnDescription("a", .integer)], [[.integer(1)]])
    let problem = await #expect(throws: Problem.self) { try await rows(sql, [table]) }
    #expect(problem?.kind == .usage, "\(sql): \(String(describing: problem))")
  }

  @Test("tables and columns that SQL does not distinguish are refused if they are read") func duplicates() async throws
  {
    let table = source("t", [ColumnDescription("a", .integer)], [])
    let other = source("T", [ColumnDescription("a", .integer)], [])
    let columns = source("u", [ColumnDescription("a", .integer), ColumnDescription("A", .integer)], [])
    let good = source("v", [ColumnDescription("a", .integer)], [[.integer(7)]])
    let all = [table, other, columns, good]
    let problem = await #expect(throws: Problem.self) { try await rows("SELECT * FROM t", all) }
    #expect(problem?.kind == .usage && problem?.message.contains("the same name in SQL") == true)
    let column = await #expect(throws: Problem.self) { try await rows("SELECT * FROM U", all) }
    #expect(column?.kind == .badData && column?.message.contains("duplicate column name: A") == true)
    #expect(try await rows("SELECT * FROM v", all).1 == [[.integer(7)]])
  }

  /// Two hundred statements over three small tables, whose columns have names in common.
  private static var statements: [String] {
    var random = SplitMix64(seed: 25), made: [String] = []
    let tables = ["e", "p", "c"], columns = ["dep", "emp", "town", "land"]
    func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
    while made.count < 200 {
      let first = pick(tables), second = pick(tables.filter { $0 != first })
      let third = tables.first { $0 != first && $0 != second } ?? ""
      let kind = pick(["", "left ", "full ", "inner "])
      let pair = Set([first, second])
      let shared = pair == ["e", "p"] ? "dep" : pair == ["p", "c"] ? "town" : nil
      let from =
        switch Int.random(in: 0..<7, using: &random) {
        case 0: "\(first) natural \(kind)join \(second)"
        case 1: "\(first) natural join \(second) natural \(kind)join \(third)"
        case 2: shared.map { "\(first) \(kind)join \(second) using (\($0))" } ?? "\(first), \(second)"
        case 3: "\"\(first)\" as a natural join [\(first)] as b"
        case 4: "(select * from \(first) NATURAL/* */JOIN \(second))"
        case 5: "(with x as (select * from \(first)) select * from x natural \(kind)join '\(second)')"
        default: "\(first), \(second) -- natural"
        }
      let list = pick([
        "*", "count(*)", "count(*), 1", "1", "max(rowid)", pick(columns), "count(\(pick(columns)))",
        "count(*) over (order by \(pick(columns))), row_number() over ()",
        "(select count(*) from e join p using (dep))",
      ])
      let condition = pick([
        "", "", " where 1 = 1", " where exists (select 1 from p natural join c)", " where town in (select town from c)",
      ])
      made.append("select \(list) from \(list == "max(rowid)" ? first : from)\n\(condition)")
    }
    return made
  }

  @Test("joins that name no columns return what SQLite returns on the whole tables") func joins() async throws {
    var random = SplitMix64(seed: 7), sources: [Source] = []
    let direct = try SQLiteConnection.temporary(as: "all")
    for (name, columns) in [("e", ["dep", "emp"]), ("p", ["dep", "town"]), ("c", ["town", "land"])] {
      let values = (0..<9).map { _ in columns.map { _ in Int64.random(in: 0..<4, using: &random) } }
      sources.append(
        source(
          name, columns.map { ColumnDescription($0, .integer) },
          values.map { $0.map { $0 == 3 ? .null : .integer($0) } }))
      try direct.execute("CREATE TABLE \(name)(\(columns.map { "\($0) INTEGER" }.joined(separator: ",")))")
      for row in values {
        let list = row.map { $0 == 3 ? "NULL" : "\($0)" }.joined(separator: ",")
        try direct.execute("INSERT INTO \(name) VALUES(\(list))")
      }
    }
    var compared = 0
    for sql in Self.statements {
      var wanted: [[Value]] = [], width = 0
      do throws(Problem) {
        try direct.execute("DROP VIEW IF EXISTS bb_test; CREATE VIEW bb_test AS \(sql)")
        width = Int(try direct.integer("SELECT count(*) FROM pragma_table_info('bb_test')"))
        let rows = try direct.prepare("SELECT * FROM bb_test")
        while try rows.step() {
          wanted.append((0..<width).map { rows.isNull($0) ? .null : .integer(rows.integer($0)) })
        }
      } catch {
        // Statements that SQLite refuses are refused.
        let problem = await #expect(throws: Problem.self, "\(sql)") { try await self.rows(sql, sources) }
        #expect(problem?.message.contains("\u{1F}") == false, "\(sql)")
        continue
      }
      let found = try await rows(sql, sources).1
      #expect(found.map { "\($0)" }.sorted() == wanted.map { "\($0)" }.sorted(), "\(sql)")
      compared += 1
    }
    #expect(compared > 120)
  }

  @Test("statements that say what a selection says return what SQLite returns, in value and type")
  func selections() async throws {
    var random = SplitMix64(seed: 29)
    func pick(_ all: [String]) -> String { all[Int.random(in: 0..<all.count, using: &random)] }
    func value(_ all: [Value]) -> Value { all[Int.random(in: 0..<all.count, using: &random)] }
    let integers: [Value] = [
      .null, .integer(-3), .integer(0), .integer(1), .integer(9), .integer(.max), .integer(.min),
    ]
    let words = ["", "a", "A", "b ", "é", "e\u{301}", "10", "9", "null", "a\u{0}b"]
    let texts: [Value] = [.null] + words.map { Value.text(Array($0.utf8)) }
    let booleans: [Value] = [.null, .boolean(true), .boolean(false)]
    let dates: [Value] = [.null, .text("1966-03"), .text("1966-03-01")],
      reals: [Value] = [.null, .real(0.5), .real(3), .real(.nan), .real(1e-7)]
    let columns = [
      ColumnDescription("n", .integer), ColumnDescription("t", .text), ColumnDescription("Other", .text),
      ColumnDescription("b", .boolean), ColumnDescription("d", .date), ColumnDescription("r", .real),
      ColumnDescription("p", .decimal),
    ]
    let prices: [Value] =
      [.null, .integer(3), .real(9.5)] + ["9.50", "-1", "0.84294500000000006", "-0"].map { .number(Array($0.utf8)) }
    let cells: [[Value]] = (0..<60).map { _ in
      [
        value(integers), value(texts), value(texts), value(booleans), value(dates), value(reals), value(prices),
      ]
    }
    let table = source("data", columns, cells)
    let side = source(
      "side", [ColumnDescription("n", .integer), ColumnDescription("w", .text)],
      (0..<12).map { _ in [value(integers), value(texts)] })
    let plain = ["n", "t", "Other", "b", "d", "\"Other\"", "\"n\"", "r", "data.t", "p"],
      odd = ["N", "other", "n + 1", "upper(t)", "'n'"]
    var own = 0, narrow = 0, groups = 0, needed = 0
    func tests(_ table: String) -> String {
      let tests = (0..<Int.random(in: 1...3, using: &random)).map { _ -> String in
        let column = pick(["n", "n", "t", "t", "Other", "b", "r", "p", "d"]),
          sign = pick(["=", "==", "!=", "<>", "<", "<=", ">", ">="])
        let fits = Int.random(in: 0..<8, using: &random) > 0
        let numbers = ["1", "-3", "0", "10", "09", "999999999999999999", fits ? "2" : "1.0", fits ? "3" : "'9'"]
        let words = ["'a'", "'A'", "''", "'é'", "'9'", "'b '", fits ? "'null'" : "9", fits ? "'10'" : "NULL"]
        let fractions = ["0.5", "3", "-1", "9.5", "0.84294500000000006", "0.842945", "1e2", fits ? "0" : "'3'"]
        let days = ["'1966-03-01'", "'1966-03'", "'1966-03-02'", "'x'"]
        let values =
          switch column {
          case "t", "Other": words
          case "r", "p": fractions
          case "d": days
          default: numbers
          }
        let name = table.isEmpty || Bool.random(using: &random) && column != "n" ? column : "\(table).\(column)"
        return pick([
          "\(name) \(sign) \(pick(values))", "\(name)\(sign)\(pick(values))", "\(name) IS NOT NULL", "\(name) is null",
          "\(name) IN (\(pick(values)), \(pick(values)))", "\(name) between \(pick(values)) and \(pick(values))",
          fits ? "\(name) \(sign) \(pick(values))" : "NOT \(name) \(sign) \(pick(values))",
          "(\(name) \(sign) \(pick(values)) or 0)",
        ])
      }
      return " WHERE " + tests.joined(separator: pick([" AND ", "\n and ", " AND ", " OR "]))
    }
    func order(_ terms: [String]) -> String {
      let some = (0..<Int.random(in: 1...3, using: &random)).map { _ in pick(terms) + pick(["", " desc", " ASC"]) }
      return " ORDER BY " + some.joined(separator: ", ")
    }
    for number in 0..<2_000 {
      var sql = pick(["SELECT ", "select "])
      switch number % 4 {
      case 0, 1:
        let lists = [
          "*", pick(plain), "\(pick(plain)), \(pick(plain))", "\(pick(plain)), \(pick(plain)), \(pick(odd))",
        ]
        sql += "\(pick(lists)) FROM \(pick(["data", "DATA", "\"data\""]))"
        if Bool.random(using: &random) { sql += tests("") }
        if number % 4 == 1 { sql += order(["n", "t", "r", "p", "b", "d", "Other", "1"]) + ", n, t, Other, r, p, b, d" }
        sql += pick(["", "", " LIMIT 5", " LIMIT 0", " limit 7 offset 3", " LIMIT 3, 4", " LIMIT -1"])
      case 2:
        let keys = pick(["", "t", "Other", "t, b", "d", "n", "data.b", "t, Other", "r"])
        let results = [
          "count(*)", "count( * )", "COUNT(n)", "min(t)", "max(d)", "min(r) as least", "max(p)", "sum(r)", "avg(p)",
          "sum(p) AS \"the sum\"", "avg(n)", "max(b)", "count(t) as c", "count(distinct t)", "total(r)",
        ]
        let some = Set((0..<Int.random(in: 1...4, using: &random)).map { _ in pick(results) }).sorted()
        sql += (keys.isEmpty ? some : [keys] + some).joined(separator: ", ") + " FROM data"
        if Bool.random(using: &random) { sql += tests("") }
        if !keys.isEmpty { sql += " GROUP BY \(keys)" }
        if Bool.random(using: &random) {
          sql += order(some.filter { !$0.lowercased().contains(" as ") } + ["1"])
        }
        sql += pick(["", " limit 3", " limit 2 offset 1", " having count(*) > 1"])
      default:
        let join = pick([
          "data, side", "data join side on data.n = side.n", "data left join side on side.n = data.n",
          "side left join data on side.n = data.n", "data a join side on a.n = side.n", "data natural join side",
          "data cross join side", "side",
        ])
        sql += pick(["*", "count(*)", "w, count(*)"]) + " FROM \(join)"
        sql +=
          join == "side"
          ? " where w is not null and n > -5" : tests("data").replacing("data.", with: pick(["data.", "side."]))
        if sql.contains("w, count") { sql += " group by w" }
      }
      let query: SQLQuery
      do { query = try await SQLQuery(sql, over: [table, side]) } catch { continue }
      var results: [(names: [String], types: [ColumnType], rows: [[Value]])] = []
      for query in [query, query.withoutOperators] {
        do {
          let stream = try await query.rows(named: "result", cores: 1)
          let batches = try await stream.collect()
          let rows = batches.flatMap { batch in
            (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
          }
          results.append((stream.schema.columns.map(\.name), stream.schema.columns.map(\.type), rows))
        } catch { results.append(([error.message], [], [])) }
      }
      #expect(results[0] == results[1], "\(sql)")
      guard let select = query.select else { continue }
      if select.selection(of: table.schema) != nil {
        own += 1
        if !results[0].rows.isEmpty, results[0].rows.count < 60 { narrow += 1 }
      }
      if select.groups(of: table.schema, table: "g", names: results[0].names) != nil { groups += 1 }
      if select.needed(of: table.schema, among: [table.schema, side.schema]) != nil { needed += 1 }
    }
    #expect(own > 150 && narrow > 70 && groups > 150 && needed > 500, "\(own), \(narrow), \(groups), \(needed)")
  }

  @Test("the tables of the private database are not shown", arguments: ["sqlite_master", "sqlite_schema"])
  func schemaTables(_ name: String) async throws {
    let table = source("t", [ColumnDescription("n", .integer)], [[.integer(1)]])
    let problem = await #expect(throws: Problem.self) { try await rows("SELECT * FROM \(name)", [table]) }
    #expect(problem?.kind == .usage && problem?.message.contains("cannot be read") == true)
    #expect(try await rows("SELECT value AS n FROM json_each('[7]'), t", [table]).1 == [[.integer(7)]])
  }

  @Test(
    "functions that statements may call",
    arguments: [
      ("select json_extract('{\"a\":[1,2]}', '$.a[1]') as x from t limit 1", Value.integer(2)),
      ("select '{\"a\":7}' ->> 'a' as x from t limit 1", .integer(7)),
      ("select sum(value) as x from json_each('[1,2,3]'), (select 1 from t limit 1)", .integer(6)),
      ("select count(*) as x from json_tree('{\"a\":[1]}') where (select count(*) from t) > 0", .integer(3)),
      ("select count(*) as x from t where n regexp '^[12]$'", .integer(2)),
      ("select median(n) as x from t", .real(2.5)), ("select quantile(n, 0.25) as x from t", .real(1.75)),
      ("select round(stddev(n), 6) as x from t", .real(1.290994)),
      ("select sum(value) as x from generate_series(1, 10, 3) where (select 1 from t limit 1)", .integer(22)),
      ("select substr(sha256('a'), 1, 8) as x from t limit 1", .text("ca978112")),
    ])
  func functions(_ sql: String, _ wanted: Value) async throws {
    let table = source("t", [ColumnDescription("n", .integer)], (1...4).map { [.integer($0)] })
    #expect(try await rows(sql, [table]).1 == [[wanted]], "\(sql)")
  }

  @Test("a part of a quantile that is none is refused") func quantile() async throws {
    let table = source("t", [ColumnDescription("n", .integer)], (1...4).map { [.integer($0)] })
    for part in ["2", "-0.5"] {
      await #expect(throws: Problem.self) { try await rows("select 1 + quantile(n, \(part)) as x from t", [table]) }
    }
  }
}
