import Conformance

extension ServerFault {
  static let status: [ServerFault] =
    [400, 401, 403, 404, 405, 406, 409, 410, 413, 414, 418, 421, 431, 451].map { refusal($0, 1) }
    + [408, 429, 500, 502, 503, 504].map { refusal($0, 4) }
    + [501, 507, 508, 511].map { refusal($0, 1) }
    + [
      ServerFault("status_999", .down, requests: 1...1, FaultText.answer(status: "999 Weird")),
      ServerFault("status_is_text", .badData, Array("HTTP/1.1 abc OK\r\n\r\n".utf8)),
      ServerFault(
        "partial_206", .down, requests: 1...1,
        FaultText.answer(
          Array(FaultText.good.prefix(10)), status: "206 Partial Content", "Content-Range: bytes 0-9/31")),
      ServerFault("unasked_304", .badData, FaultText.answer([], status: "304 Not Modified", length: .missing)),
      ServerFault("basic_401", .down, requests: 1...1, FaultText.empty("401 X", "WWW-Authenticate: Basic realm=\"x\"")),
      ServerFault("proxy_407", .down, requests: 1...1, FaultText.empty("407 X", "Proxy-Authenticate: NTLM")),
      ServerFault(
        "upgrade_101", .down,
        FaultText.answer(
          [], status: "101 Switching Protocols", length: .missing, connection: "Upgrade", "Upgrade: h2c")),
    ]

  /// A refusal whose text would control a terminal and repeat a secret.
  private static func refusal(_ status: Int, _ requests: Int) -> ServerFault {
    let words = #"{"error":"\u001b]0;owned\u0007\u001b[2J\u202E no\nsecond line"}"#
    return ServerFault(
      "status_\(status)", .down, requests: requests...requests,
      FaultText.answer(Array(words.utf8), status: "\(status) \u{1B}[2J"))
  }

  /// Ways to be sent elsewhere.
  static let redirects: [ServerFault] =
    [301, 302, 303, 307, 308].map { status in
      ServerFault("redirect_\(status)", .answered, requests: 2...2) { call in
        call.isRedirected
          ? .steps([.send(FaultText.answer())])
          : .steps([.send(FaultText.empty("\(status) R", "Location: /redirect_\(status)/there"))])
      }
    } + [
      redirect("loop", .badData, requests: 6, "/redirect_loop/items"),
      redirect("to_file", .badData, "file:///etc/hostname"),
      redirect("to_ftp", .badData, "ftp://127.0.0.1:1/x"),
      redirect("to_gopher", .badData, "gopher://127.0.0.1:1/_x"),
      ServerFault("redirect_nowhere", .down, requests: 1...1, FaultText.empty("302 R")),
      redirect("with_password", .down, requests: 4, "http://a:S3CR3T@127.0.0.1:1/"),
      redirect("to_no_url", .badData, "http://[::1"),
      // The other name of this computer is another origin: no key may reach it.
      ServerFault("redirect_elsewhere", .answered, requests: 2...2) { call in
        call.isRedirected
          ? .steps([.send(FaultText.answer())])
          : .steps([
            .send(
              FaultText.empty("302 R", "Location: http://localhost:\(call.port)/redirect_elsewhere/there"))
          ])
      },
    ]

  private static func redirect(
    _ name: String, _ outcome: Outcome, requests: Int = 1, _ location: String
  ) -> ServerFault {
    ServerFault(
      "redirect_\(name)", outcome, requests: requests...requests, FaultText.empty("302 R", "Location: \(location)"))
  }

  static let retry: [ServerFault] = [
    // A server that throttles is waited for until the deadline of the program.
    ServerFault("retry_seconds", .down, requests: 2...9, FaultText.empty("429 X", "Retry-After: 2")),
    waiting("negative", "503 X") { _ in "-5" },
    waiting("junk", "503 X") { _ in "soon" },
    waiting("past", "503 X") { _ in "Fri, 31 Dec 1999 23:59:59 GMT" },
    // Longer than the client waits: one request.
    ServerFault(
      "retry_huge", .down, requests: 1...1, FaultText.empty("503 X", "Retry-After: 99999999999999999999")),
    ServerFault(
      "retry_far_date", .down, requests: 1...1,
      FaultText.empty("429 X", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT")),
    ServerFault("flapping", .answered, requests: 3...3) { call in
      .steps([.send(call.number % 3 == 0 ? FaultText.answer() : FaultText.empty("503 X"))])
    },
    ServerFault("unchanged", .answered) { call in
      let isKnown = call.request.headers["if-none-match"] == "\"v1\""
      return .steps([
        .send(
          isKnown
            ? FaultText.answer([], status: "304 Not Modified", length: .missing, "ETag: \"v1\"")
            : FaultText.answer(FaultText.good, "ETag: \"v1\""))
      ])
    },
  ]

  private static func waiting(
    _ name: String, _ status: String, _ wait: @escaping @Sendable (Call) -> String
  ) -> ServerFault {
    ServerFault("retry_\(name)", .down, requests: 4...4, isSlow: true) { call in
      .steps([.send(FaultText.empty(status, "Retry-After: \(wait(call))"))])
    }
  }
}
