import Testing

@testable import Persistence
@testable import TestSupport

/// What other programs find in databases that bb writes.
@Suite("-o x.db") struct SQLiteOutputTests {
  private let shell = Shell()

  private func rows(_ query: String, in file: String) throws -> [String] {
    let connection = try SQLiteConnection.open(path: "\(shell.directory)/work/\(file)", .reading)
    let rows = try connection.prepare(query)
    var found: [String] = []
    while try rows.step() { found.append(rows.text(0)) }
    return found
  }
  private func execute(_ statements: String, in file: String) throws {
    try SQLiteConnection.open(path: "\(shell.directory)/work/\(file)", .writing).execute(statements)
  }

  @Test("several processes create one file", arguments: ["o.db", "o.csv", "o.ndjson"]) func crowd(_ file: String) {
    shell.write("t.csv", "id\n" + (1...400).map { "\($0)\n" }.joined())
    let command = "bb-export t.csv --as t --shard $i/4 -o \(file) --existing append -q"
    let got = shell.run(
      "for i in 1 2 3 4; do \(command) & p=\"$p $!\"; done; for i in $p; do wait $i || echo failed; done; "
        + "bb-export --from \(file) --agg 'count,distinct(id)' -f csv --no-headers")
    #expect(got.out == "400,400\n", "\(got.err)")
  }

  @Test("several processes add tables to one new database") func tables() {
    let got = shell.run(
      """
      for i in 1 2 3 4; do printf 'a\\n1\\n' > t$i.csv; done
      for i in 1 2 3 4; do bb-export t$i.csv -o o.db -q & p="$p $!"; done; for i in $p; do wait $i || echo failed; done
      for i in 1 2 3 4; do bb-export t$i --from o.db -f csv --no-headers; done
      """)
    #expect(got.out == "1\n1\n1\n1\n", "\(got.err)")
  }

  @Test(
    "a file that is read is not written",
    arguments: [
      "t.csv --repair -o o.csv --rejects t.csv", "t.csv --join u.csv --on a --repair -o o.csv --rejects ./u.csv",
      "datapackage.json -o o.csv --datapackage", "o.csv-metadata.json -o o.csv --csvw",
      "sources draft datapackage.json -o datapackage.json", "t --from t.db -o t.db --existing append",
      "o.csv.rejects.csv --repair -o o.csv", "t.csv --repair -o o.csv --rejects o.csv",
    ])
  func inputs(_ command: String) {
    for name in ["t.csv", "u.csv", "o.csv.rejects.csv"] { shell.write(name, "a\n1\n") }
    for name in ["datapackage.json", "o.csv-metadata.json"] { shell.write(name, "[{\"a\":1}]\n") }
    #expect(shell.run("bb-export t.csv -o t.db -q && md5sum *.csv *.json t.db > sums").status == 0)
    let got = shell.run("bb-export \(command)")
    #expect(got.status == 64, "\(got.err)")
    #expect(shell.run("md5sum -c --quiet sums").status == 0)
  }

  @Test("numbers of a CSV file are numbers") func numbers() throws {
    shell.write("shop.csv", "item,price\na,9.5\nb,10\nc,100\n")
    #expect(
      shell.run("bb-export --from shop.csv -o s.db -q; bb-export sync --from shop.csv --storage sqlite:t.db -q").status
        == 0)
    // An output has Doubles, with the digits of all numbers if they have the same number of them; a store has literals.
    for (file, sums, types, numbers) in [
      ("s.db", "100.0 119.5", ["real", "real", "real"], "9.5 10.0 100.0"),
      ("t.db", "100 119.5", ["real", "integer", "integer"], "9.5 10 100"),
    ] {
      #expect(try rows("SELECT max(price) || ' ' || sum(price) FROM shop", in: file) == [sums])
      #expect(try rows("SELECT typeof(price) FROM shop ORDER BY price", in: file) == types)
      let prices = numbers.split(separator: " ").map { "\($0)\n" }.joined()
      #expect(shell.run("bb-export shop --from \(file) --columns price -f csv").out == "price\n" + prices)
    }
    shell.write("same.csv", "price\n9.50\n10.00\n100.25\n")
    #expect(
      shell.run("bb-export --from same.csv -o u.db -q && bb-export --from u.db -f csv | cmp - same.csv").status == 0)
    #expect(try rows("SELECT DISTINCT typeof(price) FROM same", in: "u.db") == ["real"])
  }

  @Test("only numbers that SQLite would change are text, and all come back by value") func literals() throws {
    let literals = [
      "1.10", "10", "9.5", "1e400", "-0", "-0.0", "0.0", "10.0", "0.30000000000000004", "1e22", "1E5", "5e-324",
      "123456789012345678901234567890", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "0.0001",
    ]
    shell.write("d.csv", "n\n" + literals.map { $0 + "\n" }.joined())
    let spelled = ["1.10": "1.1", "-0": "-0.0", "1E5": "100000.0"]
    #expect(
      shell.run("bb-export --from d.csv --types n=decimal -o d.db -q && bb-export --from d.db -f csv").out
        == "n\n" + literals.map { (spelled[$0] ?? $0) + "\n" }.joined())
    #expect(
      try rows("SELECT n FROM d WHERE typeof(n) = 'text'", in: "d.db")
        == ["1e400", "123456789012345678901234567890", "9223372036854775808"])
    #expect(
      shell.run(
        "bb-export sync --from d.csv --types n=decimal --storage sqlite:t.db -q && bb-export d --storage sqlite:t.db -f csv | cmp - d.csv"
      ).status == 0)
    #expect(try rows("SELECT count(*) FROM d WHERE typeof(n) = 'text'", in: "t.db") == ["6"])
  }

  @Test("a file has one table and nothing else, and its types come back") func plain() throws {
    let types = "a=integer,b=real,c=decimal,d=boolean,e=text,f=bytes,g=date,h=timestamp,i=url,j=list-of-text,k=json"
    shell.write(
      "t.ndjson",
      #"{"a":1,"b":-0.0,"c":1,"d":true,"e":"x","f":"AP8=","g":"1958","h":"2024-01-01T00:00:00Z","i":"http://x/","j":["q"],"k":"[1]"}"#
        + "\n"
        + #"{"a":null,"b":1e22,"c":1.10,"d":false,"e":"","f":"","g":null,"h":null,"i":null,"j":[],"k":[1]}"# + "\n")
    let done = shell.run(
      """
      bb-export --from t.ndjson --types \(types) -o t.db -q && bb-export --from t.db -f ndjson | cmp - t.ndjson
      bb-export t --from t.db -o u.db -q
      """)
    #expect(done.err.hasPrefix("bb-export: warning: 2 binary values, written as Base64 text"))
    #expect(done.err.split(separator: "\n").count <= 2, "\(done.err)")
    #expect(try rows("SELECT count(*) FROM sqlite_schema", in: "t.db") == ["1"])
    #expect(try rows("SELECT application_id FROM pragma_application_id", in: "t.db") == ["0"])
    // Types and all: the copy has the same definition.
    #expect(try rows("SELECT sql FROM sqlite_schema", in: "t.db") == rows("SELECT sql FROM sqlite_schema", in: "u.db"))
  }

  @Test("a value that another program wrote into an exported table is read") func edited() throws {
    shell.write("t.csv", "day,on\n1958,true\n1966-03,false\n")
    _ = shell.run("bb-export --from t.csv --types day=date,on=boolean -o t.db -q")
    try execute("UPDATE t SET day = 'some day' WHERE day = '1958'", in: "t.db")
    #expect(shell.run("bb-export --from t.db -f csv").out == "day,on\nsome day,true\n1966-03,false\n")
    try execute("ALTER TABLE t ADD COLUMN more TEXT", in: "t.db")
    #expect(shell.run("bb-export --from t.db -f csv").out == "day,on,more\nsome day,1,\n1966-03,0,\n")
  }

  @Test("JSON values are kept by value, and come back") func json() throws {
    shell.write(
      "j.ndjson",
      [
        "1", "\"x\"", "[1]", "\"[1]\"", "true", "\"true\"", "1.10", "\"1.10\"", "\"10\"", "null", "\"\\\"q\\\"\"",
        "-0.0", "{}",
      ]
      .map { "{\"a\":\($0)}\n" }.joined())
    #expect(
      shell.run("bb-export --from j.ndjson -o j.db -q && bb-export --from j.db -f ndjson | cmp - j.ndjson").status == 0)
    #expect(try rows("SELECT typeof(a) || ' ' || a FROM j LIMIT 3", in: "j.db") == ["integer 1", "text x", "text [1]"])
  }

  /// Tables as other programs declare them, for example Northwind: types that SQLite knows only by their affinity,
  /// columns with values of several types, views, and keys of every kind.
  private static let foreign = """
    CREATE TABLE Orders(OrderID INTEGER PRIMARY KEY AUTOINCREMENT, CustomerID TEXT, OrderDate DATETIME, Freight NUMERIC DEFAULT 0);
    INSERT INTO Orders VALUES(10248, 'VINET', '2016-07-04', 32.38), (10249, NULL, '2016-07-05 10:00:00', 11), (10250, '7', 1467849600, NULL);
    CREATE TABLE "Order Details"(OrderID INTEGER, ProductID INTEGER, UnitPrice NUMERIC, Discount REAL, PRIMARY KEY(OrderID, ProductID));
    INSERT INTO "Order Details" VALUES(10248, 11, 14, 0), (10248, 42, 9.8, 0.15), (10249, 1, 18, 1), (10249, 2, '1,5', NULL);
    CREATE TABLE Categories(CategoryID INTEGER PRIMARY KEY, Picture BLOB, Note);
    INSERT INTO Categories VALUES(1, x'89504E47', x'31'), (2, NULL, 'MQ=='), (3, x'', 5), (4, 'not a blob', 2.5), (5, x'00', '[1]'), (6, NULL, '"q"');
    CREATE TABLE Shippers(Phone NVARCHAR(24) PRIMARY KEY, Code DECIMAL(10, 2), Active BOOLEAN) WITHOUT ROWID;
    INSERT INTO Shippers VALUES('(503) 555-9831', 1.5, 1), ('555', 2, 0), ('0012', '007x', 'yes');
    CREATE TABLE Empty(a DECIMAL(5, 2), b DATETIME, c BLOB, d);
    CREATE TABLE Loose(a, b REAL, c NUMERIC);
    INSERT INTO Loose VALUES(9e999, 9e999, 9e999), (-9e999, 1, 1), (NULL, -0.0, 2.5), (-0.0, 3, -0.0), (9223372036854775807, 1e300, 9007199254740993);
    CREATE TABLE Keyed(k TEXT PRIMARY KEY, v); INSERT INTO Keyed VALUES(NULL, 1), ('a', 'x'), (NULL, x'');
    CREATE VIEW Totals AS SELECT OrderID, sum(UnitPrice) AS total, max(Discount) AS best FROM "Order Details" GROUP BY OrderID;
    CREATE VIEW Mixed AS SELECT CustomerID AS v FROM Orders UNION ALL SELECT Freight FROM Orders UNION ALL SELECT Picture FROM Categories;
    """

  @Test("every value of a foreign database keeps its type and value") func foreign() throws {
    try execute(Self.foreign, in: "north.db")
    let tables = try rows(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'", in: "north.db")
    for table in tables {
      let done = shell.run(
        "rm -f out.db; bb-export table '\(table)' --from north.db -o out.db -q || bb-export '\(table)' --from north.db -o out.db -q"
      )
      #expect(done.status == 0, "\(table): \(done.err)")
      let columns = try rows("SELECT '\"' || name || '\"' FROM pragma_table_info('\(table)')", in: "north.db")
      func query(_ columns: [String]) -> String {
        let values = columns.map { "typeof(\($0)) || ' ' || quote(\($0))" }.joined(separator: " || ', ' || ")
        return "SELECT \(values) AS all_values FROM \"\(table)\" ORDER BY 1"
      }
      // Integers among the decimals of a column become Doubles.
      let expected = columns.map { $0 == "\"Freight\"" ? "CAST(\($0) AS REAL)" : $0 }
      #expect(try rows(query(columns), in: "out.db") == rows(query(expected), in: "north.db"), "\(table)")
    }
  }

  @Test("bytes and text of one column are refused where they would be the same") func bytes() throws {
    try execute("CREATE TABLE t(c); INSERT INTO t VALUES(1), (x'31'), ('MQ==')", in: "t.db")
    for format in ["csv", "tsv", "json", "ndjson", "yaml", "singer", "xlsx"] {
      let done = shell.run("bb-export --from t.db -f \(format) -o out")
      #expect(
        done.status == 65 && done.err.contains("column c") && done.err.contains("record 2"), "\(format): \(done.err)")
    }
    let sync = shell.run("bb-export sync --from t.db --storage csv:s")
    #expect(sync.status == 65 && sync.err.contains("“c”"), "\(sync.err)")
  }

  @Test("an infinity is kept by sqlite, and refused by other exact formats") func infinity() throws {
    try execute("CREATE TABLE t(n REAL); INSERT INTO t VALUES(1), (9e999)", in: "t.db")
    #expect(shell.run("bb-export --from t.db -o u.db").status == 0)
    #expect(try rows("SELECT quote(n) FROM t", in: "u.db") == rows("SELECT quote(n) FROM t", in: "t.db"))
    for format in ["csv", "tsv", "json", "ndjson", "yaml", "singer", "sql", "xlsx"] {
      let done = shell.run("bb-export --from t.db -f \(format) -o out")
      #expect(
        done.status == 65 && done.err.contains("column n") && done.err.contains("record 2")
          && done.err.contains("--nonfinite"), "\(format): \(done.err)")
    }
  }

  @Test("NaN is refused, or written as --nonfinite says") func notANumber() throws {
    shell.write("t.csv", "n\n1.5\nNaN\nINF\n")
    shell.write(
      "t.csv-metadata.json",
      #"{"@context":"http://www.w3.org/ns/csvw","url":"t.csv","tableSchema":{"columns":[{"name":"n","datatype":"double"}]}}"#
    )
    let refused = shell.run("bb-export --from t.csv -o t.db")
    #expect(refused.status == 65 && refused.err.contains("column n: SQLite cannot represent NaN (record 2)"))
    let query = "SELECT typeof(n) || ' ' || quote(n) FROM t"
    #expect(shell.run("bb-export --from t.csv -o t.db --nonfinite null").err == "")
    #expect(try rows(query, in: "t.db") == ["real 1.5", "null NULL", "null NULL"])
    #expect(shell.run("bb-export --from t.csv -o t.db --nonfinite string").err == "")
    #expect(try rows(query, in: "t.db") == ["real 1.5", "text 'NaN'", "text 'Infinity'"])
    let sync = shell.run("bb-export sync t --from t.csv --storage csv:s")
    #expect(sync.status == 65 && sync.err.contains("t: column “n” cannot represent NaN"), "\(sync.err)")
  }

  @Test("text among JSON values has no quotes in SQL for any system") func portable() {
    shell.write(
      "t.ndjson",
      [#""x""#, #""5""#, "5", #""[1]""#, "[1]", "true", #""true""#, #""\"q\"""#, "null", "1.10"]
        .map { "{\"v\":\($0)}\n" }.joined())
    let found = shell.run("bb-export --from t.ndjson -f sql").out.split(separator: "\n").filter {
      $0.hasPrefix("INSERT")
    }
    #expect(
      found.map { $0.dropFirst("INSERT INTO \"t\" VALUES(".count).dropLast(2) } == [
        "'x'", #"'"5"'"#, "'5'", #"'"[1]"'"#, "'[1]'", "'true'", #"'"true"'"#, #"'"\"q\""'"#, "NULL", "'1.10'",
      ])
  }

  @Test("SQL is for SQLite alone where another system cannot have the table") func dialects() {
    func table(_ names: [String]) {
      shell.write("t.csv", names.joined(separator: ",") + "\n" + names.map { _ in "1" }.joined(separator: ",") + "\n")
    }
    let many = (0..<1018).map { "c\($0)" }, long = String(repeating: "ä", count: 32)
    for (names, refused) in [(many, ["ansi", "mysql"]), ([long], ["ansi", "postgres"]), (["🧪"], ["ansi", "mysql"])] {
      table(names)
      #expect(shell.run("bb-export --from t.csv -f sql").out.contains(") STRICT;"))
      for dialect in ["ansi", "mysql", "postgres", "sqlite"] {
        let done = shell.run("bb-export --from t.csv -f sql --option sql.dialect=\(dialect) -o out.sql")
        #expect(done.status == (refused.contains(dialect) ? 65 : 0), "\(dialect): \(done.err)")
      }
    }
    table([String(long.dropLast())])
    #expect(!shell.run("bb-export --from t.csv -f sql").out.contains(") STRICT;"))
  }
}
