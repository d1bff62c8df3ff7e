import Codecs
public import Rows
import Synchronization

/// The secrets of a run. Messages, drafts and summaries show `…` in place of each, also where a server repeats it.
public final class Secrets: Sendable {
  /// The spellings of the secrets, the longest first, so that none is found within another.
  private let spellings = Mutex<[[UInt8]]>([])
  /// Anything shorter is found in too many words, and keeps no one out.
  private static let shortest = 4
  private static let mask = Array("…".utf8)

  /// Creates an empty list.
  public init() {}

  /// Adds a secret, as it is, percent-encoded, and in base64.
  public func add(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.shortest else { return }
    let plain = PercentCoding.encoded(bytes), base64 = Base64.encoded(bytes)
    let found = [
      bytes, plain, PercentCoding.encoded(bytes, digits: "0123456789abcdef"),
      plain.replacing([0x25, 0x32, 0x30], with: [0x2B]),
      Array(base64.prefix { $0 != UInt8(ascii: "=") }),
    ]
    spellings.withLock { known in
      for spelling in found where !known.contains(spelling) { known.append(spelling) }
      known.sort { $0.count > $1.count }
    }
  }

  /// Adds the secrets that a location contains.
  public func add(in location: String) { for secret in URLText.secrets(in: location) { add(secret) } }

  /// A text without the secrets.
  public func removed(from text: String) -> String {
    let known = spellings.withLock { $0 }
    return known.isEmpty ? text : String(decoding: Self.removed(known, from: Array(text.utf8)), as: UTF8.self)
  }

  /// A problem without the secrets.
  public func removed(from problem: Problem) -> Problem {
    guard spellings.withLock({ !$0.isEmpty }) else { return problem }
    var problem = problem
    problem.message = removed(from: problem.message)
    problem.place = removed(from: problem.place)
    problem.hint = problem.hint.mapTexts { removed(from: $0) }
    problem.others = problem.others.map(removed)
    return problem
  }

  private static func removed(_ spellings: [[UInt8]], from text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [], position = 0
    while position < text.count {
      if let found = spellings.first(where: { text[position...].starts(with: $0) }) {
        result += mask
        position += found.count
      } else {
        result.append(text[position])
        position += 1
      }
    }
    return result
  }
}
