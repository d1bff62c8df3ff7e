import Codecs
import Query
import Rows
import TestSupport
import Testing

@Suite("joins of two tables") struct FileJoinTests {
  /// The text of a value that is equal for equal values; nil for null.
  private static func key(_ value: Value) -> String? {
    switch value {
    case .null: nil
    case .integer(let number): "\(DecimalNumber(number))"
    case .real(let number): DecimalNumber(number).map { "\($0)" }
    case .number(let literal): DecimalNumber(literal).map { "\($0)" }
    case .text(let bytes): Instants.instant(bytes).map { "\($0)" } ?? "\(value)"
    default: "\(value)"
    }
  }

  /// The plain way: every pair of rows is compared.
  private static func plain(
    _ left: [[Value]], _ right: [[Value]], _ pairs: [(Int, Int)], _ kind: JoinKind
  ) -> [[Value]] {
    var rows: [[Value]] = []
    for row in left {
      let matches = right.filter { other in
        pairs.allSatisfy { key(row[$0.0]) != nil && key(row[$0.0]) == key(other[$0.1]) }
      }
      switch kind {
      case .anti: if matches.isEmpty { rows.append(row) }
      case .inner: rows += matches.map { row + $0 }
      case .left:
        rows += matches.isEmpty ? [row + row.map { _ in .null }] : matches.map { row + $0 }
      }
    }
    return rows
  }

  @Test(
    "the rows are those of comparing every pair, whatever the batches", arguments: JoinKind.allCases,
    ["id", "word", "exact", "score", "day", "seen", "few", "at"])
  func same(kind: JoinKind, column: String) async throws {
    let left = AdversarialTable.table(120, seed: 1, groups: 60), right = AdversarialTable.table(90, seed: 2, groups: 60)
    let numeric = ["id": "few", "few": "exact", "exact": "score", "score": "exact"]
    for pairs in [[(column, column)], [(column, numeric[column] ?? column), ("seen", "seen")]] {
      let relation = Relation("other", from: "t", to: "joined", on: pairs.map { (left: $0.0, right: $0.1) })
      var selection = Selection()
      selection.relations = ["other"]
      selection.joinKind = kind
      let positions = try pairs.map { (try left.schema.column(named: $0.0), try right.schema.column(named: $0.1)) }
      let wanted = Self.plain(left.rows, right.rows, positions, kind)
      for size in [7, 1000] {
        let tables = JoinTables.none.adding(right.schema, try await right.stream(size).collect(), by: relation)
        let found = try await selection.apply(to: left.stream(size), scratch: NoScratch(), related: tables).values()
        #expect(found == wanted, "\(kind) \(pairs) \(size)")
      }
    }
  }

  @Test("columns whose values are never equal are refused") func types() async throws {
    let table = AdversarialTable.table(3)
    var selection = Selection()
    selection.relations = ["other"]
    let relation = Relation("other", from: "t", to: "joined", on: [(left: "word", right: "id")])
    let problem = #expect(throws: Problem.self) {
      try selection.apply(
        to: table.stream(), scratch: NoScratch(), related: JoinTables.none.adding(table.schema, [], by: relation))
    }
    #expect(problem?.kind == .usage && problem?.message == "cannot join word (text) and id (integer)")
  }
}
