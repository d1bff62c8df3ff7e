import Conformance
import Domain
import Fakes
import TestSupport
import Testing

@Suite("bb-export comment add") struct CommentTests {
  private static let films = Array(
    #"{"movies": [{"id": "a1", "title": "Été"}, {"id": "b2", "title": "The Sea"}, {"id": "c3", "title": "The Sea Again"}]}"#
      .utf8)

  private static func api() throws -> (api: BoxOfficeAPI, server: LoopbackServer) {
    let api = try BoxOfficeAPI(lists: ["0": films], details: [], comments: [])
    return (api, try LoopbackServer { api.answer($0) })
  }

  @Test(
    "a movie is named by its id or its title",
    arguments: [("b2", "b2"), ("the sea", "b2"), ("ete", "a1")])
  func films(words: String, id: String) throws {
    let (api, server) = try Self.api()
    let done = Shell().run(
      "bb-export comment add '\(words)' --writer ' Mina ' --rating 9 'Sieh \"es\",\nzweimal.' --api \(server.url)")
    #expect(done.status == 0 && done.err == "" && done.out.contains("Posted the comment by Mina"))
    #expect(
      api.received == [
        #"{"movie_id":"\#(id)","writer":"Mina","rating":9,"contents":"Sieh \"es\",\nzweimal."}"#
      ])
    let sent = try #require(server.requests.first { $0.method == "POST" })
    #expect(sent.path == "/comment" && sent.headers["content-type"] == "application/json")
  }
  @Test("a part of a title does not name the movie of a comment") func part() throws {
    let (api, server) = try Self.api()
    let done = Shell().run("bb-export comment add again --writer Mina --rating 9 x --api \(server.url)")
    #expect(done.status == 1 && done.err.contains("movie not found: “again”\nhint: did you mean "), "\(done.err)")
    #expect(api.received.isEmpty)
  }
  @Test("half a star is a fraction; a changed rating is reported") func answer() throws {
    let server = try LoopbackServer { request in
      request.method == "POST"
        ? .json(#"{"id": "77", "rating": 7.50, "writer": "Mi\u001b[31mna"}"#)
        : .whole(200, [HTTPHeader("Content-Type", "application/json")], Self.films)
    }
    let done = Shell().run("bb-export comment add b2 --writer Mina --rating 7.5 x --api \(server.url)")
    #expect(done.out == "Posted the comment by Mina on The Sea with id 77.\n" && done.status == 0)
    #expect(done.err.contains("a different writer") && !done.err.contains("\u{1B}"))
    #expect(server.requests.last.map { String(decoding: $0.body, as: UTF8.self).contains("\"rating\":7.5") } == true)
  }
  @Test(
    "a missing or invalid value is reported before any request",
    arguments: [
      ("b2 --writer W --rating 9", "a comment requires a text\n"),
      ("b2", "a comment requires a writer, a rating, a text"),
      ("b2 --writer ' ' --rating 9 x", ": a comment requires a writer\n"),
      ("b2 --writer W --rating 9 ' '", ": a comment requires a text\n"),
      ("b2 --writer W --rating 0 x", "invalid rating “0”"), ("b2 --writer W --rating 10.01 x", "invalid rating"),
      ("b2 --writer W --rating -1 x", "rating"), ("b2 --writer W --rating nan x", "invalid rating"),
      ("b2 --writer W --rating .5 x", "invalid rating"), ("b2 --writer W --rating 1 x y", "unexpected argument “y”"),
    ])
  func wrong(words: String, complaint: String) throws {
    let (_, server) = try Self.api()
    let done = Shell().run("bb-export comment add \(words) --api \(server.url)")
    #expect(done.status == 64 && done.err.contains(complaint) && server.requests.isEmpty, "\(done.err)")
  }
  @Test("an unknown or ambiguous movie sends nothing") func film() throws {
    let (api, server) = try Self.api()
    let nobody = Shell().run("bb-export comment add nosuch --writer W --rating 1 x --api \(server.url)")
    let several = Shell().run("bb-export comment add sea --writer W --rating 1 x --api \(server.url)")
    #expect(nobody.status == 1 && several.status == 64 && several.err.contains("The Sea (b2), The Sea Again (c3)"))
    #expect(api.received.isEmpty)
  }
  @Test(
    "sent once, whatever comes back; the outcome is clear",
    arguments: [
      (400, "the record was not stored"), (403, "the record was not stored"), (500, "may or may not have been stored"),
      (503, "may or may not have been stored"),
      (302, "may or may not have been stored"), (0, "may or may not have been stored"),
    ])
  func outcome(status: Int, words: String) throws {
    let server = try LoopbackServer { request in
      guard request.method == "POST" else {
        return .whole(200, [HTTPHeader("Content-Type", "application/json")], Self.films)
      }
      if status == 0 { return .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{".utf8), then: .close) }
      return .json(
        #"{"message":"no"}"#, status: status, headers: [HTTPHeader("Location", "/x"), HTTPHeader("Retry-After", "0")])
    }
    let done = Shell().run("bb-export comment add b2 --writer W --rating 1 x --api \(server.url)")
    #expect(done.status == 69 && done.out == "" && done.err.contains(words), "\(done.err)")
    #expect(isOneMessage(done.err))
    #expect(server.requests.filter { $0.method == "POST" }.count == 1)
  }
  @Test("an API that takes no comments") func source() throws {
    let server = try LoopbackServer { _ in .whole(200, [], Self.films) }, shell = Shell()
    shell.write(
      "mine.json",
      #"{"bb_source": 1, "name": "mine", "base_url": "http://h", "datasets": [{"name": "movies", "path": "/m", "records": "/movies", "key": ["id"], "columns": [{"name": "id"}, {"name": "title"}]}, {"name": "comments", "path": "/c", "columns": [{"name": "id"}]}]}"#
    )
    let done = shell.run("bb-export comment add b2 --writer W --rating 1 x --source mine.json --api \(server.url)")
    #expect(done.status == 64 && done.err.contains("mine does not accept new records in comments"))
  }
}
