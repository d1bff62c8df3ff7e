import Codecs
package import Conformance
import Domain
package import Rows

/// The older Breaking Bad API with all its quirks, served from given responses.
package struct ClassicAPI: Sendable {
  private let answers: [String: [UInt8]]
  private let records: [String: [JSON]]

  /// Creates an API of these responses, each a JSON array, by the last part of their path: `characters`, `episodes`,
  /// `quotes`, `deaths`.
  /// - Throws: `badData` when one is not.
  package init(answers: [String: [UInt8]]) throws(Problem) {
    self.answers = answers
    var records: [String: [JSON]] = [:]
    for (name, bytes) in answers { records[name] = try JSON.parse(bytes, name: name).arrayValue }
    self.records = records
  }

  /// Serves `/api`: whole lists, not sorted; `?category=` of characters and `?series=` of the rest by substring;
  /// `?limit=` and `?offset=` as the server cuts (an offset alone gives nothing); `/character/random` raw, with nulls;
  /// a path it does not know is a web page with 200.
  package func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    let parts = request.path.split(separator: "/").map(String.init)
    guard parts.first == "api", parts.count >= 2 else { return Self.page }
    if parts == ["api", "character", "random"] {
      return Self.json(.array((records["characters"] ?? []).prefix(1).map(Self.raw)))
    }
    if parts == ["api", "random-death"] { return (records["deaths"]?.first).map { Self.json($0) } ?? Self.page }
    if parts == ["api", "quote", "random"] {
      let author = request.query["author"].map { JSON.string($0) }
      let found = (records["quotes"] ?? []).first { author == nil || $0["author"] == author }
      return Self.json(.array(found.map { [$0] } ?? []))
    }
    guard parts.count == 2, let list = records[parts[1]], let whole = answers[parts[1]] else { return Self.page }
    let filter = request.query["category"].map { ("category", $0) } ?? request.query["series"].map { ("series", $0) }
    let limit = request.query["limit"], offset = request.query["offset"]
    guard filter != nil || limit != nil || offset != nil else {
      return .whole(200, [HTTPHeader("Content-Type", "application/json; charset=utf-8")], whole)
    }
    var found = list.filter { record in
      guard let filter else { return true }
      return record[filter.0]?.stringValue?.lowercased().contains(filter.1.lowercased()) ?? false
    }
    if limit != nil || offset != nil {
      found = Array(found.dropFirst(offset.flatMap(Int.init) ?? 0).prefix(limit.flatMap(Int.init) ?? 0))
    }
    return Self.json(.array(found))
  }

  /// A character as the database has it: what is unknown is null, the later show's seasons a text.
  private static func raw(_ character: JSON) -> JSON {
    .object(
      (character.objectMembers ?? []).map { member in
        switch member.name {
        case "birthday": JSON.Member(member.key, .null)
        case "better_call_saul_appearance": JSON.Member(member.key, .string("1, 2, 3"))
        default: member
        }
      })
  }

  private static let page = LoopbackServer.Answer.whole(
    200, [HTTPHeader("Content-Type", "text/html")], Array("<!doctype html><div id=\"root\"></div>".utf8))
  private static func json(_ value: JSON) -> LoopbackServer.Answer {
    .json(String(decoding: value.canonicalBytes, as: UTF8.self))
  }
}
