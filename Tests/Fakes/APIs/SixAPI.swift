import Codecs
package import Conformance
import Domain
package import Rows

/// The Breaking Bad API with all its quirks, served from given responses: for tests of everything above HTTP.
package struct SixAPI: Sendable {
  /// The arrays it serves, by the last part of their path: `characters`, `episodes`, `quotes`, `deaths`.
  package let answers: [String: [UInt8]]
  private let records: [String: [JSON]]

  /// Creates an API of these responses, each a JSON array.
  /// - Throws: `badData` when one is not.
  package init(answers: [String: [UInt8]]) throws(Problem) {
    self.answers = answers
    var records: [String: [JSON]] = [:]
    for (name, bytes) in answers { records[name] = try JSON.parse(bytes, name: name).arrayValue }
    self.records = records
  }

  /// Serves `/api`: whole lists with an ETag; `?name=` and `?productions=` exact, 404 with a message if no
  /// character is found; `?character=` of quotes 200 and empty if there are none; `/random` one record; any other path
  /// is HTML with 404.
  package func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    let parts = request.path.split(separator: "/").map(String.init)
    guard parts.first == "api", parts.count >= 2, let list = records[parts[1]], let whole = answers[parts[1]] else {
      return .whole(404, [HTTPHeader("Content-Type", "text/html")], Array("<!DOCTYPE html><title>404</title>".utf8))
    }
    if parts.count == 3, parts[2] == "random" { return list.first.map { Self.json($0) } ?? .json("") }
    if let production = request.query["productions"] ?? request.query["production"] {
      return found(
        list.filter {
          $0["production"] == .string(production)
            || $0["productions"]?.arrayValue?.contains(.string(production)) == true
        })
    }
    if let name = request.query["name"] { return found(list.filter { $0["name"] == .string(name) }) }
    if let character = request.query["character"], parts[1] == "quotes" {
      return Self.json(.array(list.filter { $0["character"] == .string(character) }))
    }
    let tag = "\"\(SHA256.hex(whole).prefix(16))\""
    if request.headers["if-none-match"] == tag { return .whole(304, [HTTPHeader("ETag", tag)], []) }
    return .whole(200, [HTTPHeader("Content-Type", "application/json; charset=utf-8"), HTTPHeader("ETag", tag)], whole)
  }

  private func found(_ records: [JSON]) -> LoopbackServer.Answer {
    records.isEmpty
      ? .json(#"{"message":"No character found, check spelling or character name"}"#, status: 404)
      : Self.json(.array(records))
  }
  private static func json(_ value: JSON) -> LoopbackServer.Answer {
    .json(String(decoding: value.canonicalBytes, as: UTF8.self))
  }
}
