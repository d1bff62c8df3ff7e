import Conformance
import Domain
import Persistence
import Query
import Rows
import Synchronization

/// A store that violates a law, to see that the law detects it.
final class MutantStore: RecordStore {
  enum Damage: String, CaseIterable {
    case inventsATable, answersForMissingTables, losesSignOfZero, losesNULs, mixesUpNullAndEmpty, sortsBackwards,
      sortsAsText, foldsNames, ignoresColumns, losesTypes, losesLaterRows, misspellsNumbers, neverReplaces,
      neverDeletes,
      deletesByFirstColumn, miscounts, keepsOthers, mixesTables, readsLate, forgetsWrites, forgetsWhenClosed,
      ignoresExpectations,
      expectsNothing, changesBeforeItRefuses, takesEverything, losesHistory, remembersNothingChanged,
      forgetsBefore, complains, loadsNothing, loadsOnTop, loadsUnasked, loadsFromAnywhere, loadsInPieces, losesExtras,
      adoptsTwice, sortsTheKeyless, miscountsLoads, remembersLoadedRows, forgetsSources, pushesTooMuch,
      undoesNothing, undoesAnything, undoesWithoutAnEntry, ordersByClock, losesCommands
  }
  let name = "mutant:"
  var capabilities: StoreCapabilities {
    damage == .forgetsWhenClosed ? [.durable, .holdsEverything] : .holdsEverything
  }
  private let damage: Damage
  private let base = MemoryStore()
  private let writes = Mutex(0)

  init(_ damage: Damage) { self.damage = damage }

  /// The mutant as the laws see it.
  static func fixture(_ damage: Damage) -> StoreFixture {
    StoreFixture("\(damage)") {
      let store = MutantStore(damage)
      return { damage == .forgetsWhenClosed ? MutantStore(damage) : store }
    }
  }

  func tables() async throws(Problem) -> [Schema] {
    let tables = try await base.tables()
    return damage == .inventsATable ? tables + [StoreSample.named] : tables
  }

  func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    if damage == .answersForMissingTables, try await !base.tables().contains(where: { $0.name == table }) {
      return BufferedRows(schema: StoreSample.named, batches: [])
    }
    if damage == .readsLate { return LateRows(base, table, request) }
    let request = damage == .ignoresColumns ? RowRequest() : request
    let stream = try await base.rows(of: table, request)
    var rows: [[Value]] = []
    for batch in try await stream.collect() {
      for row in 0..<batch.count { rows.append((0..<batch.width).map { value(batch.value(row, $0)) }) }
    }
    switch damage {
    case .sortsBackwards: rows.reverse()
    case .sortsAsText: rows.sort { "\($0)" < "\($1)" }
    case .pushesTooMuch where request.selection?.search != nil: rows = rows.dropLast()
    case .losesLaterRows: rows = Array(rows.prefix(1000))
    default: break
    }
    var schema = stream.schema
    if damage == .losesTypes {
      schema = Schema(schema.name, columns: schema.columns.map { ColumnDescription($0.name, .text) })
    }
    var builder = RowBatchBuilder(width: schema.width)
    for row in rows { for value in row { builder.append(value: value) } }
    return BufferedRows(schema: schema, batches: [builder.finish()])
  }

  private func value(_ value: Value) -> Value {
    switch (damage, value) {
    case (.losesSignOfZero, .real(let number)) where number == 0: .real(0)
    case (.losesNULs, .text(let bytes)): .text(Array(bytes.prefix { $0 != 0 }.prefix(1 << 16)))
    case (.mixesUpNullAndEmpty, .null): .text([])
    case (.foldsNames, .text(let bytes)): .text(Fold.folded(bytes))
    case (.misspellsNumbers, .integer(let number)): .number(Array("\(number).0".utf8))
    default: value
    }
  }

  func apply(_ change: StoreChange) async throws(Problem) -> [TableOutcome] {
    let count = writes.withLock { count in
      count += 1
      return count
    }
    var change = change
    for index in change.tables.indices { damaged(&change.tables[index]) }
    switch damage {
    case .loadsUnasked: change.accepts = { (_) throws(Problem) in true }
    case .neverReplaces:
      for index in change.tables.indices {
        let schema = change.tables[index].schema
        let known = try await base.history().flatMap(\.tables).filter { $0.schema.name == schema.name }.flatMap(\.rows)
        let keys = Set(known.compactMap(\.after).map { StoredKey(of: $0, schema) })
        change.tables[index].upserts.removeAll { $0.count == schema.width && keys.contains(StoredKey(of: $0, schema)) }
      }
    case .mixesTables where change.tables.count == 1 && change.tables[0].replacesAll:
      for schema in try await base.tables() where schema.name != change.tables[0].schema.name {
        change.tables.append(TableChange(schema, replacesAll: true))
      }
    case .mixesTables: change.tables = Array(change.tables.prefix(1))
    case .forgetsWrites where count % 7 == 0: return change.tables.map { _ in TableOutcome() }
    case .changesBeforeItRefuses:
      do throws(Problem) {
        return try await base.apply(change)
      } catch {
        for table in change.tables {
          let rows = table.upserts.prefix(1).map { $0 }
          _ = try? await base.apply(StoreChange("half", time: "", [TableChange(table.schema, upserts: rows)]))
        }
        throw error
      }
    case .takesEverything:
      do throws(Problem) { return try await base.apply(change) } catch { return [] }
    default: break
    }
    var outcome = try await base.apply(change)
    if damage == .miscounts { for index in outcome.indices { outcome[index].unchanged = 0 } }
    return outcome
  }

  private func damaged(_ table: inout TableChange) {
    switch damage {
    case .neverDeletes: table.deletes = []
    case .deletesByFirstColumn: if !table.deletes.isEmpty { table.replacesAll = true }
    case .keepsOthers: table.replacesAll = false
    case .losesExtras:
      let known = table.schema.columns.filter { !$0.isExtra }
      table.upserts = table.upserts.map { $0.enumerated().map { $0 < known.count ? $1 : .null } }
    case .ignoresExpectations: table.expected = []
    case .expectsNothing:
      table.expected = table.expected.map { TableChange.Expectation(key: $0.key, row: nil) }
    default: break
    }
  }

  func history() async throws(Problem) -> [HistoryEntry] {
    var entries = try await base.history()
    switch damage {
    case .losesHistory: entries = []
    case .remembersNothingChanged:
      entries += (entries.count..<max(entries.count, writes.withLock { $0 })).map {
        HistoryEntry(id: "\($0)", time: "", title: "", tables: [])
      }
    case .forgetsBefore:
      for entry in entries.indices {
        for table in entries[entry].tables.indices {
          for row in entries[entry].tables[table].rows.indices { entries[entry].tables[table].rows[row].before = nil }
        }
      }
    case .undoesWithoutAnEntry: entries.removeAll { !$0.undoes.isEmpty }
    case .ordersByClock: entries.sort { $0.time < $1.time }
    case .losesCommands: for entry in entries.indices { entries[entry].command = nil }
    default: break
    }
    return entries
  }

  func undo(_ undo: StoreUndo) async throws(Problem) {
    switch damage {
    case .undoesNothing: break
    case .undoesAnything: do throws(Problem) { try await base.undo(undo) } catch { return }
    default: try await base.undo(undo)
    }
  }

  func undoableLoads() async throws(Problem) -> Set<String> { try await base.undoableLoads() }

  func load(_ load: TableLoad) async throws(Problem) -> TableOutcome {
    var load = load
    switch damage {
    case .loadsNothing: return TableOutcome()
    case .loadsUnasked: load.accepts = { (_) throws(Problem) in true }
    case .loadsFromAnywhere: load.replacesSource = true
    case .loadsOnTop, .remembersLoadedRows:
      if load.schema.key.isEmpty { break }
      let rows = try await values(of: load.rows)
      let change = TableChange(load.schema, upserts: rows, replacesAll: damage == .remembersLoadedRows)
      return try await base.apply(StoreChange(load.title, time: load.time, [change]))[0]
    case .loadsInPieces:
      while true {
        do throws(Problem) {
          guard let work = try await load.rows.next() else { break }
          var piece = load
          piece.rows = BufferedRows(schema: load.schema, batches: [try work.batch()])
          _ = try await base.load(piece)
        } catch {
          _ = try await base.load(TableLoad("", time: "", load.schema, BufferedRows(schema: load.schema, batches: [])))
          throw error
        }
      }
      return TableOutcome()
    case .sortsTheKeyless where load.schema.key.isEmpty:
      let rows = try await values(of: load.rows).sorted { "\($0)" < "\($1)" }
      var builder = RowBatchBuilder(width: load.schema.width)
      for row in rows { for value in row { builder.append(value: value) } }
      load.rows = BufferedRows(schema: load.schema, batches: [builder.finish()])
    case .forgetsSources: load.source = nil
    default: break
    }
    var outcome = try await base.load(load)
    if damage == .miscountsLoads { swap(&outcome.added, &outcome.unchanged) }
    return outcome
  }

  private func values(of stream: any RowStream) async throws(Problem) -> [[Value]] {
    var rows: [[Value]] = []
    for batch in try await stream.collect() {
      for row in 0..<batch.count { rows.append((0..<batch.width).map { batch.value(row, $0) }) }
    }
    return rows
  }

  func source(of table: String) async throws(Problem) -> String? { try await base.source(of: table) }

  func adopt(_ history: [HistoryEntry]) async throws(Problem) {
    if damage == .adoptsTwice, try await !base.history().isEmpty { return }
    try await base.adopt(history)
  }

  func check() async throws(Problem) -> [Problem] { damage == .complains ? [Problem(.badData, "something")] : [] }
}

/// Rows that are read on request.
private final class LateRows: ExactRowStream {
  let schema = StoreSample.named
  private let open: @Sendable () async throws(Problem) -> any RowStream
  private let stream = Mutex<(any RowStream)?>(nil)

  init(_ store: MemoryStore, _ table: String, _ request: RowRequest) {
    open = { () async throws(Problem) in try await store.rows(of: table, request) }
  }

  func next() async throws(Problem) -> BatchTask? {
    let rows: any RowStream
    if let known = stream.withLock({ $0 }) { rows = known } else { rows = try await open() }
    stream.withLock { $0 = rows }
    return try await rows.next()
  }
}
