import Rows
import Testing

@Suite("Schemas") struct SchemaTests {
  @Test("columns are found by the bytes of their names", arguments: [2, 100]) func positions(_ count: Int) {
    let names = ["é", "e\u{301}"] + (2..<count).map { "c\($0)" }
    let schema = Schema("t", key: ["e\u{301}"], columns: names.map { ColumnDescription($0, .text) })
    #expect(names.map(schema.position(of:)) == names.indices.map { $0 } && schema.key == [1])
    #expect(schema.position(of: "x") == nil && schema.position(of: "") == nil)
    #expect(schema == schema.projected(to: Array(names.indices)))
  }

  @Test("finding every column of a wide table takes linear time") func wide() {
    let names = (0..<20_000).map { "column number \($0)" }
    let schema = Schema("t", columns: names.map { ColumnDescription($0, .text) })
    let time = ContinuousClock().measure { for name in names { _ = schema.position(of: name) } }
    #expect(time < .seconds(5))
  }

  @Test("names become different, with case or without, in linear time", .timeLimit(.minutes(1))) func distinctNames() {
    var names = DistinctNames(["a_3"]), others = DistinctNames(ignoresCase: true)
    #expect(
      ["a", "A", "a", "a", "a", "a_2", "é", "e\u{301}"].map { names.add($0) } == [
        "a", "A", "a_2", "a_4", "a_5", "a_2_2", "é", "e\u{301}",
      ])
    #expect(["a", "A", "B", "b", "b_2"].map { others.add($0) } == ["a", "A_2", "B", "b_2", "b_2_2"])
    let found = ["a", "a", "a_2", "b_2"]
    var headers = DistinctNames(reserved: found)
    #expect(found.map { headers.add($0) } + [headers.add("b_2", isNew: true)] == ["a", "a_3", "a_2", "b_2", "b_2_2"])
    let equal = (0..<50_000).map { _ in names.add("x") }
    #expect(equal.last == "x_50000" && Set(equal).count == 50_000)
  }
}
