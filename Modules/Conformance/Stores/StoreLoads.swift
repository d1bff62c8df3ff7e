import Domain
import Query
import Rows

private let numbered = StoreSample.numbered, named = StoreSample.named

private func pair(_ name: String, _ value: Int64?) -> [Value] { [.text(name), value.map { .integer($0) } ?? .null] }

/// A column that the user added, and that programs do not know.
private let noted = Schema(
  named.name, key: ["name"], columns: named.columns + [ColumnDescription("remark", .text, extra: true)])
private let bare = Schema("bare", columns: [ColumnDescription("a", .text), ColumnDescription("n", .integer)])

extension StoreUnderLaw {
  @discardableResult
  func load(
    _ schema: Schema, _ rows: [[Value]], from source: String? = nil, replacing: Bool = false,
    remembering: Bool = true, command: String? = nil,
    if accepts: @escaping @Sendable (TableOutcome) -> Bool = { _ in true }
  ) async throws -> TableOutcome {
    var builder = RowBatchBuilder(width: schema.width), batches: [RowBatch] = []
    for (number, row) in rows.enumerated() {
      for value in row { builder.append(value: value) }
      if number % 3 == 2 { batches.append(builder.takeBatch()) }
    }
    batches.append(builder.finish())
    var load = TableLoad(
      "load", time: "2026-01-02T03:04:05Z", schema, BufferedRows(schema: schema, batches: batches), from: source)
    load.replacesSource = replacing
    load.isRemembered = remembering
    load.command = command
    load.accepts = { (outcome) throws(Problem) in accepts(outcome) }
    return try await store.load(load)
  }
}

extension StoreLaw {
  /// The laws of loading a whole table.
  static let loads: [StoreLaw] = [
    StoreLaw("a load makes the table what was read, in order of the key") { it in
      let outcome = try await it.load(wide, Array(it.hostile.reversed()))
      try it.expectEqual(outcome.added, it.hostile.count)
      let sorted = it.hostile.sorted { StoredKey(of: $0, wide) < StoredKey(of: $1, wide) }
      try await it.expectEqual(it.rows(wide), sorted)
    },
    StoreLaw("a load counts what it adds, changes, removes and leaves") { it in
      _ = try await it.load(named, [pair("a", 1), pair("b", 2), pair("c", 3)])
      var outcome = try await it.load(named, [pair("d", 4), pair("b", 5), pair("a", 1)])
      outcome.nulled = []
      var wanted = TableOutcome()
      (wanted.added, wanted.changed, wanted.unchanged, wanted.removed) = (1, 1, 1, 1)
      try it.expectEqual(outcome, wanted)
      try await it.expectEqual(it.rows(named), [pair("a", 1), pair("b", 5), pair("d", 4)])
    },
    StoreLaw("a load and a change count the stored values that become null, with the first keys") { it in
      let names = ["a", "b", "c", "d", "e", "f"]
      let old = names.map { pair($0, $0 == "c" ? nil : 1) }, new = names.map { pair($0, $0 < "f" ? nil : 2) }
      let wanted = NulledValues("value", count: 4, stored: 5, keys: ["a", "b", "d"].map { StoredKey([.text($0)]) })
      _ = try await it.load(named, old)
      try await it.expectEqual(it.load(named, new).nulled, [wanted])
      try await it.expectEqual(it.load(named, old).nulled.filter { $0.count > 0 }, [])
      let outcome = try await it.store.apply(StoreChange("x", time: "", [TableChange(named, upserts: new)]))
      try it.expectEqual(outcome.map(\.nulled), [[wanted]])
    },
    StoreLaw("a load of the same rows changes nothing, and is not in the history") { it in
      _ = try await it.load(wide, it.hostile)
      let outcome = try await it.load(wide, it.hostile)
      try it.expectEqual(outcome.unchanged, it.hostile.count)
      try it.expectEqual(outcome.added + outcome.changed + outcome.removed, 0)
      try await it.expectEqual(it.store.history().count, 1)
    },
    StoreLaw("a load notices the sign of zero") { it in
      var row = StoreSample.empty("a", 1)
      row[3] = .real(0)
      _ = try await it.load(wide, [row])
      row[3] = .real(-0.0)
      try await it.expectEqual(it.load(wide, [row]).changed, 1)
    },
    StoreLaw("a load notices another spelling of a decimal") { it in
      var row = StoreSample.empty("a", 1)
      for (place, literal) in ["1", "1.0", "1.00", "10e-1", "-0.0", "0.0", "0", "-0"].enumerated() {
        row[4] = .number(Array(literal.utf8))
        let outcome = try await it.load(wide, [row])
        try it.expectEqual(place == 0 ? outcome.added : outcome.changed, 1)
        try await it.expectEqual(it.rows(wide, columns: ["decimal"]), [[row[4]]])
      }
    },
    StoreLaw("the history says that a table was loaded, without the rows") { it in
      _ = try await it.load(named, [pair("a", 1)])
      let entry = try await it.store.history().last
      try it.expectEqual(entry?.title, "load")
      try it.expectEqual(entry?.tables.map(\.schema.name), [named.name])
      try it.expectEqual(entry?.tables.flatMap(\.rows), [])
      _ = try await it.load(named, [pair("b", 1)], remembering: false)
      try await it.expectEqual(it.store.history().count, 1)
      try await it.expectEqual(it.rows(named), [pair("b", 1)])
    },
    StoreLaw("a load that is not accepted changes nothing") { it in
      _ = try await it.load(named, [pair("a", 1)])
      let outcome = try await it.load(named, [pair("b", 1)]) { outcome in outcome.removed == 0 }
      try it.expectEqual(outcome.removed, 1)
      _ = try await it.load(numbered, [[.integer(1), .null, .null]]) { _ in false }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
      try await it.expectEqual(it.store.tables().map(\.name), [named.name])
      try await it.expectEqual(it.store.history().count, 1)
    },
    StoreLaw("a change that is not accepted changes nothing") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      var change = StoreChange(
        "no", time: "",
        [TableChange(named, replacesAll: true), TableChange(numbered, upserts: [[.integer(1), .null, .null]])])
      change.accepts = { (outcomes) throws(Problem) in outcomes.map(\.removed) != [1, 0] }
      try await it.expectEqual(it.store.apply(change).map(\.added), [0, 1])
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
      try await it.expectEqual(it.store.tables().map(\.name), [named.name])
      try await it.expectEqual(it.store.history().count, 1)
    },
    StoreLaw("a load with a key twice, or a value that does not fit, changes nothing") { it in
      _ = try await it.load(named, [pair("a", 1)])
      for rows in [
        [pair("b", 1), pair("c", 1), pair("d", 1), pair("b", 2)], [pair("b", 1), [.text("c"), .text("x")]],
      ] {
        try await it.expectProblem(.badData) { _ = try await it.load(named, rows) }
        try await it.expectProblem(.badData) {
          _ = try await it.load(noted.renamed("other"), rows.map { $0 + [.null] })
        }
      }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
      try await it.expectEqual(it.store.tables().map(\.name), [named.name])
    },
    StoreLaw("a source that fails changes nothing") { it in
      _ = try await it.load(named, [pair("a", 1)])
      let load = TableLoad("load", time: "", named, FailingRows(schema: named))
      try await it.expectProblem(.unavailable) { _ = try await it.store.load(load) }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
    StoreLaw("a table without a key keeps the order and the copies of its rows") { it in
      let rows: [[Value]] = [
        [.text("b"), .integer(1)], [.text("a"), .null], [.text("b"), .integer(1)], [.null, .null],
      ]
      try await it.expectEqual(it.load(bare, rows).added, 4)
      try await it.expectEqual(it.rows(bare), rows)
      try await it.expectEqual(it.load(bare, rows).unchanged, 4)
      try await it.expectEqual(it.load(bare, Array(rows.dropFirst())).removed, 4)
      try await it.expectEqual(it.rows(bare), Array(rows.dropFirst()))
    },
    StoreLaw("a load does not change the types of a table, with a key or without") { it in
      try await it.load(bare, [[.text("a"), .integer(1)]])
      let other = Schema("bare", columns: [bare.columns[0], ColumnDescription("n", .text)])
      let wider = Schema("bare", columns: bare.columns + [ColumnDescription("more", .text)])
      try await it.expectProblem(.badData) { try await it.load(other, [[.text("a"), .text("x")]]) }
      try await it.expectProblem(.badData) { try await it.load(wider, [[.text("a"), .integer(1), .text("x")]]) }
      try await it.expectEqual(it.rows(bare), [[.text("a"), .integer(1)]])
      // A column that it does not name has no values any more.
      try await it.load(Schema("bare", columns: [bare.columns[1]]), [[.integer(2)], [.null]])
      try await it.expectEqual(it.rows(bare), [[.null, .integer(2)], [.null, .null]])
    },
    StoreLaw("a table remembers where it was loaded from, and is not taken from elsewhere") { it in
      _ = try await it.load(named, [pair("a", 1)], from: "here")
      try await it.expectEqual(it.store.source(of: named.name), "here")
      try await it.expectProblem(.badData) { _ = try await it.load(named, [pair("b", 1)], from: "there") }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
      _ = try await it.load(named, [pair("b", 1)], from: "there", replacing: true)
      try await it.expectEqual(it.rows(named), [pair("b", 1)])
      try await it.expectEqual(it.store.source(of: named.name), "there")
      try await it.expectEqual(it.store.source(of: "nothing"), nil)
    },
    StoreLaw("a person's records are not taken for a load's") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.expectProblem(.badData) { _ = try await it.load(named, [pair("b", 1)], from: "there") }
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
    StoreLaw("columns that a change or a load does not know stay") { it in
      try await it.apply(TableChange(noted, upserts: [pair("a", 1) + [.text("x")], pair("b", 1) + [.text("y")]]))
      try await it.apply(
        TableChange(
          named, upserts: [pair("a", 2), pair("c", 3)],
          expected: [TableChange.Expectation(key: [.text("a")], row: pair("a", 1))]))
      try await it.expectEqual(
        it.rows(noted), [pair("a", 2) + [.text("x")], pair("b", 1) + [.text("y")], pair("c", 3) + [.null]])
      _ = try await it.load(named, [pair("a", 9), pair("d", 4)])
      try await it.expectEqual(it.rows(noted), [pair("a", 9) + [.text("x")], pair("d", 4) + [.null]])
      let extras = try await it.store.rows(of: named.name, RowRequest()).schema.columns.map(\.isExtra)
      try it.expectEqual(extras, [false, false, true])
    },
    StoreLaw("a history is taken over whole, once") { it in
      let images = TableRevisions(schema: named, rows: [TableRevisions.Row(before: nil, after: pair("a", 1))])
      let history = HistoryEntry.numbered(
        [3, 7].map { number in
          HistoryEntry(
            id: "0190000\(number)-0000-7000-8000-000000000000", time: "then", title: "t \(number)", tables: [images],
            undoes: number == 3 ? [] : ["01900003-0000-7000-8000-000000000000"], command: "c")
        })
      try await it.store.adopt(history)
      try await it.expectEqual(it.store.history(), history)
      try await it.expectProblem(.cannotCreate) { try await it.store.adopt(history) }
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.expectEqual(it.store.history().map(\.number), [1, 2, 3])
    },
  ]
}

private let wide = StoreSample.wide

extension Schema {
  fileprivate func renamed(_ name: String) -> Schema {
    Schema(name, key: key.map { columns[$0].name }, columns: columns)
  }
}

/// A source that breaks off.
private struct FailingRows: ExactRowStream {
  let schema: Schema
  func next() async throws(Problem) -> BatchTask? { throw Problem(.unavailable, "the source is unavailable") }
}
