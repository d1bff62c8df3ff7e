import TestSupport
import Testing

@Suite("without /proc and /sys", .enabled(if: Shell().run("unshare -rm true").status == 0, "unshare is not permitted"))
struct MissingSystemFilesTests {
  private static func shell(_ command: String) -> Shell {
    let shell = Shell()
    shell.write("hide.sh", "mount -t tmpfs x /proc && mount -t tmpfs x /sys || exit 99\n\(command)\n")
    return shell
  }

  @Test("arguments reach both programs", arguments: ["bb-export", "bb-notes"]) func arguments(program: String) {
    let run = Self.shell("\(program) --version").run("unshare -rm sh hide.sh")
    #expect(run.status == 0 && run.out.hasPrefix("\(program) "), "\(run)")
  }

  /// Dispatch ends a process whose threads it cannot watch in /proc, but not each time.
  @Test(
    "conversions run",
    arguments: [
      "-f json", "-o out.parquet", "-o out.csv.gz", "--sort b -f csv", "-o out.db", "-o 'p={a}/x.csv'",
      "--sql 'select count(*) from rows' -f csv",
    ]) func conversions(options: String)
  {
    let shell = Self.shell("for i in 1 2 3 4; do rm -rf out.* p=*; bb-export rows.csv \(options) >&2 || exit $?; done")
    shell.write("rows.csv", "a,b\n1,x\n2,y\n")
    let run = shell.run("unshare -rm sh hide.sh")
    #expect(run.status == 0, "\(run)")
  }

  @Test("a command that takes seconds, and waits, runs") func waiting() {
    let shell = Self.shell("(echo a; sleep 2.5; seq 20000) | bb-export - --from-format csv -f csv | tail -n 1")
    let run = shell.run("unshare -rm sh hide.sh")
    #expect(run.status == 0 && run.out == "20000\n", "\(run)")
  }
}
