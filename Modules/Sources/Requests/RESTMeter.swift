import Domain
import Rows
import Synchronization

/// Counts the bytes of a source's responses, which are held in memory until the last page is read.
final class RESTMeter: Sendable {
  private let limit: Int
  private let count = Mutex(0)
  private let sent = Mutex(0)

  /// - Parameter limit: the most bytes of all responses together.
  init(limit: Int) { self.limit = limit }

  /// The number of requests, without repeated ones.
  var requests: Int { sent.withLock { $0 } }

  func noteRequest() { sent.withLock { $0 += 1 } }

  /// Counts the bytes of a response.
  /// - Throws: `badData` if the responses exceed the limit.
  func take(_ bytes: Int, from url: String) throws(Problem) {
    let all = count.withLock { count in
      count += bytes
      return count
    }
    guard all > limit else { return }
    throw Problem(
      .badData, "the responses exceed \(Self.text(limit)) in total", at: URLText.redacted(url),
      hint: Self.hint)
  }

  private static let hint = Remedy.set(.maximumBytes, for: "read more")
  /// Whether a problem says that the limit was reached.
  static func isLimit(_ problem: Problem) -> Bool { problem.kind == .badData && problem.hint == hint }

  /// A size in the largest unit that divides it, as options take it.
  private static func text(_ bytes: Int) -> String {
    let step = bytes > 0 ? min(bytes.trailingZeroBitCount / 10, 3) : 0
    return "\(bytes >> (10 * step)) \(["bytes", "KiB", "MiB", "GiB"][step])"
  }
}
