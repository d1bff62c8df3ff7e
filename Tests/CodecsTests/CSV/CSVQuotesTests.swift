import Codecs
import Rows
import Testing

/// Quotes inside fields that do not begin with one: kept, as other programs do, counted, and refused on request.
@Suite("Quotes in unquoted fields of CSV") struct CSVQuotesTests {
  /// All rows, read again as often as the stream requires, and its warnings.
  static func read(_ text: String, _ reading: CSVReading = CSVReading()) async throws -> ([[Value]], [String]) {
    var stream: any RowStream = try CSVRowStream.inferring(MemoryByteSource(text, name: "x"), table: "t", reading)
    while true {
      do throws(Problem) {
        let batches = try await stream.collect()
        let rows = batches.flatMap { batch in
          (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
        }
        return (rows, stream.notes.map(\.message))
      } catch {
        guard let wider = try await stream.widened() else { throw error }
        stream = wider
      }
    }
  }

  @Test(
    "a quote inside an unquoted field is kept and its field counted",
    arguments: [
      ("at,n\n37°36'37.8\"N,1\n", ["37°36'37.8\"N", "1"], 1), ("a,b\nx\"\"y,5\"\n", ["x\"\"y", "5\""], 2),
      ("a,b\n\"p,q\", \"r\"\n", ["p,q", " \"r\""], 1), ("a\"b,c\nx,\"y\ny\"\n", ["x", "y\ny"], 1),
    ])
  func kept(text: String, row: [String], count: Int) async throws {
    let (rows, notes) = try await Self.read(text)
    let shown = rows.first?.map { value in
      switch value {
      case .text(let bytes), .number(let bytes): String(decoding: bytes, as: UTF8.self)
      default: ""
      }
    }
    #expect(rows.count == 1 && shown == row)
    #expect(notes.count == 1 && notes.first?.hasPrefix("x: \(count) unquoted field") == true)
  }

  @Test(
    "rare quotes between tabs that nothing needs are counted",
    arguments: [
      ("x", "\"Giliap\"", true), ("x", "\"a,b\"", false), ("x", "\"a\tb\"", false), ("x", "\"\"", false),
      ("\"x\"", "\"Giliap\"", false), ("x", "y", false),
    ])
  func tabs(usual: String, last: String, isCounted: Bool) async throws {
    var reading = CSVReading()
    reading.delimiter = 0x09
    let text = "a\tb\n" + String(repeating: "1\t\(usual)\n", count: 30) + "2\t\(last)\n"
    let (_, notes) = try await Self.read(text, reading)
    #expect(notes == (isCounted ? ["x: 1 field in quotes without need, read without them"] : []))
  }

  @Test(
    "--strict-csv refuses it where it is",
    arguments: [("a,b\n1,x\"y\n", "x:2:4: unexpected quote"), ("a,b\"c\n1,2\n", "x:1:4: unexpected quote")])
  func strict(text: String, message: String) async {
    var reading = CSVReading()
    reading.isStrict = true
    let problem = await #expect(throws: Problem.self) { try await Self.read(text, reading) }
    #expect(problem?.kind == .badData && problem?.description.hasPrefix(message) == true)
  }

  @Test(
    "a field after whose quotes text follows is refused", arguments: ["a\n\"x\"y\n", "a\n\"x\" \"y\"\n", "\"x\"y\n1\n"])
  func textAfterQuotes(text: String) async {
    let problem = await #expect(throws: Problem.self) { try await Self.read(text) }
    #expect(problem?.message.contains("unexpected text after a closing quote") == true)
  }

  @Test("they are kept wherever pieces are cut", arguments: 0..<6) func acrossPieces(seed: Int) async throws {
    var random = CSVRandomTests.SplitMix(seed: UInt64(seed))
    func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    // The first of them comes late in some files, in a column of numbers in others; records are of all sizes.
    let first = [0, 10, 100_000, 400_000, 1_200_000, 1_900_000][seed]
    var text = "n,t,u\n", expected: [[Value]] = [], count = 0
    while text.utf8.count < 2_500_000 {
      let number = String(below(1000)), isStray = text.utf8.count >= first && below(40) == 0
      let words = ["x\"", "a\"\"b", "7\" 8\"", "\u{FFFD}\"\"\""]
      let plain = String(repeating: "-", count: below(300))
      let quoted = String(repeating: "\n,\"", count: below(below(50) == 0 ? 100_000 : 9))
      let word = isStray ? words[below(4)] : plain
      if isStray { count += 1 }
      text += "\(number),\(word),\"\(quoted.replacing("\"", with: "\"\""))\"\r\n"
      expected.append([
        .number(Array(number.utf8)), word.isEmpty ? .null : .text(Array(word.utf8)), .text(Array(quoted.utf8)),
      ])
    }
    for types in [ColumnTypes(), ["n": .integer, "t": .text, "u": .text]] {
      var reading = CSVReading()
      reading.types = types
      let (rows, notes) = try await Self.read(text, reading)
      #expect(rows == expected)
      #expect(notes.first?.hasPrefix("x: \(count) unquoted fields contain quotes") == true)
    }
  }
}
