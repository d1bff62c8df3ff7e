import Rows
import Testing

@testable import Query
@testable import TestSupport

@Suite("the order of times") struct TimeOrderTests {
  /// Rows with two times and a number.
  private static func table(_ count: Int, seed: UInt64) -> Table {
    var random = LargeSelectionTests.Generator(state: seed)
    func time() -> Value { random.next() % 9 == 0 ? .null : .text(Instants.text(&random)) }
    return Table(
      schema: Schema(
        "t",
        columns: [
          ColumnDescription("a", .timestamp), ColumnDescription("b", .timestamp), ColumnDescription("n", .integer),
        ]),
      rows: (0..<count).map { number in [time(), time(), .integer(Int64(number))] })
  }

  private static func instant(_ value: Value) -> Instants.Instant? {
    if case .text(let bytes) = value { Instants.instant(bytes) } else { nil }
  }

  private static func selected(_ table: Table, _ text: String) async throws -> [[Value]] {
    var selection = Selection()
    try selection.filter(by: text)
    return try await selection.apply(to: table.stream(50), scratch: MemoryScratch()).values()
  }

  /// Whether a comparison with an instant, or with the time from one instant to before another, holds.
  private static func holds(
    _ comparison: String, _ value: Instants.Instant, _ start: Instants.Instant, _ end: Instants.Instant?
  ) -> Bool {
    switch comparison {
    case "=": end.map { start <= value && value < $0 } ?? (value == start)
    case "!=": !holds("=", value, start, end)
    case "<": value < start
    case "<=": end.map { value < $0 } ?? (value <= start)
    case ">": end == nil ? value > start : value >= start
    default: value >= start
    }
  }

  @Test("conditions compare instants, whatever the digits, the offset and the precision", arguments: 0..<40)
  func conditions(seed: Int) async throws {
    let table = Self.table(150, seed: UInt64(seed))
    var random = LargeSelectionTests.Generator(state: UInt64(1000 + seed))
    func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
    for _ in 0..<20 {
      let time = String(decoding: Instants.text(&random), as: UTF8.self)
      let (text, first, end): (String, String, String?) = pick([
        ("2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"),
        ("2023-12", "2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01", "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"),
        ("2024-01-01T00", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"),
        ("2024-01-01T00:10", "2024-01-01T00:10:00Z", "2024-01-01T00:11:00Z"),
        ("2024-01-01T00:00:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"),
        ("2024-01-01T00:00:00.0", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.1Z"),
        ("2024-01-01T00:00:10.050", "2024-01-01T00:00:10.05Z", "2024-01-01T00:00:10.051Z"),
        (time, time, nil), ("\(time.dropLast())-05:30", "\(time.dropLast())-05:30", nil),
        ("\(time.dropLast())+00:00", time, nil), (time.lowercased(), time, nil),
      ])
      let comparison = pick(["=", "!=", "<", "<=", ">", ">="])
      let start = try #require(Instants.instant(Array(first.utf8)))
      let bound = try end.map { try #require(Instants.instant(Array($0.utf8))) }
      let wanted = table.rows.filter { Self.instant($0[0]).map { Self.holds(comparison, $0, start, bound) } ?? false }
      #expect(try await Self.selected(table, "a \(comparison) '\(text)'") == wanted, "\(comparison) \(text)")
      let negated = table.rows.filter {
        Self.instant($0[0]).map { !Self.holds(comparison, $0, start, bound) } ?? false
      }
      #expect(try await Self.selected(table, "not a \(comparison) '\(text)'") == negated, "not \(comparison) \(text)")
    }
    let columns = table.rows.filter { row in
      guard let a = Self.instant(row[0]), let b = Self.instant(row[1]) else { return false }
      return a < b
    }
    #expect(try await Self.selected(table, "a < \"b\"") == columns)
  }

  @Test("a sort is by instant, then in the order of arrival", arguments: [false, true]) func sort(
    descending: Bool
  ) async throws {
    for seed in 0..<5 {
      let table = Self.table(500, seed: UInt64(seed))
      let wanted = table.rows.enumerated().sorted { x, y in
        switch (Self.instant(x.element[0]), Self.instant(y.element[0])) {
        case (let a?, let b?) where a != b: descending ? b < a : a < b
        case (_?, nil): true
        case (nil, _?): false
        default: x.offset < y.offset
        }
      }.map(\.element)
      var selection = Selection()
      selection.sort = [Selection.SortKey("a", descending: descending)]
      for threads in [1, 3] {
        let rows = try await selection.apply(
          to: table.stream(60), scratch: MemoryScratch(), threads: threads, memory: 64 << 10
        ).values()
        #expect(rows == wanted)
      }
    }
  }

  @Test("times that are written in another way are equal") func difference() async throws {
    func part(_ times: [String]) -> UnionRows.Part {
      let table = Table(
        schema: Schema("t", columns: [ColumnDescription("at", .timestamp), ColumnDescription("n", .integer)]),
        rows: times.enumerated().map { [.text(Array($1.utf8)), .integer(Int64($0))] })
      return UnionRows.Part(name: "t") { (_) throws(Problem) in table.stream(2) }
    }
    let old = part(["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000001Z", "2024-01-01T00:00:00.5Z"])
    let new = part(["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.0000010Z", "2024-01-01T00:00:00.50Z"])
    for key in [["at"], ["n"], []] {
      var comparison = DifferenceRows.Comparison()
      comparison.key = key
      let rows = try await DifferenceRows(
        from: old, to: new, comparison, scratch: MemoryScratch(), tally: DifferenceTally())
      #expect(try await rows.values().isEmpty)
    }
  }

  @Test("a profile counts instants, and orders them") func profile() async throws {
    let times = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.0Z", "2024-01-01T00:00:00.25Z", "2023-12-31T00:00:00Z"]
    let table = Table(
      schema: Schema("t", columns: [ColumnDescription("at", .timestamp)]), rows: times.map { [.text(Array($0.utf8))] })
    let rows = try await Profile.rows(of: table.stream(), threads: 2)
    let row = try #require(try await rows.values().first)
    func value(_ name: String) throws -> Value { row[try rows.schema.column(named: name)] }
    #expect(try value("distinct") == .text(Array("3".utf8)))
    #expect(try value("min") == .text(Array("2023-12-31T00:00:00Z".utf8)))
    #expect(try value("max") == .text(Array("2024-01-01T00:00:00.25Z".utf8)))
    #expect(try value("min_length") == .integer(20))
  }

  @Test(
    "text that is not a time is refused",
    arguments: ["2024-05-17T", "2024-05-17T08:1", "2024-05-17T08:15:30.", "2024-13", "2024-05-17T25", "x"])
  func refused(text: String) async {
    let problem = await #expect(throws: Problem.self) {
      _ = try await Self.selected(Self.table(1, seed: 1), "a = '\(text)'")
    }
    #expect(problem?.message == "invalid value “\(text)” for a: expected a timestamp")
  }
}
