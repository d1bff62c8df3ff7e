import Conformance

extension ServerFault {
  static let content: [ServerFault] = [
    ServerFault(
      "page_of_a_portal", .badData, FaultText.answer(Array("<html><body>log in</body></html>".utf8), type: "text/html")),
    ServerFault("page_called_json", .badData, FaultText.answer(json: "<html>")),
    ServerFault("json_called_page", .answered, FaultText.answer(type: "text/html")),
    ServerFault("no_type", .answered, FaultText.answer(type: nil)),
    ServerFault("byte_order_mark", .answered, FaultText.answer([0xEF, 0xBB, 0xBF] + FaultText.good)),
    ServerFault("utf16", .badData, FaultText.answer([0xFF, 0xFE] + FaultText.good.flatMap { [$0, 0] })),
    record("latin1", .badData, [0xE9]),
    record("invalid_utf8", .badData, [0xFF, 0xFE]),
    record("lone_surrogate", .badData, Array(#"\ud800"#.utf8)),
    record("escaped_nul", .answered, Array(#"a\u0000b"#.utf8)),
    record("raw_nul", .badData, [97, 0, 98]),
    record("escapes", .answered, Array(#"\u001b]0;owned\u0007\u001b[2J"#.utf8)),
    ServerFault(
      "deep", .badData,
      FaultText.answer(Array(repeating: 91, count: 200_000) + Array(repeating: 93, count: 200_000))),
    json("keys_twice", .badData, #"{"data":[{"id":1,"id":2,"title":"a"}]}"#),
    json("key_too_large", .badData, #"{"data":[{"id":1e99999,"title":"a"}]}"#),
    json("number_of_100000_digits", .answered, #"{"data":[{"id":1,"title":"a"}],"n":"# + digits + "}"),
    json("not_a_number", .badData, #"{"data":[{"id":NaN,"title":"a"}]}"#),
    ServerFault("garbage_behind", .badData, FaultText.answer(FaultText.good + Array("xx".utf8))),
    ServerFault("two_documents", .badData, FaultText.answer(FaultText.good + FaultText.good)),
    ServerFault("cut_and_counted", .badData, FaultText.answer(Array(FaultText.good.prefix(12)))),
    json("null", .badData, "null"), json("number", .badData, "42"), json("list_of_numbers", .badData, "[1,2]"),
    json("data_is_object", .badData, #"{"data":{"id":1,"title":"a"}}"#),
    json("wrong_types", .badData, #"{"data":[{"id":"one","title":5}]}"#),
    json("no_key", .badData, #"{"data":[{"title":"a"}]}"#),
    json("key_null", .badData, #"{"data":[{"id":null,"title":"a"}]}"#),
    json("more_fields", .answered, #"{"data":[{"id":1,"title":"a","zz":{"q":[]}}],"x":1}"#),
    json(
      "many_fields", .answered,
      #"{"data":[{"id":1,"title":"a"}],"# + (0..<300_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"),
  ]

  private static let digits = String(repeating: "9", count: 100_000)

  private static func json(_ name: String, _ outcome: Outcome, _ text: String) -> ServerFault {
    ServerFault(name, outcome, FaultText.answer(json: text))
  }

  /// One record whose title is the inside of a JSON string.
  private static func record(_ name: String, _ outcome: Outcome, _ title: [UInt8]) -> ServerFault {
    ServerFault(
      name, outcome, FaultText.answer(Array(#"{"data":[{"id":1,"title":""#.utf8) + title + Array(#""}]}"#.utf8)))
  }

  static let pages: [ServerFault] = [
    json("pages_in_a_circle", .badData, #"{"data":[{"id":1,"title":"a"}],"next":"/pages_in_a_circle/items"}"#),
    ServerFault("pages_without_end", .badData, requests: 20...20) { call in
      .steps([
        .send(FaultText.answer(json: #"{"data":[],"next":"/pages_without_end/items?p=\#(call.number)"}"#))
      ])
    },
    json(
      "page_in_private_network", .badData,
      #"{"data":[{"id":1,"title":"a"}],"next":"http://169.254.169.254/latest/"}"#),
    json(
      "page_with_long_link", .badData,
      #"{"data":[{"id":1,"title":"a"}],"next":"http://example.org/"# + String(repeating: "a", count: 200_000)
        + "\"}"),
    json("page_in_a_file", .badData, #"{"data":[{"id":1,"title":"a"}],"next":"file:///etc/passwd"}"#),
    // A bad second page: nothing of the first is kept.
    ServerFault("second_page_bad", .badData, requests: 2...2) { call in
      .steps([
        .send(
          FaultText.answer(
            json: call.number == 1
              ? #"{"data":[{"id":2,"title":"new"}],"next":"/second_page_bad/items?p=2"}"# : #"{"data":[{}]}"#))
      ])
    },
  ]

  /// Header fields that want something.
  static let headers: [ServerFault] = [
    // The second page is invalid if the client sent the cookie back.
    ServerFault("cookie", .answered, requests: 2...2) { call in
      guard call.number > 1 else {
        return .steps([
          .send(FaultText.answer(Array(#"{"data":[],"next":"/cookie/items?p=2"}"#.utf8), "Set-Cookie: sid=1; Path=/"))
        ])
      }
      return .steps([
        .send(call.request.headers["cookie"] == nil ? FaultText.answer() : FaultText.empty("400 cookie"))
      ])
    },
    ServerFault("hsts", .answered, FaultText.answer(FaultText.good, "Strict-Transport-Security: max-age=1")),
    ServerFault("alternative_service", .answered, FaultText.answer(FaultText.good, "Alt-Svc: h2=\"127.0.0.1:1\"")),
    ServerFault("refresh", .answered, FaultText.answer(FaultText.good, "Refresh: 0; url=file:///etc/passwd")),
    ServerFault(
      "file_name", .answered,
      FaultText.answer(FaultText.good, "Content-Disposition: attachment; filename=\"../../../etc/cron.d/x\"")),
  ]
}
