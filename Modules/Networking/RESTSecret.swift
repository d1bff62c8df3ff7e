import Codecs
import Domain
import Rows

/// The key that a source is asked with, to be taken out of messages: a server may say it back.
struct RESTSecret: Sendable {
  /// Ways in which it may be written.
  private let spellings: [String]
  /// Anything shorter is found in too many words, and keeps no one out.
  private static let shortest = 4

  /// The key that `authorization` names a variable for.
  init(_ authorization: SourceAuthorization, _ environment: [String: String]) {
    var parts: [String] = []
    switch authorization {
    case .none: break
    case .bearer(let variable), .query(_, let variable), .header(_, let variable):
      parts = [environment[variable] ?? ""]
    case .basic(let variable):
      let login = environment[variable] ?? ""
      let password = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
      parts = [
        login, String(decoding: Base64.encoded(Array(login.utf8)), as: UTF8.self), password.map(String.init) ?? "",
      ]
    }
    parts += parts.map(RESTQuery.encoded)
    // The longest first, so that none is found within another.
    spellings = Set(parts.filter { $0.utf8.count >= Self.shortest }).sorted { $0.utf8.count > $1.utf8.count }
  }

  /// A text without the key.
  func removed(from text: String) -> String {
    spellings.reduce(text) { text, spelling in text.replacing(spelling, with: "…") }
  }

  /// A problem without the key.
  func removed(from problem: Problem) -> Problem {
    guard !spellings.isEmpty else { return problem }
    var problem = problem
    problem.message = removed(from: problem.message)
    problem.place = removed(from: problem.place)
    problem.hint = removed(from: problem.hint)
    return problem
  }
}
