import Glibc
import TestSupport
import Testing

/// A part of `Tools/faults storage`: other processes, kills, failing calls and a full disk, for every store.
@Suite("stores under fault") struct StorageFaultTests {
  private static let kinds = ["sqlite", "csv", "json"]
  /// The preloaded library of faults, which says what it can do; nil where there is no C compiler.
  static let library: String? = {
    let source = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/Tools/faults.d/faultlib.c"
    let path = TemporaryDirectory().path + "/faults.so"
    // The compiler that comes with Swift, or the system's.
    let places = Shell.variable("PATH") ?? ""
    let build =
      "for c in clang cc; do PATH=\(places) $c -O1 -shared -fPIC -o \(path) \(source) -ldl && exit; done; exit 1"
    return Shell().run(build).status == 0 ? path : nil
  }()

  /// A store in its own directory below the working directory.
  struct Storage {
    let shell = Shell()
    let kind: String

    init(kind: String) { self.kind = kind }

    var location: String { "\(kind):\(shell.directory)/work/s" + (kind == "sqlite" ? "/s.db" : "") }
    /// The calls in the directory of the store meet a fault: `FAULT_AT=3 FAULT_DO=kill`.
    func run(_ words: String, _ fault: String = "") -> Shell.Outcome {
      let preload =
        fault.isEmpty ? "" : "LD_PRELOAD=\(StorageFaultTests.library ?? "") FAULT_DIRECTORY=$PWD/s \(fault) "
      return shell.run("\(preload)\(words) --storage \(location)")
    }
    func keep() { _ = shell.run("rm -rf kept; cp -r s kept") }
    func restore() { _ = shell.run("rm -rf s; cp -r kept s") }
    /// Everything there is, but for the time.
    var state: String {
      let done = shell.run(
        """
        { for t in notes items; do bb-export $t --storage \(location) -f json -q || [ $? = 66 ]; done; \
        bb-notes history --json --storage \(location); } | sed -E "s/[0-9-]+T[0-9:]+Z//g"
        """)
      // An unreadable store is not a valid state.
      return done.err.isEmpty || done.err.contains("table not found") ? done.out : done.err
    }
    /// The number of entries of the history; -1 if it cannot be read.
    var entries: Int {
      let history = run("bb-notes history --plain")
      return history.status == 0 ? history.out.split(separator: "\n").count : -1
    }
    /// The names of the calls a command makes, in order.
    func calls(_ words: String) -> [String] {
      _ = run(words, "FAULT_LOG=$PWD/log")
      return Shell.read(shell.directory + "/work/log").split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }
  }

  @Test("neighbours lose nothing", arguments: kinds) func neighbours(_ kind: String) {
    let storage = Storage(kind: kind)
    let append = "bb-notes add S05E14 w$p.$t --append -q --storage \(storage.location)"
    let done = storage.shell.run(
      """
      for p in 1 2 3 4; do (for t in 1 2 3 4 5 6; do until \(append); do [ $? = 75 ] || exit; done; done) & done; wait
      bb-notes show S05E14 --plain --storage \(storage.location) | grep -o "w[1-4][.][1-6]" | sort
      """)
    let expected = (1...4).flatMap { p in (1...6).map { "w\(p).\($0)" } }
    #expect(done.out.split(separator: "\n").map(String.init) == expected, "\(done.err)")
  }

  @Test(
    "a kill or a failing call leaves the old or the new state", .enabled(if: library != nil), arguments: kinds)
  func calls(_ kind: String) {
    let storage = Storage(kind: kind), words = "bb-notes add S05E14 more --append"
    #expect(storage.run("bb-notes add S05E14 begun").status == 0)
    let before = storage.state
    storage.keep()
    let made = storage.calls(words)
    let after = storage.state
    #expect(before != after && after.contains("more"))
    let errors = ["open": EMFILE, "write": ENOSPC, "fsync": EIO, "truncate": EIO, "rename": EIO, "flock": ENOLCK]
    var turn = 0
    for (place, call) in made.enumerated() {
      guard let code = errors[call] else { continue }
      turn += 1
      // All of the last ones, where the change is made; of those before, some.
      guard place > made.count - 30 || turn % 8 == 0 else { continue }
      let number = made[...place].count { $0 == call }
      storage.restore()
      let isKilled = turn % 2 == 0
      let done = storage.run(words, "FAULT_NAME=\(call) FAULT_AT=\(number) FAULT_DO=\(isKilled ? "kill" : "\(code)")")
      let now = storage.state
      #expect(now == after || done.status != 0 && now == before, "\(call) \(number), exit code \(done.status): \(now)")
      #expect(isKilled || [0, 74, 75].contains(done.status), "\(call) \(number): \(done.err)")
    }
    #expect(turn > 10)
  }

  @Test(
    "an error after the change was saved is reported as such, one before it is not", .enabled(if: library != nil),
    arguments: kinds,
    [
      "bb-notes add S05E14 more --append", "bb-notes places add Luzern --at 47.05,8.3", "bb-notes undo",
      "bb-export sync deaths --source snapshot -q -f csv", "bb-export sync items --from ../items.csv --as items -q",
    ])
  func afterSaving(_ kind: String, _ words: String) {
    let storage = Storage(kind: kind)
    _ = storage.shell.run("printf 'id,title\\n1,a\\n' > ../items.csv")
    #expect(storage.run("bb-export sync items --from ../items.csv --as items -q").status == 0)
    #expect(storage.run("bb-notes add S05E14 begun").status == 0)
    _ = storage.shell.run("printf 'id,title\\n1,a\\n2,b\\n' > ../items.csv")
    storage.keep()
    let before = storage.entries, made = storage.calls(words)
    #expect(storage.entries == before + 1)
    var saved = 0
    for call in ["fsync", "rename"] {
      let number = made.count { $0 == call }
      for place in stride(from: number, to: max(0, number - 6), by: -1) {
        storage.restore()
        let done = storage.run(words, "FAULT_NAME=\(call) FAULT_AT=\(place) FAULT_DO=\(EIO)")
        let isSaved = storage.entries == before + 1
        #expect(isSaved || done.status == 74, "\(call) \(place): \(done.err)")
        if done.status == 0 { continue }
        #expect(isSaved == done.err.contains("was saved, but"), "\(call) \(place): \(done.err)")
        saved += isSaved ? 1 : 0
        guard isSaved, words.contains("places") else { continue }
        _ = storage.run(words)
        #expect(storage.entries == before + 1, "a second place")
      }
    }
    #expect(kind == "sqlite" || saved > 0)
  }

  @Test("a full disk is reported, and changes nothing", .enabled(if: library != nil), arguments: kinds)
  func full(_ kind: String) {
    let storage = Storage(kind: kind)
    #expect(storage.run("bb-notes add S05E14 begun").status == 0)
    let before = storage.state
    let done = storage.run(
      "bb-notes set S05E14 text=other", "FAULT_NAME=write FAULT_AT=1 FAULT_ON=1 FAULT_DO=\(ENOSPC)")
    #expect(done.status == 74 && done.err.contains("no space left on device"), "\(done.err)")
    #expect(storage.state == before)
  }

  @Test("a killed sync is not said to be made", .enabled(if: library != nil), arguments: kinds)
  func sync(_ kind: String) {
    let storage = Storage(kind: kind), words = "bb-export sync items --from ../items.csv --as items -q"
    _ = storage.shell.run("printf 'id,title\\n1,a\\n2,b\\n' > ../items.csv")
    #expect(storage.run("bb-notes add S05E14 begun").status == 0)
    let before = storage.state
    storage.keep()
    let made = storage.calls(words)
    let after = storage.state
    #expect(after.contains("sync items") && after != before)
    for call in ["rename", "fsync"] {
      for number in 1...max(1, made.count { $0 == call }) where made.contains(call) {
        storage.restore()
        _ = storage.run(words, "FAULT_NAME=\(call) FAULT_AT=\(number) FAULT_DO=kill")
        #expect([before, after].contains(storage.state), "\(call) \(number)")
        #expect(storage.run(words).status == 0 && storage.state == after, "\(call) \(number)")
      }
    }
  }

  @Test("a database is migrated completely or not at all", .enabled(if: library != nil)) func moved() {
    let storage = Storage(kind: "csv")
    #expect(storage.run("bb-notes add S05E14 begun").status == 0)
    // Next to the store: a store inside another is refused. Faults concern calls below both.
    let to = "sqlite:\(storage.shell.directory)/work/new/new.db"
    let words = "bb-notes migrate -q --to \(to)", variable = "FAULT_DIRECTORY=$PWD"
    _ = storage.run(words, "\(variable) FAULT_LOG=\(storage.shell.directory)/log")
    let flushes = Shell.read("\(storage.shell.directory)/log").split(separator: "\n").count { $0.hasPrefix("fsync ") }
    #expect(flushes > 0)
    for number in 0..<flushes {
      _ = storage.shell.run("rm -rf new")
      let done = storage.run(words, "\(variable) FAULT_NAME=fsync FAULT_AT=\(number + 1) FAULT_ON=1 FAULT_DO=\(EIO)")
      let history = storage.shell.run("bb-notes history --storage \(to)")
      #expect(
        done.status == 0 ? history.out.contains("add") : done.status == 74, "\(number + 1): \(done.err) \(history.err)")
    }
  }

  @Test("who stays in the middle of a change is not waited for for ever", .enabled(if: library != nil)) func held() {
    let storage = Storage(kind: "csv")
    #expect(storage.run("bb-notes add S05E14 begun").status == 0)
    // At each attempt another process holds the lock.
    let done = storage.run(
      "timeout 80 bb-notes add S05E14 more --append", "FAULT_NAME=flock FAULT_AT=1 FAULT_ON=1 FAULT_DO=\(EWOULDBLOCK)")
    #expect(done.status == 75 && done.err.contains("locked by another process"), "\(done.status) \(done.err)")
  }
}
