import Testing

/// What is too large is refused before anything is written.
@Suite("Limits of formats and stores", .serialized) struct LimitTests {
  private func table(_ columns: Int) -> String {
    (0..<columns).map { "c\($0)" }.joined(separator: ",") + "\n" + (0..<columns).map(String.init).joined(separator: ",")
      + "\n"
  }

  @Test(
    "columns up to the limit are written, one more is refused with 65",
    arguments: [("sqlite", "db", 2000), ("sql", "sql", 2000), ("csv", "csv", 10_000), ("json", "json", 10_000)])
  func columns(_ name: String, _ suffix: String, _ limit: Int) {
    let shell = Shell()
    shell.write("at.csv", table(limit))
    let written = shell.run("bb-export --from at.csv -o x.\(suffix) -q && wc -c < x.\(suffix)")
    #expect(written.err == "" && written.status == 0)
    shell.write("above.csv", table(limit + 1))
    let refused = shell.run("bb-export --from above.csv -o y.\(suffix) -q")
    let expected =
      limit == 10_000
      ? "more than 10000 columns" : "\(name): the table has \(limit + 1) columns; the maximum is \(limit)"
    #expect(refused.status == 65 && refused.err.contains(expected), "\(refused)")
    #expect(shell.run("ls y.\(suffix)").status != 0)
  }

  @Test("a store in SQLite refuses more columns than SQLite has") func store() {
    let shell = Shell()
    shell.write("t.csv", table(2001))
    let refused = shell.run("bb-export sync --from t.csv --storage sqlite:s.db -q")
    #expect(refused.status == 65 && refused.err.contains("2001 columns; the maximum is 2000"), "\(refused)")
    #expect(
      shell.run("bb-export sync --from t.csv --storage csv:s -q && bb-export t --storage csv:s -f csv | cmp - t.csv")
        .status == 0)
  }
}
