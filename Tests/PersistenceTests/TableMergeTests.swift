import Codecs
import Conformance
import Query
import Rows
import Testing

@testable import Persistence

/// Merges of tables that two clones of a store changed.
@Suite("Merges of tables") struct TableMergeTests {
  private static let schema = Schema(
    "t", key: ["n"],
    columns: [
      ColumnDescription("n", .integer, nullable: false), ColumnDescription("a", .text), ColumnDescription("b", .text),
      ColumnDescription("updated_at", .timestamp, role: .audit),
    ])

  private func merged(
    _ base: TableMerge.Records, _ ours: TableMerge.Records, _ theirs: TableMerge.Records, _ scheme: String
  ) throws -> (text: String, conflicts: Int) {
    let format = try #require(DirectoryFormat.all.first { $0.scheme == scheme })
    var merge = TableMerge(Self.schema, format.codec)
    try merge.run(base: base, ours: ours, theirs: theirs)
    return (String(decoding: merge.bytes, as: UTF8.self), merge.conflicts)
  }

  /// Up to 30 changes on each clone, all of them also on one store; none of a field that the other clone changes.
  @Test("two clones merge to what one store has", arguments: ["csv", "json"]) func law(_ scheme: String) throws {
    for seed in 0..<200 {
      var random = SplitMix64(seed: UInt64(seed))
      func text() -> Value { .text(Array("\"v,\n\(random.next() % 100)".utf8)) }
      func time() -> Value { .text(Array("2026-01-0\(1 + random.next() % 9)T00:00:00Z".utf8)) }
      var base: TableMerge.Records = [:]
      for number in 0..<Int64(random.next() % 20) {
        base[StoredKey([.integer(number)])] = [
          .integer(number), text(), text(), .text(Array("2026-01-01T00:00:00Z".utf8)),
        ]
      }
      var sides = [base, base], one = base
      var touched: [[String: Int]] = [[:], [:]]
      for _ in 0..<random.next() % 60 {
        let side = Int(random.next() % 2), field = 1 + Int(random.next() % 2), number = Int64(random.next() % 40)
        let key = StoredKey([.integer(number)]), other = touched[1 - side]
        let isMine = ["\(number)", "\(number).1", "\(number).2"].allSatisfy { other[$0] == nil }
        if random.next() % 3 == 0 || base[key] == nil {
          // A whole record.
          guard isMine else { continue }
          touched[side]["\(number)"] = 1
          let row: [Value]? = sides[side][key] == nil ? [.integer(number), text(), text(), time()] : nil
          (sides[side][key], one[key]) = (row, row)
        } else if other["\(number)"] == nil, other["\(number).\(field)"] == nil, let row = sides[side][key] {
          touched[side]["\(number).\(field)"] = 1
          let value = text(), changed = time()
          sides[side][key]?[field] = value
          sides[side][key]?[3] = max(row[3], changed)
          one[key]?[field] = value
          let latest = max(one[key]?[3] ?? .null, changed)
          one[key]?[3] = latest
        }
      }
      let expected = try merged([:], one, [:], scheme)
      for (ours, theirs) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        let found = try merged(base, ours, theirs, scheme)
        #expect(found.conflicts == 0 && found.text == expected.text, "seed \(seed)")
      }
    }
  }

  private func max(_ left: Value, _ right: Value) -> Value { StoredKey([left]) < StoredKey([right]) ? right : left }

  @Test("a field that both edited is a conflict, and either side can be kept", arguments: ["csv", "json"])
  func conflict(_ scheme: String) throws {
    func row(_ number: Int64, _ a: String) -> [Value] { [.integer(number), .text(Array(a.utf8)), .null, .null] }
    func table(_ rows: [Value]...) -> TableMerge.Records {
      Dictionary(uniqueKeysWithValues: rows.map { (StoredKey([$0[0]]), $0) })
    }
    let base = table(row(1, "x"), row(2, "x"), row(3, "x"))
    let found = try merged(
      base, table(row(1, "x"), row(2, "ours"), row(3, "x")), table(row(1, "new"), row(2, "theirs"), row(3, "x")), scheme
    )
    #expect(found.conflicts == 1)
    #expect(MergeConflict.problem(in: Array(found.text.utf8), at: "t") != nil, "\(found.text)")
    for (kept, gone) in [("ours", "theirs"), ("theirs", "ours")] {
      let lines = found.text.split(separator: "\n").filter { line in
        !["<<<<<<<", "=======", ">>>>>>>"].contains { line.hasPrefix($0) } && !line.contains("\(gone)")
      }
      let wanted = try merged([:], table(row(1, "new"), row(2, kept), row(3, "x")), [:], scheme).text
      func plain(_ text: String) -> String { text.replacing("\n", with: "") }
      #expect(plain(lines.joined()) == plain(wanted))
    }
  }
}
