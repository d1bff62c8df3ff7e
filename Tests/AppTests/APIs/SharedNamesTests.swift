import Domain
import TestSupport
import Testing

/// An API that lists characters per series: two of them have the same name.
@Suite("names that two records share") struct SharedNamesTests {
  private static func respond(_ request: HTTPRequest) -> HTTPResponse {
    if request.url.hasSuffix("/characters") {
      return HTTPResponse(
        200,
        #"""
        [{"id": 1, "name": "Jane", "production": "A", "series": 1}, {"id": 2, "name": "Jane", "production": "B", "series": 2},
         {"id": 3, "name": "Mike", "production": "A", "series": 1}, {"id": 4, "name": "Max", "production": "A", "series": 1},
         {"id": 5, "name": "Max", "production": "A", "series": 2}]
        """#)
    }
    return HTTPResponse(
      200,
      #"""
      [{"id": 1, "production": "A", "series": 1, "cast": ["Jane", "Mike", "Gale"]},
       {"id": 2, "production": "B", "series": 2, "cast": ["Jane"]}, {"id": 3, "production": "A", "series": 2, "cast": ["Max", "Mike"]}]
      """#)
  }

  private func cast(_ more: String = "", _ selection: String = "--columns id,cast.id") async -> Shell.Outcome {
    let console = Console { Self.respond($0) }
    let path = console.write(
      """
      {"bb_source": 2, "name": "series", "base_url": "http://api.test", "datasets": [
        {"name": "characters", "path": "/characters", "key": ["id"], "columns": [{"name": "id", "type": "integer"},
          {"name": "name"}, {"name": "production"}, {"name": "series", "type": "integer"}]},
        {"name": "episodes", "path": "/episodes", "key": ["id"]\(more), "columns": [{"name": "id", "type": "integer"},
          {"name": "production"}, {"name": "series", "type": "integer"},
          {"name": "characters", "type": "list-of-text", "from": "/cast"}]}]}
      """, to: "series.json")
    return await console.run(
      "bb-export \(selection.hasPrefix("check") ? selection : "episodes --with cast \(selection)") --source \(path) -f csv"
    )
  }

  @Test("the production decides which record is meant; names without a match are reported") func production() async {
    let done = await cast()
    #expect(done.out == "id,cast.id\n1,1\n1,3\n2,2\n3,4\n3,5\n3,3\n", "\(done.out)")
    #expect(
      done.err == """
        bb-export: warning: episodes.characters: no record matches “Gale”; several records match “Max”

        """, "\(done.err)")
  }

  @Test("other columns decide it if the source definition names them") func joinAlso() async {
    let done = await cast(#", "join_also": ["series"]"#)
    // Mike is not in the second series.
    #expect(done.out == "id,cast.id\n1,1\n1,3\n2,2\n3,5\n", "\(done.out)")
    #expect(done.err.contains("no record matches “Gale”, “Mike”\n"), "\(done.err)")
    let wrong = await cast(#", "join_also": ["season"]"#)
    #expect(wrong.status == 78 && wrong.err.contains("/datasets/1/join_also/0"), "\(wrong.err)")
  }

  @Test("check lists names that match several records, with their keys") func check() async {
    let done = await cast("", "check episodes --where 'check ~ name' --columns check,value,what")
    #expect(
      done.out == """
        check,value,what
        unresolved-name,Gale,does not match any character
        ambiguous-name,Max,matches the characters 4 and 5

        """, "\(done.out)\(done.err)")
  }
}
