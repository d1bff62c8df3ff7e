import Codecs
import Rows
import Testing

/// What must hold because pieces are parsed on any core, once or twice, with types that may be guessed again.
@Suite("CSV read again") struct CSVRereadingTests {
  /// All pieces of a text with these types.
  static func works(_ text: String, _ types: ColumnTypes = [:]) async throws -> [BatchTask] {
    var reading = CSVReading()
    reading.types = types
    let stream = try CSVRowStream.inferring(MemoryByteSource(text, name: "t.csv"), table: "t", reading)
    var works: [BatchTask] = []
    while let work = try await stream.next() { works.append(work) }
    return works
  }
  static func values(_ batch: RowBatch) -> [Value] {
    (0..<batch.count).flatMap { row in (0..<batch.width).map { batch.value(row, $0) } }
  }

  @Test("work that is done twice gives the same rows") func twice() async throws {
    let text = "k,b,l\n\"a\"\"\"\"b\",aGk=,\"[ \"\"x\"\" , \"\"\\u00e9\"\"]\"\n\"\"\"\"\"\"\"\"\"\",,\n"
    for work in try await Self.works(text, ["b": .bytes, "l": .list(.text)]) {
      let first = Self.values(try work.batch()), second = Self.values(try work.batch())
      #expect(first == second)
      #expect(first.first == .text(Array("a\"\"b".utf8)))
    }
  }

  @Test(
    "the line of a fault is that of the file, whatever was decoded before it",
    arguments: [
      ("k,v\n\"q\"\"\n\",1\n,1,2\n", ColumnTypes(), "t.csv:4:4"),
      ("k,v\nCgoKCgoK,1\n,1,2\n", ["k": .bytes], "t.csv:3:4"),
      ("k,v\n\"[1,\n 2]\",1\n,1,2\n", ["k": .list(.integer)], "t.csv:4:4"),
    ] as [(String, ColumnTypes, String)])
  func lines(text: String, types: ColumnTypes, place: String) async throws {
    let works = try await Self.works(text, types)
    let problem = #expect(throws: Problem.self) { try works.forEach { _ = try $0.batch() } }
    #expect(problem?.place == place)
  }

  @Test("a file with an error after a contradiction is refused, not read again for ever") func ends() async throws {
    let beginning = "k,v\n" + (0..<200_000).map { "\($0),\($0)\n" }.joined()
    for end in ["x,1\n2\n", "x\n", "1,y\nx,\"\n"] {
      var stream: (any RowStream)? = try CSVRowStream.inferring(
        MemoryByteSource(beginning + end, name: "t.csv"), table: "t")
      var beginnings = 0
      var last: Problem?
      while let reading = stream, beginnings < 5 {
        beginnings += 1
        do {
          _ = try await reading.collect()
          stream = nil
        } catch {
          last = error
          do { stream = try await reading.widened() } catch {
            last = error
            stream = nil
          }
        }
      }
      #expect(beginnings <= 2)
      #expect(last?.kind == .badData && last?.place.hasPrefix("t.csv:20000") == true, "\(last?.description ?? "")")
    }
  }

  @Test("a lone column with nulls keeps its type") func lone() throws {
    let stream = try CSVRowStream.inferring(MemoryByteSource("a\n1\n\n2\n", name: "t"), table: "t")
    #expect(stream.schema.columns.map(\.type) == [.integer])
  }
}

@Suite("The header of a CSV file") struct CSVHeaderTests {
  @Test(
    "a header is held to the rules of every record",
    arguments: [
      ("\"a,b\n1,2\n", "t.csv:1:1: unterminated quoted field"),
      ("a,\"b\n1,2\n", "t.csv:1:3: unterminated quoted field"),
      ("a,b\r1,2\r", "t.csv:1:4: carriage return without line feed"),
      ("\n\na,\"b\"c\n1,2\n", "t.csv:3:3: unexpected text after a closing quote"),
    ])
  func faults(text: String, complaint: String) {
    let problem = #expect(throws: Problem.self) {
      try CSVRowStream.inferring(MemoryByteSource(text, name: "t.csv"), table: "t")
    }
    #expect(
      problem?.kind == .badData && problem?.description.hasPrefix(complaint) == true, "\(problem?.description ?? "")")
  }
  @Test("invalid UTF-8 in a header is reported with its position") func encoding() {
    let bytes = Array("a,b".utf8) + [0xE9] + Array(",c\n1,2,3\n".utf8)
    let problem = #expect(throws: Problem.self) {
      try CSVRowStream.inferring(MemoryByteSource(bytes, name: "t.csv"), table: "t")
    }
    #expect(problem?.description.hasPrefix("t.csv:1:4: invalid UTF-8 at byte 3") == true)
  }
  @Test(
    "names may be quoted, hold line ends and delimiters, or be empty",
    arguments: [
      ("\"a\"\"b\",\"c\r\nd\"\r\n1,2\n", ["a\"b", "c\r\nd"]), ("\"\"\n1\n", ["column1"]),
      ("\r\n\na,b\n1,2\n", ["a", "b"]),
      ("a,\n1,2\n", ["a", "column2"]), ("a,b\r\n", ["a", "b"]),
    ])
  func names(text: String, names: [String]) throws {
    let stream = try CSVRowStream.inferring(MemoryByteSource(text, name: "t"), table: "t")
    #expect(stream.schema.columns.map(\.name) == names)
  }
}
