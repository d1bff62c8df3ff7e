import TestSupport
import Testing

/// Directory stores under version control, with the git of the machine.
@Suite("Stores under version control") struct VersionControlTests {
  private static let hasGit = Shell().run("git --version").status == 0

  /// Commands for git that depend on no configuration.
  private static let setUp = """
    set -e
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_NOSYSTEM=1
    bb() { program=$1; shift; BB_STORAGE=$store BB_NOW=$now "$program" "$@"; }
    save() { git -C "$1" add -A && git -C "$1" commit -qm "$2"; }
    store=KIND:a now=1700000000
    git init -q -b main a
    bb bb-notes add S01E01 'the first' -q
    bb bb-notes add S05E14 'the middle' -q
    bb bb-notes add S05E16 'the last' -q
    save a first

    """

  private func run(_ kind: String, _ script: String) -> Shell.Outcome {
    Shell().run(Self.setUp.replacing("KIND", with: kind) + script.replacing("KIND", with: kind))
  }

  @Test("nothing local is kept", .enabled(if: hasGit, "git is not installed"), arguments: ["csv", "json"])
  func files(_ kind: String) {
    let done = run(
      kind,
      "bb bb-export sync deaths --source snapshot -q -f csv >/dev/null; save a second; git -C a status --short --ignored; git -C a ls-files"
    )
    #expect(done.status == 0, "\(done.err)")
    let lines = done.out.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("!! ") } == ["!! .bb/lock", "!! .bb/replaced/"])
    #expect(lines.filter { $0.hasPrefix(".bb/history/") }.count == 4 && lines.contains(".bb/.gitignore"))
    #expect(!lines.contains(".bb/lock"))
  }

  @Test(
    "two clones that each add a note merge, rebase, revert and go back", .enabled(if: hasGit, "git is not installed"),
    arguments: ["csv", "json"], ["merge", "rebase"])
  func clones(_ kind: String, _ how: String) {
    let done = run(
      kind,
      """
      git clone -q a b
      store=KIND:a now=1700000100; bb bb-notes add S01E02 'in a' -q; save a 'in a'
      store=KIND:b now=1700000200; bb bb-notes add S05E15 'in b' -q; save b 'in b'
      git -C b fetch -q; git -C b \(how) -q \(how == "merge" ? "--no-edit " : "")origin/main >/dev/null
      bb bb-notes list --plain --columns season,episode,text
      bb bb-notes history --plain | cut -f 1,3
      bb bb-notes undo -q; bb bb-notes add S05E13 'after' -q; bb bb-notes check; save b after
      git -C b revert --no-edit HEAD >/dev/null
      bb bb-notes list --plain --columns text | tr '\\n' ' '
      git -C b checkout -q HEAD~2 2>/dev/null
      bb bb-notes history --plain | wc -l
      bb bb-notes add S02E01 'on the old one' -q; bb bb-notes undo -q; bb bb-notes check
      """)
    #expect(done.status == 0, "\(done.err)")
    #expect(
      done.out.split(separator: "\n").prefix(10) == [
        "1\t1\tthe first", "1\t2\tin a", "5\t14\tthe middle", "5\t15\tin b", "5\t16\tthe last",
        "5\tadd Breaking Bad S05E15", "4\tadd Breaking Bad S01E02", "3\tadd Breaking Bad S05E16",
        "2\tadd Breaking Bad S05E14", "1\tadd Breaking Bad S01E01",
      ], "\(done.out)")
    #expect(done.out.contains("the first in a the middle in b the last "), "\(done.out)")
  }

  @Test(
    "a conflict is reported with its lines, and what is resolved works", .enabled(if: hasGit, "git is not installed"),
    arguments: ["csv", "json"])
  func conflict(_ kind: String) {
    let done = run(
      kind,
      """
      git clone -q a b
      store=KIND:a now=1700000100; bb bb-notes add S05E15 'in a' -q; save a 'in a'
      store=KIND:b now=1700000200; bb bb-notes add S05E15 'in b' -q; save b 'in b'
      git -C b fetch -q; git -C b merge -q --no-edit origin/main >/dev/null 2>&1 && exit 1
      for command in 'list' 'add S05E10 x'; do bb bb-notes $command && exit 1; echo $?; done
      sed -i '/^<<<<<<< /d; /^=======$/,/^>>>>>>> /d' b/notes.KIND
      bb bb-notes list --plain --columns text | tr '\\n' ' '; bb bb-notes history --plain | wc -l
      bb bb-notes add S05E10 x -q; save b merged; bb bb-notes check; bb bb-notes undo -q
      """)
    #expect(done.status == 0, "\(done.err)")
    #expect(done.out.hasPrefix("65\n65\nthe first the middle in b the last 5\n"), "\(done.out)")
    let message = "b/notes.\(kind):4: unresolved merge conflict: lines 4 to 8"
    #expect(done.err.split(separator: "\n").count { $0.contains(message) } == 2, "\(done.err)")
  }

  @Test(
    "two clones that each add tables merge", .enabled(if: hasGit, "git is not installed"), arguments: ["csv", "json"],
    ["merge", "rebase"])
  func tables(_ kind: String, _ how: String) {
    let done = run(
      kind,
      """
      git clone -q a b
      store=KIND:a now=1700000100; bb bb-notes places add Gornergrat --at 45.98,7.78 -q
      bb bb-notes add S05E15 'in a' -q; bb bb-export sync deaths --source snapshot -q >/dev/null; save a 'in a'
      store=KIND:b now=1700000200; bb bb-notes actors add 'Rhea Seehorn' --category crew --partial -q
      bb bb-export sync deaths episodes --source snapshot -q >/dev/null; save b 'in b'
      git -C b fetch -q; git -C b \(how) -q \(how == "merge" ? "--no-edit " : "")origin/main >/dev/null
      grep -c deaths b/bb.json; bb bb-notes check -f csv
      bb bb-notes places list --plain --columns name; bb bb-notes actors list --plain --columns name
      bb bb-notes add S05E13 after -q; bb bb-notes check -f csv; sed -n 's/^  "\\([a-z]*\\)": .*/\\1/p' b/bb.json
      """)
    #expect(done.status == 0, "\(done.err)")
    let expected = """
      2
      kind,dataset,key,what
      Gornergrat
      Rhea Seehorn
      kind,dataset,key,what
      actors
      deaths
      episodes
      notes
      places

      """
    #expect(done.out == expected)
  }

  @Test("conflicts of bb's own files are reported as such")
  func ownFiles() {
    let mark = "<<<<<<< HEAD\\n{}\\n=======\\n{}\\n>>>>>>> b\\n"
    let done = Shell().run(
      """
      export BB_STORAGE=csv:s; bb-notes add S01E01 one -q
      for f in s/notes.csv-metadata.json s/bb.json s/.bb/history/*.json; do
        cp $f kept; printf '\(mark)' > $f; bb-notes list; bb-notes history; cp kept $f
      done; bb-notes check
      """)
    #expect(done.status == 0)
    #expect(
      done.err.split(separator: "\n").count { $0.contains(":1: unresolved merge conflict: lines 1 to 5") } == 4,
      "\(done.err)")
  }
}
