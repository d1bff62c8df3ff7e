import Domain
import Parquet
import Rows
import Synchronization
import TestSupport
import Testing

@testable import Access

@Suite("ranges of files on servers") struct RemoteRangesTests {
  /// A server with one file, which counts the bytes that it sends.
  private final class Server: HTTPTransport {
    let bytes: [UInt8]
    let tag = Mutex("\"1\"")
    let sent = Mutex<[Range<Int>]>([])

    private static let all: [UInt8] = (0..<8 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

    init(_ count: Int) { bytes = Array(Self.all[..<count]) }

    func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
      func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
      let tag = tag.withLock { $0 }
      if let expected = header("If-Match"), expected != tag {
        return HTTPResponse(status: 412, headers: [], url: request.url, body: SingleChunkBody([]))
      }
      let bounds = (header("Range") ?? "bytes=0-").dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      let start = Int(bounds[0]) ?? max(0, bytes.count - (Int(bounds[1]) ?? 0))
      let end = bounds[0].isEmpty ? bytes.count : min(bytes.count, (Int(bounds[1]) ?? bytes.count) + 1)
      sent.withLock { $0.append(start..<end) }
      return HTTPResponse(
        status: 206,
        headers: [HTTPHeader("ETag", tag), HTTPHeader("Content-Range", "bytes \(start)-\(end - 1)/\(bytes.count)")],
        url: request.url, body: SingleChunkBody(Array(bytes[start..<end])))
    }

    func object() async throws -> RemoteObject {
      let response = try await send(RemoteObject.tailRequest("https://h.test/x.parquet", unless: nil))
      return try #require(
        await RemoteObject("https://h.test/x.parquet", "x", isObject: true, self, end: response))
    }

    func ranges() async throws -> RemoteRanges {
      RemoteRanges(try await object()) { [bytes] () throws(Problem) in MemoryByteSource(bytes, name: "x") }
    }
  }

  @Test("random plans and readings give the bytes of the file", arguments: 1...20) func law(seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    let server = Server(Int.random(in: 1 << 20...3 << 20, using: &random)), ranges = try await server.ranges()
    let size = server.bytes.count
    func part() -> Range<Int> {
      let start = Int.random(in: 0..<size, using: &random)
      return start..<min(size, start + Int.random(in: 1...size / 10, using: &random))
    }
    ranges.willRead((0..<4).map { _ in [part(), part()] }, mayEnd: seed % 2 == 0)
    for _ in 0..<40 {
      let range = part()
      #expect(try ranges.bytes(at: range.lowerBound, count: range.count) == Array(server.bytes[range]))
    }
    #expect(try ranges.bytes(at: size - 5, count: 6) == nil)
  }

  @Test("only the planned bytes are requested, and each once") func planned() async throws {
    let server = Server(8 << 20), ranges = try await server.ranges(), tail = RemoteObject.tailSize
    let plan = [[1 << 20..<2 << 20], [5 << 20..<(5 << 20) + 9]]
    ranges.willRead(plan, mayEnd: false)
    for range in plan.flatMap(\.self) {
      for start in stride(from: range.lowerBound, to: range.upperBound, by: 100_000) {
        let part = start..<min(start + 100_000, range.upperBound)
        #expect(try ranges.bytes(at: part.lowerBound, count: part.count) == Array(server.bytes[part]))
      }
    }
    #expect(server.sent.withLock { $0.reduce(0) { $0 + $1.count } } == tail + (1 << 20) + 9)
  }

  @Test("small gaps are read, as long as they are few") func gaps() async throws {
    let server = Server(8 << 20), ranges = try await server.ranges()
    ranges.willRead([[0..<1_000_000, 1_010_000..<2_000_000, 2_200_000..<3_000_000]], mayEnd: false)
    for start in [0, 1_010_000, 2_200_000] { _ = try ranges.bytes(at: start, count: 700_000) }
    #expect(Set(server.sent.withLock { $0.dropFirst() }) == [0..<2_000_000, 2_200_000..<3_000_000])
  }

  @Test("a file of which most is needed is fetched whole") func whole() async throws {
    let server = Server(2 << 20), fetched = Mutex(0)
    let ranges = RemoteRanges(try await server.object()) { [bytes = server.bytes] () throws(Problem) in
      fetched.withLock { $0 += 1 }
      return MemoryByteSource(bytes, name: "x")
    }
    ranges.willRead([[0..<1_500_000]], mayEnd: false)
    #expect(try ranges.bytes(at: 7, count: 100_000) == Array(server.bytes[7..<100_007]))
    #expect(fetched.withLock { $0 } == 1 && server.sent.withLock { $0.count } == 1)
  }

  @Test("a file that changes while it is read is busy") func changed() async throws {
    let server = Server(2 << 20), ranges = try await server.ranges()
    server.tag.withLock { $0 = "\"2\"" }
    #expect { try ranges.bytes(at: 0, count: 10) } throws: { ($0 as? Problem)?.kind == .busy }
  }

  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }
}
