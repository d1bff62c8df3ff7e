import Codecs
import Query
import Rows
import TestSupport
import Testing

@Suite("differences between two tables") struct DifferenceTests {
  private static func part(_ table: Table, _ name: String, _ size: Int) -> UnionRows.Part {
    UnionRows.Part(name: name) { (_) throws(Problem) in table.stream(size) }
  }

  private static func differences(
    _ old: Table, _ new: Table, _ change: (inout DifferenceRows.Comparison) -> Void = { _ in }, size: Int = 5,
    tally: DifferenceTally = DifferenceTally()
  ) async throws -> DifferenceRows {
    var comparison = DifferenceRows.Comparison()
    comparison.memory = 2000
    change(&comparison)
    return try await DifferenceRows(
      from: part(old, "old", size), to: part(new, "new", size), comparison, scratch: MemoryScratch(), tally: tally)
  }

  /// A table whose first column takes one of `keys` values.
  private static func random(_ rows: Int, keys: Int, seed: UInt64) -> Table {
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let schema = Schema(
      "t",
      columns: [ColumnDescription("id", .integer), ColumnDescription("a", .text), ColumnDescription("b", .decimal)])
    let words = ["", "x", "y", "a text of more than fifteen bytes", "a text of more than fifteen byteS"]
    let numbers = ["1", "1.0", "1e0", "2", "123456789012345678901234567890"]
    return Table(
      schema: schema,
      rows: (0..<rows).map { _ in
        [
          next(20) == 0 ? .null : .integer(Int64(next(keys))),
          next(5) == 0 ? .null : .text(words[next(words.count)]), .number(Array(numbers[next(numbers.count)].utf8)),
        ]
      })
  }

  /// The rows by their values, each with its number.
  private static func counted(_ rows: [[Value]]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for row in rows {
      let text = row.map { value in
        if case .number(let literal) = value { return DecimalNumber(literal).map { "\($0)" } ?? "" }
        return "\(value)"
      }.joined(separator: "|")
      counts[text, default: 0] += 1
    }
    return counts.filter { $0.value != 0 }
  }

  @Test("values are compared whatever the types of the columns") func types() async throws {
    let id = ColumnDescription("id", .integer)
    func table(_ type: ColumnType, _ values: [Value]) -> Table {
      Table(
        schema: Schema("t", columns: [id, ColumnDescription("a", type)]),
        rows: values.enumerated().map { [.integer(Int64($0)), $1] })
    }
    func json(_ text: String) -> Value { .json(Array(text.utf8)) }
    func text(_ text: String) -> Value { .text(Array(text.utf8)) }
    func changed(_ old: Table, _ new: Table) async throws -> [String] {
      let rows = try await Self.differences(old, new) { $0.key = ["id"] }
      return try await rows.collect().flatMap { batch in
        (0..<batch.count).map { row in
          guard case .integer(let id) = batch.value(row, 1), case .json(let before) = batch.value(row, 4) else {
            return ""
          }
          return "\(id) " + String(decoding: before, as: UTF8.self)
        }
      }
    }
    let mixed = table(.json, [json("false"), json("\"t\""), json("5"), json("[1.0,{\"b\":1,\"c\":2}]"), json("\"\"")])
    let texts = table(.text, [text("no"), text("t"), text("5"), text("x"), text("")])
    #expect(try await changed(mixed, texts) == [#"0 {"a":false}"#, #"3 {"a":[1.0,{"b":1,"c":2}]}"#])
    #expect(try await changed(texts, mixed) == [#"0 {"a":"no"}"#, #"3 {"a":"x"}"#])
    let spelled = table(
      .json, [json("false"), json("\"\\u0074\""), json("5.0"), json("[1,{\"c\":2,\"b\":1e0}]"), json("null")])
    #expect(try await changed(mixed, spelled) == [#"4 {"a":""}"#])
    let others = table(.boolean, [.boolean(false), .boolean(true), .null, .null, .null])
    #expect(
      try await changed(mixed, others)
        == [#"1 {"a":"t"}"#, #"2 {"a":5}"#, #"3 {"a":[1.0,{"b":1,"c":2}]}"#, #"4 {"a":""}"#])
    // Old values are shown with the types that they had.
    let reals = table(.real, [.real(1.5), .real(.nan), .real(5), .null, .null])
    let old = [#"0 {"a":1.5}"#, #"1 {"a":"NaN"}"#, #"2 {"a":5.0}"#, #"3 {"a":null}"#, #"4 {"a":null}"#]
    #expect(try await changed(reals, texts) == old)
    #expect(try await changed(others, texts).prefix(2) == [#"0 {"a":false}"#, #"1 {"a":true}"#])
    // A key that is mixed in one table.
    let keyed = Table(
      schema: Schema("t", columns: [ColumnDescription("id", .json)]), rows: [[json("\"a\"")], [json("1")]])
    let plain = Table(schema: Schema("t", columns: [ColumnDescription("id", .text)]), rows: [[text("a")], [text("1")]])
    let tally = DifferenceTally()
    _ = try await Self.differences(keyed, plain, { $0.key = ["id"] }, tally: tally).collect()
    #expect(tally.counts.same == 2 && !tally.counts.isDifferent)
  }

  @Test("applied to the old table, the differences give the new one", arguments: [3, 40, 100_000], [1, 7, 1000])
  func applied(keys: Int, size: Int) async throws {
    for seed in UInt64(1)...4 {
      let old = Self.random(60, keys: keys, seed: seed), new = Self.random(50, keys: keys, seed: seed + 100)
      let tally = DifferenceTally()
      let stream = try await Self.differences(old, new, { $0.key = ["id"] }, size: size, tally: tally)
      var rows = old.rows, counts = DifferenceTally().counts
      for difference in try await stream.values() {
        let values = Array(difference[1...3])
        func remove(_ row: [Value]) throws {
          let index = try #require(rows.firstIndex { Self.counted([$0]) == Self.counted([row]) })
          rows.remove(at: index)
        }
        switch String(decoding: difference[0].plainText, as: UTF8.self) {
        case "added":
          counts.added += 1
          rows.append(values)
        case "removed":
          counts.removed += 1
          try remove(values)
        default:
          counts.changed += 1
          guard case .json(let before) = difference[5] else { throw Problem(.bug, "no old values") }
          let object = try JSON.parse(before, name: "before")
          var was = values
          if let text = object["a"] { was[1] = text.stringValue.map { .text($0) } ?? .null }
          if let literal = object["b"]?.numberLiteral { was[2] = .number(literal) }
          try remove(was)
          rows.append(values)
        }
      }
      #expect(Self.counted(rows) == Self.counted(new.rows))
      #expect(tally.counts.added == counts.added && tally.counts.changed == counts.changed)
      #expect(tally.counts.same + counts.changed + counts.removed == old.rows.count)
    }
  }

  @Test("a table does not differ from itself in another order or spelling") func same() async throws {
    let table = Self.random(200, keys: 30, seed: 9)
    let spelled = Table(
      schema: table.schema,
      rows: table.rows.reversed().map { row in
        row.map { $0 == .number(Array("1".utf8)) ? .number(Array("1.00".utf8)) : $0 }
      })
    for key in [["id"], [], ["id", "a"]] {
      #expect(try await Self.differences(table, spelled, { $0.key = key }).values().isEmpty)
    }
  }

  @Test("columns of one table are null in the other; ignored ones do not count") func columns() async throws {
    let old = Table(
      schema: Schema("t", columns: [ColumnDescription("id", .integer), ColumnDescription("x", .text)]),
      rows: [[.integer(1), .text("a")], [.integer(2), .null]])
    let new = Table(
      schema: Schema("t", columns: [ColumnDescription("change", .boolean), ColumnDescription("id", .real)]),
      rows: [[.null, .real(1)], [.boolean(true), .real(2)]])
    let stream = try await Self.differences(old, new) { $0.key = ["id"] }
    #expect(stream.schema.columns.map(\.name) == ["change_2", "change", "id", "x", "changed", "before"])
    let rows = try await stream.values()
    #expect(rows.map { $0[4] } == [.json(Array(#"["x"]"#.utf8)), .json(Array(#"["change"]"#.utf8))])
    #expect(rows.map { $0[5] } == [.json(Array(#"{"x":"a"}"#.utf8)), .json(Array(#"{"change":null}"#.utf8))])
    #expect(stream.notes.count == 2)
    let ignoring = try await Self.differences(old, new) { ($0.key, $0.ignored) = (["id"], ["x", "change"]) }
    #expect(try await ignoring.values().isEmpty)
  }

  @Test("unknown columns, and keys that are ignored, are refused") func refused() async throws {
    let table = Self.random(3, keys: 3, seed: 1)
    for (key, ignored) in [(["idd"], []), (["id"], ["id"]), (["id", "id"], []), (["id"], ["zz"])] {
      await #expect(throws: Problem.self) {
        _ = try await Self.differences(table, table, { ($0.key, $0.ignored) = (key, ignored) })
      }
    }
  }
}
