import Conformance
import Fakes
import TestSupport
import Testing

/// Responses with every problem that check reports.
private let odd: [String: [UInt8]] = [
  "quotes":
    #"[{"quote_id": 7, "quote": "a", "character": "A", "episode": 101}, {"quote_id": 7, "quote": "b", "character": "N. N.", "episode": "x"}]"#,
  "episodes":
    #"[{"episode_id": 1, "production": "Breaking Bad", "episode": 101, "title": "t", "air_date": "02-30-2008", "synopsis": "", "characters": ["A", ""]}]"#,
  "characters": #"[{"character_id": 1, "name": "A", "birthday": "Invalid date", "status": "Dead"}]"#, "deaths": "[]",
].mapValues { Array($0.utf8) }

@Suite("bb-export check") struct CheckCommandTests {
  @Test("what the API writes is checked, not what the program makes of it") func asWritten() throws {
    let server = try LiveTests.server(odd), shell = Shell()
    let done = shell.run(
      "bb-export check --api \(server.url)/api -f csv --columns dataset,check,record,column,value,count | grep -v member-vanished"
    )
    #expect(
      done.out == """
        dataset,check,record,column,value,count
        characters,impossible-date,1,birthday,Invalid date,1
        characters,no-death-record,1,status,A,1
        episodes,empty-text,Breaking Bad/1/1,synopsis,"",1
        episodes,empty-text,Breaking Bad/1/1,characters,"",1
        episodes,impossible-date,Breaking Bad/1/1,air_date,02-30-2008,1
        quotes,duplicate-key,7/1,id,7,2
        quotes,unresolved-name,7/2,character,N. N.,1
        quotes,impossible-value,7/2,season,x,1
        quotes,impossible-value,7/2,episode,x,1

        """)
    #expect(done.err == "" && done.status == 0)
  }
  @Test("what a check has seen does not take the place of what was good") func cache() throws {
    let good = try SixAPI(answers: odd.mapValues { _ in Array("[]".utf8) }), bad = try SixAPI(answers: odd)
    let count = Counter(), shell = Shell()
    let server = try LoopbackServer { count.next() == 1 ? good.answer($0) : bad.answer($0) }
    let line = "bb-export episodes --api \(server.url)/api -f csv --columns id"
    #expect(shell.run(line).out == "id\n")
    #expect(shell.run("bb-export check --api \(server.url)/api -f csv").out.contains("02-30-2008"))
    let later = shell.run("\(line) --offline")
    #expect(later.out == "id\n" && later.status == 0)
  }
  @Test("findings take every selection and format, into several files at once") func selected() throws {
    let server = try LiveTests.server(odd), shell = Shell()
    let line = "bb-export check quotes characters --api \(server.url)/api"
    let one = shell.run("\(line) --where 'check ~ IMPOSSIBLE' --sort column --limit 1 --columns column -f json")
    #expect(one.out == "[\n{\"column\":\"birthday\"}\n]\n")
    let files = shell.run("\(line) --search invalid -o a.ndjson -o a.html -o a.sql && wc -l < a.ndjson")
    #expect(files.status == 0 && files.out.hasSuffix("1\n"))
    #expect(shell.run("\(line) --where 'season = 1'").status == 64)
    let none = shell.run("\(line) --where 'check = nothing' -f csv")
    #expect(none.out == "dataset,check,record,column,value,count,what\n" && none.status == 0)
  }
  @Test("a file is checked as the dataset it is called") func file() throws {
    let shell = Shell()
    shell.write("quotes.csv", "id,occurrence,quote,character\n1,1,\"\",A\n1,1,b,A\n")
    let done = shell.run("bb-export check --from quotes.csv -f csv --columns check,record,count")
    #expect(done.out == "check,record,count\nduplicate-key,1/1,2\nempty-text,1/1,1\n")
    #expect(done.err == "bb-export: warning: quotes: not compared with characters (not available)\n")
  }
  @Test("offline, the built-in data is checked; a missing dataset is reported, and is an error if it was named")
  func offline() throws {
    let shell = Shell()
    let all = shell.run("bb-export check --offline -f csv --columns check --where 'dataset = characters'")
    #expect(all.out == "check\nno-death-record\n" && all.status == 0)
    #expect(all.err.contains("skipped") && all.err.contains("quotes"))
    #expect(shell.run("bb-export check quotes --offline").status == 69)
  }
}

@Suite("bb-export check of real responses", .enabled(if: Shell.variable("BB_TEST_DATA") != nil))
struct RealCheckTests {
  @Test("duplicate ids, a death without a record and unknown names are reported") func six() throws {
    let server = try LiveTests.server(try RealAnswerTests.answers()), shell = Shell()
    let line = "bb-export check --api \(server.url)/api --max-age 1000 -f csv"
    let others = shell.run("\(line) --where 'check != unresolved-name' --columns check,record,value")
    #expect(
      others.out == """
        check,record,value
        no-death-record,115,Nacho Varga
        duplicate-key,70/1,70
        duplicate-key,71/1,71

        """)
    let names = shell.run("\(line) --where 'check = unresolved-name' --where 'dataset = episodes' --columns value")
    #expect(names.out.split(separator: "\n").count == 120)
    #expect(!names.out.contains("Mike Erhmantraut"), "a known misspelling of a character there is")
  }
}
