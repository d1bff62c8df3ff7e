import Codecs
import Rows
import Testing

@Suite("Limits of JSON") struct JSONLimitsTests {
  /// The problem of reading a document that begins with `head` and repeats `filler` without end, and the bytes read.
  static func problem(_ head: String, _ filler: String, _ form: JSONForm, at pointer: String = "") async throws -> (
    problem: Problem?, given: Int
  ) {
    let source = RepeatingSource(Array(head.utf8), Array(filler.utf8))
    let reading = JSONReading(form: form, records: try JSONPointer(pointer), maximumField: 1 << 20)
    do throws(Problem) {
      let stream = try JSONRowStream.inferring(source, table: "t", reading)
      while let work = try await stream.next() { _ = try work.batch() }
      return (nil, source.given)
    } catch {
      return (error, source.given)
    }
  }

  @Test(
    "a value, key or space that never ends is refused where it begins, soon after the limit",
    arguments: [
      ("{\"a\":\"", "x", "6: the value of “a”"), ("{\"a\":", "1", "6: the value of “a”"),
      ("{\"b\":1,\"a\":[", "1,", "12: the value of “a”"), ("{\"a\":{\"k\":\"", "é", "6: the value of “a”"),
      ("{\"", "k", "2: a key or white space"), ("{\"a\":1", " ", "7: a key or white space"),
      ("{\"a\":", " ", "5: a key or white space"), ("{\"a\":1}", " ", "8: a key or white space"),
    ])
  func endless(head: String, filler: String, message: String) async throws {
    for form in [JSONForm.array, .lines] {
      let (problem, given) = try await Self.problem((form == .array ? "[" : "") + head, filler, form)
      let (column, what) = (message.split(separator: ":")[0], message.split(separator: ": ")[1])
      let place = "x:1:\((Int(column) ?? 0) + (form == .array ? 1 : 0))"
      #expect(problem?.kind == .badData && problem?.place == place, "\(problem?.description ?? "")")
      #expect(problem?.message == "\(what) is larger than 1 MiB", "\(problem?.description ?? "")")
      #expect(given < 5 << 19)
    }
  }

  @Test(
    "what is not a table is refused, however much of it there is",
    arguments: [
      ("[{\"a\":", "[", "", "nested more than 128 levels deep"), ("[", "[", "", "expected an object (one record)"),
      ("{\"a\":", "[", "/b", "nested more than 128 levels deep"),
      ("{\"a\":[", "1,", "/b", "the array of records does not begin within the first 2 MiB"),
      ("{\"a\":\"", "x", "/b", "the array of records does not begin within the first 2 MiB"),
      ("{\"b\":[{\"a\":1}],\"c\":[", "1,", "/b", "the text after the records is larger than 2 MiB"),
      ("[{\"a\":1},{", "\"b\":\"\",", "", "duplicate"), ("[{\"a\":1}]", " x", "", "unexpected text after the end"),
    ])
  func hopeless(head: String, filler: String, pointer: String, message: String) async throws {
    let (problem, given) = try await Self.problem(head, filler, .array, at: pointer)
    let isExpected =
      message == "duplicate" ? problem?.kind == .badData : problem?.message.contains(message) == true
    #expect(problem?.kind == .badData && isExpected, "\(problem?.description ?? "")")
    #expect(given < 5 << 20)
  }

  @Test("space before and after the records may be of any size", arguments: ["", "/b"]) func space(pointer: String)
    async throws
  {
    let space = String(repeating: " \n", count: 2 << 20)
    let text = pointer.isEmpty ? "\(space)[{\"a\":1}]\(space)" : "\(space){\"b\":[{\"a\":1}]\(space)}\(space)"
    let reading = JSONReading(records: try JSONPointer(pointer), maximumField: 1 << 20)
    let stream = try JSONRowStream.inferring(MemoryByteSource(text, name: "x"), table: "t", reading)
    let rows = try await stream.collect().reduce(0) { $0 + $1.count }
    #expect(rows == 1)
  }

  @Test("10,000 keys are read, 10,001 are refused", arguments: [10_000, 10_001]) func columns(count: Int) async throws {
    let text = "[{" + (0..<count).map { "\"c\($0)\":1" }.joined(separator: ",") + "}]"
    do throws(Problem) {
      let stream = try JSONRowStream.inferring(MemoryByteSource(text, name: "x"), table: "t")
      #expect(stream.schema.width == 10_000 && count == 10_000)
      #expect(try await stream.next()?.batch().count == 1)
    } catch {
      #expect(count == 10_001 && error.message == "the records have more than 10000 different keys")
    }
  }
}
