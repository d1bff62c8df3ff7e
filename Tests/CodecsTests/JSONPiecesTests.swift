import Codecs
import Rows
import Synchronization
import Testing

@Suite("JSON in pieces") struct JSONPiecesTests {
  /// Records whose strings are full of what borders are made of, spaced in every way.
  private func records(_ dice: inout Dice, bytes: Int) -> [String] {
    let parts = ["{", "}", "[", "]", ",", ":", "\\\"", "\\\\", "\\n", "\\u007b", "é", "😀", " ", "x", "\\\\\\\\", "0"]
    let blanks = ["", "", "", " ", "\t", "  "]
    var records: [String] = []
    var written = 0
    while written < bytes {
      let text = (0..<dice.roll(40)).map { _ in parts[dice.roll(parts.count)] }.joined()
      let nested = ["[]", "{}", "[{\"k\":\"\(text)\"},[1]]", "{\"\(text)\":[]}", "null"][dice.roll(5)]
      let blank = blanks[dice.roll(blanks.count)]
      let record =
        "{\(blank)\"t\":\(blank)\"\(text)\"\(blank),\"n\"\(blank):\(dice.roll(1000)),\"j\":\(nested)\(blank)}"
      written += record.utf8.count
      records.append(record)
    }
    return records
  }

  @Test("pieces give what the whole document gives", arguments: 0..<4) func pieces(seed: Int) async throws {
    var dice = Dice(UInt64(seed))
    let records = records(&dice, bytes: 900_000)
    let separators = [",", ",\n", " , ", "\n,\n\n"]
    let array = "[" + records.joined(separator: separators[seed]) + "]"
    let columns: [(String, ColumnType)] = [("t", .text), ("n", .integer), ("j", .json)]
    let expected = try #require(try JSON.parse(Array(array.utf8), name: "x").arrayValue).map { record -> [Value] in
      let nested = record["j"]?.isNull == true ? Value.null : .json(record["j"]?.canonicalBytes ?? [])
      return [.text(record["t"]?.stringBytes ?? []), .number(record["n"]?.numberLiteral ?? []), nested]
    }
    let fromArray = try await ReadRows.known(array, columns)
    #expect(fromArray.rows == expected)
    #expect(fromArray.batches > 3)
    let fromLines = try await ReadRows.known(records.joined(separator: "\n"), columns)
    #expect(fromLines.rows == expected)
    #expect(fromLines.batches > 3)
  }

  @Test("an error late in the text is reported with its line, column and record") func farMistake() async throws {
    let good = (0..<40_000).map { "{\"n\":\($0),\n\"t\":\"line\\nbreak\"}" }
    let columns: [(String, ColumnType)] = [("n", .integer), ("t", .text)]
    for (form, separator, open, place) in [("array", ",\n", "[", "80001:6"), ("one line", ",", "[", "1:")] {
      let records = form == "array" ? good : good.map { $0.split(separator: "\n").joined() }
      let text = open + records.joined(separator: separator) + separator + "{\"n\":false}]"
      let expected = form == "array" ? place : "1:\(text.utf8.count - 6)"
      do {
        _ = try await ReadRows.known(text, columns)
        Issue.record("accepted")
      } catch {
        #expect(error.place == "x:\(expected)")
        #expect(error.record == 40_000)
      }
    }
  }

  @Test("a record larger than a chunk is read", arguments: [JSONForm.array, .lines]) func largeRecord(form: JSONForm)
    async throws
  {
    let large = String(repeating: "abcdefg\\n", count: 250_000)
    let records = ["{\"t\":\"a\"}", "{\"t\":\"\(large)\"}", "{\"t\":\"b\"}"]
    let text = form == .array ? "[" + records.joined(separator: ",") + "]" : records.joined(separator: "\n")
    let read = try await ReadRows.known(text, [("t", .text)], JSONReading(form: form))
    #expect(read.rows.count == 3)
    #expect(read.rows[1] == [.text(String(repeating: "abcdefg\n", count: 250_000))])
    do {
      _ = try await ReadRows.known(text, [("t", .text)], JSONReading(form: form, maximumField: 1 << 20))
      Issue.record("accepted")
    } catch {
      #expect(error.message == "the value of “t” is larger than 1 MiB")
      #expect(error.kind == .badData)
    }
  }

  @Test("a missing quote or endless scalars do not fill the memory") func hopeless() async throws {
    for text in ["[{\"t\":\"a\n", "[{\"t\":\"a\"},1,", "[{\"t\" ", "[["] {
      let source = EndlessSource(Array(text.utf8))
      let schema = Schema("t", columns: [ColumnDescription("t", .text)])
      do {
        _ = try await ReadRows(JSONRowStream(source, schema: schema))
        Issue.record("accepted")
      } catch {
        #expect(error.kind == .badData)
        #expect(source.given < 4 << 20)
      }
    }
  }
}

/// A beginning, and then digits without end.
private final class EndlessSource: ByteSource {
  let name = "endless"
  var given: Int { total.withLock { $0 } }
  let size: Int? = nil
  private let head: [UInt8]
  private let total = Mutex(0)

  init(_ head: [UInt8]) { self.head = head }

  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let count = min(limit, 10_000), given = given
    text.append(
      (given..<given + count).map { at in
        at < head.count ? head[at] : UInt8(ascii: at % 7 == 6 ? "," : "1")
      })
    total.withLock { $0 += count }
    return count
  }
  func reopened() throws(Problem) -> (any ByteSource)? { nil }
}
