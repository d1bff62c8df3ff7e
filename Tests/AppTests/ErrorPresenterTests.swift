import CommandLineKit
import Testing

@testable import bb_export
@testable import bb_notes

@Suite("advice in errors") struct ErrorPresenterTests {
  private static let importing = BBNotes.program.commands.first { $0.name == "import" }

  @Test(
    "alternatives that the command does not have are omitted",
    arguments: [
      ("convert the file to UTF-8, or use --encoding-errors replace", "convert the file to UTF-8"),
      ("raise the limit with --max-field: a record may have twice as much", ""),
      ("use --from-format FORMAT; available formats: csv", "use --from-format FORMAT; available formats: csv"),
      ("exclude it with --nothing, or use -f geojson", ""), ("use a name such as “a --max-field”", nil),
      ("convert it: iconv -f UTF-16LE -t UTF-8", nil),
      ("convert it first: soffice --headless --convert-to xlsx d.xls", nil),
      ("create it with bb-export sync --storage x", nil),
      ("use - for standard input", nil), ("", nil),
    ] as [(String, String?)])
  func hint(text: String, expected: String?) throws {
    let presenter = ErrorPresenter(BBNotes.program, try #require(Self.importing))
    #expect(presenter.hint(text) == expected ?? text)
  }

  @Test("a program that has the option names it") func own() {
    let presenter = ErrorPresenter(BBExport.program, BBExport.table)
    let text = "convert the file to UTF-8, or use --encoding-errors replace"
    #expect(presenter.hint(text) == text)
  }

  @Test("the same file leads to advice that fits the program") func programs() async {
    let console = Console(), path = "\(console.home)/notes.csv"
    let shell = Shell()
    shell.write("notes.csv", "production,season,episode,text\nBreaking Bad,5,14,a\"b\n")
    _ = shell.run("cp notes.csv \(path)")
    let notes = await console.run("bb-notes import \(path)")
    #expect(notes.err.contains("contains a quote, kept as text\n"), "\(notes.err)")
    let export = await console.run("bb-export --from \(path) -f csv")
    #expect(export.err.contains("kept as text; --strict-csv refuses such fields\n"), "\(export.err)")
    _ = shell.run("printf 'text\\n\\377\\n' > \(path)")
    let bytes = await console.run("bb-notes import \(path)")
    #expect(bytes.status == 65, "\(bytes.err)")
    #expect(bytes.err.contains("hint:") && !bytes.err.contains("--encoding-errors"), "\(bytes.err)")
  }
}
