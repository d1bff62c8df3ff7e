import Codecs
@testable import Query
import Rows
import Testing

@Suite("Expressions and steps") struct ExpressionTests {
  private static let schema = Schema(
    "t",
    columns: [
      ColumnDescription("id", .integer), ColumnDescription("name", .text), ColumnDescription("price", .decimal),
      ColumnDescription("day", .date), ColumnDescription("ok", .boolean), ColumnDescription("user", .json),
      ColumnDescription("tags", .list(.text)),
    ])
  private static let rows: [[Value]] = [
    [
      .integer(1), .text("Anna"), .number(Array("1.10".utf8)), .text("2024-01-31"), .boolean(true),
      .json(Array(#"{"name":"A","age":7}"#.utf8)), .json(Array(#"["x","y"]"#.utf8)),
    ],
    [.integer(2), .text("Bérénice"), .null, .null, .boolean(false), .null, .json(Array("[]".utf8))],
    [.integer(3), .null, .number(Array("0.1".utf8)), .text("2023-03"), .null, .null, .null],
  ]
  private static func stream() -> BufferedRows {
    var builder = RowBatchBuilder(width: schema.width)
    for row in rows { for value in row { builder.append(value: value) } }
    return BufferedRows(schema: schema, batches: [builder.finish()])
  }
  private static func texts(_ selection: Selection, _ from: any RowStream = stream()) async throws -> [[String]] {
    let rows = try await selection.applied(to: from, scratch: NoScratch())
    var texts: [[String]] = []
    for batch in try await rows.collect() {
      for row in 0..<batch.count {
        texts.append(
          (0..<batch.width).map { String(decoding: batch.value(row, $0).plainText, as: UTF8.self) })
      }
    }
    return texts
  }
  private static func value(_ expression: String) async throws -> String {
    var selection = Selection()
    selection.steps.assigned = [Assigned("x", try Expression(parsing: expression))]
    (selection.steps.today, selection.steps.now) = ("2024-05-17", "2024-05-17T08:00:00Z")
    selection.columns = ["x"]
    selection.limit = 1
    return try await texts(selection)[0][0]
  }

  @Test(
    "values",
    arguments: [
      ("0.1 + 0.2", "0.3"), ("price * 2", "2.20"), ("price + 0", "1.10"), ("7 / 2", "3.5"),
      ("1 / 3", "0.3333333333333333333333333333333333"),
      ("2 / 3", "0.6666666666666666666666666666666667"), ("10 / 5", "2"), ("-7 % 3", "-1"), ("id + 2 * 3", "7"),
      ("(id + 2) * 3", "9"),
      ("123456789012345678901234567890.5 * 2", "246913578024691357802469135781.0"),
      ("round(2.345, 2)", "2.35"), ("round(7, -9223372036854775808)", "0"), ("round(7.5, -3000000000)", "0"),
      ("-((0 - 9223372036854775808) * 18446744073709551616)", "170141183460469231731687303715884105728"),
      ("abs((0 - 9223372036854775808) * 18446744073709551616)", "170141183460469231731687303715884105728"),
      ("round(1234, -2)", "1200"), ("floor(-1.5)", "-2"), ("ceil(1.2)", "2"),
      ("abs(-3)", "3"),
      ("greatest(1, 3, 2)", "3"), ("least(price, 2)", "1.10"), ("upper(name)", "ANNA"), ("lower('É')", "é"),
      ("length('Bérénice')", "8"), ("substr(name, 2, 2)", "nn"), ("substr(name, -2)", "na"),
      ("replace(name, 'n', 'm')", "Amma"),
      ("split_part('a-b-c', '-', 2)", "b"), ("lpad('7', 3, '0')", "007"), ("name || '-' || id", "Anna-1"),
      ("concat(name, null, 1)", "Anna1"),
      ("trim('  x ')", "x"), ("starts_with(name, 'An')", "true"), ("coalesce(null, name)", "Anna"),
      ("nullif(id, 1)", ""),
      ("if(id = 1, 'one', 'other')", "one"), ("case when id > 1 then 'b' when id = 1 then 'a' end", "a"),
      ("case id when 2 then 'two' else 'not' end", "not"), ("year(day)", "2024"), ("month(day) + 1", "2"),
      ("weekday(day)", "3"),
      ("day + 30", "2024-03-01"), ("date '2024-03-01' - day", "30"), ("date_trunc('month', day)", "2024-01-01"),
      ("strptime('31.12.2023', '%d.%m.%Y')", "2023-12-31"), ("strftime(day, '%e %B %Y, %j')", "31 January 2024, 031"),
      ("today()", "2024-05-17"), ("cast('12' as integer) + 1", "13"), ("try_cast('x' as integer)", ""),
      ("cast(2.5 as integer)", "3"),
      ("user.name", "A"), ("user.age", "7"), ("coalesce(user.nick, user.name)", "A"), ("tags[1]", "x"),
      ("tags[-1]", "y"), ("tags[5]", ""),
      ("len(tags)", "2"),
      ("array_to_string(tags, '+')", "x+y"), ("list_contains(tags, 'y')", "true"), ("row_number()", "1"),
      ("name in ('Anna', 'Ben') and not ok = false", "true"), ("id between 1 and 2", "true"), ("name ~ 'NN'", "true"),
      ("name =~ '^A'", "true"), ("null or true", "true"), ("null and true", ""), ("null and true and false", "false"),
      ("sha256('a')", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
      ("typeof(price)", "decimal"), ("typeof(day)", "date"), ("typeof(null)", "null"), ("typeof(user.age)", "integer"),
      ("typeof(strptime('31.12.2023', '%d.%m.%Y'))", "date"),
    ])
  func values(_ expression: String, _ wanted: String) async throws {
    #expect(try await Self.value(expression) == wanted, "\(expression)")
  }

  @Test(
    "mistakes name the place and what helps",
    arguments: [
      ("uper(name)", "unknown function “uper” at character 1", "did you mean upper?"),
      ("name + 1", "+ applies only to numbers, and name is text", "use cast(name as decimal), or || to join texts"),
      ("1e20000 + 1", "a number of more than 10000 digits", "use fewer digits"),
      ("lpad('a', 2000000)", "more than 1048576 characters", ""),
      ("sum(id)", "groups of rows", "sum(COLUMN)"),
      ("ceiling(id)", "unknown function “ceiling”", "did you mean ceil?"),
      ("\"Rome\"", "no column “Rome”", "quote text as 'Rome'"),
      ("id::text", "unexpected text", "use cast(VALUE as TYPE)"),
      ("len(name)", "applies only to lists", "use length(name)"),
      ("nme", "t has no column “nme”", "did you mean name?"), ("id +", "missing value at character 5", ""),
      ("substr(name)", "wrong number of arguments", "use substr(text, start, n)"),
      ("id == 1", "unknown operator “==”", "use ="),
      ("1 / 0", "division of 1 by zero", "use nullif(b, 0)"),
      ("cast('x' as integer)", "“x” is not integer", "try_cast"),
      ("id + 999999999999999999 * 10", "is not integer", "as decimal"),
      ("id = 'x'", "cannot be compared", "cast("),
      (
        "1" + String(repeating: " + 1", count: 2000), "more than 1000 operators", "calculate it in several steps"
      ),
      ("(id", "missing )", "close the parenthesis"), ("id && 1", "unexpected text after the expression", "use and"),
    ])
  func mistakes(_ expression: String, _ message: String, _ hint: String) async throws {
    let problem = await #expect(throws: Problem.self) { try await Self.value(expression) }
    #expect(
      problem?.message.contains(message) == true && problem?.hint.description.contains(hint) == true,
      "\(String(describing: problem))")
  }

  @Test(
    "conditions compare calculations",
    arguments: [
      ("id*2 > 3", [2, 3]), ("upper(name) = ANNA", [1]), ("(id + 1) * 2 = 6", [2]), ("price > (id - 1)", [1]),
      ("id = \"id\" * 1", [1, 2, 3]), ("upper(name) = upper(\"name\")", [1, 2]),
      ("(id = 1 or id = 3) and not id*1 = 3", [1]),
      ("length(name) between 4 and 5", [1]), ("starts_with(name, 'A')", [1]),
      ("id % 2 = 1 and price is not null", [1, 3]),
      ("-id < -1", [2, 3]), ("coalesce(name, 'none') ~ NONE", [3]), ("tags[1] = x", [1]), ("user.age = 7", [1]),
      ("user.name = A", [1]), ("user.name starts with a", [1]), ("user.age > 10", []), ("user.age * 1 > 6", [1]),
    ])
  func conditions(_ text: String, _ wanted: [Int]) async throws {
    var selection = Selection()
    try selection.filter(by: text)
    selection.columns = ["id"]
    #expect(try await Self.texts(selection) == wanted.map { ["\($0)"] }, "\(text)")
  }

  @Test("steps, in their order") func steps() async throws {
    var selection = Selection()
    selection.steps.explode = "tags"
    selection.steps.fill = [Steps.Filling("tags", "none"), Steps.Filling("name", "?")]
    selection.steps.assigned = try Assigned.list(parsing: "id = id * 10, label = name || ':' || tags")
    try selection.filter(by: "id > 5")
    selection.steps.renamed = try NameListParser.list("label=l", mark: "=", of: "rename")
    selection.columns = ["id", "label"]
    selection.sort = [Selection.SortKey("label", descending: true)]
    #expect(
      try await Self.texts(selection) == [
        ["20", "Bérénice:none"], ["10", "Anna:y"], ["10", "Anna:x"], ["30", "?:none"],
      ])
    selection.steps.tail = 1
    #expect(try await Self.texts(selection) == [["30", "?:none"]])
  }

  @Test("a condition on what is read comes before a calculation that it protects") func protection() async throws {
    var selection = Selection()
    selection.steps.assigned = try Assigned.list(parsing: "r = 6 / (id - 2)")
    try selection.filter(by: "id != 2")
    selection.columns = ["r"]
    #expect(try await Self.texts(selection) == [["-6"], ["6"]])
    var other = Selection()
    other.steps.assigned = selection.steps.assigned
    let problem = await #expect(throws: Problem.self) { try await Self.texts(other) }
    #expect(problem?.kind == .badData && problem?.record == 1 && problem?.message.contains("“r”") == true)
  }

  @Test("unpivot and pivot give the table back; distinct twice is distinct") func reshaping() async throws {
    let schema = Schema(
      "s", columns: ["town", "jan", "feb"].map { ColumnDescription($0, $0 == "town" ? .text : .integer) })
    func stream(_ rows: [[Value]]) -> BufferedRows {
      var builder = RowBatchBuilder(width: 3)
      for row in rows { for value in row { builder.append(value: value) } }
      return BufferedRows(schema: schema, batches: [builder.finish()])
    }
    let rows: [[Value]] = [[.text("a"), .integer(1), .null], [.text("b"), .integer(2), .integer(3)]]
    var long = Selection()
    long.steps.unpivot = ["jan", "feb"]
    let turned = try await long.applied(to: stream(rows), scratch: NoScratch())
    #expect(turned.schema.columns.map(\.name) == ["town", "name", "value"])
    var wide = Selection()
    wide.steps.pivot = try NameListParser.list("name=value", mark: "=", of: "pivot")[0]
    let back = try await wide.applied(to: turned, scratch: NoScratch())
    #expect(back.schema.columns.map(\.name) == ["town", "jan", "feb"])
    #expect(
      try await back.collect().flatMap { batch in (0..<batch.count).map { row in (0..<3).map { batch.value(row, $0) } }
      } == rows)
    let twice = await #expect(throws: Problem.self) {
      _ = try await wide.applied(
        to: long.applied(to: stream(rows + rows), scratch: NoScratch()), scratch: NoScratch()
      ).collect()
    }
    #expect(twice?.message.contains("two values of “jan”, in records 1 and 5") == true, "\(String(describing: twice))")
    var distinct = Selection()
    distinct.steps.isDistinct = true
    #expect(try await Self.texts(distinct, stream(rows + rows)).count == 2)
    distinct.grouping = .count
    #expect(try await Self.texts(distinct, stream(rows + rows)) == [["2"]])
  }

  @Test("aggregates of calculations, and figures of all values") func aggregates() async throws {
    var selection = Selection()
    selection.grouping = Grouping(
      by: [],
      try Aggregate.list(
        parsing: "sum(id*2) as s, median(id), quantile(id, 0.25) as q, stddev(id) as d, first(name), last(name)"))
    #expect(try await Self.texts(selection) == [["12", "2", "1.5", "1.0", "Anna", "Bérénice"]])
    selection.grouping = Grouping(by: ["ok"], try Aggregate.list(parsing: "count"))
    try selection.filterGroups(by: "count > 0 and ok = true")
    #expect(try await Self.texts(selection) == [["true", "1"]])
  }
}
