import CommandLineKit
import Rows
import Testing

@Suite("command lines") struct ParserTests {
  @Test("an unknown first word goes to the default command") func defaultCommand() throws {
    let short = try Fixture.parse("people"), long = try Fixture.parse("table", "people")
    #expect(short.action == .run(Fixture.table))
    #expect(short.arguments == ["people"])
    #expect(long.arguments == ["people"] && long.path == ["table"])
  }
  @Test(
    "every spelling of an option with a value",
    arguments: [
      ["p", "--format", "csv"], ["p", "--format=csv"], ["p", "-f", "csv"], ["p", "-fcsv"], ["-f=csv", "p"],
      ["-qfcsv", "p"], ["--format", "csv", "p"],
    ])
  func spellings(words: [String]) throws { #expect(try Fixture.program.parse(words)[Fixture.format] == "csv") }

  @Test("repeatable options keep their order, others may be given once") func repeated() throws {
    #expect(try Fixture.parse("p", "-o", "a", "-o", "-", "--output=b").all(Fixture.output) == ["a", "-", "b"])
    #expect(Fixture.complaint("p", "--limit", "1", "--limit", "2") == "--limit can be given only once")
  }
  @Test("-- ends the options, - and negative numbers are words") func words() throws {
    #expect(try Fixture.parse("copy", "--", "--limit", "-q").arguments == ["--limit", "-q"])
    #expect(try Fixture.parse("copy", "-", "-5").arguments == ["-", "-5"])
    #expect(try Fixture.parse("p", "--limit", "-5")[Fixture.limit] == "-5")
  }
  @Test("numbers are checked") func numbers() throws {
    #expect(try Fixture.parse("p", "--limit", "12").integer(Fixture.limit, in: 0...100) == 12)
    for bad in ["x", "", "1.5", "+1", "-1", "101", "99999999999999999999"] {
      let invocation = try Fixture.parse("p", "--limit", bad)
      #expect(throws: Problem.self) { try invocation.integer(Fixture.limit, in: 0...100) }
    }
  }
  @Test(
    "invalid command lines are reported, with the nearest valid word",
    arguments: [
      (["p", "--limt", "3"], "unknown option --limt; did you mean --limit?"),
      (["--formt", "csv", "p"], "unknown option --formt; did you mean --format?"),
      (["p", "-f", "jsn"], "invalid value “jsn” for --format; did you mean json?"),
      (["p", "-f", "zzz"], "invalid value “zzz” for --format; expected one of: csv, json"),
      (["p", "--limit"], "missing value for --limit: --limit N; for example: demo people --limit 3"),
      (["p", "--quiet=1"], "--quiet does not take a value"),
      (["p", "more"], "unexpected argument “more”; for example: demo people -f csv"),
      (["plugins", "info", "two", "words"], "unexpected argument “words”; quote several words: 'two words'"),
      (["p", "--head", "3"], "unknown option --head; did you mean --limit?"),
      (["p", "-n", "3"], "unknown option -n; did you mean --limit?"),
      (["plugins", "list", "--head"], "unknown option --head; run “demo plugins list --help” for usage"),
      (["p", "--force"], "unknown option --force; run “demo table --help” for usage"),
      (["plugins", "ls"], "unknown subcommand “plugins ls”; did you mean list?"),
      (["cp", "x"], "unknown command “cp”; did you mean copy?"),
      (["table"], "missing argument NAME; usage: demo table NAME [OPTIONS]"),
      ([], "no command given; run “demo --help” for usage"),
      (["plugins"], "missing subcommand after plugins; use one of: list, info"),
      (["plugins", "lst"], "unknown subcommand “plugins lst”; did you mean list?"),
      (["--limit", "3", "copy"], "copy has no option --limit; run “demo copy --help” for usage"),
      (
        ["-fcsv", "-q", "plugins", "list"],
        "plugins list has no option --format; run “demo plugins list --help” for usage"
      ),
      (["tabel", "people"], "unknown command “tabel”; did you mean table?"),
      (["p", "-x"], "unknown option -x; run “demo table --help” for usage"),
    ])
  func complaints(words: [String], complaint: String) {
    let problem = #expect(throws: Problem.self) { try Fixture.program.parse(words) }
    #expect(problem?.description == complaint)
    #expect(problem?.kind == .usage)
  }
  @Test("subcommands") func subcommands() throws {
    let invocation = try Fixture.parse("plugins", "info", "tsv", "-v")
    #expect(
      invocation.path == ["plugins", "info"] && invocation.arguments == ["tsv"] && invocation.has(Fixture.verbose))
  }
  @Test("options may precede their command") func optionsFirst() throws {
    let invocation = try Fixture.parse("-q", "--limit", "3", "table", "people")
    #expect(invocation[Fixture.limit] == "3" && invocation.arguments == ["people"])
    #expect(try Fixture.parse("-q", "copy", "a").has(Fixture.quiet))
  }
  @Test("help and version win over what is missing") func help() throws {
    #expect(try Fixture.parse("--help").action == .help(nil))
    #expect(try Fixture.parse("table", "-h").action == .help(Fixture.table))
    #expect(try Fixture.parse("--version").action == .version)
  }
}
