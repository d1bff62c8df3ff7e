import Domain
import Files
import Persistence
import TestSupport
import Testing

@Suite("bb-notes with every store") struct NotesScriptTests {
  private static let kinds = StoreRegistry(
    scratch: TemporaryScratch(directory: TemporaryDirectory().path), known: Catalog.all
  ).factories.filter { $0.kind != .server && $0.isDurable }.map(\.scheme)
  private static let variables = "BB_NOW=1384000000 BB_API_URL=http://127.0.0.1:9"

  /// Every operation on notes, and every error.
  private static let script = [
    "list", "add S05E14 'what a chapter'", "add bcs:1x2 \"Tuco's back\nsecond line é\"", "add S05E14 again",
    "add S05E14 --append 'and the end'", "add S05E14 --replace 'all new'", "add S05E14 --replace 'all new'",
    "add S05E17 x", "add xx:S05E17 x", "add S05E14 ''", "add", "add 5x1", "add 5x1 a b", "add S5 x",
    "add --season 5 --episode 2 'by numbers'", "add --season 5 'half'", "add S05E10 ten", "add S05E09 nine",
    "list", "list --json", "list --plain", "list -f csv", "list -f ndjson --columns episode,text",
    "list --limit 2 --offset 1",
    "list --production bcs", "list --season 5 --sort episode:desc --columns episode", "list --where 'text ~ NEW'",
    "list --production unknown", "list --columns txt", "list --json --plain", "show S05E14", "show S05E14 --json",
    "show S05E14 --plain", "show S05E14 -f record", "show S05E13", "show bcs:S09E09", "show", "edit S05E14",
    "set S05E14 text='set it'", "set S05E14 text='set it'", "set S05E14 season=4", "set S05E14 txt=4",
    "set S05E14 created_at=x", "set S05E14 --unset text", "set S05E14", "search 'tuc bac'", "search É", "search '...'",
    "search nothing --json", "delete S05E14", "delete S05E13 --yes", "delete S05E14 bcs:1x2 --yes", "list --plain",
    "trash list", "trash list --json", "trash restore S05E14", "trash restore S01E01", "trash restore",
    "trash restore 'Better Call Saul/1/2'", "undo", "undo", "undo", "show S05E14 --plain", "undo", "undo", "undo",
    "undo", "undo", "undo", "undo", "undo", "list --json", "history", "history --limit 3 --plain", "trash list",
    "episodes --where 'has_note = true'", "add ec:1x1 movie", "episodes --production ec", "check", "check --json",
    "trash lost", "lst", "list --errors json --columns x",
  ]

  @Test("a script has the same output, errors and exit codes in every store") func same() async {
    let reference = await Self.outcomes(Self.kinds[0])
    for kind in Self.kinds.dropFirst() {
      for (line, (a, b)) in zip(Self.script, zip(reference, await Self.outcomes(kind))) {
        #expect(a.out == b.out, "\(kind): \(line)")
        #expect(a.err == b.err, "\(kind): \(line)")
        #expect(a.status == b.status, "\(kind): \(line)")
      }
    }
    // That it did something at all.
    #expect(Set(reference.map(\.status)) == [0, 1, 64, 66, 73])
    #expect(reference.filter { $0.out.contains("all new") }.count > 5)
  }

  private static func outcomes(_ kind: String) async -> [Shell.Outcome] {
    let console = Console(), store = "\(kind):\(console.home)/notes"
    var outcomes: [Shell.Outcome] = []
    for line in script {
      let done = await console.run("bb-notes \(line) --storage \(store)", variables: ["BB_NOW": "1384000000"])
      outcomes.append(
        Shell.Outcome(out: done.out, err: done.err.replacing(store, with: "STORAGE"), status: done.status))
    }
    return outcomes
  }

  @Test("of twenty concurrent edits of a note one succeeds; the others fail and keep their texts", arguments: kinds)
  func rivals(_ kind: String) {
    let shell = Shell(Self.variables + " BB_STORAGE=\(kind):notes BB_EDITOR='sh ed.sh'")
    shell.write("ed.sh", "echo \"by $WHO\" > \"$1\"; until [ -e go ]; do sleep 0.05; done\n")
    let done = shell.run(
      """
      bb-notes add 5x14 first
      for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (WHO=$n bb-notes edit 5x14 2>err.$n; echo $? > code.$n) & done
      while [ $(ls ~/.local/state/bb/drafts | wc -l) -lt 20 ]; do sleep 0.05; done
      touch go; wait; cat code.* | sort | uniq -c | tr -s ' '
      """)
    #expect(done.out == " 1 0\n 19 75\n")
    let note = shell.run("bb-notes show 5x14 --plain").out
    #expect(note.hasPrefix("by "))
    // Every text of those who lost is in a draft whose path was printed.
    let kept = shell.run("sed -n 's/.*your text is saved in //p' err.* | xargs cat | sort -u | wc -l")
    #expect(kept.out == "19\n")
    #expect(shell.run("ls ~/.local/state/bb/drafts | wc -l").out == "19\n")
  }
  @Test("twenty who add and edit distinct notes at once all succeed", arguments: kinds) func neighbours(_ kind: String)
  {
    let shell = Shell(Self.variables + " BB_STORAGE=\(kind):notes BB_EDITOR='sed -i s/one/two/'")
    let list = "1 2 3 4 5 6 7 8 9 10"
    let added = shell.run(
      "for s in 1 2; do for e in \(list); do bb-notes add bcs:${s}x$e one || echo failed & done; done; wait")
    #expect(added.out == "", "\(added.err)")
    let edited = shell.run(
      "for s in 1 2; do for e in \(list); do bb-notes edit bcs:${s}x$e || echo failed & done; done; wait")
    #expect(edited.out == "", "\(edited.err)")
    #expect(shell.run("bb-notes list --plain | grep -c two").out == "20\n")
  }
  @Test("a note that changes while it is edited is not written over, and the text is kept", arguments: kinds)
  func conflict(_ kind: String) {
    let shell = Shell(Self.variables + " BB_STORAGE=\(kind):notes BB_EDITOR='sh ed.sh'")
    shell.write("ed.sh", "bb-notes set 5x14 text=theirs; echo mine > \"$1\"\n")
    let done = shell.run("bb-notes add 5x14 first; bb-notes edit 5x14")
    #expect(done.status == 75 && done.err.contains("your text is saved in "))
    #expect(shell.run("bb-notes show 5x14 --plain; cat ~/.local/state/bb/drafts/*").out == "theirs\nmine\n")
  }
  @Test("undo goes back to the beginning, command by command", arguments: kinds) func undo(_ kind: String) {
    let shell = Shell(Self.variables + " BB_STORAGE=\(kind):notes")
    let prepared = shell.run(
      "bb-notes add 5x13 a; bb-notes add 5x14 b; bb-notes delete 5x13 5x14 -y; bb-notes add 5x14 c; bb-notes list --plain"
    )
    #expect(prepared.out == "Breaking Bad\t5\t14\tc\t2013-11-09T12:26:40Z\n")
    #expect(shell.run("bb-notes undo; bb-notes undo; bb-notes list --plain | wc -l").out == "2\n")
    #expect(shell.run("bb-notes undo; bb-notes undo; bb-notes list --plain").out == "")
    let empty = shell.run("bb-notes undo")
    #expect(empty.status == 1)
    #expect(empty.err == "bb-notes: nothing to undo\nhint: list the commands with: bb-notes history\n")
  }
  @Test("a text that cannot be saved is kept", arguments: kinds) func full(_ kind: String) {
    let shell = Shell(Self.variables + " BB_STORAGE=\(kind):locked/notes")
    let done = shell.run("touch locked && bb-notes add 5x14 precious")
    #expect(done.status != 0 && done.err.contains("your text is saved in "), "\(done.err)")
    #expect(shell.run("cat ~/.local/state/bb/drafts/*").out == "precious\n")
  }
}
