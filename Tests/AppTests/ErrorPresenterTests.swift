import AppShell
import AppTestSupport
import Codecs
import CommandLineKit
import Domain
import Rows
import TestSupport
import Testing

@testable import bb_export
@testable import bb_notes

@Suite("hints of errors") struct ErrorPresenterTests {
  private static let importing = BBNotes.program.commands.first { $0.name == "import" }

  private func hint(_ remedy: Remedy, _ program: Program, _ command: Command) -> String {
    ErrorPresenter(program, command, actions: ActionLines.line).hint(remedy)
  }

  @Test(
    "alternatives that the command does not have are omitted",
    arguments: [
      (["convert the file to UTF-8", .set(.invalidUTF8, to: "replace")], "convert the file to UTF-8"),
      (.raise(.maximumField).after("a record may have twice the size"), ""),
      ([.set(.outputFormat, to: "geojson"), .set(.conditions, for: "exclude it")], ""),
      (.set(.inputDelimiter, to: "semicolon"), "use --from-delimiter semicolon"),
      (.run(.sync(into: "csv:a b"), "create it"), "create it with: bb-export sync --storage 'csv:a b'"),
      (.choose("tpye", from: ["type", "name"], "available"), "did you mean type?"),
      (.choose("x", from: ["type", "name"], "available"), "available: type, name"),
      (.choose("x", from: ["type", "name"]), ""), ("", ""),
    ] as [(Remedy, String)])
  func omitted(remedy: Remedy, expected: String) throws {
    #expect(hint(remedy, BBNotes.program, try #require(Self.importing)) == expected)
  }

  @Test(
    "a program that has the option names it",
    arguments: [
      (
        ["convert the file to UTF-8", .set(.invalidUTF8, to: "replace")],
        "convert the file to UTF-8, or use --encoding-errors replace"
      ),
      (.omit(.strictQuotes), "omit --strict-csv"), (.raise(.maximumField), "raise the limit with --max-field"),
      (.set(.offline), "use --offline"), (.set(.limit, for: "write fewer rows"), "use --limit N to write fewer rows"),
      (.set(.formatOption("formulas"), to: "escape"), "use --csv-formulas escape"),
      (.set(.formatOption("sql.dialect"), to: "sqlite", "mysql"), "use --option sql.dialect=sqlite or mysql"),
      (.set(.columnTypes, to: "a b=text"), "use --types 'a b=text'"),
    ] as [(Remedy, String)])
  func own(remedy: Remedy, expected: String) {
    #expect(hint(remedy, BBExport.program, BBExport.table) == expected)
  }

  @Test("a setting that is the subject of a message is named by its option") func subject() {
    let problem = Problem(.recordsPointer, "cannot be used with csv", at: "a.csv")
    let presenter = ErrorPresenter(BBExport.program, BBExport.table, actions: ActionLines.line)
    #expect(presenter.worded(problem).summary == "a.csv: --records cannot be used with csv")
    #expect(problem.summary == "a.csv: json.records cannot be used with csv")
  }

  @Test("JSON errors have the remedy as data") func json() {
    let lines = Lines()
    let report = Report(program: "p") { lines.add($0) }
    report.configure(style: .json, isQuiet: false)
    report.problem(Problem(.badData, "bad", hint: ["do this", .set(.limit, to: "1"), .run(.sync(into: "s"), "load")]))
    let remedy = #""remedy":[{"set":"selection.limit","to":"1"},{"run":"sync","on":"s"}]"#
    #expect(lines.all.contains(remedy), "\(lines.all)")
  }

  @Test("the same file leads to advice that fits the program") func programs() async {
    let console = Console(), path = "\(console.home)/notes.csv"
    let shell = Shell()
    shell.write("notes.csv", "production,season,episode,text\nBreaking Bad,5,14,a\"b\n")
    _ = shell.run("cp notes.csv \(path)")
    let notes = await console.run("bb-notes import \(path)")
    #expect(notes.err.contains("contains a quote, kept as text\n"), "\(notes.err)")
    let export = await console.run("bb-export --from \(path) -f csv")
    #expect(export.err.contains("kept as text; use --strict-csv to refuse such fields\n"), "\(export.err)")
    _ = shell.run("printf 'text\\n\\377\\n' > \(path)")
    let bytes = await console.run("bb-notes import \(path)")
    #expect(bytes.status == 65, "\(bytes.err)")
    #expect(bytes.err.contains("hint:") && !bytes.err.contains("--encoding-errors"), "\(bytes.err)")
  }
}
