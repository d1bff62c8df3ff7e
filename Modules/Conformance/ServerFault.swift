/// One way in which a server misbehaves, and what a client must make of it.
public struct ServerFault: Sendable, CustomStringConvertible {
  /// How a run of the program ends, asked once with nothing in its cache and once with a good answer there.
  public enum Outcome: String, Sendable {
    /// The one record is given, exit code 0: a fault that can be made up for, or none.
    case answered
    /// Exit code 65, cache or not: what came cannot be believed.
    case badData
    /// Exit code 69 without a cache; with one, the cached response and a warning: the server does not respond, or
    /// refuses.
    case down
  }

  /// What it is called, as a path below the server.
  public let name: String
  /// How a run ends.
  public let outcome: Outcome
  /// How often the server is asked.
  public let requests: ClosedRange<Int>
  /// Whether it is over at once: no waiting between tries, no silence, no flood.
  public let isQuick: Bool
  private let answer: @Sendable (Call) -> LoopbackServer.Answer

  /// A request as a fault sees it.
  struct Call: Sendable {
    /// What was asked.
    let request: LoopbackServer.Request
    /// How often this fault was asked, from 1.
    let number: Int
    /// The server's port.
    let port: UInt16
    /// Whether it is not the list that is asked for, but what a redirect led to.
    var isRedirected: Bool { request.path.hasSuffix("/there") }
  }

  /// A fault. Without `requests` a server is asked once, one that is down four times.
  init(
    _ name: String, _ outcome: Outcome, requests: ClosedRange<Int>? = nil, isSlow: Bool = false,
    _ answer: @escaping @Sendable (Call) -> LoopbackServer.Answer
  ) {
    self.name = name
    self.outcome = outcome
    self.requests = requests ?? (outcome == .down ? 4...4 : 1...1)
    isQuick = !isSlow && self.requests.upperBound == 1
    self.answer = answer
  }

  /// A fault that always sends the same bytes and closes the connection.
  init(_ name: String, _ outcome: Outcome, requests: ClosedRange<Int>? = nil, _ bytes: [UInt8]) {
    self.init(name, outcome, requests: requests) { _ in .steps([.send(bytes)]) }
  }

  /// A fault that always does the same.
  init(_ name: String, _ outcome: Outcome, requests: ClosedRange<Int>? = nil, slowly steps: [LoopbackServer.Step]) {
    self.init(name, outcome, requests: requests, isSlow: true) { _ in .steps(steps) }
  }

  /// The name.
  public var description: String { name }

  /// Every fault, by what is wrong.
  public static let groups: [(name: String, faults: [ServerFault])] = [
    ("framing", framing), ("status", status), ("redirects", redirects), ("encodings", encodings),
    ("floods", floods), ("time", time), ("connection", connection), ("retry", retry), ("content", content),
    ("pages", pages), ("headers", headers),
  ]
  /// Every fault.
  public static let all = groups.flatMap(\.faults)

  /// What the server does when it is asked.
  func answered(_ call: Call) -> LoopbackServer.Answer { answer(call) }
}
