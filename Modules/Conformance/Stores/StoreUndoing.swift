import Domain
import Query
import Rows

private let named = StoreSample.named, wide = StoreSample.wide
private let bare = Schema("bare", columns: [ColumnDescription("a", .text), ColumnDescription("n", .integer)])

private func pair(_ name: String, _ value: Int64?) -> [Value] { [.text(name), value.map { .integer($0) } ?? .null] }

extension StoreUnderLaw {
  /// Undoes the last entries of the history.
  func undoLast(_ count: Int = 1) async throws {
    let entries = try await store.history().suffix(count).map(\.id)
    try await store.undo(StoreUndo(entries, title: "undo", time: "2026-01-02T03:04:06Z"))
  }
}

extension StoreLaw {
  static let undoing: [StoreLaw] = [
    StoreLaw("undo of a change restores every row, and is in the history") { it in
      try await it.apply(TableChange(wide, upserts: Array(it.hostile.prefix(4))))
      let before = try await it.rows(wide)
      var changed = it.hostile[1]
      changed[6] = .text("changed")
      try await it.apply(
        TableChange(wide, upserts: [changed, it.hostile[5]], deletes: [[.text("a"), .integer(1)]]),
        TableChange(named, upserts: [pair("a", 1)]))
      try await it.undoLast()
      try await it.expectEqual(it.rows(wide), before)
      try await it.expectEqual(it.rows(named), [])
      let history = try await it.store.history()
      try it.expectEqual(history.map(\.undoes), [[], [], [history[1].id]])
      try it.expectEqual(history[2].tables.map(\.rows.count), [3, 1])
    },
    StoreLaw("several changes of a table are undone in one step") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1), pair("b", 1)]))
      let before = try await it.rows(named)
      try await it.apply(TableChange(named, upserts: [pair("a", 2), pair("c", 1)]))
      try await it.apply(TableChange(named, upserts: [pair("c", 2), pair("d", 1)], deletes: [[.text("b")]]))
      try await it.apply(TableChange(named, upserts: [pair("b", 3)], deletes: [[.text("d")]]))
      try await it.undoLast(3)
      try await it.expectEqual(it.rows(named), before)
      try await it.expectEqual(it.store.history().last?.undoes.count, 3)
    },
    StoreLaw("the state of a sync comes and goes with the records, and does not count as a change") { it in
      var state = SyncState(named.name, parent: "", digest: "1")
      try await it.apply(TableChange(SyncState.schema, upserts: [state.row]))
      try await it.expectEqual(it.store.history(), [])
      state.cursor = "7"
      try await it.apply(
        TableChange(named, upserts: [pair("a", 1)]), TableChange(SyncState.schema, upserts: [state.row]))
      state.requests = 5
      try await it.apply(TableChange(SyncState.schema, upserts: [state.row]))
      try await it.undoLast()
      try await it.expectEqual(it.rows(named), [])
      try await it.expectEqual(SyncState.all(in: it.store).map(\.cursor), [nil])
      try await it.expectEqual(it.store.check(), [])
    },
    StoreLaw("undo of a load restores the rows and where they came from") { it in
      try await it.load(wide, Array(it.hostile.prefix(5)), from: "here")
      let before = try await it.rows(wide)
      var changed = it.hostile[0]
      changed[3] = .real(7)
      try await it.load(wide, [changed] + it.hostile.suffix(3), from: "there", replacing: true)
      try await it.expectEqual(it.store.undoableLoads().count, 2)
      try await it.undoLast()
      try await it.expectEqual(it.rows(wide), before)
      try await it.expectEqual(it.store.source(of: wide.name), "here")
      try await it.expectEqual(it.store.check(), [])
      // What it left can be loaded again, and searched.
      try await it.load(wide, it.hostile, from: "here")
      try await it.expectEqual(it.rows(wide).count, it.hostile.count)
    },
    StoreLaw("undo of a load restores the order and the copies of rows without a key") { it in
      let rows: [[Value]] = [[.text("b"), .integer(1)], [.null, .null], [.text("b"), .integer(1)]]
      try await it.load(bare, rows)
      try await it.load(bare, [[.text("x"), .null]])
      try await it.undoLast()
      try await it.expectEqual(it.rows(bare), rows)
    },
    StoreLaw("undo of the first load of a table removes the table") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.load(wide, it.hostile, from: "here")
      try await it.undoLast()
      try await it.expectEqual(it.store.tables().map(\.name), [named.name])
      try await it.expectEqual(it.store.source(of: wide.name), nil)
      try await it.expectProblem(.noInput) { _ = try await it.store.rows(of: wide.name, RowRequest()) }
      try await it.load(wide, it.hostile, from: "there")
      try await it.expectEqual(it.rows(wide).count, it.hostile.count)
    },
    StoreLaw("loads of several tables are undone in one step, and one after the other back to the first") { it in
      try await it.load(named, [pair("a", 1)], command: "1")
      try await it.load(wide, it.hostile, command: "1")
      try await it.load(named, [pair("b", 2)], command: "2")
      try await it.load(bare, [[.text("x"), .null]], command: "2")
      try await it.expectEqual(it.store.history().map(\.command), ["1", "1", "2", "2"])
      try await it.undoLast(2)
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
      try await it.expectEqual(Set(it.store.tables().map(\.name)), [named.name, wide.name])
      let first = try await it.store.history().prefix(2).map(\.id)
      try await it.store.undo(StoreUndo(first, title: "undo", time: ""))
      try await it.expectEqual(it.store.tables(), [])
      try await it.expectEqual(it.store.history().count, 6)
    },
    StoreLaw("undo of an undo of loads makes them again, and so on") { it in
      let states: [[[Value]]] = [
        [], [pair("a", 1), pair("b", 1), pair("c", 1)], [pair("b", 2), pair("c", 1), pair("d", 4)], [pair("d", 4)],
      ]
      for (number, state) in states.enumerated().dropFirst() {
        try await it.load(named, state, from: "source \(number)", replacing: true)
        try await it.load(bare, (0..<number).map { [.text("x"), .integer(Int64(3 - $0))] })
      }
      let loads = try await it.store.history().map(\.id)
      func expect(_ number: Int) async throws {
        try await it.expectEqual(it.store.tables().count, number == 0 ? 0 : 2)
        try await it.expectEqual(it.store.check(), [])
        if number == 0 { return }
        try await it.expectEqual(it.rows(named), states[number])
        try await it.expectEqual(
          it.rows(bare), (0..<number).map { [.text("x"), .integer(Int64(3 - $0))] })
        try await it.expectEqual(it.store.source(of: named.name), "source \(number)")
      }
      for _ in 0..<2 {
        var undos: [String] = []
        for number in (0..<3).reversed() {
          try await it.store.undo(StoreUndo(Array(loads[2 * number...2 * number + 1]), title: "undo", time: ""))
          undos.append(try await it.store.history().last?.id ?? "")
          try await expect(number)
        }
        // Not the first of them, while those after it are in effect.
        let first = StoreUndo([undos[0]], title: "redo", time: "")
        try await it.expectProblem(.busy) { try await it.store.undo(first) }
        for (number, undo) in undos.reversed().enumerated() {
          try await it.store.undo(StoreUndo([undo], title: "redo", time: ""))
          try await expect(number + 1)
        }
      }
    },
    StoreLaw("what was removed by undo comes back as it was described") { it in
      try await it.load(wide, it.hostile, from: "here")
      let before = try await it.store.tables(), rows = try await it.rows(wide)
      try await it.undoLast()
      try await it.undoLast()
      try await it.expectEqual(it.store.tables(), before)
      try await it.expectEqual(it.rows(wide), rows)
      try await it.expectEqual(it.store.source(of: wide.name), "here")
    },
    StoreLaw("undo of a load is refused when the table was changed since, and changes nothing") { it in
      try await it.load(named, [pair("a", 1)])
      try await it.load(named, [pair("b", 2)])
      try await it.apply(TableChange(named, upserts: [pair("c", 3)]))
      guard let load = try await it.store.history().dropLast().last else { return try it.expect(false, "no entry") }
      let undo = StoreUndo([load.id], title: "undo", time: "")
      try await it.expectProblem(.busy) { try await it.store.undo(undo) }
      try await it.expectEqual(it.rows(named), [pair("b", 2), pair("c", 3)])
      try await it.undoLast()
      try await it.store.undo(undo)
      try await it.expectEqual(it.rows(named), [pair("a", 1)])
    },
    StoreLaw("undo of an undo makes the change again, and so on") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      for count in [0, 1, 0, 1] {
        try await it.undoLast()
        try await it.expectEqual(it.rows(named).count, count)
      }
    },
    StoreLaw("what was undone is not undone again, nor what the history does not have") { it in
      try await it.apply(TableChange(named, upserts: [pair("a", 1)]))
      try await it.undoLast()
      guard let first = try await it.store.history().first else { return try it.expect(false, "no entry") }
      for id in [first.id, "01900000-0000-7000-8000-000000000000"] {
        try await it.expectProblem(.absent) { try await it.store.undo(StoreUndo([id], title: "undo", time: "")) }
      }
      try await it.expectEqual(it.store.history().count, 2)
    },
    StoreLaw("entries are in the order of the changes, also when the clock was set back") { it in
      for (number, time) in ["2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "nonsense"].enumerated() {
        let change = TableChange(named, upserts: [pair("a", Int64(number))])
        try await it.store.apply(StoreChange("\(number)", time: time, [change]))
      }
      let history = try await it.store.history()
      try it.expectEqual(history.map(\.title), ["0", "1", "2"])
      try it.expectEqual(history.map(\.number), [1, 2, 3])
      try it.expectEqual(history.map(\.id), history.map(\.id).sorted())
      try it.expectEqual(Set(history.map(\.id)).count, 3)
      try it.expect(history.allSatisfy { RecordIdentifier.isValid($0.id) }, "an identifier is not a UUID of version 7")
    },
  ]
}
