import AppShell
import CommandLineKit
import Conformance
import Rows
import TestSupport
import Testing

@testable import bb_export

@Suite("the description of bb-export") struct DescriptionTests {
  @Test("has nothing that would confuse a reader") func lint() {
    #expect(CommandLint.findings(BBExport.program) == [])
  }
  @Test("the lint reports each problem of a description") func problems() {
    let bad = Program(
      "x", version: "1", "does",
      commands: [
        Command(
          "a", "Ends badly.", arguments: [Argument("A", count: .any, "some"), Argument("B", "last")],
          options: [
            .flag("same", short: "s", in: "One", "once"), .flag("same", short: "s", in: "", ""),
          ])
      ], defaultCommand: "b", options: [], topics: [.init("a", "a text", "text")], examples: [])
    let findings = CommandLint.findings(bad).joined(separator: "\n")
    for part in [
      "full stop", "capital", "no default command", "two options --same", "two options -s", "no heading", "no summary",
      "only the last", "a is a command and a topic",
    ] {
      #expect(findings.contains(part), "\(part)")
    }
  }
  @Test("every example can be parsed") func examples() throws {
    for line in BBExport.program.examples + BBExport.program.commands.flatMap(\.examples) {
      #expect(throws: Never.self, "\(line)") {
        try BBExport.program.parse(Array(Self.words(line).prefix { $0 != ">" }))
      }
    }
  }
  @Test("every option that is described is one that some command takes") func options() {
    let taken = Set(BBExport.program.commands.flatMap { BBExport.program.options(of: $0) })
    let all =
      Options.selecting + OutputOptions.exporting + Options.readingFiles + Options.apiOptions + SharedOptions.everywhere
    #expect(all.allSatisfy(taken.contains))
  }
  @Test("help of an action is the help of its command") func actions() throws {
    for words in [["sources", "draft"], ["config", "set"], ["comment", "add"]] {
      #expect(try BBExport.program.help(on: words) == BBExport.program.help(on: [words[0]]))
    }
    let problem = #expect(throws: Problem.self) { try BBExport.program.help(on: ["sources", "x"]) }
    #expect(problem?.hint.description == "run “bb-export help sources”")
  }
  @Test("the man page and the help of every command are there") func pages() {
    let pages = BBExport.program.manPages
    #expect(pages.count == BBExport.program.commands.count + 1)
    for (name, text) in pages {
      for section in [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO",
      ] {
        #expect(text.contains("\n.SH \(section)\n"), "\(name): \(section)")
      }
    }
    for command in BBExport.program.commands {
      #expect(BBExport.program.help(for: command).contains("USAGE"))
    }
  }

  @Test("the version and the date of the release are those of the changelog") func release() {
    let root = #filePath.replacing("Tests/AppTests/DescriptionTests.swift", with: "")
    let heading = Shell.read(root + ".github/CHANGELOG.md").split(separator: "\n").first {
      $0.hasPrefix("## ") && $0 != "## Unreleased"
    }
    #expect(heading == "## \(Release.version) (\(Release.date))")
  }

  /// The words of a line of sh with single quotes only.
  private static func words(_ line: String) -> [String] {
    var words: [String] = [], word = "", isQuoted = false
    for character in line {
      if character == "'" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        words.append(word)
        word = ""
      } else {
        word.append(character)
      }
    }
    return words + [word]
  }
}

@Suite("outputs of bb-export") struct OutputTests {
  /// A table large enough that writing it takes a while.
  static let big =
    "i=0; while [ $i -lt 2000 ]; do echo $i,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; i=$((i+1)); done"

  @Test("a killed export keeps the old file, and an interrupted one leaves no temporary file") func killed() {
    let shell = Shell()
    _ = shell.run(
      "(echo id,text; \(Self.big)) > small.csv; head -1 small.csv > big.csv; for n in 1 2 3 4 5 6 7 8 9 10; do for m in 1 2 3 4 5 6 7 8 9 10; do tail -n +2 small.csv; done; done >> big.csv; echo old > out.json"
    )
    for signal in ["KILL", "TERM", "INT"] {
      for wait in ["0.01", "0.03", "0.06", "0.1", "0.2"] {
        let done = shell.run(
          "bb-export --from big.csv -o out.json & sleep \(wait); kill -\(signal) $! 2>/dev/null; wait $!; echo $?; head -c 3 out.json; tail -c 2 out.json"
        )
        let parts = done.out.split(separator: "\n", maxSplits: 1).map(String.init)
        // A signal may also come between the publication and the end.
        #expect(
          parts[1] == "[\n{]\n" || parts[1] == "oldd\n" && parts[0] != "0", "the old file, or the complete new one")
        #expect(parts[0] == "0" || parts[0] == ["KILL": "137", "TERM": "143", "INT": "130"][signal])
        _ = shell.run("echo old > out.json")
        let left = shell.run("ls -A | grep tmp")
        if signal == "KILL" { _ = shell.run("rm -f .out.json.tmp.*") } else { #expect(left.out == "") }
      }
    }
  }
  @Test("Python reads back what was written, value for value", .enabled(if: Shell.variable("BB_TEST_DATA") != nil))
  func python() throws {
    let server = try LiveTests.server(try RealAnswerTests.answers()), shell = Shell()
    guard shell.run("python3 -c ''").status == 0 else {
      print("skipped: python3 is not installed")
      return
    }
    for name in ["characters", "episodes", "quotes", "deaths"] {
      let done = shell.run("bb-export \(name) --api \(server.url)/api -o t.csv -o t.tsv -o t.json -o t.ndjson -q")
      #expect(done.status == 0, "\(done.err)")
      let check = shell.run(
        """
        python3 -c "
        import csv, json
        def text(v): return '' if v is None else v if isinstance(v, str) else json.dumps(v, ensure_ascii=False, separators=(',', ':'))
        rows = json.load(open('t.json'))
        assert rows == [json.loads(l) for l in open('t.ndjson')]
        want = [{k: text(v) for k, v in r.items()} for r in rows]
        for f, d in (('t.csv', ','), ('t.tsv', '\\t')): assert list(csv.DictReader(open(f, newline=''), delimiter=d)) == want, f
        print(len(rows))"
        """)
      #expect(
        check.err == ""
          && check.out == "\(["characters": 29, "episodes": 126, "quotes": 203, "deaths": 8][name] ?? 0)\n")
    }
  }
}
