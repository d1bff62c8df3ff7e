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
    #expect(Fixture.complaint("p", "--limit", "1", "--limit", "2") == "--limit is given twice")
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
    "what is wrong is said, with the nearest right word",
    arguments: [
      (["p", "--limt", "3"], "no option “--limt”; did you mean --limit?"),
      (["--formt", "csv", "p"], "no option “--formt”; did you mean --format?"),
      (["p", "-f", "jsn"], "no value for --format: “jsn”; did you mean json?"),
      (["p", "-f", "zzz"], "no value for --format: “zzz”; there are: csv, json"),
      (["p", "--limit"], "--limit needs a value: --limit N"),
      (["p", "--quiet=1"], "--quiet takes no value"),
      (["p", "more"], "“more” is one argument too many; usage: demo table NAME [OPTIONS]"),
      (["table"], "NAME is missing; usage: demo table NAME [OPTIONS]"),
      ([], "nothing to do; try “demo --help”"),
      (["plugins"], "plugins needs one of: list, info"),
      (["plugins", "lst"], "no command “plugins lst”; did you mean list?"),
      (["--limit", "3", "copy"], "copy takes no --limit; try “demo copy --help”"),
      (["-fcsv", "-q", "plugins", "list"], "plugins list takes no --format; try “demo plugins list --help”"),
      (["tabel", "people"], "no command “tabel”; did you mean table?"),
      (["p", "-x"], "no option “-x”; try “demo table --help”"),
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
  @Test("options may stand before the command that takes them") func optionsFirst() throws {
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
