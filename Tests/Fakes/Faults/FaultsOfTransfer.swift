import Conformance

extension ServerFault {
  /// Answers without end.
  static let floods: [ServerFault] = {
    let start = Array("HTTP/1.1 200 OK\r\n".utf8)
    let numbers = (0..<32_768).flatMap { _ in Array("1,".utf8) }
    let fields = (0..<500).flatMap { Array("X-\($0): \(String(repeating: "a", count: 100))\r\n".utf8) }
    return [
      ServerFault(
        "endless_body", .badData,
        slowly: [.send(FaultText.answer(Array("[".utf8), length: .missing)), .endless(numbers)]),
      ServerFault(
        "endless_chunks", .badData,
        slowly: [
          .send(FaultText.chunked("1\r\n[\r\n")), .endless(Array("10000\r\n".utf8) + numbers + [13, 10]),
        ]),
      ServerFault("endless_headers", .badData, slowly: [.send(start), .endless(fields)]),
      ServerFault(
        "endless_header_line", .badData,
        slowly: [.send(start + Array("X-A: ".utf8)), .endless(Array(repeating: 97, count: 65_536))]),
      ServerFault(
        "endless_continue", .badData,
        slowly: [.endless((0..<100).flatMap { _ in Array("HTTP/1.1 100 Continue\r\n\r\n".utf8) })]),
      ServerFault(
        "long_text", .badData, FaultText.answer(json: #"{"data":[{"id":1,"title":""# + text(20_000_000) + #""}]}"#)),
      ServerFault(
        "blanks", .answered, FaultText.answer(Array(repeating: 32, count: 5_000_000) + FaultText.good)),
    ]
  }()

  static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

  static let time: [ServerFault] = [
    ServerFault("slow_headers", .down, requests: 1...4, slowly: [.drip(FaultText.answer(), every: 1000)]),
    ServerFault(
      "slow_body", .down, requests: 1...4,
      slowly: [
        .send(FaultText.answer([], length: .claimed("1000"))), .drip(Array(repeating: 32, count: 60), every: 1000),
      ]),
    ServerFault("silence", .down, requests: 1...4, slowly: [.pause(40_000)]),
    ServerFault(
      "silence_in_body", .down, requests: 1...4,
      slowly: [.send(FaultText.answer(Array(FaultText.good.prefix(10)), length: .claimed("31"))), .pause(40_000)]),
  ]

  /// Connections that end when they should not.
  static let connection: [ServerFault] = {
    let begun = FaultText.answer(Array(FaultText.good.prefix(10)), length: .claimed("31"))
    return [
      ServerFault("closed_at_once", .down, []),
      ServerFault("reset_at_once", .down, slowly: [.reset]),
      ServerFault("reset_in_headers", .down, slowly: [.send(Array(begun.prefix(25))), .pause(100), .reset]),
      ServerFault("reset_in_body", .down, slowly: [.send(begun), .pause(100), .reset]),
      ServerFault(
        "reset_without_length", .down,
        slowly: [
          .send(FaultText.answer(Array(FaultText.good.prefix(10)), length: .missing)), .pause(100), .reset,
        ]),
      ServerFault(
        "kept_then_closed", .answered, slowly: [.send(FaultText.answer(connection: "keep-alive")), .pause(50)]),
      // A second response without a request must not become the response to the next request.
      ServerFault("answer_smuggled", .answered, requests: 2...2) { call in
        guard call.number == 1 else { return .steps([.send(FaultText.answer())]) }
        let first = Array(#"{"data":[],"next":"/answer_smuggled/items?p=2"}"#.utf8)
        let second = FaultText.answer(Array(#"{"data":[{"id":6,"title":"evil"}]}"#.utf8))
        return .steps([.send(FaultText.answer(first, connection: "keep-alive") + second), .pause(500)])
      },
    ]
  }()
}
