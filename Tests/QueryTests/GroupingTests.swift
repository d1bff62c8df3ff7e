import Codecs
import Conformance
import Query
import Rows
import TestSupport
import Testing

@Suite("groups") struct GroupingTests {
  static let threads = [1, 2, 7], budgets = [64 << 10, Int.max / 4]

  private static func result(
    _ grouping: Grouping, of table: Table, _ threads: Int, _ memory: Int, size: Int = 37,
    sort: [Selection.SortKey] = [],
    scratch: any ScratchSpace = MemoryScratch()
  ) async throws -> [[Value]] {
    var selection = Selection()
    selection.grouping = grouping
    selection.sort = sort
    return try await selection.apply(
      to: table.stream(size), scratch: scratch, threads: threads, memory: memory
    ).values()
  }

  @Test(
    "groups, their first spellings, counts, sums and extremes are those of the plain way, however it is done",
    arguments: [
      ["word"], ["exact"], ["score"], ["day", "seen"], ["few", "word"], ["tags"], ["at"], ["seen", "at"], [],
    ])
  func same(columns: [String]) async throws {
    let table = AdversarialTable.table(3000)
    let schema = table.schema, positions = columns.map { name in schema.position(of: name) ?? 0 }
    let grouping = Grouping(
      by: columns,
      try Aggregate.list(
        parsing:
          "count, count(day), sum(exact), sum(few), distinct(exact), min(day), max(word), distinct(at), min(at), max(at)"
      ))
    var wanted: [[PlainGroups.Key]: [Value]] = [:]
    for (first, rows) in PlainGroups.groups(table.rows, by: positions) {
      func column(_ name: String) -> [Value] { rows.map { $0[schema.position(of: name) ?? 0] }.filter { $0 != .null } }
      func texts(_ name: String) -> [[UInt8]] {
        column(name).compactMap { if case .text(let bytes) = $0 { bytes } else { nil } }
          .sorted { $0.lexicographicallyPrecedes($1) }
      }
      /// The first of the values that come before all others.
      func extreme(_ name: String, _ precedes: (Instants.Instant, Instants.Instant) -> Bool) -> Value {
        var best: (value: Value, instant: Instants.Instant)?
        for value in column(name) {
          guard case .text(let bytes) = value, let instant = Instants.instant(bytes) else { continue }
          if best.map({ precedes(instant, $0.instant) }) ?? true { best = (value, instant) }
        }
        return best?.value ?? .null
      }
      wanted[first.map(PlainGroups.Key.init)] =
        first + [
          .integer(Int64(rows.count)), .integer(Int64(column("day").count)),
          PlainGroups.sum(column("exact")).map { .number($0.keyBytes) } ?? .null,
          PlainGroups.sum(column("few")).map { .number($0.keyBytes) } ?? .null,
          .integer(Int64(Set(column("exact").map(PlainGroups.Key.init)).count)),
          texts("day").first.map { .text($0) } ?? .null, texts("word").last.map { .text($0) } ?? .null,
          .integer(Int64(Set(column("at").map(PlainGroups.Key.init)).count)), extreme("at", <), extreme("at", >),
        ]
    }
    let width = columns.count
    var results: Set<[[Value]]> = []
    for threads in Self.threads {
      for budget in Self.budgets {
        for size in [37, 3000] {
          let rows = try await Self.result(grouping, of: table, threads, budget, size: size)
          results.insert(rows)
          #expect(rows.count == wanted.count)
          for row in rows {
            var row = row
            for column in [width + 2, width + 3] {
              if case .number(let number) = PlainGroups.Key(row[column]) { row[column] = .number(number.keyBytes) }
            }
            #expect(wanted[row[..<width].map(PlainGroups.Key.init)] == row)
          }
        }
      }
    }
    #expect(results.count == 1, "the result depends on threads, memory or batches")
  }

  @Test("texts that rows share, as those of a dictionary, are grouped like others", arguments: [40, 20_000])
  func sharedTexts(count: Int) async throws {
    let schema = Schema(
      "t", columns: [ColumnDescription("g", .text), ColumnDescription("n", .integer), ColumnDescription("x", .real)])
    let entries = (0..<count).map { entry -> [Value] in
      let text = Value.text(Array("entry \(entry / 2)".utf8))
      return [entry % 7 == 3 ? .null : text, .integer(Int64(entry)), .real(Double(entry) / 3)]
    }
    let own = try await Table(schema: schema, rows: entries).stream(count).collect()
    var numbers = SplitMix64(seed: 5), shared: [RowBatch] = [], plain: [[Value]] = []
    for _ in 0..<3 {
      let rows = (0..<30_000).map { _ in Int(numbers.next() % UInt64(count)) }
      shared.append(own[0].selecting(rows))
      plain += rows.map { entries[$0] }
    }
    var selection = Selection()
    selection.grouping = Grouping(by: ["g"], try Aggregate.list(parsing: "count,sum(n),sum(x),avg(x),first(n),max(x)"))
    let result = try await selection.apply(
      to: BufferedRows(schema: schema, batches: shared), scratch: MemoryScratch(), threads: 2, memory: Int.max / 4
    ).values()
    let wanted = try await Self.result(
      try #require(selection.grouping), of: Table(schema: schema, rows: plain), 1, Int.max / 4, size: 999)
    #expect(result == wanted && result.count == Set(plain.map { $0[0] }).count)
    // Sums are exact: those of the shortest digits of each number.
    for row in result.prefix(5) {
      let (_, digits, exponent) = try #require(PlainGroups.sum(plain.filter { $0[0] == row[0] }.map { $0[2] })).parts
      #expect(row[3] == .real(try #require(Double("0.\(digits.map(String.init).joined())e\(exponent)"))))
    }
  }

  @Test("many groups and distinct values fit a small memory") func spills() async throws {
    let table = AdversarialTable.table(20_000, groups: 5000)
    let grouping = Grouping(by: ["id", "word"], try Aggregate.list(parsing: "count,sum(few),avg(score),max(exact)"))
    let wanted = try await Self.result(grouping, of: table, 1, Int.max / 4, size: 999)
    #expect(wanted.count > 10_000)
    for threads in Self.threads {
      #expect(try await Self.result(grouping, of: table, threads, 64 << 10, size: 999) == wanted)
    }
  }

  @Test("many distinct values of few groups go to temporary files", arguments: [[], ["g"]])
  func distinctValues(columns: [String]) async throws {
    let schema = Schema(
      "t", columns: [ColumnDescription("g", .integer), ColumnDescription("x", .text), ColumnDescription("y", .integer)])
    let count = 60_000
    let rows: [[Value]] = (0..<count).map { row in
      let x = row * 7919 % (count / 2)
      return [
        row % 4 == 3 ? .null : .integer(Int64(row % 4)), x % 100 == 0 ? .null : .text(Array("value \(x)".utf8)),
        .integer(Int64(row % 5)),
      ]
    }
    let grouping = Grouping(by: columns, try Aggregate.list(parsing: "distinct(x), count, distinct(y), max(y)"))
    var seen: [Int: Set<[UInt8]>] = [:]
    for row in rows.indices {
      if case .text(let text) = rows[row][1] { seen[columns.isEmpty ? 0 : row % 4, default: []].insert(text) }
    }
    let wanted: [[Value]] = seen.keys.sorted().map { group in
      let head: [Value] = columns.isEmpty ? [] : [group == 3 ? .null : .integer(Int64(group))]
      let rows = columns.isEmpty ? count : count / 4
      return head + [.integer(Int64(seen[group]?.count ?? 0)), .integer(Int64(rows)), .integer(5), .integer(4)]
    }
    let scratch = CountingScratch(), table = Table(schema: schema, rows: rows)
    #expect(try await Self.result(grouping, of: table, 2, .max / 4, size: 999) == wanted)
    #expect(try await Self.result(grouping, of: table, 2, 256 << 10, size: 999, scratch: scratch) == wanted)
    #expect(scratch.files > 0)
  }

  @Test("groups that hardly repeat are merged with their repeats, in order") func fewRepeats() async throws {
    let schema = Schema("t", columns: [ColumnDescription("id", .integer), ColumnDescription("x", .decimal)])
    let count = 36_000, repeats = 1_200
    let rows: [[Value]] = (0..<count + repeats).map { row in
      let id = row * 7919 % count
      return [.integer(Int64(id)), .number(Array(row < count ? "\(id).50".utf8 : "\(id).5".utf8))]
    }
    let repeated = Set((count..<count + repeats).map { $0 * 7919 % count })
    let table = Table(schema: schema, rows: rows)
    let grouping = Grouping(by: ["x"], try Aggregate.list(parsing: "count, sum(id), distinct(id), max(x)"))
    let wanted: [[Value]] = (0..<count).map { id in
      let times = repeated.contains(id) ? 2 : 1, literal = Value.number(Array("\(id).50".utf8))
      return [literal, .integer(Int64(times)), .integer(Int64(times * id)), .integer(1), literal]
    }
    for (threads, budget) in [(1, Int.max / 4), (2, Int.max / 4), (2, 1 << 20)] {
      #expect(try await Self.result(grouping, of: table, threads, budget, size: 2_000) == wanted)
    }
  }

  @Test("sums of reals and means are rounded once, whatever the number of threads") func reals() async throws {
    var random = LargeSelectionTests.Generator(state: 1)
    let schema = Schema("t", columns: [ColumnDescription("x", .real), ColumnDescription("y", .decimal)])
    let rows: [[Value]] = (0..<5000).map { _ in
      let value = Double(Int(random.next() % 2_000_000) - 1_000_000) / 1000
      return [.real(value), .number(Array("0.1".utf8))]
    }
    let exact = PlainGroups.sum(rows.map { $0[0] })
    let grouping = Grouping(by: [], try Aggregate.list(parsing: "sum(x), avg(y), sum(y)"))
    for threads in Self.threads {
      let result = try await Self.result(grouping, of: Table(schema: schema, rows: rows), threads, .max / 4)[0]
      guard case .real(let sum) = result[0] else { throw Problem(.bug, "no real") }
      #expect(DecimalNumber(sum) == exact)
      #expect(result[1] == .real(0.1))
      #expect(result[2] == .number(Array("500.0".utf8)))
    }
  }

  @Test(
    "means of decimals are exact, or have 38 digits",
    arguments: [
      (["123456789012345678901234567890.5", "1.5"], "61728394506172839450617283946"),
      (["12345678901234567.89", "0.01"], "6172839450617283.95"), (["1.10", "2.20", "4.41"], "2.57"),
      (["100000000000000000000.1", "0", "0"], "33333333333333333333.366666666666666667"),
      (["-200000000000000000000", "0", "0"], "-66666666666666666666.666666666666666667"),
    ])
  func means(values: [String], mean: String) async throws {
    let table = Table(
      schema: Schema("t", columns: [ColumnDescription("x", .decimal)]), rows: values.map { [.number(Array($0.utf8))] })
    for threads in Self.threads {
      let found = try await Self.result(Grouping(by: [], [Aggregate(.avg, of: "x")]), of: table, threads, .max / 4)
      #expect(String(decoding: found[0][0].plainText, as: UTF8.self) == mean)
    }
  }

  @Test("sums beyond 64 bits are refused, not rounded") func overflow() async throws {
    let schema = Schema("t", columns: [ColumnDescription("x", .integer), ColumnDescription("y", .decimal)])
    let rows: [[Value]] = (0..<3).map { _ in [.integer(.max), .number(Array("9223372036854775807".utf8))] }
    let table = Table(schema: schema, rows: rows)
    let problem = await #expect(throws: Problem.self) {
      try await Self.result(Grouping(by: [], [Aggregate(.sum, of: "x")]), of: table, 2, .max / 4)
    }
    #expect(problem?.kind == .badData && problem?.message == "sum(x): the sum is out of range for an integer")
    let sum = try await Self.result(Grouping(by: [], [Aggregate(.sum, of: "y")]), of: table, 2, .max / 4)
    #expect(sum == [[.number(Array("27670116110564327421".utf8))]])
  }

  @Test("an empty input is one group of no rows without columns, and no group with some") func empty() async throws {
    let table = Table(schema: AdversarialTable.schema, rows: [])
    let aggregates = try Aggregate.list(parsing: "count, sum(few) as total, max(word)")
    #expect(
      try await Self.result(Grouping(by: [], aggregates), of: table, 2, 1 << 20) == [[.integer(0), .null, .null]])
    #expect(try await Self.result(Grouping(by: ["word"], aggregates), of: table, 2, 1 << 20).isEmpty)
  }

  @Test("lists are split into their elements, each once a row") func lists() async throws {
    let table = Table(schema: SelectionTests.people.schema, rows: SelectionTests.people.rows)
    let rows = try await Self.result(
      Grouping(by: ["seasons"], [Aggregate(.count, as: "rows")], splittingLists: true), of: table, 2, 1 << 20,
      sort: [Selection.SortKey("rows", descending: true)])
    #expect(
      rows == [
        [.number([50]), .integer(2)], [.number([49]), .integer(1)], [.number(Array("10".utf8)), .integer(1)],
        [.null, .integer(1)],
      ])
  }

  @Test("the first problem in input order is reported") func firstProblem() async throws {
    let stream = FailingRows(AdversarialTable.table(100).stream(1), at: [40, 41, 60])
    var selection = Selection()
    selection.grouping = .count
    let problem = await #expect(throws: Problem.self) {
      try await selection.apply(to: stream, scratch: MemoryScratch(), threads: 7).values()
    }
    #expect(problem?.message == "batch 40")
  }

  @Test(
    "aggregates are parsed",
    arguments: [
      ("count", [Aggregate(.count)]), ("COUNT(*), avg( x )", [Aggregate(.count), Aggregate(.avg, of: "x")]),
      (
        #"max("a, b") as "the ""most""",sum(y) as s"#,
        [Aggregate(.max, of: "a, b", as: #"the "most""#), Aggregate(.sum, of: "y", as: "s")]
      ),
    ])
  func parsing(text: String, wanted: [Aggregate]) throws {
    #expect(try Aggregate.list(parsing: text) == wanted)
  }

  @Test(
    "invalid aggregates are refused with a hint",
    arguments: [
      (
        "",
        "invalid aggregate “”: missing function at character 1; available functions: count, sum, avg, min, max, distinct, median, quantile, stddev, first, last"
      ),
      ("mean(x)", "invalid aggregate “mean(x)”: unknown function “mean” at character 1; use avg"),
      ("sum", "invalid aggregate “sum”: missing column at character 4; use sum(COLUMN)"),
      ("sum(x", "invalid aggregate “sum(x”: missing ) at character 6; for example 'count, avg(rating) as mean'"),
      ("count x", "invalid aggregate “count x”: missing as at character 7; use count as x"),
    ])
  func complaints(text: String, complaint: String) {
    let problem = #expect(throws: Problem.self) { try Aggregate.list(parsing: text) }
    #expect(problem?.description == complaint)
  }

  @Test(
    "invalid groupings are refused with a hint",
    arguments: [
      (["wrd"], "count", "t has no column “wrd”; did you mean word?"),
      (["word"], "sum(word)", "sum applies only to numbers, and word is text; use count(word) or distinct(word)"),
      (
        ["word"], "max(tags)",
        "max applies only to numbers, text, dates and booleans, and tags is list-of-text; use count(tags) or distinct(tags)"
      ),
      (
        ["word"], "count, count",
        "duplicate column count in the result of grouping; use selection.aggregates 'count as n' to rename it"
      ),
    ])
  func refusals(columns: [String], aggregates: String, complaint: String) throws {
    var selection = Selection()
    selection.grouping = Grouping(by: columns, try Aggregate.list(parsing: aggregates))
    let problem = #expect(throws: Problem.self) {
      try selection.apply(to: AdversarialTable.table(1).stream(), scratch: MemoryScratch())
    }
    #expect(problem?.description == complaint)
  }
}

/// A stream whose work fails for some batches.
struct FailingRows: ExactRowStream {
  let schema: Schema
  private let inner: any RowStream
  private let failing: Set<Int>
  private let counter = Counter()
  private final class Counter: @unchecked Sendable { var count = 0 }

  init(_ inner: any RowStream, at failing: Set<Int>) {
    schema = inner.schema
    self.inner = inner
    self.failing = failing
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let task = try await inner.next() else { return nil }
    let index = counter.count
    counter.count += 1
    guard failing.contains(index) else { return task }
    return BatchTask { () throws(Problem) in throw Problem(.badData, "batch \(index)") }
  }
}
