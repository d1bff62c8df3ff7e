import AppShell
import AppTestSupport
import CommandLineKit
import Rows
import Testing

@Suite("the outputs of both programs") struct OutputPlanTests {
  private static let export = Command("export", "export", options: OutputOptions.exporting)
  private static let list = Command("list", "list", options: OutputOptions.listing)
  private static let program = Program(
    "test", version: "1", "test", commands: [export, list], options: SharedOptions.everywhere, topics: [], examples: [])

  /// Two rows, whose types may have been guessed.
  private struct People: ExactRowStream {
    let schema = Schema("people", columns: [ColumnDescription("id", .integer), ColumnDescription("name", .text)])
    var mayWiden = false
    let rows: BufferedRows

    init(mayWiden: Bool = false) {
      var builder = RowBatchBuilder(width: 2)
      for (id, name) in [(1, "Ann"), (2, "Bo")] {
        builder.append(integer: Int64(id))
        builder.append(text: name)
      }
      self.mayWiden = mayWiden
      rows = BufferedRows(schema: schema, batches: [builder.finish()])
    }
    func next() async throws(Problem) -> BatchTask? { try await rows.next() }
  }

  /// Runs a command line that writes the people; returns the problem.
  @discardableResult
  private func write(
    _ line: String, _ files: MemoryFiles, _ policy: OutputPolicy = OutputPolicy(), _ rows: People = People(),
    _ lines: Lines = Lines()
  ) async -> Problem? {
    let report = Report(program: "test") { lines.add($0) }
    var services = AppServices(report)
    (services.exporters, services.files, services.terminal) = (BuiltInExporters(), files, files)
    do throws(Problem) {
      var invocation = try Self.program.parse(line.split(separator: " ").map(String.init))
      services.locations = files.kinds()
      invocation.locations = services.locations
      report.configure(style: .text, isQuiet: false, isVerbose: invocation.has(SharedOptions.verbose))
      try await OutputPlan(invocation, services, policy).write(rows)
      return nil
    } catch { return error }
  }

  @Test("several files are written in one pass, in the formats of their names") func files() async {
    let files = MemoryFiles()
    #expect(await write("export -o a.csv -o b.ndjson --csvw", files) == nil)
    #expect(files.files["a.csv"] == "id,name\n1,Ann\n2,Bo\n")
    #expect(files.files["b.ndjson"] == "{\"id\":1,\"name\":\"Ann\"}\n{\"id\":2,\"name\":\"Bo\"}\n")
    #expect(files.files.keys.sorted() == ["a.csv", "a.csv-metadata.json", "b.ndjson"])
    #expect(files.output == "")
  }

  @Test(
    "command lines that cannot be right are refused before anything is written",
    arguments: [
      ("export -o a.csv -o ./a.csv", Problem.Kind.usage), ("export -o a.csv -o a.csv", .usage),
      ("export -o a.csv --csvw -o a.csv-metadata.json", .usage), ("export --csvw", .usage),
      ("export -o a.csv -o b/c.csv --datapackage", .usage), ("export -f nosuch", .usage),
      ("export -o a.csv -f json", .usage), ("export -o old.csv --no-clobber", .cannotCreate),
      ("list --json --plain", .usage), ("list -f csv --json", .usage), ("export --threads 0", .usage),
    ])
  func refused(line: String, kind: Problem.Kind) async {
    let files = MemoryFiles(["old.csv": "old"])
    #expect(await write(line, files)?.kind == kind)
    #expect(files.files == ["old.csv": "old"])
    #expect(files.output == "")
  }

  @Test("the summary has rows, bytes and digest of each output, and details are reported when requested")
  func summary() async {
    let files = MemoryFiles(), lines = Lines()
    await write("export -f csv --summary json --verbose", files, OutputPolicy(), People(), lines)
    #expect(lines.all.hasPrefix("standard output: csv, rows: 2, bytes: 19\n{\"bb\":1,\"seconds\":"))
    #expect(
      lines.all.hasSuffix(
        "\"source\":null,\"fetched_at\":null,\"complete\":true,\"outputs\":[{\"file\":\"-\",\"format\":\"csv\",\"rows\":2,\"bytes\":19,"
          + "\"sha256\":\"11589d50cefd2722483cf82a65dd300d103167531144de525366051cd7dc77f5\"}]}\n"
      ))
  }

  @Test("standard output is held back while types may still change", arguments: [false, true])
  func heldBack(mayWiden: Bool) async {
    let files = MemoryFiles()
    await write("export -f csv", files, OutputPolicy(), People(mayWiden: mayWiden))
    #expect(files.heldBack == [mayWiden])
    #expect(files.output == "id,name\n1,Ann\n2,Bo\n")
  }

  @Test("users and scripts get the columns of the policy, chosen formats get all columns") func columns() async {
    var policy = OutputPolicy()
    (policy.kind, policy.columns) = ("people", [.user: ["name"], .scripts: ["name"]])
    for (line, output) in [
      ("list", "name\nAnn\nBo\n"), ("list --plain", "Ann\nBo\n"),
      ("list -f csv", "id,name\n1,Ann\n2,Bo\n"),
      (
        "list --json",
        "{\"bb\":1,\"kind\":\"people\",\"items\":[\n{\"id\":1,\"name\":\"Ann\"},\n{\"id\":2,\"name\":\"Bo\"}\n]\n}\n"
      ),
    ] {
      let files = MemoryFiles()
      #expect(await write(line, files, policy) == nil)
      #expect(files.output == output, "\(line)")
    }
  }

  @Test("a format for terminals is used only there") func terminal() async {
    var policy = OutputPolicy()
    policy.interactiveFormat = "ndjson"
    let terminal = MemoryFiles(width: 80), pipe = MemoryFiles()
    await write("list", terminal, policy)
    await write("list", pipe, policy)
    #expect(terminal.output.hasPrefix("{\"id\":1"))
    #expect(pipe.output.hasPrefix("id,name\n"))
  }
}
