import TestSupport
import Testing

/// What bb-notes refuses, and commands that are repeated.
@Suite("bb-notes refusals") struct NotesRefusalsTests {
  @Test("one file cannot be written twice") func sameFile() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    let done = shell.run("bb-notes add S05E14 x -q && ln -s n.csv l.md && bb-notes export notes -o n.csv -o ./n.csv")
    #expect(done.status == 64 && done.err.contains("n.csv and ./n.csv are the same file"), "\(done)")
    #expect(shell.run("bb-notes export notes -o n.csv -o l.md; echo $?; ls").out == "64\nl.md\nn\n")
    #expect(shell.run("bb-notes export notes -o n.csv -o n.json && ls n.*").out == "n.csv\nn.json\n")
    #expect(shell.run("bb-notes export notes -o /dev/stdout -o - -f csv | grep -c Breaking").out == "2\n")
  }

  @Test("adding the same record again does not duplicate it") func again() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    let one = "bb-notes places add Bern --at 46.95,7.45"
    #expect(shell.run(one).status == 0)
    let again = shell.run(one)
    #expect(again.status == 0 && again.err.hasPrefix("Bern: no changes; it was added before (id "), "\(again)")
    let other = shell.run("\(one) --comment other; bb-notes places list --plain | wc -l")
    #expect(other.out == "2\n" && other.err.contains("another place is also named Bern"), "\(other)")
    shell.write("p.png", "\u{89}PNG")
    let actor = "bb-notes actors add A --category Drama --partial"
    #expect(shell.run("\(actor); \(actor); bb-notes actors list --plain | wc -l").out == "1\n")
  }

  @Test("a required field cannot be emptied") func required() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000")
    #expect(shell.run("bb-notes actors add A --category Drama --partial -q").status == 0)
    for change in ["set A category=", "set A 'category= '", "set A --unset category", "set A name="] {
      let done = shell.run("bb-notes actors \(change)")
      #expect(done.status == 64, "\(change): \(done)")
    }
    let edited = shell.run("BB_EDITOR='sed -i s/Drama//' bb-notes actors edit A")
    #expect(edited.status == 64 && edited.err.contains("must have a category"), "\(edited)")
    // A field that never had a value may stay empty.
    #expect(shell.run("bb-notes actors set A phone=+1 && bb-notes actors set A birth_city=X").status == 0)
    #expect(shell.run("bb-notes actors set A phone=").status == 64)
    #expect(shell.run("bb-notes actors list --plain --columns category").out == "Drama\n")
  }

  @Test(
    "a time that does not exist is refused", arguments: ["yesterday", "1e9", "99999999999999", " 1", "1700000000Z"])
  func now(_ text: String) {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW='\(text)'")
    let done = shell.run("bb-notes add S05E14 x; echo $?; ls")
    #expect(done.out == "78\n" && done.err.contains("invalid value “\(text)” of BB_NOW"), "\(done)")
    #expect(shell.run("bb-notes --help").status == 0)
  }

  @Test("an editor that fails is an error, and nothing is changed") func editor() {
    let shell = Shell("BB_STORAGE=csv:n BB_NOW=1700000000 EDITOR=false")
    let done = shell.run("bb-notes add S05E14 x -q; bb-notes edit S05E14")
    #expect(
      done.status == 69 && done.err == "bb-notes: the editor exited with status 1; nothing was changed\n", "\(done)")
    #expect(shell.run("bb-notes show S05E14 --plain; ls ~/.local/state/bb/drafts").out == "x\n")
  }

  @Test("reserved table names are refused by every store", arguments: ["bb_history", "sqlite_x"])
  func reserved(_ name: String) {
    let shell = Shell()
    shell.write("t.csv", "a\n1\n")
    for store in ["csv:c", "json:j", "sqlite:s.db"] {
      let done = shell.run("bb-export sync --from t.csv --as \(name) --storage \(store)")
      #expect(done.status == 65 && done.err.contains("invalid table name “\(name)”"), "\(done)")
    }
  }
}
