import Conformance
import Testing

@Suite("Laws of notes") struct NotesLawTests {
  @Test("holds", arguments: StoreFixtures.all, NotesLaw.all)
  func holds(_ fixture: StoreFixture, _ law: NotesLaw) async throws { try await law.check(fixture) }

  @Test("every law is broken by some mutant", arguments: NotesLaw.all)
  func isBroken(_ law: NotesLaw) async throws {
    for damage in MutantStore.Damage.allCases {
      do { try await law.check(MutantStore.fixture(damage)) } catch { return }
    }
    Issue.record("no mutant breaks “\(law)”")
  }

  @Test("random commands and their undoing do the same as to a dictionary", arguments: StoreFixtures.all, [1, 2, 3])
  func model(_ fixture: StoreFixture, _ seed: UInt64) async throws {
    try await NotesModel(seed: seed).run(on: fixture, steps: 60)
  }

  @Test("random commands find damage", arguments: [MutantStore.Damage.losesHistory, .undoesNothing, .neverDeletes])
  func modelFinds(_ damage: MutantStore.Damage) async throws {
    await #expect(throws: (any Error).self) {
      for seed in 1...3 as ClosedRange<UInt64> {
        try await NotesModel(seed: seed).run(on: MutantStore.fixture(damage), steps: 60)
      }
    }
  }
}
