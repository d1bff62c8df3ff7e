import Conformance
import TestSupport
import Testing

@Suite("bb-export and stores") struct StorageTests {
  private static let locations = ["sqlite:s.db", "csv:s", "json:s"]

  @Test("what is synced comes out as from the API, whatever holds it", arguments: locations)
  func same(_ location: String) throws {
    let server = try LiveTests.server(), shell = Shell()
    let api = "--api \(server.url)/api"
    let first = shell.run("bb-export sync --storage \(location) \(api) -f csv -q")
    #expect(
      first.out == """
        dataset,added,changed,removed,unchanged
        characters,1,0,0,0
        episodes,2,0,0,0
        quotes,3,0,0,0
        deaths,0,0,0,0

        """)
    #expect(first.status == 0)
    for dataset in ["characters", "episodes", "quotes", "deaths"] {
      for format in ["csv", "json", "ndjson", "markdown", "html", "sql", "yaml"] {
        let live = shell.run("bb-export \(dataset) \(api) -f \(format) -q")
        let stored = shell.run("bb-export \(dataset) --storage \(location) -f \(format)")
        #expect(stored.out == live.out && stored.err == "" && stored.status == 0, "\(dataset) \(format)")
      }
    }
    let again = shell.run("bb-export sync quotes --storage \(location) \(api) -f ndjson -q")
    #expect(again.out == #"{"dataset":"quotes","added":0,"changed":0,"removed":0,"unchanged":3}"# + "\n")
    let searched = shell.run("bb-export quotes --storage \(location) --search 'QUE aga' --columns id,occurrence -f csv")
    #expect(searched.out == "id,occurrence\n7,2\n")
    let joined = shell.run(
      "bb-export quotes --storage \(location) --with character --columns id,character.status -f csv")
    #expect(joined.out == "id,character.status\n7,dead\n7,\n8,\n")
  }

  @Test("a sync is careful", arguments: locations) func careful(_ location: String) throws {
    let shell = Shell()
    shell.write("people.csv", "name,age\nA,1\nB,2\nC,3\nD,4\n")
    let sync = "bb-export sync --storage \(location) -f csv --from"
    #expect(shell.run("\(sync) people.csv").out == "dataset,added,changed,removed,unchanged\npeople,4,0,0,0\n")
    let before = shell.run("bb-export people --storage \(location) -f csv").out
    #expect(before == "name,age\nA,1\nB,2\nC,3\nD,4\n")

    shell.write("people.csv", "name,age\nA,1\n")
    let shrunk = shell.run("\(sync) people.csv")
    #expect(
      shrunk.err
        == "bb-export: people: the source has 1 record, the store 4; nothing was changed\nhint: use --allow-shrink to accept the smaller dataset\n"
    )
    #expect(shrunk.status == 65)
    shell.write("people.csv", "name,age\nA,1\nB,2\nC,3\nD,\"x\"y\nE,\"1,5\"\n")
    #expect(shell.run("\(sync) people.csv").status == 65)
    shell.write("other.csv", "name,age\nA,1\nB,2\nC,3\n")
    let elsewhere = shell.run("\(sync) other.csv --as people")
    #expect(
      elsewhere.err
        == "bb-export: people: the table was loaded from file:people.csv\nhint: use --replace to replace it\n"
        && elsewhere.status == 65)
    #expect(shell.run("\(sync) other.csv --as people --dry-run --replace").out.hasSuffix("people,3,0,4,0\n"))
    #expect(shell.run("bb-export people --storage \(location) -f csv").out == before)
    #expect(shell.run("\(sync) other.csv --as people --replace").status == 0)
    #expect(shell.run("bb-export people --storage \(location) -f csv").out == "name,age\nA,1\nB,2\nC,3\n")
  }

  @Test(
    "problems of a store are reported",
    arguments: [
      (
        "bb-export quotes --storage csv:none",
        "bb-export: csv:none: store not found\nhint: create it with: bb-export sync --storage csv:none\n", 66
      ),
      (
        "bb-export quotes --storage none",
        "bb-export: cannot tell the type of store “none”\nhint: use a prefix: sqlite:none or csv:none or json:none\n",
        64
      ),
      (
        "bb-export quotes --storage csv:a --from b.csv",
        "bb-export: --from and --storage cannot be used together\nhint: use only one of them\n", 64
      ),
      (
        "bb-export quotes --storage csv:a --offline",
        "bb-export: --offline applies only to API sources, but the records come from a store\nhint: omit --offline\n",
        64
      ),
      (
        "mkdir f; echo x > f/y; bb-export sync --source snapshot --storage csv:f",
        "bb-export: csv:f: the directory has files of other programs, and is only read\nhint: make it a store with: bb-notes init --storage csv:f, or choose another directory\n",
        77
      ),
    ] as [(String, String, Int32)])
  func complaints(_ line: String, _ message: String, _ status: Int32) {
    let done = Shell().run(line)
    #expect(done.err == message && done.status == status && done.out == "")
  }

  @Test("without --storage both programs have the same one: the variable's, the configuration's, or the usual one")
  func unnamed() {
    let shell = Shell()
    let sync = "bb-export sync deaths --source snapshot -f csv", list = "bb-notes list -q",
      show = "bb-export config -f csv"
    #expect(shell.run("BB_STORAGE=csv:a \(sync)").err == "store: csv:a\n")
    #expect(shell.run("ls a").out.contains("deaths.csv"))
    #expect(shell.run("mkdir -p ~/.config/bb; echo storage = json:b > ~/.config/bb/config; \(sync)").status == 0)
    #expect(shell.run("ls b").out.contains("deaths.json"))
    #expect(shell.run(show).out.contains("storage,json:b,configuration\n"))
    #expect(shell.run("bb-notes add S05E14 x -q; bb-export notes --columns text -f csv").out == "text\nx\n")
    #expect(shell.run("rm ~/.config/bb/config; \(list)").status == 0)
    #expect(shell.run("ls ~/.local/share/bb 2>/dev/null").out == "")
    #expect(
      shell.run("\(sync) --dry-run; ls ~/.local/share/bb 2>/dev/null").out
        == "dataset,added,changed,removed,unchanged\ndeaths,8,0,0,0\n")
    #expect(shell.run("\(sync) -q; ls ~/.local/share/bb").out.hasSuffix("deaths,8,0,0,0\nbb.db\n"))
  }

  @Test("personal datasets come from the default store, which need not exist") func own() {
    let shell = Shell()
    #expect(shell.run("bb-export notes -f csv --columns season,text").out == "season,text\n")
    shell.write("favourites.csv", "dataset,record_key,created_at\nquotes,7/1,2026-01-02T03:04:05Z\n")
    #expect(shell.run("bb-export sync --from favourites.csv --storage csv:own -q").status == 0)
    #expect(shell.run("BB_STORAGE=csv:own bb-export favourites -f csv --columns record_key").out == "record_key\n7/1\n")
  }

  @Test("favourites are a selection") func favourites() {
    let shell = Shell("BB_STORAGE=csv:own")
    for key in ["Breaking Bad/5/14", "El Camino/1/1"] {
      #expect(shell.run("bb-notes favourites add episodes '\(key)'").status == 0)
    }
    let mine = "bb-export episodes --source snapshot --favourites -f csv --columns episode"
    #expect(shell.run(mine).out == "episode\n14\n1\n")
    #expect(shell.run("\(mine) --where 'season = 5'").out == "episode\n14\n")
    #expect(shell.run("\(mine.replacing("episodes", with: "deaths").replacing("episode", with: "id"))").out == "id\n")
    #expect(shell.run("bb-export sync episodes --source snapshot --storage sqlite:s.db -q").status == 0)
    #expect(
      shell.run("bb-export episodes --storage sqlite:s.db --favourites -f csv --columns season").out == "season\n")
  }

  @Test("a directory can be edited by hand: order, columns and damage") func edits() throws {
    let shell = Shell()
    shell.write("favourites.csv", "dataset,record_key,created_at\nb,2,2026-01-02T03:04:05Z\na,1,2026-01-02T03:04:05Z\n")
    #expect(shell.run("bb-export sync --from favourites.csv --storage csv:s -q").status == 0)
    let read = "bb-export favourites --storage csv:s -f csv"
    shell.write(
      "s/favourites.csv",
      """
      remark,dataset,record_key,created_at
      "why
      not",c,3,2026-01-02T03:04:05Z
      ,a,1,2026-01-02T03:04:05Z

      """)
    #expect(
      shell.run(read).out == """
        dataset,record_key,created_at,remark
        a,1,2026-01-02T03:04:05Z,
        c,3,2026-01-02T03:04:05Z,"why
        not"

        """)
    shell.write(
      "s/favourites.csv",
      """
      dataset,record_key,created_at,remark
      a,1,2026-01-02T03:04:05Z,"two
      lines"
      b,2,2026-01-02T03:04:05Z,
      a,1,2026-01-02T03:04:06Z,

      """)
    let twice = shell.run(read)
    #expect(
      twice.err
        == "bb-export: s/favourites.csv:5: lines 2 and 5 have the same key, a, 1\nhint: remove or change one of them\n"
        && twice.status == 65)
    let damaged = "dataset,record_key,created_at\na,1,2026-01-02T03:04:05Z\nb\n"
    shell.write("s/favourites.csv", damaged)
    for line in [read, "bb-export sync --from favourites.csv --storage csv:s"] {
      let refused = shell.run(line)
      #expect(refused.err.contains("s/favourites.csv:3:") && refused.status == 65)
      #expect(Shell.read(shell.directory + "/work/s/favourites.csv") == damaged)
    }
    shell.write("s/bb.json", #"{"format":3,"storage":"csv","datasets":{}}"#)
    #expect(shell.run(read).status == 78)
  }

  @Test("a store is migrated from type to type and back") func moves() {
    let shell = Shell()
    #expect(shell.run("bb-export sync --source snapshot --storage csv:a -q").status == 0)
    for (from, to) in [("csv:a", "sqlite:b.db"), ("sqlite:b.db", "json:c"), ("json:c", "csv:d")] {
      #expect(shell.run("bb-export sync --from-storage \(from) --storage \(to) -q").status == 0)
    }
    // What undoing a load needs stays with the store that was loaded.
    #expect(shell.run("diff -r --exclude=lock --exclude=replaced a d").out == "")
    #expect(shell.run("ls -A d | wc -l").out == "9\n")
  }
}
