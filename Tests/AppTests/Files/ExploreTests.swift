import TestSupport
import Testing

@Suite("explore at a terminal") struct ExploreTests {
  private let shell = Shell("BB_API_URL=http://127.0.0.1:9 TERM=xterm")

  /// The command that `y` shows after some keys, each with what is then on the screen.
  private func command(_ words: String, _ keys: (key: String, shown: String)...) throws -> String {
    let terminal = try PseudoTerminal(shell.command("bb-export explore \(words)"))
    #expect(terminal.shows("row 1 of "))
    for (key, shown) in keys {
      terminal.type(key)
      #expect(terminal.shows(shown), "\(words): \(key)")
    }
    terminal.type("y")
    #expect(terminal.shows("]52;c;"))
    terminal.type("q")
    #expect(terminal.end() == 0)
    let printed = terminal.text.split(separator: "\u{1B}[?1049l").last ?? ""
    return printed.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }

  @Test(
    "a key acts on the rows that are shown, and its command gives them",
    arguments: [
      ("--rename name=who", "who,rows\nann,2\nbob,1\n"), ("--rename name=age,age=name", "age,rows\nann,2\nbob,1\n"),
      ("--drop age", "name,rows\nann,2\nbob,1\n"), ("--put 'twice=age*2' --drop age", "name,rows\nann,2\nbob,1\n"),
      ("--distinct --by name", "name,rows\nann,1\nbob,1\n"), ("--limit 2", "name,rows\nann,1\nbob,1\n"),
      ("--tail 1", "name,rows\nann,1\n"), ("--count-by name", "name,rows\nann,1\nbob,1\n"),
      ("--pivot note,age", "name,rows\nann,1\nbob,1\n"), ("--limit 0", "name,rows\n"),
      ("--sql 'SELECT name FROM people LIMIT 2'", "name,rows\nann,1\nbob,1\n"),
      ("--where 'age < 30' --columns name,age", "name,rows\nann,1\nbob,1\n"),
    ]) func laterOptions(options: String, counts: String) throws
  {
    shell.write("people.csv", "name,age,note\nann,1,x\nbob,2,y\nann,31,z\n")
    if options == "--limit 0" {
      let terminal = try PseudoTerminal(shell.command("bb-export explore people.csv --limit 0"))
      #expect(terminal.shows("row 0 of 0"))
      terminal.type("F")
      #expect(terminal.shows("values of name"))
      terminal.type("q")
      #expect(terminal.end() == 0)
      return
    }
    let counted = try command("people.csv \(options)", ("F", "values of "))
    #expect(shell.run("\(counted) -f csv").out == counts, "\(counted)")
    let name = counts.prefix { $0 != "," }
    let sorted = try command("people.csv \(options)", ("s", "▲"), ("s", "▼"), ("f", "\"\(name)\" = "))
    let rows = shell.run("\(sorted) -f ndjson")
    #expect(
      rows.status == 0 && rows.out.contains("\"\(name)\":\"\(counts.contains("bob") ? "bob" : "ann")\""), "\(sorted)")
  }

  @Test(
    "the rows before an error are shown with its place, and keys act on them",
    arguments: [
      ("bad.csv", "a,b\n1,2\n3,4\n5,6,7\n8,9\n", "bad.csv:4:"),
      ("bad.tsv", "a\tb\n1\t2\n3\t4\n5\t6\t7\n", "bad.tsv:4:"),
      ("bad.ndjson", "{\"a\":1}\n{\"a\":3}\n{\"a\":\n", "bad.ndjson:4:"),
      ("bad.json", "[\n{\"a\":1},\n{\"a\":3},\n{\"a\":x}\n]\n", "bad.json:4:"),
      ("lines.csv", "a,b\n1,\"x\ny\"\n3,4\n5,\"x\ny\",7\n", "lines.csv:6:"),
    ]) func badRecords(file: String, text: String, place: String) throws
  {
    shell.write(file, text)
    let terminal = try PseudoTerminal(shell.command("bb-export explore \(file)"))
    #expect(terminal.shows("row 1 of 2 · \(place)"), "\(file)")
    terminal.type("F")
    #expect(terminal.shows("rows") && terminal.shows("██"), "\(file)")
    // The command ends with the error.
    terminal.type("y")
    #expect(terminal.shows("# fails after these rows: the data have an error"), "\(file)")
    terminal.type("q")
    #expect(terminal.end() == 0)
  }

  @Test("numbers and dates are not cut where there is room") func widths() throws {
    let rows = (1...30).map { "r\($0),\($0 == 30 ? "123456789,2024-01-31" : "\($0),2024")\n" }
    shell.write("o.csv", "k,v,d\n" + rows.joined())
    let terminal = try PseudoTerminal(shell.command("bb-export explore o.csv"))
    #expect(terminal.shows("row 1 of 30"))
    terminal.type("G")
    #expect(terminal.shows("123456789") && terminal.shows("2024-01-31") && terminal.shows("row 30 of 30"))
    terminal.type("q")
    #expect(terminal.end() == 0)
  }
}
