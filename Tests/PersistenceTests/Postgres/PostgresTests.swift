import Query
import Rows
import Testing

@testable import Persistence

@Suite("PostgreSQL without a server") struct PostgresTests {
  @Test(
    "a location is shown without users, passwords and other parameters",
    arguments: [
      ("postgres://u:S3CR3T@db:5433/a?table=raw.quotes&sslmode=require", "postgres://db:5433/a?table=raw.quotes"),
      ("postgresql://u:S3CR3T?x@db/a", "postgres://db/a"), ("postgres://db/a?password=S3CR3T", "postgres://db/a"),
      ("postgres:///a?host=/run/pg&user=u&schema=mine", "postgres:///a?host=/run/pg&schema=mine"),
      ("postgres:host=db password='S3 \\'CR3T' dbname=a table=x", "postgres:host=db dbname=a table=x"),
      ("postgres:", "postgres:"), ("postgres:service=prod schema=s", "postgres:service=prod schema=s"),
    ])
  func masked(text: String, name: String) throws { #expect(try PostgresLocation(text).name == name) }

  @Test("the library gets all but bb's own parameters") func parameters() throws {
    let location = try PostgresLocation("postgres://u:p%40@db/a?sslmode=require&table=raw.quotes&schema=s")
    #expect(location.parameters == "postgresql://u:p%40@db/a?sslmode=require")
    #expect(location.table?.sql == #""raw"."quotes""#)
    #expect(location.schema == "s")
    let words = try PostgresLocation(#"postgres: host = 'a b' password=x\'y table='"R"."q.t"' "#)
    #expect(words.parameters == #"host='a b' password='x\'y'"#)
    #expect(words.table?.sql == #""R"."q.t""#)
  }

  @Test(
    "a location that cannot be taken apart is refused, and not repeated",
    arguments: [
      "postgres://u:S3CR3T/x@db/a", "postgres://db/a?S3CR3T", "postgres:S3CR3T", "postgres:password='S3CR3T",
      "postgres://db/a?table=%zz", "postgres://db/a?table=a.b.c", "postgres://db/a?schema=",
    ])
  func malformed(text: String) throws {
    let problem = #expect(throws: Problem.self) { try PostgresLocation(text) }
    #expect(problem?.kind == .usage)
    #expect(problem?.description.contains("S3CR3T") == false)
  }

  @Test("names that PostgreSQL would change are refused") func names() throws {
    for name in ["", "a\0b", String(repeating: "é", count: 32)] {
      #expect(throws: Problem.self) { try PostgresName.check(name) }
    }
    try PostgresName.check(String(repeating: "é", count: 31))
    #expect(try PostgresName(parsing: #""a""b".c"#).sql == #""a""b"."c""#)
    #expect(try PostgresName(parsing: "c").sql == #""public"."c""#)
  }

  @Test(
    "decimals are digits to the base of 10,000",
    arguments: [
      ("0", [0, 0, 0, 0]), ("-0", [0, 0, 0, 0]), ("0.00", [0, 0, 0, 2]), ("1", [1, 0, 0, 0, 1]),
      ("-12345.6", [3, 1, 0x4000, 1, 1, 2345, 6000]), ("1.10", [2, 0, 0, 2, 1, 1000]),
      ("0.0001", [1, 0xFFFF, 0, 4, 1]), ("0.00001", [1, 0xFFFE, 0, 5, 1000]), ("1e5", [1, 1, 0, 0, 10]),
      ("1.5e-3", [1, 0xFFFF, 0, 4, 15]), ("10000", [1, 1, 0, 0, 1]), ("1e400", [1, 100, 0, 0, 1]),
    ] as [(String, [UInt16])])
  func numeric(literal: String, words: [UInt16]) {
    #expect(PostgresNumeric.encoded(Array(literal.utf8)) == words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
  }

  @Test("decimals out of range are refused", arguments: ["1e131073", "1e-16384", "1e99999999999999999999"])
  func numericRange(literal: String) { #expect(PostgresNumeric.encoded(Array(literal.utf8)) == nil) }

  @Test("every weight of a decimal's first digit") func weights() {
    for exponent in -20...20 {
      let bytes = PostgresNumeric.encoded(Array("12345678e\(exponent)".utf8)) ?? []
      let words = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      var value = 0.0
      for (place, word) in words.dropFirst(4).enumerated() {
        var power = Int(Int16(bitPattern: words[1])) - place, scale = 1.0
        while power > 0 { (power, scale) = (power - 1, scale * 10_000) }
        while power < 0 { (power, scale) = (power + 1, scale / 10_000) }
        value += Double(word) * scale
      }
      let wanted = Double("12345678e\(exponent)") ?? 0
      #expect(abs(value / wanted - 1) < 1e-9)
    }
  }

  @Test(
    "days and times count from 2000",
    arguments: [
      (0, "2000-01-01"), (-1, "1999-12-31"), (59, "2000-02-29"), (-730_119, "0001-01-01"), (2_921_939, "9999-12-31"),
    ])
  func days(count: Int64, text: String) { #expect(PostgresTime.day(count).map(String.init(utf8:)) == text) }

  @Test("times have as many digits as they need") func times() {
    #expect(PostgresTime.timestamp(0).map(String.init(utf8:)) == "2000-01-01T00:00:00Z")
    #expect(PostgresTime.timestamp(-1).map(String.init(utf8:)) == "1999-12-31T23:59:59.999999Z")
    #expect(PostgresTime.timestamp(1_500_000).map(String.init(utf8:)) == "2000-01-01T00:00:01.5Z")
    for edge in [Int64.max, .min] { #expect(PostgresTime.timestamp(edge) == nil) }
    for edge in [Int64(Int32.max), Int64(Int32.min), -730_120, 2_921_940] { #expect(PostgresTime.day(edge) == nil) }
  }

  private let schema = Schema(
    "t",
    columns: [
      ColumnDescription("i", .integer), ColumnDescription("t", .text), ColumnDescription("b", .bytes),
      ColumnDescription("f", .boolean), ColumnDescription("d", .decimal), ColumnDescription("j", .json),
    ])
  private let rows: [[Value]] = [
    [
      .integer(.min), .text("a\\\t\n'\"é🧪"), .bytes([0, 255]), .boolean(true), .number(Array("1.5".utf8)),
      .json(Array(#"{"a":[1,null]}"#.utf8)),
    ],
    [.null, .text(""), .bytes([]), .boolean(false), .number(Array("7".utf8)), .json(Array("null".utf8))],
    [.null, .null, .null, .null, .null, .null],
  ]
  private var batch: RowBatch {
    var builder = RowBatchBuilder(width: schema.width)
    for row in rows { for value in row { builder.append(value: value) } }
    return builder.finish()
  }

  @Test("rows in binary form come back as they were") func binary() throws {
    var out = ByteBuffer()
    out.append(bytes: PostgresBinary.header)
    let writer = PostgresBinary(forms: schema.columns.map { PostgresFormat.form($0.type) })
    try writer.append(batch, &out) { (_, _, _) throws(Problem) in throw Problem(.bug, "unexpected") }
    out.append(bytes: PostgresBinary.trailer)
    let decoding = PostgresDecoding(
      forms: schema.columns.map { PostgresFormat.decoding($0.type) }, schema: schema, place: "")
    let back = try decoding.batch(Arena(out.bytes()))
    #expect((0..<back.count).map { row in (0..<back.width).map { back.value(row, $0) } } == rows)
  }

  @Test("rows that a server cuts or invents are refused") func damaged() throws {
    var out = ByteBuffer()
    let writer = PostgresBinary(forms: schema.columns.map { PostgresFormat.form($0.type) })
    try writer.append(batch, &out) { (_, _, _) throws(Problem) in throw Problem(.bug, "unexpected") }
    let bytes = out.bytes()
    let decoding = PostgresDecoding(
      forms: schema.columns.map { PostgresFormat.decoding($0.type) }, schema: schema, place: "")
    var random = SystemRandomNumberGenerator()
    for length in 1..<bytes.count { _ = try? decoding.batch(Arena(Array(bytes.prefix(length)))) }
    for _ in 0..<2000 {
      var changed = bytes
      changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
      _ = try? decoding.batch(Arena(changed))
    }
    #expect(throws: Problem.self) { try decoding.batch(Arena(Array(bytes.dropLast()))) }
  }

  @Test("the text form escapes what ends a value or a line") func text() throws {
    var out = ByteBuffer()
    for value in rows[0] + rows[2].prefix(1) {
      PostgresText.append(value, &out)
      out.append("|")
    }
    #expect(
      String(utf8: out.bytes()) == #"-9223372036854775808|a\\\t\n'"é🧪|\\x00ff|t|1.5|{"a":[1,null]}|\N|"#)
  }

  @Test("U+0000 is a fault of its own, in both forms") func nul() throws {
    var builder = RowBatchBuilder(width: 1)
    builder.append(text: "a\0b")
    let batch = builder.finish()
    var out = ByteBuffer(), isNUL = false
    try PostgresBinary(forms: [.text]).append(batch, &out) { (_, _, fault) throws(Problem) in
      if case .nul = fault { isNUL = true }
      return .null
    }
    #expect(isNUL)
    #expect(throws: PostgresBinary.Fault.self) { try PostgresText.append(batch[0, 0], batch.arena, &out) }
  }

  @Test(
    "conditions that PostgreSQL decides as bb does are SQL",
    arguments: [
      ("n = 5", #" WHERE ("n" = '5'::bigint)"#), ("t = 'x'", #" WHERE ("t" COLLATE "C" = 'x')"#),
      ("n = 1.5", ""), ("r = 1", ""), ("not (n = 5 and t = a)", ""),
      ("n in (1,2)", #" WHERE ("n" IN ('1'::bigint, '2'::bigint))"#),
    ])
  func filter(condition: String, sql: String) throws {
    var selection = Selection()
    try selection.filter(by: condition)
    let columns = [("n", ColumnType.integer, true), ("t", .text, true), ("r", .real, false)].map {
      SQLFilter.Column($0, $1, isComparable: $2)
    }
    let filter = SQLFilter(selection, onServer: columns)
    if condition.hasPrefix("not") {
      #expect(filter.whereClause.contains("NOT"))
    } else {
      #expect(filter.whereClause == sql)
    }
  }

  @Test("a literal ends where its text does") func literal() {
    #expect(PostgresText.literal(#"it's \'); DROP TABLE x;--"#) == #"'it''s \''); DROP TABLE x;--'"#)
    #expect(PostgresText.literal("a\0b") == nil)
  }

  @Test("a limit is pushed down only when nothing is left to do") func limit() throws {
    var selection = Selection()
    (selection.limit, selection.offset) = (5, 2)
    #expect(SQLFilter(selection, onServer: []).limitClause == " LIMIT 7")
    selection.search = "x"
    #expect(SQLFilter(selection, onServer: []).limitClause == "")
  }

  @Test(
    "the server's codes are problems",
    arguments: [
      ("28P01", .permission), ("3D000", .noInput), ("42P01", .noInput), ("42501", .permission), ("23505", .badData),
      ("22P02", .badData), ("40001", .busy), ("55P03", .busy), ("57014", .busy), ("53100", .io), ("25006", .permission),
      ("57P03", .unavailable), ("08006", .unavailable), ("XX000", .unavailable), ("42809", .cannotCreate),
      ("2BP01", .cannotCreate), ("21000", .badData), ("P0001", .badData), ("428C9", .badData), ("XX001", .io),
    ] as [(String, Problem.Kind)])
  func states(state: String, kind: Problem.Kind) { #expect(PostgresProblem.kind(state) == kind) }

  @Test("ranges follow each other, and the last one has no end", arguments: [1, 256, 257, 512, 5000])
  func ranges(pages: Int) {
    let statements = PostgresRangeRows.statements("SELECT a FROM t WHERE", pages: pages)
    #expect(statements.count == (pages + 255) / 256)
    for (number, statement) in statements.enumerated() {
      #expect(statement.contains("WHERE ctid >= '(\(number * 256),0)'"))
      let end = " AND ctid < '(\((number + 1) * 256),0)') TO STDOUT"
      #expect(statement.contains(end) == (number < statements.count - 1))
    }
  }

  @Test("parts stay disjoint and complete when the table grows between them", arguments: [1, 3, 16])
  func growingParts(count: Int) throws {
    var seen: [String] = []
    for index in 1...count {
      let pages = 1500 + index * 700
      seen += PostgresRangeRows.statements("q WHERE", " LIMIT 9", pages: pages, of: try Shard("\(index)/\(count)"))
    }
    #expect(Set(seen).count == seen.count && seen.allSatisfy { $0.contains(" < ") && $0.contains(" LIMIT 9)") })
    // All pages of the first part, whose table is the smallest, are in some part.
    for start in stride(from: 0, to: 2200, by: 256) { #expect(seen.contains { $0.contains("'(\(start),0)'") }) }
  }

  @Test(
    "what the library refuses before it connects is an error of usage",
    arguments: [
      ("definition of service \"nope\" not found\n", Problem.Kind.usage, "definition of service \"nope\" not found"),
      ("invalid sslmode value: \"xx\"\n", .usage, "invalid sslmode value: \"xx\""),
      (
        "could not translate host name \"x.invalid\" to address: Name or service not known\n", .unavailable,
        "cannot connect: Name or service not known"
      ),
      (
        "connection to server at \"h\" (::1), port 5432 failed: server does not support SSL, but SSL was required\n",
        .unavailable, "cannot connect: server does not support SSL, but SSL was required"
      ), ("", .unavailable, "cannot connect: no response"),
    ])
  func parameters(message: String, kind: Problem.Kind, text: String) {
    let problem = PostgresProblem.connecting(message, at: "postgres:")
    #expect(problem.kind == kind)
    #expect(problem.summary == "postgres:: \(text)")
    #expect((text.firstRange(of: "SSL") != nil) == (problem.hint.description.firstRange(of: "sslmode") != nil))
  }

  @Test("a failed connection is one line with the server's reason") func connecting() {
    let refused = PostgresProblem.connecting(
      "connection to server at \"db\" (10.0.0.1), port 5432 failed: Connection refused\n\tIs the server running?\n",
      at: "postgres://db/a")
    #expect(refused.kind == .unavailable)
    #expect(refused.summary == "postgres://db/a: cannot connect: Connection refused")
    let untrusted = PostgresProblem.connecting(
      "connection to server at \"db\", port 5432 failed: SSL error: certificate verify failed\n", at: "postgres://db/a")
    #expect(untrusted.summary == "postgres://db/a: cannot connect: SSL error: certificate verify failed")
    let wrong = PostgresProblem.connecting(
      "connection to server at \"db\", port 5432 failed: FATAL:  28P01: password authentication failed for user \"u\"\n"
        + "LOCATION:  auth_failed, auth.c:326\n", at: "postgres://db/a")
    #expect(wrong.kind == .permission)
    #expect(wrong.summary == "postgres://db/a: password authentication failed for user \"u\"")
  }

  @Test("the table and the view of a dataset") func tables() throws {
    let keyed = Schema(
      "n", key: ["k"], columns: [ColumnDescription("k", .text, nullable: false), ColumnDescription("d", .date)])
    let text = PostgresFormat(schema: "s").create(keyed) { _ in false }
    #expect(text.contains(#"CREATE TABLE "s"."n"("k" text COLLATE pg_catalog."C" NOT NULL"#))
    #expect(text.contains(#"PRIMARY KEY ("k")"#))
    #expect(text.contains(#"CREATE OR REPLACE VIEW "s"."n_typed" AS SELECT "k", "s"."bb_as_date"("d") AS "d""#))
    #expect(!PostgresFormat(schema: "s").create(keyed) { $0 == "n_typed" }.contains("OR REPLACE VIEW"))
    let free = Schema("f", columns: [ColumnDescription("bb_row", .text)])
    #expect(PostgresFormat.ordinal(free) == "bb_row_")
  }
}

extension String {
  fileprivate init(utf8 bytes: [UInt8]) { self.init(decoding: bytes, as: UTF8.self) }
}
