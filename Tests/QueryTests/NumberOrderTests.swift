import Query
import Rows
import TestSupport
import Testing

/// One order and one equality in every operator: −Infinity, the finite numbers, Infinity, NaN, null.
@Suite("numbers that are not finite") struct NumberOrderTests {
  /// The classes of equal values, in order; the last is null.
  private static let classes: [[Value]] = [
    [.real(-.infinity)], [.real(-1.5), .number(Array("-1.50".utf8))],
    [.real(0), .real(-0.0), .integer(0), .number(Array("-0".utf8))], [.real(3), .integer(3)], [.real(1e308)],
    [.number(Array("1e400".utf8))], [.real(.infinity)],
    [.real(.nan), .real(-.nan), .real(Double(nan: 7, signaling: false))], [.null],
  ]
  private static let constants = ["-Infinity", "-1.5", "0", "3", "1e308", "1e400", "Infinity", "NaN"]

  /// Each value with its class, in an unsorted order.
  private static let all: [(rank: Int, value: Value)] = {
    var all = classes.enumerated().flatMap { rank, values in values.map { (rank: rank, value: $0) } }
    for place in all.indices { all.swapAt(place, (place * 7 + 3) % all.count) }
    return all
  }()

  private static func table(_ rows: [(rank: Int, value: Value)] = all, key: [String] = []) -> Table {
    let columns = [ColumnDescription("rank", .integer), ColumnDescription("c", .real), ColumnDescription("d", .real)]
    return Table(
      schema: Schema("t", key: key, columns: columns),
      rows: rows.map { [.integer(Int64($0.rank)), $0.value, $0.value] })
  }

  private static func rows(
    _ selection: Selection, size: Int = 4, threads: Int = 1, memory: Int = 64 << 20
  ) async throws -> [[Value]] {
    let rows = try selection.apply(to: table().stream(size), scratch: MemoryScratch(), threads: threads, memory: memory)
    return try await rows.values()
  }
  private static func ranks(_ rows: [[Value]]) -> [Int] {
    rows.map { if case .integer(let rank) = $0[0] { Int(rank) } else { -1 } }
  }

  @Test("conditions compare by the order", arguments: ["<", "<=", "=", "!=", ">", ">="])
  func conditions(_ comparison: String) async throws {
    let null = Self.classes.count - 1
    for (wanted, constant) in Self.constants.enumerated() {
      var selection = Selection()
      try selection.filter(by: "c \(comparison) \(constant)")
      let found = Self.ranks(try await Self.rows(selection)).sorted()
      let expected = Self.all.map(\.rank).filter { rank in
        switch comparison {
        case "<": rank < wanted
        case "<=": rank <= wanted
        case "=": rank == wanted
        case "!=": rank != wanted && rank < null
        case ">": rank > wanted && rank < null
        default: rank >= wanted && rank < null
        }
      }
      #expect(found == expected.sorted(), "c \(comparison) \(constant)")
      var negated = Selection()
      try negated.filter(by: "not c \(comparison) \(constant)")
      let others = Self.all.map(\.rank).filter { $0 < null && !expected.contains($0) }
      #expect(Self.ranks(try await Self.rows(negated)).sorted() == others.sorted(), "not c \(comparison) \(constant)")
    }
  }

  @Test("in a union with exact numbers they stay what they are") func union() async throws {
    let parts = [ColumnType.real, .decimal].map { type in
      UnionRows.Part(name: type.name) { _ in
        let value = type == .real ? Value.real(.nan) : .number(Array("1.50".utf8))
        return Table(schema: Schema("t", columns: [ColumnDescription("c", type)]), rows: [[value], [.null]]).stream()
      }
    }
    let rows = try await UnionRows(parts, table: "t").values()
    #expect(rows[0][0].isNotANumber && rows[2][0] == .number(Array("1.50".utf8)) && rows.count == 4)
  }

  @Test("a list of numbers in a condition may have NaN") func among() async throws {
    for (text, wanted) in [
      ("c in (NaN, 3)", [3, 7]), ("not c in (NaN, 3)", [0, 1, 2, 4, 5, 6]), ("c in (0, 3)", [2, 3]),
    ] {
      var selection = Selection()
      try selection.filter(by: text)
      #expect(Set(Self.ranks(try await Self.rows(selection))) == Set(wanted), "\(text)")
    }
  }

  @Test("rows are sorted by the order, null last both ways", arguments: [1 << 10, 64 << 20])
  func sort(memory: Int) async throws {
    for descends in [false, true] {
      var selection = Selection()
      selection.sort = [Selection.SortKey("c", descending: descends)]
      let ranks = Self.ranks(try await Self.rows(selection, memory: memory))
      let null = Self.classes.count - 1
      let expected = Self.all.map(\.rank).sorted {
        ($0 == null ? 1 : 0, descends ? -$0 : $0) < ($1 == null ? 1 : 0, descends ? -$1 : $1)
      }
      #expect(ranks == expected)
      selection.limit = 5
      #expect(Self.ranks(try await Self.rows(selection, memory: memory)) == Array(expected.prefix(5)))
    }
  }

  @Test("equal numbers are one group, and one distinct value", arguments: [1, 3])
  func groups(threads: Int) async throws {
    var selection = Selection()
    selection.grouping = Grouping(by: ["c"], try Aggregate.list(parsing: "count, min(rank), max(rank)"))
    let groups = try await Self.rows(selection, threads: threads)
    #expect(groups.count == Self.classes.count)
    for group in groups {
      guard case .integer(let rank) = group[2] else { return #expect(Bool(false)) }
      #expect(group[2] == group[3] && group[1] == .integer(Int64(Self.classes[Int(rank)].count)))
    }
    selection.grouping = Grouping(by: [], try Aggregate.list(parsing: "distinct(c), min(c), max(c)"))
    let all = try await Self.rows(selection, threads: threads)
    #expect(all[0][0] == .integer(Int64(Self.classes.count - 1)) && all[0][1] == .real(-.infinity))
    #expect(all[0][2].isNotANumber)
  }

  @Test(
    "sums and means follow IEEE 754",
    arguments: [
      ([1, .infinity], .infinity), ([-.infinity, 2], -.infinity), ([.infinity, 1, -.infinity], .nan),
      ([.nan, 1], .nan),
      ([1, 2], 3), ([1e308, 1e308], .infinity),
    ] as [([Double], Double)])
  func sums(values: [Double], sum: Double) async throws {
    for threads in [1, 3] {
      let rows = values.map { (rank: 0, value: Value.real($0)) }
      var selection = Selection()
      selection.grouping = Grouping(by: [], try Aggregate.list(parsing: "sum(c), avg(c)"))
      let stream = try selection.apply(to: Self.table(rows).stream(1), scratch: MemoryScratch(), threads: threads)
      let found = try await stream.values()[0]
      guard case .real(let total) = found[0], case .real(let mean) = found[1] else { return #expect(Bool(false)) }
      #expect(total == sum || total.isNaN && sum.isNaN)
      // The exact mean of finite numbers is finite.
      let wanted = sum == .infinity && !values.contains(.infinity) ? 1e308 : sum / Double(values.count)
      #expect(mean == wanted || mean.isNaN && wanted.isNaN)
    }
  }

  @Test("the least number is NaN only without another") func least() async throws {
    var selection = Selection()
    selection.grouping = Grouping(by: [], try Aggregate.list(parsing: "min(c)"))
    for (values, isNaN) in [([.nan, 1], false), ([.nan], true)] as [([Double], Bool)] {
      let table = Self.table(values.map { (rank: 0, value: .real($0)) })
      let rows = try await selection.apply(to: table.stream(), scratch: MemoryScratch()).values()
      #expect(rows[0][0].isNotANumber == isNaN)
    }
  }

  @Test("rows are joined by equality") func join() async throws {
    let right = Self.table()
    let relation = Relation("other", from: "t", to: "joined", on: [(left: "c", right: "c")])
    var selection = Selection()
    selection.relations = ["other"]
    selection.joinKind = .inner
    let tables = JoinTables.none.adding(right.schema, try await right.stream().collect(), by: relation)
    let found = try await selection.apply(to: Self.table().stream(), scratch: NoScratch(), related: tables).values()
    #expect(found.count == Self.classes.dropLast().reduce(0) { $0 + $1.count * $1.count })
    #expect(found.allSatisfy { $0[0] == $0[3] })
  }

  @Test("equal numbers do not differ") func differences() async throws {
    for (rank, values) in Self.classes.enumerated() {
      for value in values {
        let old = Self.table([(0, values[0])]), new = Self.table([(0, value)])
        let other = Self.table([(0, Self.classes[(rank + 1) % Self.classes.count][0])])
        for (table, count) in [(new, 0), (other, 1)] {
          var comparison = DifferenceRows.Comparison()
          comparison.key = ["rank"]
          let rows = try await DifferenceRows(
            from: UnionRows.Part(name: "old") { (_) throws(Problem) in old.stream() },
            to: UnionRows.Part(name: "new") { (_) throws(Problem) in table.stream() }, comparison,
            scratch: MemoryScratch(), tally: DifferenceTally())
          #expect(try await rows.values().count == count, "\(values[0]) and \(table.rows[0][1])")
        }
      }
    }
  }

  @Test("equal numbers have the same digest, others have not") func digests() {
    var digests: [String] = []
    for values in Self.classes {
      let own = Set(
        values.map { value in
          var digest = RowDigest(), builder = RowBatchBuilder(width: 1)
          builder.append(value: value)
          digest.add(builder.finish(), of: Schema("t", columns: [ColumnDescription("c", .real)]))
          return digest.text
        })
      #expect(own.count == 1)
      digests += own
    }
    #expect(Set(digests).count == Self.classes.count)
  }
}

extension Value {
  fileprivate var isNotANumber: Bool { if case .real(let value) = self { value.isNaN } else { false } }
}
