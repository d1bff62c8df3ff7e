import Domain
import Rows
import Synchronization

/// The secrets of a source's requests, to be removed from messages: a server may repeat them.
final class RESTSecret: Sendable {
  /// The ways in which they may be written, the longest first, so that none is found within another.
  private let spellings = Mutex<[String]>([])
  /// Anything shorter is found in too many words, and keeps no one out.
  private static let shortest = 4

  /// Notes a secret.
  func add(_ text: String) {
    guard text.utf8.count >= Self.shortest else { return }
    spellings.withLock { known in
      guard !known.contains(text) else { return }
      for spelling in [text, RESTQuery.encoded(text)] where !known.contains(spelling) { known.append(spelling) }
      known.sort { $0.utf8.count > $1.utf8.count }
    }
  }

  /// A text without the secrets.
  func removed(from text: String) -> String {
    spellings.withLock { $0 }.reduce(text) { text, spelling in text.replacing(spelling, with: "…") }
  }

  /// A problem without the secrets.
  func removed(from problem: Problem) -> Problem {
    guard spellings.withLock({ !$0.isEmpty }) else { return problem }
    var problem = problem
    problem.message = removed(from: problem.message)
    problem.place = removed(from: problem.place)
    problem.hint = problem.hint.mapTexts { removed(from: $0) }
    problem.others = problem.others.map(removed)
    return problem
  }
}
