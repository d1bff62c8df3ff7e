import Conformance
import Domain
import Persistence
import TestSupport
import Testing

/// Every store that the registry knows.
enum StoreFixtures {
  static let scratch = TemporaryDirectory.scratch
  /// With a kind of directory store that only tests know.
  static let registry = StoreRegistry(scratch: scratch, known: Catalog.all, directories: DirectoryFormat.all + [.lines])
  static let all = local + PostgresFixture.all
  private static let local = registry.factories.filter { $0.kind != .server }.map { factory in
    StoreFixture(factory.scheme) {
      let directory = TemporaryDirectory()
      guard factory.isDurable else {
        let store = factory.open("", scratch)
        return { store }
      }
      return { factory.open(directory.path + "/store", scratch) }
    }
  }
}

@Suite("Store laws") struct StoreLawTests {
  @Test("holds", arguments: StoreFixtures.all, StoreLaw.all)
  func holds(_ fixture: StoreFixture, _ law: StoreLaw) async throws { try await law.check(fixture) }

  @Test("every law is broken by some mutant", arguments: StoreLaw.all)
  func isBroken(_ law: StoreLaw) async throws {
    for damage in MutantStore.Damage.allCases {
      let fixture = MutantStore.fixture(damage)
      do { try await law.check(fixture) } catch { return }
    }
    Issue.record("no mutant breaks “\(law)”")
  }

  @Test("every mutant breaks some law", arguments: MutantStore.Damage.allCases)
  func breaks(_ damage: MutantStore.Damage) async throws {
    let fixture = MutantStore.fixture(damage)
    for law in StoreLaw.all {
      do { try await law.check(fixture) } catch { return }
    }
    Issue.record("\(damage) breaks no law")
  }

  @Test("random commands do the same as to a dictionary", arguments: StoreFixtures.all, [1, 2, 3, 4] as [UInt64])
  func model(_ fixture: StoreFixture, _ seed: UInt64) async throws {
    try await StoreModel(seed: seed).run(on: fixture, steps: 40)
  }

  @Test(
    "random commands find damage",
    arguments: [MutantStore.Damage.deletesByFirstColumn, .losesNULs, .ignoresExpectations, .neverReplaces])
  func modelFinds(_ damage: MutantStore.Damage) async throws {
    await #expect(throws: (any Error).self) {
      for seed in 1...4 as ClosedRange<UInt64> {
        try await StoreModel(seed: seed).run(on: MutantStore.fixture(damage), steps: 40)
      }
    }
  }
}
