import Codecs
import Rows
import Synchronization
import Testing

@Suite("Limits of CSV") struct CSVLimitsTests {
  /// The problem of reading a text that begins with `head` and repeats `filler` without end, and the bytes read.
  static func problem(
    _ head: String, _ filler: String, _ change: (inout CSVReading) -> Void = { _ in }
  ) async -> (problem: Problem?, given: Int) {
    let source = RepeatingSource(Array(head.utf8), Array(filler.utf8))
    var reading = CSVReading()
    reading.maximumField = 1 << 20
    change(&reading)
    do throws(Problem) {
      let stream = try CSVRowStream.inferring(source, table: "t", reading)
      while let work = try await stream.next() { _ = try work.batch() }
      return (nil, source.given)
    } catch {
      return (error, source.given)
    }
  }

  @Test(
    "a field that never ends is refused where it begins, soon after the limit",
    arguments: [
      ("", "a", "x:1:1: the field"), ("", "\0", "x:1:1: the field"), ("a,", "é", "x:1:3: the field"),
      ("\"", "a", "x:1:1: the field"), ("a,\"", ",\n", "x:1:3: the field"),
      ("\u{FEFF}a,\"", "\"\"", "x:1:6: the field"),
      ("a,b\n1,", "a", "x:2:3: the value of “b”"), ("a,b\n1,\"", "\n", "x:2:3: the value of “b”"),
      ("a,b\n1,\"x\ny\"\n2", "1", "x:4:1: the value of “a”"), ("a,b\n1,x\"", ".", "x:2:3: the value of “b”"),
    ])
  func endlessField(head: String, filler: String, message: String) async {
    for isStrict in [false, true] where !isStrict || !head.contains("x\"") {
      let (problem, given) = await Self.problem(head, filler) { $0.isStrict = isStrict }
      #expect(problem?.kind == .badData && problem?.hint == .raise(.maximumField))
      #expect(
        problem?.description.hasPrefix(message + " is larger than 1 MiB") == true, "\(problem?.description ?? "")")
      #expect(given < 2 << 20)
    }
  }

  @Test(
    "a record that never ends is refused",
    arguments: [
      ("", ",", "the header has more than 10000 columns"), ("a,b\n", "1,", "x:2:5: expected 2 fields, found"),
      ("a\n", "\"\",", "x:2:4: expected 1 field, found"),
    ])
  func endlessRecord(head: String, filler: String, message: String) async {
    let (problem, given) = await Self.problem(head, filler)
    #expect(
      problem?.kind == .badData && problem?.description.contains(message) == true, "\(problem?.description ?? "")")
    #expect(given < 2 << 20)
  }

  @Test("a record of many large fields is refused") func largeRecord() async {
    let header = (0..<100).map { "c\($0)" }.joined(separator: ",") + "\n"
    let (problem, given) = await Self.problem(header, String(repeating: "x", count: 200_000) + ",")
    #expect(problem?.description.hasPrefix("x:2:1: the record is larger than 2 MiB") == true)
    #expect(given < 3 << 20)
  }

  @Test(
    "a field of the largest size is read, one byte more is refused", arguments: [(1 << 20, true), (1 << 20 + 1, false)])
  func atTheLimit(count: Int, isRead: Bool) async throws {
    for quote in ["", "\""] {
      for end in ["", "\n", "\n1\n"] {
        let text = "a\nq\n\(quote)\(String(repeating: "x", count: count))\(quote)\(end)"
        var reading = CSVReading()
        reading.maximumField = 1 << 20
        let stream = try CSVRowStream.inferring(MemoryByteSource(text, name: "x"), table: "t", reading)
        var problem: Problem?
        do throws(Problem) { while let work = try await stream.next() { _ = try work.batch() } } catch {
          problem = error
        }
        #expect((problem == nil) == isRead)
        if let problem { #expect(problem.description.hasPrefix("x:3:1: the value of “a” is larger than 1 MiB")) }
      }
    }
  }

  @Test("10,000 columns are read, 10,001 are refused", arguments: [10_000, 10_001]) func columns(count: Int)
    async throws
  {
    let header = (0..<count).map { "c\($0)" }.joined(separator: ",")
    let text = header + "\n" + String(repeating: ",", count: count - 1) + "\n"
    do throws(Problem) {
      let stream = try CSVRowStream.inferring(MemoryByteSource(text, name: "x"), table: "t")
      #expect(stream.schema.width == 10_000 && count == 10_000)
      #expect(try await stream.next()?.batch().count == 1)
    } catch {
      #expect(count == 10_001 && error.message == "the header has more than 10000 columns")
    }
  }
}

/// A beginning, and then the same bytes again and again.
final class RepeatingSource: ByteSource {
  let name = "x"
  let size: Int? = nil
  private let head: [UInt8]
  private let period: Int
  /// The filler, as often as one reading and a period need it.
  private let filler: [UInt8]
  private let total = Mutex(0)

  init(_ head: [UInt8], _ filler: [UInt8]) {
    self.head = head
    period = filler.count
    self.filler = Array(repeatElement(filler, count: 50_000 / filler.count + 2).joined())
  }

  /// Bytes read so far.
  var given: Int { total.withLock { $0 } }

  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let count = min(limit, 50_000), given = given
    let rest = head.dropFirst(given).prefix(count), start = max(0, given - head.count) % period
    text.append(rest)
    text.append(filler[start..<start + count - rest.count])
    total.withLock { $0 += count }
    return count
  }

  func reopened() throws(Problem) -> (any ByteSource)? { nil }
}
