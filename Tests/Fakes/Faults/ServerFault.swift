import Conformance

/// One way in which a server misbehaves, and what a client must make of it.
package struct ServerFault: Sendable, CustomStringConvertible {
  /// The end of a run of the program, both with an empty cache and with a valid response in it.
  package enum Outcome: String, Sendable {
    /// The one record is given, exit code 0: a fault that can be made up for, or none.
    case answered
    /// Exit code 65, with or without a cached response: the response cannot be trusted.
    case badData
    /// Exit code 69 without a cache; with one, the cached response and a warning: the server does not respond, or
    /// refuses.
    case down
  }

  /// The name, as a path below the server.
  package let name: String
  /// The end of a run.
  package let outcome: Outcome
  /// The number of requests to the server.
  package let requests: ClosedRange<Int>
  /// Whether it is over at once: no waiting between tries, no silence, no flood.
  package let isQuick: Bool
  private let answer: @Sendable (Call) -> LoopbackServer.Answer

  /// A request as a fault sees it.
  struct Call: Sendable {
    let request: LoopbackServer.Request
    /// The number of requests for this fault so far, from 1.
    let number: Int
    let port: UInt16
    /// Whether the request follows a redirect, and is not for the list.
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
  package var description: String { name }

  /// Every fault, by what is wrong.
  package static let groups: [(name: String, faults: [ServerFault])] = [
    ("framing", framing), ("status", status), ("redirects", redirects), ("encodings", encodings),
    ("floods", floods), ("time", time), ("connection", connection), ("retry", retry), ("content", content),
    ("pages", pages), ("headers", headers),
  ]
  /// Every fault.
  package static let all = groups.flatMap(\.faults)

  /// The response of the server to a request.
  func answered(_ call: Call) -> LoopbackServer.Answer { answer(call) }
}
