import Codecs
import Rows
import Testing

/// Documents that look, for more than the first MiB, as if a record ended wherever the line of one does.
@Suite("JSON split at record boundaries") struct JSONRecordBoundaryTests {
  private static let count = 14_000
  private static let filler = String(repeating: "x", count: 90)
  private static let columns: [(String, ColumnType)] = [("n", .integer), ("t", .text), ("j", .json)]

  /// Records with something nested in them, by their number.
  private static func records(_ nested: (Int) -> String) -> [String] {
    (0..<count).map { "{\"n\":\($0),\"t\":\"\(filler)}\\n,{ \\\"\",\"j\":\(nested($0))}" }
  }

  private static func rows(_ nested: (Int) -> String) -> [[Value]] {
    (0..<count).map { number in
      let canonical = nested(number).utf8.filter { $0 > 0x20 }
      return [
        .number("\(number)"), .text("\(filler)}\n,{ \""), canonical == Array("null".utf8) ? .null : .json(canonical),
      ]
    }
  }

  private static func array(_ records: [String], _ separator: String = ",\n") -> String {
    "[" + records.joined(separator: separator) + "]"
  }

  /// A list of objects, one per line.
  private static func lines(_ element: String, _ separator: String) -> String {
    "[" + Array(repeating: element, count: 9).joined(separator: separator) + "]"
  }

  @Test(
    "the rows do not depend on the layout of the records",
    arguments: [
      (",\n", "{}", ", "), (", \r\n  ", "{}", ", "), (",", "{}", ",\n"), (",\n", "{\"a\":\"\(filler)\"}", ",\n"),
      (",\n  ", "{\"a\":1}", ",\n    "), (",\n", "{\"n\":1,\"t\":\"\(filler)\",\"j\":0}", ",\n"),
      ("\n,", "{\"n\":\"\(filler)\"}", "\n,"),
    ])
  func layouts(separator: String, element: String, inner: String) async throws {
    func nested(_ number: Int) -> String { number < 11_000 ? "[{},{}]" : Self.lines(element, inner) }
    let read = try await ReadRows.inferring(Self.array(Self.records(nested), separator))
    #expect(read.columns == "n integer, t text, j json")
    #expect(read.rows == Self.rows(nested))
  }

  @Test("text after the array is not read as records") func behind() async throws {
    let rest = Array(repeating: "{\"n\":\"\(Self.filler)\"}", count: Self.count).joined(separator: ",\n")
    let text = "{\"data\":" + Self.array(Self.records { _ in "null" }) + ",\n\"rest\":[\(rest)]}"
    let read = try await ReadRows.inferring(text, JSONReading(records: try JSONPointer("/data")))
    #expect(read.rows.count == Self.count)
  }

  @Test("the first failure decides, whichever piece is parsed first", arguments: [false, true])
  func contradiction(isBackwards: Bool) async throws {
    func nested(_ number: Int) -> String {
      number < 11_000 ? "[{},{}]" : Self.lines("{\"n\":\"\(Self.filler)\",\"z\":1}", ",\n")
    }
    let source = MemoryByteSource(Self.array(Self.records(nested)), name: "x")
    let stream = try JSONRowStream.inferring(source, table: "t")
    var pieces: [BatchTask] = []
    for _ in 0..<12 { pieces.append(try #require(try await stream.next())) }
    for piece in isBackwards ? pieces.reversed() : pieces { _ = try? piece.batch() }
    let read = try await ReadRows.widening(try #require(try await stream.widened()))
    #expect(read.columns == "n integer, t text, j json")
    #expect(read.rows == Self.rows(nested))
  }

  @Test(
    "an error is the same as when the array is split at brackets", arguments: ["}", "]", "x", "{\"n\":1}", "\u{1}"])
  func mistakes(broken: String) async throws {
    for position in [11_000, Self.count - 1] {
      var records = Self.records { _ in "null" }
      records[position] += broken
      let text = Self.array(records)
      let exact = await #expect(throws: Problem.self) { try await ReadRows.known(text, Self.columns) }
      let guessed = await #expect(throws: Problem.self) { try await ReadRows.inferring(text) }
      #expect(exact == guessed)
      #expect(exact?.place.hasPrefix("x:\(position + 1):") == true)
    }
  }
}
