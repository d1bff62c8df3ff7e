import Domain
import Query
import Rows

private let wide = StoreSample.wide, numbered = StoreSample.numbered, named = StoreSample.named

private func pair(_ name: String, _ value: Int64?) -> [Value] { [.text(name), value.map { .integer($0) } ?? .null] }

extension StoreLaw {
  /// A refused change has no effect.
  static let refusals: [StoreLaw] = [
    StoreLaw("a change that expects another row is refused, and changes nothing") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      let expected = TableChange.Expectation(key: [.text("a")], row: pair("a", 2))
      try await it.expectProblem(.busy) {
        try await it.apply(TableChange(named, upserts: [pair("a", 3)], expected: [expected]))
      }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
    StoreLaw("a change that expects no row is refused when there is one") { it in
      let none = TableChange.Expectation(key: [.text("a")], row: nil)
      try await it.apply(TableChange(named, upserts: [pair("a", 1)], expected: [none]))
      try await it.expectProblem(.busy) {
        try await it.apply(TableChange(named, upserts: [pair("a", 2)], expected: [none]))
      }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
    StoreLaw("a change that expects the row there is goes through") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      let expected = TableChange.Expectation(key: [.text("a")], row: pair("a", 1))
      try await it.apply(TableChange(named, upserts: [pair("a", 2)], expected: [expected]))
      try await it.expectEqual(it.rows(named), [pair("a", 2)])
    },
    StoreLaw("when one table refuses, none is changed") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.expectProblem(.badData) {
        try await it.apply(
          TableChange(named, upserts: [pair("a", 2), pair("b", 2)]),
          TableChange(numbered, upserts: [[.text("no integer"), .null, .null]]))
      }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
      try await it.expectEqual(it.store.tables().map(\.name), [named.name])
      try await it.expectEqual(it.store.history().count, 1)
    },
    StoreLaw("two rows with one key are refused") { it in
      try await it.expectProblem(.badData) {
        try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("a", 2)]))
      }
      try await it.expectEqual(it.store.tables(), [])
    },
    StoreLaw("a key that is put and deleted at once is refused") { it in
      try await it.expectProblem(.badData) {
        try await it.apply(TableChange(named, upserts: [pair("a", 1)], deletes: [[.text("a")]]))
      }
    },
    StoreLaw("a table with a reserved name is refused") { it in
      for name in ["bb_history", "sqlite_x", "BB_x", "SQLite_Stat1"] {
        let schema = Schema(
          name, key: ["id"],
          columns: named.columns.map { column in
            column.name == named.columns[0].name ? ColumnDescription("id", .text, nullable: false) : column
          })
        try await it.expectProblem(.badData) {
          try await it.apply(TableChange(schema, upserts: [pair("a", 1)]))
        }
        try await it.expectProblem(.badData) {
          let rows = BufferedRows(schema: schema, batches: [])
          try await it.store.load(TableLoad("load", time: "2020-01-01T00:00:00Z", schema, rows))
        }
      }
      try await it.expectEqual(it.store.tables(), [])
    },
    StoreLaw("text with U+0000 is kept whole, or refused with the record and the column") { it in
      let row: [Value] = [.integer(77), .text("a\0b"), .null], column = numbered.columns[1].name
      guard it.store.capabilities.contains(.holdsNUL) else {
        for isLoad in [false, true] {
          do {
            if isLoad {
              _ = try await it.load(numbered, [row])
            } else {
              try await it.apply(TableChange(numbered, upserts: [row]))
            }
          } catch let problem as Problem {
            let isClear = problem.kind == .badData && problem.message.contains("77") && problem.message.contains(column)
            try it.expect(isClear, "unclear: \(problem)")
            try await it.expectEqual(it.store.tables(), [])
            continue
          }
          try it.expect(false, "U+0000 was taken")
        }
        return
      }
      try await it.apply(TableChange(numbered, upserts: [row]))
      try await it.expectEqual(it.rows(numbered), [row])
    },
    StoreLaw("names of more than 63 bytes are kept, or refused") { it in
      let long = String(repeating: "é", count: 32)
      for schema in [
        Schema(long, key: ["name"], columns: named.columns),
        Schema("long", key: ["name"], columns: named.columns + [ColumnDescription(long, .integer)]),
      ] {
        let row = pair("a", 1) + (schema.width > 2 ? [.integer(2)] : [])
        guard it.store.capabilities.contains(.holdsLongNames) else {
          try await it.expectProblem(.badData) { try await it.apply(TableChange(schema, upserts: [row])) }
          try await it.expectProblem(.badData) { _ = try await it.load(schema, [row]) }
          try await it.expectEqual(it.store.tables(), [])
          continue
        }
        try await it.apply(TableChange(schema, upserts: [row]))
        try await it.expectEqual(it.rows(schema), [row])
      }
    },
    StoreLaw("a null in a key is refused") { it in
      try await it.expectProblem(.badData) {
        try await it.apply(TableChange(named, upserts: [[.null, .integer(1)]]))
      }
    },
    StoreLaw("a null in a column that must have a value is refused") { it in
      let schema = Schema(
        "strict", key: ["id"],
        columns: [
          ColumnDescription("id", .integer, nullable: false), ColumnDescription("text", .text, nullable: false),
        ])
      try await it.expectProblem(.badData) { try await it.apply(TableChange(schema, upserts: [[.integer(1), .null]])) }
    },
    StoreLaw("a value of another type is refused") { it in
      for value in [Value.text("1"), .real(1), .boolean(true), .number(Array("1.0".utf8)), .number(Array("1e3".utf8))] {
        try await it.expectProblem(.badData) {
          try await it.apply(TableChange(named, upserts: [[.text("a"), value]]))
        }
      }
    },
    StoreLaw("a real that is not finite is refused") { it in
      var row = StoreSample.empty("a", 1)
      for value in [Double.nan, .infinity, -.infinity] {
        row[3] = .real(value)
        try await it.expectProblem(.badData) { try await it.apply(TableChange(wide, upserts: [row])) }
      }
    },
    StoreLaw("a row of another width is refused") { it in
      try await it.expectProblem(.badData) { try await it.apply(TableChange(named, upserts: [[.text("a")]])) }
    },
    StoreLaw("a key of another width is refused") { it in
      try await it.apply(TableChange(wide, upserts: [StoreSample.empty("a", 1)]))
      try await it.expectProblem(.badData) { try await it.apply(TableChange(wide, deletes: [[.text("a")]])) }
      try await it.expectEqual(it.rows(wide).count, 1)
    },
    StoreLaw("a table without a key cannot be changed") { it in
      let schema = Schema("keyless", columns: [ColumnDescription("a", .text)])
      try await it.expectProblem(.badData) { try await it.apply(TableChange(schema, upserts: [[.text("a")]])) }
    },
    StoreLaw("a table comes once in a change") { it in
      try await it.expectProblem(.badData) {
        try await it.apply(TableChange(named, upserts: [pair("a", 1)]), TableChange(named, upserts: [pair("b", 1)]))
      }
    },
    StoreLaw("a table keeps its columns and types") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      let other = Schema(
        named.name, key: ["name"],
        columns: [ColumnDescription("name", .text, nullable: false), ColumnDescription("value", .text)])
      try await it.expectProblem(.badData) {
        try await it.apply(TableChange(other, upserts: [[.text("b"), .text("x")]]))
      }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
  ]

  static let records: [StoreLaw] = [
    StoreLaw("the history has what was before and after, exactly") { it in
      try await it.apply(TableChange(wide, upserts: it.hostile), title: "first")
      let key: [Value] = [.text("a"), .integer(1)]
      try await it.apply(TableChange(wide, deletes: [key]), title: "second \"line\"\n")
      let history = try await it.store.history()
      try it.expectEqual(history.map(\.number), [1, 2])
      try it.expectEqual(history.map(\.title), ["first", "second \"line\"\n"])
      try it.expectEqual(history.map(\.time), Array(repeating: "2026-01-02T03:04:05Z", count: 2))
      let first = history.first?.tables.first?.rows ?? [], second = history.last?.tables.first
      try it.expectEqual(first.map(\.after), it.hostile)
      try it.expectEqual(first.map(\.before), Array(repeating: nil, count: first.count))
      try it.expectEqual(second?.rows, [TableRevisions.Row(before: it.hostile[0], after: nil)])
      try it.expectEqual(second?.schema.key, wide.key)
    },
    StoreLaw("the history of a changed row has both images") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.apply(TableChange(named, upserts: [pair("a", nil)]))
      try await it.expectEqual(
        it.store.history().last?.tables.first?.rows, [TableRevisions.Row(before: pair("a", 1), after: pair("a", nil))])
    },
    StoreLaw("a change that changes nothing is not in the history") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.apply(TableChange(named, upserts: [pair("a", 1)], deletes: [[.text("b")]]))
      try await it.expectEqual(it.store.history().count, 1)
    },
    StoreLaw("taking a change back by its images restores every row") { it in
      try await it.apply(TableChange(wide, upserts: Array(it.hostile.prefix(4))))
      let before = try await it.rows(wide)
      var changed = it.hostile[1]
      changed[6] = .text("changed")
      try await it.apply(
        TableChange(wide, upserts: [changed, it.hostile[5]], deletes: [[.text("a"), .integer(1)]]))
      guard let images = try await it.store.history().last?.tables.first else {
        return try it.expect(false, "no images")
      }
      let added = images.rows.filter { $0.before == nil }.compactMap(\.after)
      try await it.apply(
        TableChange(
          images.schema, upserts: images.rows.compactMap(\.before),
          deletes: added.map { row in images.schema.key.map { row[$0] } }))
      try await it.expectEqual(it.rows(wide), before)
    },
    StoreLaw("an intact store has no problems") { it in
      try await it.expectEqual(it.store.check(), [])
      try await it.apply(TableChange(wide, upserts: it.hostile))
      try await it.expectEqual(it.store.check(), [])
    },
  ]
}
