import Codecs
import Rows
import Testing

@Suite("CSV as rows") struct CSVRowStreamTests {
  /// The rows of a text, as values; a null is `nil`, everything else the text of the cell.
  static func read(_ text: String, _ change: (inout CSVReading) -> Void = { _ in }) async throws -> (
    names: [String], rows: [[String?]]
  ) {
    try await read(Array(text.utf8), change)
  }
  static func read(_ bytes: [UInt8], _ change: (inout CSVReading) -> Void = { _ in }) async throws -> (
    names: [String], rows: [[String?]]
  ) {
    var reading = CSVReading()
    change(&reading)
    var stream: any RowStream = try CSVRowStream.inferring(MemoryByteSource(bytes, name: "t.csv"), table: "t", reading)
    while true {
      do {
        let batches = try await stream.collect()
        let rows = batches.flatMap { batch in
          (0..<batch.count).map { row in (0..<batch.width).map { shown(batch.value(row, $0)) } }
        }
        return (stream.schema.columns.map(\.name), rows)
      } catch {
        guard let wider = try await stream.widened() else { throw error }
        stream = wider
      }
    }
  }
  static func shown(_ value: Value) -> String? {
    switch value {
    case .null: nil
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): value.description
    case .number(let bytes), .text(let bytes), .json(let bytes): String(decoding: bytes, as: UTF8.self)
    case .bytes(let bytes): "\(bytes)"
    }
  }

  @Test(
    "records and fields",
    arguments: [
      ("a,b\n1,2\n", [["1", "2"]]), ("a,b\r\n1,2\r\n", [["1", "2"]]), ("a,b\n1,2", [["1", "2"]]),
      ("\u{FEFF}a,b\n1,2\n", [["1", "2"]]),
      ("a,b\n,\"\"\n", [[nil, ""]]), ("a,b\n\"x,y\",\"l1\nl2\r\n\"\n", [["x,y", "l1\nl2\r\n"]]),
      ("a,b\n\"\"\"q\"\"\",\"\"\"\"\n", [["\"q\"", "\""]]),
      ("a,b\n x , y \n", [[" x ", " y "]]), ("a,b\n1,2\n\n3,4\n\r\n", [["1", "2"], ["3", "4"]]),
      ("a\n1\n\n", [["1"], [nil]]), ("a\n\\N\n\"\\N\"\n", [["\\N"], ["\\N"]]),
      ("a,b\nx\u{0},\u{2028}\n", [["x\u{0}", "\u{2028}"]]), ("a,b\n", []), ("a,b", []),
      ("\"a\",\"b\"\nx,y\n", [["x", "y"]]),
    ])
  func records(text: String, rows: [[String?]]) async throws { #expect(try await Self.read(text).rows == rows) }

  @Test(
    "errors name the line and the column",
    arguments: [
      ("a,b\n1,2\n3\n", "t.csv:3:2: expected 2 fields, found 1"),
      ("a,b\n1,2,3\n", "t.csv:2:5: expected 2 fields, found 3"),
      ("a,b\n1,\"2\n3,4\n", "t.csv:2:3: unterminated quoted field"),
      ("a,b\n\"x\"y,1\n", "t.csv:2:1: unexpected text after a closing quote"),
      ("a,b\n\"x\"y\"z\",1\n", "t.csv:2:1: unexpected text after a closing quote"),
      ("a,b\n1,2\rx\n", "t.csv:2:4: carriage return"),
      ("", "t.csv: the file is empty"),
      ("a,b\n\"l\nl\",1\n2\n", "t.csv:4:2: expected 2 fields, found 1"),
      ("a,b\nx,1\n,\"", "t.csv:3:2: unterminated quoted field"),
    ])
  func faults(text: String, complaint: String) async {
    let problem = await #expect(throws: Problem.self) { try await Self.read(text) }
    #expect(
      problem?.kind == .badData && problem?.description.hasPrefix(complaint) == true, "\(problem?.description ?? "")")
  }
  @Test("the record of a fault is counted to its place", arguments: ["x,\"a\"b\n", "x,a\rb\n"])
  func faultyRecord(_ fault: String) async {
    for count in 0..<70 {
      let problem = await #expect(throws: Problem.self) {
        try await Self.read("a,b\n\"l\nl\",1\n" + String(repeating: "1,2\n\r\n\n", count: count) + fault)
      }
      #expect(problem?.record == count + 1)
    }
  }
  @Test("bytes that are not UTF-8 are reported with their offset in the file, or replaced") func encoding() async throws
  {
    let bytes = Array("a,b\nx,".utf8) + [0xC3, 0x28] + Array("\n".utf8)
    let problem = await #expect(throws: Problem.self) { try await Self.read(bytes) }
    #expect(problem?.description.hasPrefix("t.csv:2:3: invalid UTF-8 at byte 6") == true)
    #expect(try await Self.read(bytes) { $0.replacesBadEncoding = true }.rows == [["x", "\u{FFFD}("]])
  }
  @Test("names of columns are made different, and never empty") func header() async throws {
    let table = try await Self.read("a,,a,a_2,a\n1,2,3,4,5\n")
    #expect(table.names == ["a", "column2", "a_3", "a_2", "a_4"])
    #expect(try await Self.read("1,2\n") { $0.hasHeader = false }.names == ["column1", "column2"])
  }
  @Test("dialects") func dialects() async throws {
    #expect(try await Self.read("a;b\n1,5;2\n") { $0.delimiter = 59 }.rows == [["1,5", "2"]])
    #expect(try await Self.read("a,b\nNA,\"NA\"\n") { $0.nullTexts = [Array("NA".utf8)] }.rows == [[nil, "NA"]])
    let rows = try await Self.read("a,b\n1,2.5\n-99,-99\n") { $0.nullTexts = [Array("-99".utf8)] }.rows
    #expect(rows == [["1", "2.5"], [nil, nil]])
    #expect(try await Self.read("a,b\n,x\n") { $0.emptyIsText = true }.rows == [["", "x"]])
  }
  @Test("a field may be large, but not larger than allowed") func large() async throws {
    let long = String(repeating: "é\"\"\n", count: 700_000)
    let rows = try await Self.read("a,b\n1,\"\(long)\"\n2,x\n").rows
    #expect(rows == [["1", long.replacing("\"\"", with: "\"")], ["2", "x"]])
    let problem = await #expect(throws: Problem.self) {
      try await Self.read("a,b\n1,\"\(long)\"\n") { $0.maximumField = 1 << 20 }
    }
    #expect(problem?.message.contains("larger than 1 MiB") == true)
  }

  @Test(
    "types are the narrowest that give every value back",
    arguments: [
      (["1", "-2", "0"], ColumnType.integer), (["1", "2.5"], .decimal), (["1.5", "-0.0", "1e22"], .real),
      (["6.5e-05", "1.5"], .real), (["true", "false"], .boolean),
      (["01"], .text), (["1.10"], .decimal), (["9223372036854775808"], .text), (["-0"], .decimal), (["1", "x"], .text),
      (["12345678901234567890", "0.5"], .decimal), (["1e5"], .text), (["1E5", "12"], .text),
      (["1e5", "2.50"], .decimal),
      (["1e+05"], .real), (["1e99999", "2.5"], .text), (["3.8", "3.9", "3.10"], .text),
      (["3.9", "3.10", "3.05"], .decimal),
      (["2024-01-05", "2024-02"], .date), (["2024", "2024-01-05"], .date), (["2024", "1999"], .integer),
      (["2009-10"], .text), (["2024-02-30"], .text), (["1900-02-29"], .text), (["2000-02-29"], .date),
      (["2024-01-05T10:00:00Z", "2024-01-05T10:00:00.50Z"], .timestamp), (["2024-01-05T24:00:00Z"], .text),
      (["2024-01-05T10:00", "2024-01-05T10:00:00.5", "2024-01-05"], .datetime), (["2024-01-05 10:00"], .datetime),
      (["2024-01-05 10:00", "2024-01-05T10:00", "2024-01-06"], .datetime),
      (["2024-01-05T10:00", "2024-01-05T10:00:00Z"], .text),
      (["True", "False"], .boolean), (["TRUE"], .boolean), (["True", "FALSE"], .text), (["yes", "no"], .text),
      (["+1"], .text), (["nan"], .text), (["1", "true"], .text),
      ([""], .text), (["1", ""], .integer), ([" 1"], .text), (["1."], .text), ([".5", "-.25"], .decimal),
      (["0x10"], .text),
      // Days and months in the one order that all values fit.
      (["1/2/2024", "12/25/2023"], .date), (["25.12.2023", "01.02.2024"], .date), (["2024/1/5", "2023/11/30"], .date),
      (["1/2/2024", "3/4/2024"], .text), (["13/12/2024", "12/13/2024"], .text), (["1/2/24", "12/25/23"], .text),
      (["01/2/2024", "12/25/2023"], .text), (["12/25/2023", "25.12.2023"], .text), (["2/30/2024"], .text),
      (["2024-10-12", "2024-1-5"], .date), (["2024-01-12", "2024-1-5"], .text), (["2024-1-5", "7"], .text),
      (["12/25/2023 3:04", "1/2/2024 13:00:15.5"], .datetime),
      (["12/25/2023 12:00 AM", "1/2/2024 1:15 PM"], .datetime),
      (["12/25/2023 13:00 PM"], .text), (["12/25/2023 3:60"], .text), (["12/25/2023", "1/2/2024 13:00"], .text),
      // One offset from UTC.
      (["2024-01-05T10:00:00+02:00", "2024-01-06T00:30:00.25+02:00"], .timestamp),
      (["2024-01-05 10:00:00-0530", "2024-12-31 23:00:00-0530"], .timestamp), (["2024-01-05 10:00:00Z"], .timestamp),
      (["2024-01-05T10:00+02:00", "2024-01-06T00:00+02:00"], .timestamp), (["2024-01-05 10:00Z"], .timestamp),
      // Times of their own spelling.
      (["2024-01-05T10:00:00+02:00", "2024-01-05T09:00:00Z", "2024-01-05 03:00:00.250-0500"], .timestamp),
      (["2024-01-05T10:00+02:00", "2024-01-05T10:00Z", "2024-01-05T10:00:00Z", "2024-01-05 10:00-05"], .timestamp),
      (["2024-01-05 10:00:00Z", "2024-01-01T00:30:00+00:00", "2023-12-31T23:59:59-00:00"], .timestamp),
      (["2024-01-05T10:00:00+02:00", "2024-01-05T10:00:00"], .text),
      (["2024-01-05T10:00:00+02:00", "2024-01-05"], .text), (["2024-01-05 10:00", "2024-01-05T10:00:00Z"], .text),
      (["2024-01-05T10:00:00Z", "2016-12-31T23:59:60+00:00"], .text),
      (["0000-01-01T00:30:00+01:00", "2024-01-05T10:00:00Z"], .text),
      (["2024-01-05T10:00:00+25:00"], .text), (["9999-12-31T23:00:00-02:00"], .text),
      ([String(repeating: "1", count: 10_000)], .text), ([String(repeating: "1", count: 10_000) + ".5"], .decimal),
      (["1e1000000000", "1.5"], .text), (["1.5", "1e-1000000000"], .text), (["24:00"], .text),
      (["2016-12-31T23:59:60Z"], .timestamp), (["2016-12-31T10:59:60Z"], .text),
    ])
  func types(values: [String], type: ColumnType) async throws {
    let text = "k,v\n" + values.map { "k,\($0)\n" }.joined()
    var reading = CSVReading()
    reading.keepsSpellings = true
    let stream = try CSVRowStream.inferring(MemoryByteSource(text, name: "t"), table: "t", reading)
    #expect(stream.schema.columns[1].type == type)
    var written = ByteBuffer()
    let writer = CSVWriter(stream.schema)
    try writer.begin(&written)
    for batch in try await stream.collect() { _ = try writer.write(batch, &written) }
    #expect(String(decoding: written.bytes(), as: UTF8.self) == text)
  }
  @Test("a file is read again with the same types, for outputs that must know all values first") func again()
    async throws
  {
    let stream = try CSVRowStream.inferring(MemoryByteSource("a,b\n1.50,x\n", name: "t"), table: "t")
    let again = try #require(try await stream.reopened())
    #expect(again.schema == stream.schema)
    #expect(try await again.collect().reduce(0) { $0 + $1.count } == 1)
  }
  @Test("types that are said are checked, and JSON, bytes and dates understood") func saidTypes() async throws {
    let types: ColumnTypes = ["d": .date, "b": .bytes, "l": .list(.text), "n": .decimal]
    let rows = try await Self.read("d,b,l,n\n1966-03,aGk=,\"[ \"\"x\"\" , \"\"\\u00e9\"\"]\",1.10\n") {
      $0.types = types
    }.rows
    #expect(rows == [["1966-03", "[104, 105]", #"["x","é"]"#, "1.10"]])
    for bad in ["1966-13,,,", ",a,,", ",,[1],", ",,,x"] {
      let problem = await #expect(throws: Problem.self) {
        try await Self.read("d,b,l,n\n\(bad)\n") { $0.types = types }
      }
      #expect(problem?.kind == .badData)
    }
    let problem = await #expect(throws: Problem.self) { try await Self.read("abc\n1\n") { $0.types = ["abd": .text] } }
    #expect(problem?.kind == .usage && problem?.hint.description == "did you mean abc?")
  }

  @Test("a number is the same with quotes, which are not read in the fast way", arguments: ["integer", "real"])
  func quotedNumbers(type: String) async throws {
    var state: UInt64 = 7
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let wanted = try #require(ColumnType(name: type))
    func read(_ field: String) async throws -> [Value]? {
      var reading = CSVReading()
      reading.types = ["n": wanted]
      let stream = try CSVRowStream.inferring(MemoryByteSource("n\n\(field)\n", name: "t"), table: "t", reading)
      guard let batches = try? await stream.collect() else { return nil }
      return batches.flatMap { batch in (0..<batch.count).map { batch.value($0, 0) } }
    }
    for length in 1...20 {
      for _ in 0..<60 {
        let point = below(length + 6), other = below(length * 12)
        var field = (0..<length).map { at in
          if at == point { return "." }
          if at == other { return ["-", ".", "e", "/", ":", "+", " "][below(7)] }
          return below(3) == 0 ? "0" : String(below(10))
        }
        if below(3) == 0 { field[0] = "-" }
        let text = field.joined()
        if text == " " { continue }
        #expect(try await read(text) == read("\"\(text)\""), "\(text)")
      }
    }
  }

  /// A table far larger than a piece, whose fields hold everything that could mislead.
  static func large(_ count: Int) -> (text: String, rows: [[String?]]) {
    var text = "id,word,note\n", rows: [[String?]] = []
    for id in 0..<count {
      let word = [
        "plain", "com,ma", "new\nline", "q\"uote", "crlf\r\n", "é日🚗", String(repeating: "x", count: id % 300),
      ][id % 7]
      let quotes = id % 7 >= 1 && id % 7 <= 4
      text +=
        "\(id),\(quotes ? "\"\(word.replacing("\"", with: "\"\""))\"" : word.isEmpty ? "\"\"" : word),\(id % 3 == 0 ? "" : "n\(id)")\r\n"
      rows.append([String(id), word, id % 3 == 0 ? nil : "n\(id)"])
    }
    return (text, rows)
  }
  @Test("pieces are cut at the borders of records, wherever they fall") func pieces() async throws {
    let (text, rows) = Self.large(30_000)
    #expect(try await Self.read(text).rows == rows)
    #expect(try await Self.read(text) { $0.columns = ["note", "id"] }.rows == rows.map { [$0[0], $0[2]] })
  }
  @Test("a fault far into the file has the right line, and its record's number in its batch") func farFault()
    async throws
  {
    let (text, _) = Self.large(30_000)
    let lines = text.utf8.reduce(0) { $0 + ($1 == 10 ? 1 : 0) }
    let problem = await #expect(throws: Problem.self) { try await Self.read(text + "1,2\n") }
    #expect(problem?.place == "t.csv:\(lines + 1):4")
  }
  @Test("a later value that contradicts a type begins the file again") func widens() async throws {
    let (text, rows) = Self.large(90_000)
    #expect(text.utf8.count > 3 << 20)
    let more = try await Self.read(text + "x1,w,\n").rows
    #expect(more == rows + [["x1", "w", nil]])
  }
}
