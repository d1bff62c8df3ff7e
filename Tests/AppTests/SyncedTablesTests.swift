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
    #expect(failed.status == 65 && failed.out.contains("| people | 1 |"), "\(failed.err)")
    unsafe unlink(path)
    let healed = await sync("1,a\n", output)
    #expect(healed.status == 0 && healed.out.contains("| people | 0 |"), "\(healed.err)")
    #expect(await rows(0) == "1,a\n")
  }

  @Test("the table of another dataset is replaced only on request") func foreign() async {
    #expect(await sync("1,a\n", output + " --as others").status == 0)
    #expect(await sync("2,b\n", output).status == 73)
    #expect(await rows(1) == nil)
    #expect(await sync("2,b\n", output + " --existing replace").status == 0)
    #expect(await rows(1) == "2,b\n")
  }

  @Test("states of a table grow with its changes, also with those of one time") func states() {
    func entry(_ id: String, _ tables: String...) -> HistoryEntry {
      HistoryEntry(
        id: id, time: "", title: "",
        tables: tables.map { TableRevisions(schema: Schema($0, columns: [ColumnDescription("id", .text)])) })
    }
    let first = "01a2079e-5638-7be0-9c59-efaec244136d", second = "01a2079e-5638-7be0-9c59-f04fe153c827"
    var history = [entry(first, "a", "b")]
    let state = history.state(of: "a")
    #expect(state == 0x01a2_079e_5638 << 15 && history.state(of: "b") == state && history.state(of: "c") == 0)
    history.append(entry(second, "b"))
    #expect(history.state(of: "a") == state && history.state(of: "b") == state + 1)
    history.append(entry("01a2079e-5639-7be0-9c59-000000000000", "a"))
    #expect(history.state(of: "a") == 0x01a2_079e_5639 << 15)
  }
}
