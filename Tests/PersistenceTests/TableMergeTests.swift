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

  @Test("whichever side of each conflict is kept, the file can be read", arguments: ["csv", "json"], 0..<60)
  func sides(_ scheme: String, _ seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    func row(_ number: Int64, _ a: String) -> [Value] { [.integer(number), .text(Array(a.utf8)), .null, .null] }
    var base: TableMerge.Records = [:], ours: TableMerge.Records = [:], theirs: TableMerge.Records = [:]
    for number in 0..<Int64(1 + random.next() % 4) {
      let key = StoredKey([.integer(number)])
      base[key] = row(number, "base")
      let change = random.next() % 4
      ours[key] = change == 0 ? nil : row(number, change == 3 ? "base" : "ours")
      theirs[key] = change == 1 ? nil : row(number, change == 3 ? "base" : "theirs")
    }
    let found = try merged(base, ours, theirs, scheme)
    let format = try #require(DirectoryFormat.all.first { $0.scheme == scheme })
    for (keptMark, kept) in [("<<<<<<<", ours), ("=======", theirs)] {
      var isKept = true, lines: [Substring] = []
      for line in found.text.split(separator: "\n", omittingEmptySubsequences: false) {
        switch line.prefix(7) {
        case "<<<<<<<", "=======": isKept = line.hasPrefix(keptMark)
        case ">>>>>>>": isKept = true
        default: if isKept { lines.append(line) }
        }
      }
      let text = Array(lines.joined(separator: "\n").utf8)
      var records: TableMerge.Records = [:]
      let rows = try format.codec.rows(MemoryByteSource(text, name: "t"), Self.schema, columns: nil)
      for batch in try await rows.collect() {
        for place in 0..<batch.count {
          let values = try StoredRow.normalised((0..<batch.width).map { batch.value(place, $0) }, Self.schema)
          records[StoredKey([values[0]])] = values
        }
      }
      let resolved = kept.merging(ours.filter { theirs[$0.key] == $0.value }) { old, _ in old }
      #expect(records == resolved, "\(found.text)")
    }
  }

  @Test("lists have what either side added, and not what either removed") func lists() throws {
    let schema = Schema(
      "t", key: ["n"],
      columns: [
        ColumnDescription("n", .integer, nullable: false), ColumnDescription("ids", .list(.text)),
        ColumnDescription("year", .integer),
      ])
    func row(_ ids: String, _ year: Int64?) -> TableMerge.Records {
      [StoredKey([.integer(1)]): [.integer(1), .json(Array(ids.utf8)), year.map { .integer($0) } ?? .null]]
    }
    let format = try #require(DirectoryFormat.all.first { $0.scheme == "json" })
    for (base, ours, theirs, wanted) in [
      (row(#"["a","b"]"#, 1), row(#"["a","c"]"#, 1), row(#"["a","b","d"]"#, 1), #"["a","c","d"],"year":1"#),
      ([:], row(#"["z"]"#, 1995), row(#"["k"]"#, nil), #"["k","z"],"year":1995"#),
    ] {
      for (left, right) in [(ours, theirs), (theirs, ours)] {
        var merge = TableMerge(schema, format.codec)
        try merge.run(base: base, ours: left, theirs: right)
        #expect(merge.conflicts == 0 && String(decoding: merge.bytes, as: UTF8.self).contains(wanted))
      }
    }
  }
}
