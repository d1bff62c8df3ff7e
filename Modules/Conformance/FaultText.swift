/// Answers to be spoilt, as bytes.
enum FaultText {
  /// The answer of a server that is well: a list of one record.
  static let good = Array(#"{"data":[{"id":1,"title":"a"}]}"#.utf8)

  /// What the header says of the body's length.
  enum Length {
    case right, missing
    case claimed(String)
  }

  /// A whole answer of HTTP/1.1.
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

  /// An answer with a text as its body.
  static func answer(json text: String) -> [UInt8] { answer(Array(text.utf8)) }

  /// An answer without a body.
  static func empty(_ status: String, _ field: String = "X-Nothing: 1") -> [UInt8] {
    answer([], status: status, field)
  }

  /// An answer in pieces that says how long each is; `chunks` is all that follows the header.
  static func chunked(_ chunks: String, _ field: String = "X-Nothing: 1") -> [UInt8] {
    answer(Array(chunks.utf8), length: .missing, "Transfer-Encoding: chunked", field)
  }

  /// The good answer as one such piece, without the end.
  static let chunk = "\(String(good.count, radix: 16))\r\n\(String(decoding: good, as: UTF8.self))\r\n"
}
