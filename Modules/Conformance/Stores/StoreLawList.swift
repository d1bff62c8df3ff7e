import Domain
import Query
import Rows

private let wide = StoreSample.wide, numbered = StoreSample.numbered, named = StoreSample.named

private func pair(_ name: String, _ value: Int64?) -> [Value] { [.text(name), value.map { .integer($0) } ?? .null] }

extension StoreLaw {
  /// Every law.
  public static let all: [StoreLaw] = values + changes + refusals + records + loads + undoing + pushdown

  static let values: [StoreLaw] = [
    StoreLaw("an empty storage has no tables and no history") { it in
      try await it.expectEqual(it.store.tables(), [])
      try await it.expectEqual(it.store.contains(Catalog.notes.name), false)
      try await it.expectEqual(it.store.history(), [])
    },
    StoreLaw("a missing table is reported as noInput") { it in
      try await it.expectProblem(.noInput) { _ = try await it.store.rows(of: "nothing", RowRequest()) }
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.expectProblem(.noInput) { _ = try await it.store.rows(of: "nothing", RowRequest()) }
    },
    StoreLaw("every value comes back as it was, of every type") { it in
      try await it.apply(TableChange(wide, upserts: it.hostile))
      try await it.expectEqual(Set(it.rows(wide)), Set(it.hostile))
    },
    StoreLaw("the sign of zero stays") { it in
      try await it.apply(TableChange(wide, upserts: it.hostile))
      let zero = try await it.rows(wide, columns: ["real"]).contains { row in
        if case .real(let value) = row[0] { value == 0 && value.sign == .minus } else { false }
      }
      try it.expect(zero, "-0.0 became 0.0")
    },
    StoreLaw("zero can become negative zero") { it in
      var row = StoreSample.empty("a", 1)
      for zero in [0.0, -0.0] {
        row[3] = .real(zero)
        try await it.apply(TableChange(wide, upserts: [row]))
      }
      guard case .real(let kept) = try await it.rows(wide, columns: ["real"]).first?.first, kept.sign == .minus else {
        return try it.expect(false, "-0.0 was taken for 0.0")
      }
    },
    StoreLaw("null is not the empty text") { it in
      try await it.apply(
        TableChange(numbered, upserts: [[.integer(1), .null, .null], [.integer(2), .text(""), .null]]))
      try await it.expectEqual(it.rows(numbered, columns: [numbered.columns[1].name]), [[.null], [.text("")]])
    },
    StoreLaw("rows are in order of the key: integers by value") { it in
      let rows = [10, 9, -1, .max, .min, 2].map { (key: Int64) -> [Value] in [.integer(key), .null, .null] }
      try await it.apply(TableChange(numbered, upserts: rows))
      let keys = [.min, -1, 2, 9, 10, .max].map { (key: Int64) -> [Value] in [.integer(key)] }
      try await it.expectEqual(it.rows(numbered, columns: ["order"]), keys)
    },
    StoreLaw("rows are in order of the key: text by bytes") { it in
      let names = ["é", "z", "Z", "e\u{301}", "", "10", "9", "🧪", "\u{FFFF}", "a\0"]
        .filter { !$0.utf8.contains(0) || it.store.capabilities.contains(.holdsNUL) }
      try await it.apply(TableChange(named, upserts: names.map { pair($0, 1) }))
      let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      try await it.expectEqual(it.rows(named, columns: ["name"]), sorted.map { [.text($0)] })
    },
    StoreLaw("rows are in order of the key: column by column") { it in
      let rows = [("b", 1), ("a", 10), ("a", 9)].map { StoreSample.empty($0.0, Int64($0.1)) }
      try await it.apply(TableChange(wide, upserts: rows))
      try await it.expectEqual(
        it.rows(wide, columns: ["number"]), [[.integer(9)], [.integer(10)], [.integer(1)]])
    },
    StoreLaw("texts that only look the same are different keys") { it in
      try await it.apply(TableChange(named, upserts: [pair("é", 1), pair("e\u{301}", 2)]))
      try await it.expectEqual(it.rows(named), [pair("e\u{301}", 2), pair("é", 1)])
    },
    StoreLaw("only the requested columns are returned") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.expectEqual(it.rows(named, columns: ["value"]), [[.integer(1)]])
    },
    StoreLaw("a stream has the schema that was kept, types and key") { it in
      try await it.apply(TableChange(wide, upserts: it.hostile))
      let schema = try await it.store.rows(of: wide.name, RowRequest()).schema
      try it.expectEqual(schema.columns.map(\.name), wide.columns.map(\.name))
      try it.expectEqual(schema.columns.map(\.type), wide.columns.map(\.type))
      try it.expectEqual(schema.key, wide.key)
      try await it.expectEqual(it.store.tables().map(\.name), [wide.name])
      try await it.expectEqual(it.store.contains(wide.name), true)
      try await it.expectEqual(it.store.contains("other"), false)
    },
    StoreLaw("many rows come back in order, over many batches") { it in
      let rows = (0..<20_000).map { (key: Int64) -> [Value] in
        [.integer(key), .text("row \(key)" + String(repeating: ".", count: 40)), .null]
      }
      try await it.apply(TableChange(numbered, upserts: rows.reversed()))
      try await it.expect(it.rows(numbered) == rows, "the rows differ")
    },
    StoreLaw("a large value comes back whole") { it in
      let text = String(repeating: "0123456789abcdef", count: 1 << 16)
      try await it.apply(TableChange(numbered, upserts: [[.integer(1), .text(text), .null]]))
      try await it.expect(it.rows(numbered) == [[.integer(1), .text(text), .null]], "the value differs")
    },
    StoreLaw("a literal is kept in its canonical type when it is one") { it in
      let number = { (text: String) -> Value in .number(Array(text.utf8)) }
      var row = StoreSample.empty("a", 1)
      (row[2], row[3], row[4]) = (number("5"), number("1.5"), .integer(7))
      try await it.apply(TableChange(wide, upserts: [row]))
      try await it.expectEqual(
        it.rows(wide, columns: ["integer", "real", "decimal"]), [[.integer(5), .real(1.5), number("7")]])
    },
  ]

  static let changes: [StoreLaw] = [
    StoreLaw("a row takes the place of the one with its key") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("b", 2)]))
      let outcome = try await it.apply(TableChange(named, upserts: [pair("a", 3)]))
      try it.expectEqual(outcome.map(\.changed), [1])
      try await it.expectEqual(it.rows(named), [pair("a", 3), pair("b", 2)])
    },
    StoreLaw("a value can become null") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.apply(TableChange(named, upserts: [pair("a", nil)]))
      try await it.expectEqual(it.rows(named), [pair("a", nil)])
    },
    StoreLaw("a change adds columns to a table") { it in
      let remark = ColumnDescription("remark", .json, "what else there is"), noted = named.adding([remark])
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("c", 3)]))
      try await it.apply(TableChange(noted, upserts: [pair("b", 2) + [.json(Array("{}".utf8))]]))
      try await it.expectEqual(it.store.tables(), [Schema(named.name, key: ["name"], columns: noted.columns)])
      try await it.apply(TableChange(named, upserts: [pair("b", 5)], deletes: [[.text("c")]]))
      try await it.expectEqual(it.rows(noted), [pair("a", 1) + [.null], pair("b", 5) + [.json(Array("{}".utf8))]])
      let required = named.adding([ColumnDescription("more", .text, nullable: false)])
      try await it.expectProblem(.badData) { try await it.apply(TableChange(required, deletes: [[.text("b")]])) }
      try await it.undoLast(3)
      try await it.expectEqual(it.rows(noted), [])
    },
    StoreLaw("deletes remove rows; deleting a missing row has no effect") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("b", 2)]))
      let outcome = try await it.apply(TableChange(named, deletes: [[.text("a")], [.text("c")]]))
      try it.expectEqual(outcome.map(\.removed), [1])
      try await it.expectEqual(it.rows(named), [pair("b", 2)])
    },
    StoreLaw("deleting by a composite key takes one row") { it in
      try await it.apply(TableChange(wide, upserts: [StoreSample.empty("a", 1), StoreSample.empty("a", 2)]))
      try await it.apply(TableChange(wide, deletes: [[.text("a"), .integer(1)]]))
      try await it.expectEqual(it.rows(wide), [StoreSample.empty("a", 2)])
    },
    StoreLaw("an outcome counts added, changed, unchanged and removed") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("b", 2), pair("c", 3)]))
      var outcome = try await it.apply(
        TableChange(named, upserts: [pair("a", 1), pair("b", 5), pair("d", 4)], deletes: [[.text("c")]]))
      outcome[0].nulled = []
      var wanted = TableOutcome()
      (wanted.added, wanted.changed, wanted.unchanged, wanted.removed) = (1, 1, 1, 1)
      try it.expectEqual(outcome, [wanted])
    },
    StoreLaw("replacing all leaves only what was given") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("b", 2)]))
      try await it.apply(TableChange(named, upserts: [pair("b", 2), pair("c", 3)], replacesAll: true))
      try await it.expectEqual(it.rows(named), [pair("b", 2), pair("c", 3)])
    },
    StoreLaw("replacing all with nothing leaves an empty table") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.apply(TableChange(named, replacesAll: true))
      try await it.expectEqual(it.rows(named), [])
    },
    StoreLaw("one change may touch several tables") { it in
      try await it.apply(
        TableChange(named, upserts: [pair("a", 1)]), TableChange(numbered, upserts: [[.integer(1), .null, .null]]))
      try await it.expectEqual(it.rows(named).count, 1)
      try await it.expectEqual(it.rows(numbered).count, 1)
    },
    StoreLaw("tables do not touch each other") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.apply(TableChange(numbered, upserts: [[.integer(1), .null, .null]], replacesAll: true))
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
    StoreLaw("what a reader began to read does not change under it") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("b", 2)]))
      let stream = try await it.store.rows(of: named.name, RowRequest())
      try await it.apply(TableChange(named, upserts: [pair("a", 9)], deletes: [[.text("b")]]))
      try await it.expectEqual(StoreUnderLaw.values(stream), [pair("a", 1), pair("b", 2)])
    },
    StoreLaw("who opens the storage again finds what is kept") { it in
      try await it.apply(TableChange(wide, upserts: it.hostile))
      guard it.store.capabilities.contains(.durable) else { return }
      let again = it.open()
      try await it.expectEqual(Set(it.rows(wide, of: again)), Set(it.hostile))
      try await it.expectEqual(again.history(), it.store.history())
    },
    StoreLaw("a reader sees each change of a concurrent writer whole") { it in
      let other = it.store.capabilities.contains(.shared) ? it.open() : it.store, last: Int64 = 20
      try await it.apply(TableChange(named, upserts: [pair("a", 0), pair("b", 0)]))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 1...last {
            let change = TableChange(named, upserts: [pair("a", number), pair("b", number)])
            try await other.apply(StoreChange("test", time: "", [change]))
          }
        }
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<1_000 {
              let rows = try await it.rows(named)
              try it.expectEqual(rows.map(\.first), [.text("a"), .text("b")])
              try it.expectEqual(rows.first?.last, rows.last?.last)
              try it.expectEqual(try await it.store.tables().map(\.name), [named.name])
              _ = try await it.store.history()
              if rows.first?.last == .integer(last) { return }
            }
          }
        }
        try await group.waitForAll()
      }
      try await it.expectEqual(it.rows(named), [pair("a", last), pair("b", last)])
    },
    StoreLaw("two that write at once lose nothing") { it in
      try await it.apply(TableChange(named))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          let store = it.store.capabilities.contains(.shared) ? it.open() : it.store
          group.addTask {
            for number in 0..<10 {
              let change = TableChange(named, upserts: [pair("\(writer) \(number)", Int64(number))])
              try await store.apply(StoreChange("test", time: "", [change]))
            }
          }
        }
        try await group.waitForAll()
      }
      try await it.expectEqual(it.rows(named).count, 40)
      try await it.expectEqual(it.store.history().map(\.number), Array(1...40))
    },
  ]
}
