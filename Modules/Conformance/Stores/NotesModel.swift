import Domain
import Rows

/// Random commands on notes, applied to a store and to a dictionary: both must be the same after each of them, also
/// after any number is undone.
public struct NotesModel: Sendable {
  private let seed: UInt64

  /// Commands chosen by `seed`.
  public init(seed: UInt64) { self.seed = seed }

  /// Runs some commands.
  /// - Throws: where the storage and the dictionary differ.
  public func run(on fixture: StoreFixture, steps: Int) async throws {
    let notes = NotesUnderLaw(law: "random commands, seed \(seed)", open: fixture.make())
    var random = seed
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    var now: [EpisodeKey: String] = [:]
    // The notes before each command that can be undone.
    var before: [[EpisodeKey: String]] = []
    for step in 0..<steps {
      let key = NotesUnderLaw.keys[next(NotesUnderLaw.keys.count)]
      switch next(6) {
      case 0, 1, 2:
        let text = "text \(next(3))"
        if now[key] != text { before.append(now) }
        try await notes.write(text, on: key)
        now[key] = text
      case 3:
        let victims = now.keys.sorted().filter { _ in next(2) == 0 }
        var edits: [RecordRepository.Edit] = []
        for victim in victims {
          edits.append(RecordRepository.Edit(from: try await notes.notebook.note(on: victim), to: nil))
        }
        if !victims.isEmpty { before.append(now) }
        try await notes.repository.change("delete", edits)
        for victim in victims { now[victim] = nil }
      default:
        guard let last = before.popLast() else {
          try await notes.refuses(.absent) { _ = try await notes.history.undo() }
          continue
        }
        _ = try await notes.history.undo()
        now = last
      }
      var found: [EpisodeKey: String] = [:]
      for note in try await notes.all() { if let key = EpisodeKey(of: note) { found[key] = note[.text] } }
      try notes.require(found == now, "after step \(step) there is \(found) instead of \(now)")
    }
  }
}
