import Conformance

extension ServerFault {
  /// The beginning and the end of a response.
  static let framing: [ServerFault] = [
    ServerFault("ok", .answered, FaultText.answer()),
    ServerFault("ok_close_delimited", .answered, FaultText.answer(length: .missing)),
    ServerFault("empty_200", .badData, FaultText.answer([])),
    ServerFault(
      "no_content_204", .down, requests: 1...1, FaultText.answer([], status: "204 No Content", length: .missing)),
    ServerFault(
      "truncated_length", .down, FaultText.answer(Array(FaultText.good.prefix(10)), length: .claimed("31"))),
    ServerFault("length_too_short", .badData, FaultText.answer(length: .claimed("10"))),
    ServerFault("length_negative", .badData, FaultText.answer(length: .claimed("-5"))),
    // No length at all: the body ends with the connection, and is complete.
    ServerFault("length_huge", .answered, FaultText.answer(length: .claimed("1" + String(repeating: "0", count: 30)))),
    ServerFault("length_conflict", .badData, FaultText.answer(FaultText.good, "Content-Length: 5")),
    ServerFault("length_is_text", .badData, FaultText.answer(length: .claimed("abc"))),
    ServerFault(
      "length_and_chunked", .badData,
      FaultText.answer(
        Array("5\r\nhello\r\n0\r\n\r\n".utf8), length: .claimed("3"), "Transfer-Encoding: chunked")),
    ServerFault("chunked", .answered, FaultText.chunked(FaultText.chunk + "0\r\n\r\n")),
    ServerFault("chunked_without_end", .down, FaultText.chunked(FaultText.chunk)),
    ServerFault("chunked_bad_size", .down, FaultText.chunked("zz\r\n" + FaultText.chunk)),
    ServerFault("chunked_huge_size", .down, FaultText.chunked("ffffffffffffffffff\r\n" + FaultText.chunk)),
    ServerFault("chunked_trailers", .answered, FaultText.chunked(FaultText.chunk + "0\r\nX-A: b\r\n\r\n")),
    ServerFault(
      "cut_without_length", .badData, FaultText.answer(Array(FaultText.good.prefix(12)), length: .missing)),
    ServerFault("half_a_header", .badData, Array("HTTP/1.1 200 OK\r\nContent-Ty".utf8)),
    ServerFault("garbage", .badData, [0, 1, 2] + Array("garbage\r\n\r\n".utf8)),
    ServerFault("no_header", .badData, FaultText.good),
    ServerFault("other_protocol", .badData, Array("SSH-2.0-OpenSSH_9\r\n".utf8)),
    ServerFault("nul_in_header", .badData, FaultText.answer(FaultText.good, "X-A: a\0b")),
    ServerFault("folded_header", .answered, FaultText.answer(FaultText.good, "X-A: a\r\n b")),
    ServerFault("line_feeds_only", .answered, FaultText.answer().filter { $0 != 13 }),
  ]

  /// Ways to pack a body.
  static let encodings: [ServerFault] = {
    let packed = FaultCompression.gzip(FaultText.good), gzip = "Content-Encoding: gzip"
    let bomb = FaultCompression.bomb, double = FaultCompression.doubleBomb
    return [
      ServerFault("gzip", .answered, FaultText.answer(packed, gzip)),
      ServerFault("gzip_truncated", .badData, FaultText.answer(packed.dropLast(12), gzip)),
      ServerFault("gzip_garbage", .badData, FaultText.answer([0x1F, 0x8B] + Array("not gzip at all".utf8), gzip)),
      ServerFault(
        "gzip_wrong_sum", .badData, FaultText.answer(packed.dropLast(8) + Array(repeating: 0, count: 8), gzip)),
      ServerFault("gzip_claimed", .badData, FaultText.answer(FaultText.good, gzip)),
      ServerFault("gzip_not_said", .badData, FaultText.answer(packed)),
      ServerFault("encoding_unknown", .badData, FaultText.answer(FaultText.good, "Content-Encoding: rot13")),
      ServerFault(
        "encodings_stacked", .badData,
        FaultText.answer(
          FaultText.good, "Content-Encoding: " + Array(repeating: "gzip", count: 30).joined(separator: ", "))),
      ServerFault(
        "encoded_twice", .badData, FaultText.answer(FaultCompression.gzip(packed), "Content-Encoding: gzip, gzip")),
      ServerFault(
        "gzip_bomb", .badData,
        slowly: [.send(FaultText.answer(bomb.start, length: .missing, gzip)), .endless(blocks(of: bomb.period))]),
      ServerFault(
        "gzip_bomb_double", .badData,
        slowly: [
          .send(FaultText.answer(double.start, length: .missing, "Content-Encoding: gzip, gzip")),
          .endless(blocks(of: double.period)),
        ]),
    ]
  }()

  private static func blocks(of period: [UInt8]) -> [UInt8] { (0..<1024).flatMap { _ in period } }
}
