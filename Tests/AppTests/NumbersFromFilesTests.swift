import TestSupport
import Testing

@Suite("numbers from files") struct NumbersFromFilesTests {
  @Test(
    "a Delta version out of range is reported",
    arguments: ["json", "checkpoint.parquet"], ["--from delta:t -f csv", "rows.csv -o delta:t --existing append"])
  func version(kind: String, command: String) {
    let version = "09223372036854775807"
    let shell = Shell()
    shell.write("rows.csv", "a\n1\n")
    let run = shell.run("mkdir -p t/_delta_log; : > t/_delta_log/\(version).\(kind); bb-export \(command)")
    #expect(run.status == 65 && run.err.contains("version out of range"), "\(run)")
  }
}
