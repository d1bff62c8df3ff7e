import Codecs
import Domain
@testable import Persistence
import Files
import Query
import Rows
import TestSupport
import Testing

/// Tables in files: formats told apart, types found, metadata believed.
struct FileSourceTests {
  let directory = TemporaryDirectory()

  /// The rows of a file's table as text, `column:type` of each column first.
  private func table(
    _ name: String, _ reading: FileInputOptions = FileInputOptions(), table: String? = nil, widened: Bool = false
  ) async throws -> [String] {
    let source = try FileSource(
      path: "\(directory.path)/\(name)", reading, scratch: TemporaryScratch(directory: directory.path)
    ) { _ in }
    let names = try await source.tables().map(\.name)
    var rows = try await source.rows(of: table ?? names.first ?? "", RowRequest())
    do throws(Problem) {
      return try await shown(rows)
    } catch {
      guard widened, let again = try await rows.widened() else { throw error }
      rows = again
      return try await shown(rows)
    }
  }

  private func shown(_ rows: any RowStream) async throws(Problem) -> [String] {
    var lines = [rows.schema.columns.map { "\($0.name):\($0.type.name)" }.joined(separator: " ")]
    for batch in try await rows.collect() {
      for row in 0..<batch.count {
        lines.append((0..<batch.width).map { Self.text(batch.value(row, $0)) }.joined(separator: " "))
      }
    }
    return lines
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .number(let text), .json(let text): String(decoding: text, as: UTF8.self)
    case .text(let text): "'\(String(decoding: text, as: UTF8.self))'"
    case .bytes(let bytes): "x\(bytes.count)"
    }
  }

  @Test func suffixesAndFirstBytesTellTheFormat() async throws {
    let csv = ["a:integer b:text", "1 'x'"]
    try await directory.write("t.csv", "a,b\n1,x\n")
    try await directory.write("t.tsv", "a\tb\n1\tx\n")
    try await directory.write("t.json", "[{\"a\":1,\"b\":\"x\"}]")
    try await directory.write("t.jsonl", "{\"a\":1,\"b\":\"x\"}\n")
    try await directory.write("nothing", "a,b\n1,x\n")
    try await directory.write("array", "\n [{\"a\":1,\"b\":\"x\"}]")
    for name in ["t.csv", "t.tsv", "t.json", "t.jsonl", "nothing", "array"] {
      #expect(try await table(name) == csv, "\(name)")
    }
  }

  @Test func whatCannotBeToldIsAsked() async throws {
    try await directory.write("zeros", "\0\0\0")
    let problem = await #expect(throws: Problem.self) { try await table("zeros") }
    #expect(problem?.kind == .usage)
    #expect(problem?.hint == Remedy(steps: [.set(.inputFormat, to: FileFormat.all.map(\.name), purpose: nil)]))
  }

  @Test func aMissingFileIsNoInput() async throws {
    let problem = await #expect(throws: Problem.self) { try await table("gone.csv") }
    #expect(problem?.kind == .noInput)
  }

  @Test func metadataBesideAFileGivesTypes() async throws {
    try await directory.write("t.csv", "zip;n;tags\n01234;-;[]\n")
    try await directory.write(
      "t.csv-metadata.json",
      """
      {"@context":"http://www.w3.org/ns/csvw","dialect":{"delimiter":";"},"tableSchema":{"null":"-","columns":[
        {"titles":"zip","datatype":"string"},{"name":"n","datatype":"integer"},
        {"name":"tags","datatype":"string","bb:type":"list-of-text"}]}}
      """)
    #expect(try await table("t.csv") == ["zip:text n:integer tags:list-of-text", "'01234' null []"])
    var reading = FileInputOptions()
    reading.types = ["n": .text]
    #expect(try await table("t.csv", reading).first == "zip:text n:text tags:list-of-text")
  }

  @Test func badMetadataIsRefused() async throws {
    try await directory.write("t.csv", "a\n1\n")
    try await directory.write(
      "t.csv-metadata.json", #"{"tableSchema":{"columns":[{"name":"a","bb:type":"number"}]}}"#)
    let problem = await #expect(throws: Problem.self) { try await table("t.csv") }
    #expect(problem?.kind == .badData)
  }

  @Test func databasesGiveTheirTables() async throws {
    try makeDatabase(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT, mixed, score REAL, raw BLOB);
      INSERT INTO a VALUES(7, 'x', 1, 1.5, x'00ff'), (-9223372036854775808, NULL, 'two', -1, NULL);
      CREATE TABLE b(y TEXT, x INTEGER, PRIMARY KEY(x, y)) WITHOUT ROWID;
      INSERT INTO b VALUES('b', 2), ('a', 2), ('c', 1);
      CREATE VIEW v AS SELECT name, count(*) AS "how many" FROM a GROUP BY name;
      CREATE TABLE "odd "" name"("select" INT);
      """, at: "\(directory.path)/t.db")
    #expect(
      try await table("t.db", table: "a") == [
        "id:integer name:text mixed:json score:real raw:bytes",
        #"-9223372036854775808 null "two" -1.0 null"#, "7 'x' 1 1.5 x2",
      ])
    #expect(try await table("t.db", table: "b") == ["y:text x:integer", "'c' 1", "'a' 2", "'b' 2"])
    #expect(try await table("t.db", table: "v") == ["name:text how many:integer", "null 1", "'x' 1"])
    #expect(try await table("t.db", table: "odd \" name") == ["select:integer"])
    let problem = await #expect(throws: Problem.self) { try await table("t.db", table: "bb") }
    #expect(problem?.kind == .noInput)
    #expect(problem?.hint.description == "did you mean b?")
  }

  @Test func aLaterValueOfAnotherKindWidensItsColumn() async throws {
    try makeDatabase(
      """
      CREATE TABLE t(v);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO t SELECT i FROM n;
      INSERT INTO t VALUES('last');
      """, at: "\(directory.path)/t.db")
    await #expect(throws: Problem.self) { try await table("t.db") }
    let rows = try await table("t.db", widened: true)
    #expect(rows.count == 100_002)
    #expect(rows.first == "v:json")
    #expect(rows.last == "\"last\"")
  }

  @Test func typesThatAreSaidAreChecked() async throws {
    try makeDatabase(
      """
      CREATE TABLE t(zip INTEGER, tags TEXT, price TEXT, day TEXT, seen INTEGER);
      INSERT INTO t VALUES(1234, '[ "a", "b" ]', '1.10', '1966-03', 1);
      CREATE TABLE bad(j TEXT); INSERT INTO bad VALUES('{"a":');
      """, at: "\(directory.path)/t.db")
    var reading = FileInputOptions()
    reading.types = ["zip": .text, "tags": .list(.text), "price": .decimal, "day": .date, "seen": .boolean]
    #expect(
      try await table("t.db", reading, table: "t") == [
        "zip:text tags:list-of-text price:decimal day:date seen:boolean", #"'1234' ["a","b"] 1.10 '1966-03' true"#,
      ])
    for (column, type) in [("tags", ColumnType.integer), ("tags", .decimal), ("price", .date), ("zip", .boolean)] {
      reading.types = [column: type]
      let problem = await #expect(throws: Problem.self) { try await table("t.db", reading, table: "t", widened: true) }
      #expect(problem?.kind == .badData, "\(column) as \(type.name)")
    }
    reading.types = ["j": .json]
    let problem = await #expect(throws: Problem.self) { try await table("t.db", reading, table: "bad") }
    #expect(problem?.kind == .badData)
  }

  @Test func textThatIsNotUTF8IsRefused() async throws {
    try makeDatabase(
      "CREATE TABLE t(v TEXT); INSERT INTO t VALUES('ok'), (CAST(x'ff' AS TEXT))", at: "\(directory.path)/t.db")
    let problem = await #expect(throws: Problem.self) { try await table("t.db", widened: true) }
    #expect(problem?.kind == .badData)
    #expect(problem?.record == 1)
  }

  @Test func aViewThatCannotBeReadLeavesTheOthersReadable() async throws {
    try makeDatabase(
      "CREATE TABLE t(v); INSERT INTO t VALUES(1); CREATE VIEW gone AS SELECT nosuch FROM t",
      at: "\(directory.path)/t.db")
    #expect(try await table("t.db", table: "t") == ["v:integer", "1"])
    let problem = await #expect(throws: Problem.self) { try await table("t.db", table: "gone") }
    #expect(problem?.kind == .badData)
    #expect(problem?.message == "cannot read “gone”: no such column: nosuch")
  }

  @Test func ofColumnsThatAreNotThereAllAreRead() async throws {
    try makeDatabase("CREATE TABLE t(v); INSERT INTO t VALUES(1)", at: "\(directory.path)/t.db")
    let source = try FileSource(path: "\(directory.path)/t.db", .init(), scratch: TemporaryDirectory.scratch) {
      _ in
    }
    #expect(try await source.rows(of: "t", RowRequest(columns: ["nosuch"])).schema.columns.map(\.name) == ["v"])
  }

  @Test func aDamagedDatabaseIsBadData() async throws {
    try await directory.write("t.db", "SQLite format 3 it is not")
    let problem = await #expect(throws: Problem.self) { try await table("t.db") }
    #expect(problem?.kind == .badData)
  }

  private func makeDatabase(_ sql: String, at path: String) throws {
    let connection = try SQLiteConnection.open(path: path, .writing)
    try connection.execute(sql)
  }
}
