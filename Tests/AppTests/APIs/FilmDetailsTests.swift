import Conformance
import Fakes
import TestSupport
import Testing

@Suite("movies in a store") struct FilmDetailsTests {
  @Test("a deleted page keeps the stored values, in every store", arguments: ["sqlite:s.db", "csv:s", "json:s"])
  func gone(storage: String) throws {
    let films = Array(
      #"{"movies": [{"id": "a", "title": "A", "grade": 12, "reservation_grade": 1, "reservation_rate": 1.5, "user_rating": 7, "date": "2020-01-02", "thumb": null}]}"#
        .utf8)
    func api(_ details: [String]) throws -> BoxOfficeAPI {
      try BoxOfficeAPI(lists: ["0": films, "1": films], details: details.map { Array($0.utf8) }, comments: [])
    }
    let
      whole = try api([
        #"{"id": "a", "audience": 7, "actor": "", "director": "", "duration": 90, "genre": "", "synopsis": "long", "image": ""}"#
      ]), gone = try api([])
    let page = try LoopbackServer { whole.answer($0) }, none = try LoopbackServer { gone.answer($0) }
    let shell = Shell()
    let first = shell.run("bb-export sync movies --storage \(storage) --api \(page.url) -f csv")
    let second = shell.run("bb-export sync movies --storage \(storage) --api \(none.url) -f csv")
    #expect(first.out == "dataset,added,changed,removed,unchanged\nmovies,1,0,0,0\n" && first.err == "")
    #expect(second.out == "dataset,added,changed,removed,unchanged\nmovies,0,0,0,1\n")
    #expect(second.err == "bb-export: warning: movies: no details available for a; keeping the stored values\n")
    let kept = shell.run("bb-export movies --storage \(storage) --columns audience,synopsis -f csv")
    #expect(kept.out == "audience,synopsis\n7,long\n")
    let tap = shell.run("bb-export tap --storage \(storage)")
    #expect(tap.out.contains(#""synopsis":"long""#) && tap.status == 0)
  }
}
