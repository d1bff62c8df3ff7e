/// Responses as bytes, from which faults are made.
enum FaultText {
  /// The body of a valid response: a list of one record.
  static let good = Array(#"{"data":[{"id":1,"title":"a"}]}"#.utf8)

  /// The length of the body in the header.
  enum Length {
    case right, missing
    case claimed(String)
  }

  /// A complete HTTP/1.1 response.
  static func answer(
    _ body: [UInt8] = good, status: String = "200 OK", length: Length = .right, type: String? = "application/json",
    connection: String = "close", _ fields: String...
  ) -> [UInt8] {
    var head = "HTTP/1.1 \(status)\r\n"
    if let type { head += "Content-Type: \(type)\r\n" }
    switch length {
    case .right: head += "Content-Length: \(body.count)\r\n"
    case .claimed(let length): head += "Content-Length: \(length)\r\n"
    case .missing: break
    }
    head += "Connection: \(connection)\r\n"
    for field in fields { head += field + "\r\n" }
    return Array((head + "\r\n").utf8) + body
  }

  /// A response with a text as its body.
  static func answer(json text: String) -> [UInt8] { answer(Array(text.utf8)) }

  /// A response without a body.
  static func empty(_ status: String, _ field: String = "X-Nothing: 1") -> [UInt8] {
    answer([], status: status, field)
  }

  /// A response with chunked transfer coding; `chunks` is all that follows the header.
  static func chunked(_ chunks: String, _ field: String = "X-Nothing: 1") -> [UInt8] {
    answer(Array(chunks.utf8), length: .missing, "Transfer-Encoding: chunked", field)
  }

  /// The good answer as one such piece, without the end.
  static let chunk = "\(String(good.count, radix: 16))\r\n\(String(decoding: good, as: UTF8.self))\r\n"
}
