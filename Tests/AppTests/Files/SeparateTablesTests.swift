import Testing

@testable import Persistence
@testable import TestSupport

/// Several files into one database, workbook or directory: each file is a table of its own.
@Suite("several files into one output") struct SeparateTablesTests {
  private let shell = Shell()

  init() {
    shell.write("people.csv", "name,age\nAda,36\nBob,41\n")
    shell.write("prices.json", #"[{"item":"tea","price":1.10}]"#)
    shell.write("late.csv", "n\n" + (0..<20_000).map { "\($0)\n" }.joined() + "many\n")
  }

  private func rows(_ query: String, in file: String) throws -> [String] {
    let connection = try SQLiteConnection.open(path: "\(shell.directory)/work/\(file)", .reading)
    let rows = try connection.prepare(query)
    var found: [String] = []
    while try rows.step() { found.append(rows.text(0)) }
    return found
  }

  @Test("a database has a table for each file, also if types are inferred again") func database() throws {
    let done = shell.run("bb-export people.csv late.csv prices.json -o all.sqlite && ls")
    #expect(done.out == "all.sqlite\nlate.csv\npeople.csv\nprices.json\n" && done.err == "", "\(done.err)")
    #expect(
      try rows("SELECT name FROM sqlite_schema ORDER BY rowid", in: "all.sqlite") == ["people", "late", "prices"])
    #expect(try rows("SELECT count(*) || ' ' || max(n) FROM late", in: "all.sqlite") == ["20001 many"])
    #expect(shell.run("bb-export all.sqlite people -f csv | cmp - people.csv").status == 0)
    // It replaces its own output, with the same or fewer tables of it.
    #expect(shell.run("bb-export people.csv late.csv prices.json -o all.sqlite -q").status == 0)
    #expect(shell.run("bb-export people.csv prices.json -o all.sqlite -q").status == 73)
  }

  @Test("a workbook has a sheet for each file") func workbook() {
    let done = shell.run(
      """
      bb-export people.csv late.csv prices.json -o all.xlsx && bb-export all.xlsx --table late -f csv | cmp - late.csv \
      && bb-export all.xlsx --table people -f csv -q | cmp - people.csv && bb-export all.xlsx --table prices -f ndjson
      """)
    #expect(done.status == 0 && done.out == "{\"item\":\"tea\",\"price\":1.1}\n" && done.err == "", "\(done.err)")
  }

  @Test("a directory has a file for each table") func directory() {
    let done = shell.run(
      "bb-export people.csv prices.json -f ndjson.gz -o out/ && ls out && gunzip -c out/people.ndjson.gz")
    #expect(
      done.out == """
        people.ndjson.gz
        prices.ndjson.gz
        {"name":"Ada","age":36}
        {"name":"Bob","age":41}

        """, "\(done.err)")
    let kept = shell.run("bb-export people.csv -f csv -o out/ && ls out && cmp people.csv out/people.csv")
    #expect(kept.out == "people.csv\npeople.ndjson.gz\nprices.ndjson.gz\n" && kept.status == 0)
  }

  @Test("files that are named as one table are one table") func union() throws {
    shell.write("more.csv", "name,age\nCid,7\n")
    #expect(shell.run("bb-export people.csv more.csv --as people -o all.sqlite").status == 0)
    #expect(try rows("SELECT count(*) FROM people", in: "all.sqlite") == ["3"])
    #expect(shell.run("bb-export people.csv more.csv -f csv | wc -l").out.contains("4"))
  }

  @Test(
    "nothing is left after an error",
    arguments: ["all.sqlite", "all.xlsx", "out/ -f csv", "old/ -f csv"])
  func atomic(_ output: String) {
    shell.write("bad.json", "[{\"a\":1},")
    let done = shell.run("mkdir old; bb-export people.csv bad.json -o \(output); echo $?; ls; ls old")
    #expect(done.out == "65\nbad.json\nlate.csv\nold\npeople.csv\nprices.json\n", "\(done.out)")
    #expect(done.err.hasPrefix("bb-export: bad.json:1:"))
  }

  @Test(
    "what is contradictory is refused",
    arguments: [
      ("people.csv sub/people.csv -o all.sqlite", "people.csv and sub/people.csv would both be the table “people”"),
      ("people.csv prices.json -o all.sqlite -o all.csv", "-o all.sqlite has a table for each input file"),
      ("people.csv prices.json -o all.sqlite --summary json", "--summary cannot be used with several tables"),
      ("people.csv prices.json -o out/ -f csv --datapackage", "--datapackage cannot be used with several tables"),
    ])
  func refused(_ line: String, _ message: String) {
    let done = shell.run("mkdir sub; cp people.csv sub; bb-export \(line); echo $?; ls")
    #expect(done.out == "64\nlate.csv\npeople.csv\nprices.json\nsub\n", "\(done.out)")
    #expect(done.err.hasPrefix("bb-export: \(message)"), "\(done.err)")
  }
}
