import Domain
import Glibc
import Rows
import TestSupport
import Testing

@Suite("Delta tables of a store") struct SyncedTablesTests {
  private let console = Console()

  private func sync(_ rows: String, _ more: String = "") async -> Shell.Outcome {
    console.write("id,name\n" + rows, to: "people.csv")
    return await console.run(
      "bb-export sync --from \(console.home)/people.csv --storage sqlite:\(console.home)/s.db \(more)")
  }
  private var output: String { "-o delta:\(console.home)/people" }
  /// The rows of a version of the table; nil if there is no such version.
  private func rows(_ version: Int) async -> String? {
    let read = await console.run("bb-export --from 'delta:\(console.home)/people?version=\(version)' --sort id -f csv")
    return read.status == 0 ? String(read.out.dropFirst("id,name\n".count)) : nil
  }

  @Test("each change of the store is one version, however often it is synced") func once() async {
    #expect(await sync("1,a\n2,b\n", output).status == 0)
    let again = await sync("1,a\n2,b\n", output)
    #expect(again.status == 0 && again.err.isEmpty, "\(again.err)")
    #expect(await rows(1) == nil)
    // Changes within one second, also back to an earlier state.
    #expect(await sync("1,a\n3,c\n", output).status == 0)
    #expect(await sync("1,a\n2,b\n", output).status == 0)
    #expect(await rows(0) == "1,a\n2,b\n")
    #expect(await rows(1) == "1,a\n3,c\n")
    #expect(await rows(2) == "1,a\n2,b\n")
    #expect(await rows(3) == nil)
  }

  @Test("a sync that ended between the store and the table is completed by the next") func completed() async {
    #expect(await sync("1,a\n", output).status == 0)
    #expect(await sync("1,b\n").status == 0)
    #expect(await sync("1,b\n", output + " --dry-run").status == 0)
    #expect(await rows(1) == nil)
    #expect(await sync("1,b\n", output).status == 0)
    #expect(await rows(1) == "1,b\n")
    #expect(await rows(2) == nil)
  }

  @Test("an undo is a change of the table") func undo() async {
    #expect(await sync("1,a\n", output).status == 0)
    #expect(await sync("1,b\n", output).status == 0)
    #expect(await console.run("bb-notes undo --storage sqlite:\(console.home)/s.db").status == 0)
    #expect(await sync("1,a\n", output).status == 0)
    #expect(await rows(2) == "1,a\n")
  }

  @Test("if the table fails, the store keeps the records, and the next sync writes them") func failure() async {
    let path = console.write("not a directory", to: "people")
    let failed = await sync("1,a\n", output)
    #expect(failed.status == 65 && failed.out.contains(/people[ │]+1\b/), "\(failed.err)")
    unsafe unlink(path)
    let healed = await sync("1,a\n", output)
    #expect(healed.status == 0 && healed.out.contains(/people[ │]+0\b/), "\(healed.err)")
    #expect(await rows(0) == "1,a\n")
  }

  @Test("the table of another dataset is replaced only on request") func foreign() async {
    #expect(await sync("1,a\n", output + " --as others").status == 0)
    #expect(await sync("2,b\n", output).status == 73)
    #expect(await rows(1) == nil)
    #expect(await sync("2,b\n", output + " --existing replace").status == 0)
    #expect(await rows(1) == "2,b\n")
  }

  /// Syncs other rows into another store and the same table.
  private func syncOther(_ rows: String, _ more: String = "") async -> Shell.Outcome {
    console.write("id,name\n" + rows, to: "people.csv")
    return await console.run(
      "bb-export sync --from \(console.home)/people.csv --storage sqlite:\(console.home)/other.db \(output) \(more)")
  }

  @Test("a table that another store wrote in the meantime is replaced only on request") func otherStore() async {
    #expect(await sync("1,a\n", output).status == 0)
    let path = "\(console.home)/people"
    #expect(unsafe rename(path, path + "-old") == 0)
    #expect(await syncOther("9,z\n").status == 0)
    let refused = await sync("1,a\n", output)
    #expect(refused.status == 73 && refused.err.contains("the table has records of another store"), "\(refused.err)")
    #expect(refused.err.contains("--existing replace"))
    #expect(await rows(0) == "9,z\n")
    // Also with a later state.
    #expect(await sync("1,b\n", output).status == 73)
    #expect(await sync("1,b\n", output + " --existing replace").status == 0)
    #expect(await rows(1) == "1,b\n")
    #expect(await sync("1,b\n", output).status == 0)
    #expect(await syncOther("9,z\n").status == 73)
    #expect(await rows(2) == nil)
  }

  @Test("a table that was removed is written again") func removed() async {
    #expect(await sync("1,a\n", output).status == 0)
    let path = "\(console.home)/people"
    #expect(unsafe rename(path, path + "-old") == 0)
    #expect(await sync("1,a\n", output).status == 0)
    #expect(await rows(0) == "1,a\n")
  }

  @Test(
    "rows that another program changed are written again, also after a checkpoint",
    arguments: [0, 9], ["--existing append", "--existing replace"])
  func changed(syncs: Int, how: String) async {
    #expect(await sync("1,a\n", output).status == 0)
    for number in 0..<syncs { #expect(await sync("1,\(number)\n", output).status == 0) }
    let last = syncs == 0 ? "1,a\n" : "1,\(syncs - 1)\n"
    console.write("id,name\n5,e\n", to: "more.csv")
    let append = await console.run("bb-export --from \(console.home)/more.csv \(output) \(how)")
    #expect(append.status == 0, "\(append.err)")
    let healed = await sync(last, output)
    #expect(healed.status == 0 && healed.err.contains("warning"), "\(healed.err)")
    #expect(await rows(syncs + 2) == last)
    let again = await sync(last, output)
    #expect(again.status == 0 && again.err.isEmpty, "\(again.err)")
    #expect(await rows(syncs + 3) == nil)
  }

  @Test("a table whose files another program joined is left alone") func compacted() async {
    #expect(await sync("1,a\n", output).status == 0)
    let entry = #"{"commitInfo":{"operation":"OPTIMIZE"}}"# + "\n" + #"{"add":null,"remove":null}"#
    console.write(entry, to: "people/_delta_log/00000000000000000001.json")
    let again = await sync("1,a\n", output)
    #expect(again.status == 0 && again.err.isEmpty, "\(again.err)")
    #expect(await rows(2) == nil)
  }

  @Test("states of a table grow with its changes, also with those of one time") func states() {
    func entry(_ id: String, _ tables: String...) -> HistoryEntry {
      HistoryEntry(
        id: id, time: "", title: "",
        tables: tables.map { TableRevisions(schema: Schema($0, columns: [ColumnDescription("id", .text)])) })
    }
    let first = "01a2079e-5638-7be0-9c59-efaec244136d", second = "01a2079e-5638-7be0-9c59-f04fe153c827"
    var history = [entry(first, "a", "b")]
    let state: Int64 = 0x01a2_079e_5638 << 15
    #expect(
      history.states(of: "a").current == state && history.states(of: "b").current == state
        && history.states(of: "c").current == 0)
    history.append(entry(second, "b"))
    #expect(history.states(of: "a").current == state && history.states(of: "b").current == state + 1)
    history.append(entry("01a2079e-5639-7be0-9c59-000000000000", "a"))
    let states = history.states(of: "a")
    #expect(states.current == 0x01a2_079e_5639 << 15 && states.mark(of: state + 1) == nil)
    #expect(states.mark(of: state) == 0xc59_efae_c244_136d)
  }
}
