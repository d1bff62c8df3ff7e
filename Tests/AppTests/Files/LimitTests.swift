import TestSupport
import Testing

/// A table that is too large is refused before anything is written.
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

  private static let hasSQLite = Shell.hasProgram("sqlite3")

  @Test(
    "--timeout and --max-field apply to a database that is read as a store",
    .enabled(if: hasSQLite, "sqlite3 is not installed"))
  func foreignStore() {
    let shell = Shell()
    let made = shell.run(
      """
      sqlite3 f.db 'CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(1700000));
        CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 0'
      """)
    #expect(made.status == 0, "\(made.err)")
    for place in ["--storage f.db", "--storage sqlite:f.db", "--from f.db"] {
      let view = shell.run("timeout 20 bb-export v \(place) --timeout 1 -f csv")
      #expect(view.status == 69 && view.err.contains("time limit"), "\(place): \(view.err)")
      #expect(shell.run("bb-export t \(place) --max-field 1 -f csv").status == 65)
      #expect(shell.run("bb-export t \(place) --max-field 2 -f csv | wc -c").out == "2266671\n")
    }
    #expect(shell.run("bb-export notes --timeout 1").status == 64)
    #expect(shell.run("bb-export sync --from-storage f.db --timeout 1 --storage s.db").status == 64)
  }

  @Test(
    "--timeout ends a function that does not return, in views and computed columns",
    .enabled(if: hasSQLite, "sqlite3 is not installed"))
  func longFunctions() {
    let shell = Shell()
    let long = "instr(zeroblob(16000000), CAST(zeroblob(8000000) || 'x' AS BLOB))"
    let made = shell.run(
      """
      sqlite3 f.db "CREATE VIEW v AS SELECT \(long) AS n; CREATE TABLE g(a); INSERT INTO g VALUES(1); ALTER TABLE g ADD COLUMN b AS (\(long));
        CREATE VIEW slow AS WITH c(x) AS (VALUES(1), (2), (3)) SELECT x, hex(zeroblob(7000000)) > x AS y FROM c"
      bb-notes add S01E01 x --storage sqlite:own.db -q
      sqlite3 own.db "CREATE TABLE g(a); INSERT INTO g VALUES(1); ALTER TABLE g ADD COLUMN b AS (\(long))"
      """)
    #expect(made.status == 0, "\(made.err)")
    for (table, file) in [("v", "--from f.db"), ("g", "--from f.db"), ("v", "--storage f.db"), ("g", "--from own.db")] {
      let start = ContinuousClock.now
      let done = shell.run("timeout 20 bb-export \(table) \(file) --timeout 1 -f csv -o out.csv; r=$?; ls; exit $r")
      #expect(done.status == 69 && done.err.contains("exceeded its time limit"), "\(table) \(file): \(done)")
      #expect(done.out == "f.db\nown.db\n" && ContinuousClock.now - start < .seconds(15), "\(done)")
    }
    #expect(shell.run("bb-export slow --from f.db --timeout 1 -f csv").out == "x,y\n1,1\n2,1\n3,1\n")
  }

  @Test(
    "an interrupt ends a long SQL statement, and a long step of one, at once",
    .enabled(if: hasSQLite, "sqlite3 is not installed"), arguments: ["v", "h"], ["INT", "TERM"])
  func interrupted(_ view: String, _ signal: String) {
    let shell = Shell()
    let made = shell.run(
      """
      sqlite3 f.db "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x < 0;
        CREATE VIEW h AS SELECT instr(zeroblob(16000000), CAST(zeroblob(8000000) || 'x' AS BLOB)) AS n"
      """)
    #expect(made.status == 0, "\(made.err)")
    let done = shell.run(
      "timeout -s \(signal) -k 10 1 bb-export \(view) --from f.db -o out.csv; timeout -s \(signal) -k 10 1 bb-export \(view) --storage f.db --timeout 0; ls -A"
    )
    #expect(done.out == "f.db\n" && done.err == "", "\(done)")
    let program = shell.run(
      "bb-export \(view) --from f.db -f csv & sleep 1; kill -\(signal) $!; wait $!; echo $?")
    #expect(program.out == (signal == "INT" ? "130\n" : "143\n"), "\(program)")
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
