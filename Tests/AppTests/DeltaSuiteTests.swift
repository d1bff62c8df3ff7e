import TestSupport
import Testing

/// Tables that other programs wrote: those of delta-kernel, read from the directory of test data; not part of this
/// project.
@Suite("Delta tables of other programs", .enabled(if: Shell.variable("BB_TEST_DATA") != nil)) struct DeltaSuiteTests {
  private static func shell(_ name: String) throws -> Shell {
    let shell = Shell(), data = try #require(Shell.variable("BB_TEST_DATA"))
    #expect(shell.run("tar xzf '\(data)/suites/delta/\(name).tgz'").status == 0)
    return shell
  }

  @Test(
    "rows equal those that are expected",
    arguments: [
      "data-reader-timestamp_ntz-name-mode", "data-skipping-basic-stats-all-types-columnmapping-id",
      "dv-partitioned-with-checkpoint", "table-with-columnmapping-mode-name", "v2-checkpoint-json",
    ])
  func expected(name: String) throws {
    let done = try Self.shell(name).run("bb-export diff delta:\(name)/delta '\(name)/expected/*.parquet'")
    #expect(done.status == 0, "\(done.out.prefix(2000)) \(done.err)")
  }

  @Test(
    "tables have as many rows as their logs say",
    arguments: [
      ("cdf-column-mapping-id-mode", 3), ("cdf-table-with-dv", 10), ("compacted-log-files-table", 5),
      ("timestamp-partitioned-table", 1), ("v2-checkpoints-json-without-sidecars", 11),
      ("v2-checkpoints-parquet-with-sidecars", 1233), ("v2-classic-checkpoint-parquet", 20),
    ])
  func counts(name: String, count: Int) throws {
    let done = try Self.shell(name).run("bb-export --from delta:\(name) --count")
    #expect(done.out == "\(count)\n", "\(done.err)")
  }

  @Test(
    "what is not supported is named",
    arguments: [("unshredded-variant", "variantType"), ("canonicalized-paths-normal-a/delta", "outside the table")])
  func refused(name: String, word: String) throws {
    let done = try Self.shell(String(name.prefix { $0 != "/" })).run("bb-export --from delta:\(name) -f csv")
    #expect(done.status == 65 && done.err.contains(word), "\(done.err)")
  }
}
