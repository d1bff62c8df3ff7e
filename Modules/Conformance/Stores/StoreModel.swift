import Domain
import Query
import Rows

/// Random commands, applied to a store and to a plain dictionary, which are compared after each.
public struct StoreModel: Sendable {
  private let seed: UInt64

  /// The commands that `seed` stands for.
  public init(seed: UInt64) { self.seed = seed }

  /// Makes `steps` changes.
  /// - Throws: `LawViolation` naming the seed and the step after which the two differ.
  public func run(on fixture: StoreFixture, steps: Int) async throws {
    let open = fixture.make(), capabilities = open().capabilities
    var random = SplitMix(state: seed)
    var model: [StoredKey: [Value]] = [:]
    var changes = 0
    let schema = StoreSample.wide
    for step in 1...steps {
      let store = open()
      var change = TableChange(schema)
      var next = model
      for _ in 0..<random.below(4) {
        let row = randomRow(&random, capabilities), key = StoredKey(of: row, schema)
        guard !change.upserts.contains(where: { StoredKey(of: $0, schema) == key }) else { continue }
        change.upserts.append(row)
      }
      let put = Set(change.upserts.map { StoredKey(of: $0, schema) })
      for _ in 0..<random.below(3) {
        let key = StoredKey(of: randomRow(&random, capabilities), schema)
        guard !put.contains(key), !change.deletes.contains(key.values) else { continue }
        change.deletes.append(key.values)
        next[key] = nil
      }
      change.replacesAll = random.below(12) == 0
      if change.replacesAll { next = next.filter { put.contains($0.key) } }
      for row in change.upserts { next[StoredKey(of: row, schema)] = row }
      let isRefused = random.below(6) == 0
      if isRefused {
        // There is no such key, or its row is different.
        change.expected = [
          TableChange.Expectation(key: [.text("nowhere"), .integer(0)], row: randomRow(&random, capabilities))
        ]
      }
      do {
        try await store.apply(StoreChange("step \(step)", time: "", [change]))
        if isRefused { throw LawViolation("seed \(seed), step \(step): a wrong expectation was accepted") }
        if next != model { changes += 1 }
        model = next
      } catch let problem as Problem {
        guard isRefused, problem.kind == .busy else { throw problem }
      }
      guard try await !store.tables().isEmpty else {
        if model.isEmpty { continue }
        throw LawViolation("seed \(seed), step \(step): the table is missing")
      }
      let rows = try await StoreUnderLaw.values(store.rows(of: schema.name, RowRequest()))
      let wanted = model.sorted { $0.key < $1.key }.map(\.value)
      if rows != wanted { throw LawViolation("seed \(seed), step \(step): expected \(wanted), saw \(rows)") }
      let count = try await store.history().count
      if count != changes { throw LawViolation("seed \(seed), step \(step): \(count) entries for \(changes) changes") }
    }
  }

  private func randomRow(_ random: inout SplitMix, _ capabilities: StoreCapabilities) -> [Value] {
    var row = capabilities.held(StoreSample.hostile[random.below(StoreSample.hostile.count)])
    row[0] = .text(["", "a", "é", "e\u{301}", "Z"][random.below(5)])
    row[1] = .integer(Int64(random.below(3)))
    let column = 2 + random.below(StoreSample.wide.width - 2)
    if random.below(3) == 0 { row[column] = .null }
    return row
  }
}

/// Steele, Lea and Flood's SplitMix64: the same numbers for the same seed.
struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ mixed >> 31) % UInt64(bound))
  }
}
