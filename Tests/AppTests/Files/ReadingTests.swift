import Glibc
@testable import Persistence
import Rows
import TestSupport
import Testing

@Suite("reading commands") struct ReadingTests {
  /// What `find` and `sha256sum` report of the directory that commands run in: types, modes, sizes, times and bytes.
  static func tree(_ shell: Shell) -> String {
    shell.run("find . -printf '%p %y %m %s %T@\\n' | sort; find . -type f -exec sha256sum {} + | sort").out
  }

  private static func copy(_ shell: Shell, _ from: String, _ to: String) { _ = shell.run("cp \(from) \(to)") }

  /// Databases in every state in which a program can leave them.
  static func makeDatabases(_ shell: Shell) throws {
    let work = shell.directory + "/work/"
    let rows = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
    let table =
      "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO t \(rows) SELECT i, hex(i * 7919) || 'old' FROM n"
    do {
      let writer = try SQLiteConnection.open(path: work + "plain.db", .writing)
      try writer.execute("PRAGMA journal_mode=DELETE; PRAGMA page_size=1024; \(table)")
      // A transaction that is larger than the cache is in the file before it is committed.
      try writer.execute("PRAGMA cache_size=4; BEGIN; UPDATE t SET text = hex(id) || 'new'")
      copy(shell, "plain.db", "hot.db")
      copy(shell, "plain.db-journal", "hot.db-journal")
      try writer.execute("ROLLBACK")
    }
    for name in ["log", "stale"] {
      let writer = try SQLiteConnection.open(path: work + "w.db", .writing)
      if name == "log" { try writer.execute("PRAGMA journal_mode=WAL; \(table)") }
      try writer.execute("UPDATE t SET text = hex(id) || 'new'")
      copy(shell, "w.db", "\(name).db")
      copy(shell, "w.db-wal", "\(name).db-wal")
      if name == "stale" { copy(shell, "w.db-shm", "stale.db-shm") }
    }
    _ = shell.run(
      """
      cp w.db quiet.db; rm -f w.db w.db-*; : >empty.db; echo x >empty.db-journal; echo y >empty.db-wal
      mkdir links; ln -s ../hot.db links/hot.db; ln -s ../log.db links/log.db
      echo precious >victim.txt; cp hot.db evil.db; cp hot.db-journal evil.db-journal
      """)
    // The end of a journal that names a super-journal: a page number, the name, its length and checksum, and the mark
    // of a journal.
    let name = Array((work + "victim.txt").utf8)
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    let tail =
      number(0) + name + number(name.count) + number(name.reduce(0) { $0 + Int($1) })
      + [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    guard let file = unsafe fopen(work + "evil.db-journal", "a") else { throw Problem(.io, "cannot write", at: work) }
    unsafe fwrite(tail, 1, tail.count, file)
    unsafe fclose(file)
  }

  @Test("leave every database as it was") func databases() throws {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9 TMPDIR=\(TemporaryDirectory().path)")
    try Self.makeDatabases(shell)
    let before = Self.tree(shell)
    let expected = [
      "plain": (0, "old"), "quiet": (0, "new"), "log": (0, "new"), "stale": (0, "new"), "hot": (0, "old"),
      "links/hot": (0, "old"), "links/log": (0, "new"), "evil": (65, ""),
    ]
    for (name, (status, text)) in expected.sorted(by: { $0.key < $1.key }) {
      let read = shell.run("bb-export --from \(name).db -f csv --limit 3000")
      #expect(read.status == status, "\(name): \(read.err)")
      #expect(read.out.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix(text) }, "\(name)")
      #expect(read.out.split(separator: "\n").count == (status == 0 ? 3001 : 0), "\(name)")
      let store = "--storage sqlite:\(name).db"
      for command in [
        "bb-notes list \(store)", "bb-notes check \(store)", "bb-notes history \(store)", "bb-export t \(store)",
      ] {
        #expect([0, 1, 64, 65, 66, 77].contains(shell.run(command).status), "\(command)")
      }
      #expect(Self.tree(shell) == before, "\(name)")
    }
    for command in ["bb-export --from empty.db", "bb-notes list --storage sqlite:empty.db"] { _ = shell.run(command) }
    #expect(Self.tree(shell) == before)
    #expect(shell.run("cat victim.txt").out == "precious\n")
    #expect(shell.run("ls $TMPDIR").out == "", "private copies are removed")
  }

  /// A command that writes may roll back the journal of a store, and never follows it to another file.
  @Test("writing to a store does not follow a super-journal") func writing() throws {
    let shell = Shell()
    try Self.makeDatabases(shell)
    let add = shell.run(
      "bb-notes places add Bern --at 46.9,7.4 --storage sqlite:evil.db; bb-export sync --from plain.db --storage sqlite:evil.db"
    )
    #expect(add.status == 65)
    #expect(add.err.contains("evil.db-journal: the rollback journal names another file"))
    #expect(shell.run("cat victim.txt").out == "precious\n")
  }

  @Test("leave every store as it was", arguments: ["sqlite:s.db", "csv:s", "json:s"]) func stores(_ location: String) {
    let shell = Shell("BB_API_URL=http://127.0.0.1:9 BB_STORAGE=\(location)")
    shell.write("people.csv", "name,age\nA,1\nB,2\n")
    let made = shell.run(
      "bb-notes add S05E14 'Ozymandias' && bb-notes places add Bern --at 46.9,7.4 && bb-export sync --storage \(location) --from people.csv"
    )
    #expect(made.status == 0, "\(made.err)")
    let before = Self.tree(shell)
    for command in [
      "bb-notes list", "bb-notes search ozy", "bb-notes show S05E14", "bb-notes places list", "bb-notes history",
      "bb-notes check",
      "bb-notes trash", "bb-notes export notes -f json", "bb-notes config", "bb-notes actors list",
      "bb-notes favourites list",
      "bb-export people --storage \(location) -f csv",
      "bb-export people --storage \(location) --search a",
      "bb-export check people --storage \(location)", "bb-export datasets --storage \(location)",
      "bb-export notes -f html",
      "bb-export notes -o ../notes.json", "bb-export formats",
    ] {
      let run = shell.run(command)
      #expect([0, 1, 64].contains(run.status), "\(command): \(run.err)")
      #expect(Self.tree(shell) == before, "\(command)")
    }
  }

  @Test("leave every input as it was") func files() {
    let shell = Shell()
    shell.write("a.csv", "a,b\n1,x\n")
    shell.write("a.csv-metadata.json", #"{"tableSchema":{"columns":[{"name":"a","datatype":"integer"},{"name":"b"}]}}"#)
    shell.write("a.tsv", "a\tb\n1\tx\n")
    shell.write("a.json", #"[{"a":1}]"#)
    shell.write("a.ndjson", #"{"a":1}"# + "\n")
    shell.write("bad.json", #"[{"a":1"#)
    let before = Self.tree(shell)
    for name in ["a.csv", "a.tsv", "a.json", "a.ndjson", "bad.json", "."] {
      _ = shell.run(
        "bb-export --from \(name) -f csv; bb-export --from \(name) --search x --sort a -f json >/dev/null; bb-export check --from \(name)"
      )
      #expect(Self.tree(shell) == before, "\(name)")
    }
  }
}
