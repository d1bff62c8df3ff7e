import Domain
import Rows
import Synchronization
import TestSupport
import Testing

@Suite("parts of files on servers") struct RemoteShardTests {
  /// A server with ranges, which counts the bytes that it sends.
  private final class Server: Sendable {
    let text: [UInt8]
    let sent = Mutex(0)

    init(_ text: String) { self.text = Array(text.utf8) }

    func respond(_ request: HTTPRequest) -> HTTPResponse {
      let given = request.headers.first { $0.name == "Range" }?.value.dropFirst("bytes=".count)
      let borders = given?.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) } ?? [0, nil]
      var range = 0..<text.count
      if let first = borders[0] {
        range = min(first, text.count)..<min(text.count, (borders[1] ?? text.count) + 1)
      } else if let last = borders[1] {
        range = max(0, text.count - last)..<text.count
      }
      sent.withLock { $0 += range.count }
      return HTTPResponse(
        status: given == nil ? 200 : 206,
        headers: [
          HTTPHeader("ETag", "\"1\""), HTTPHeader("Content-Length", String(range.count)),
          HTTPHeader("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(text.count)"),
        ], url: request.url, body: SingleChunkBody(Array(text[range])))
    }
  }

  @Test(
    "a part of lines is requested, and nothing after it",
    arguments: ["csv --from-lines", "csv", "ndjson"])
  func parts(_ kind: String) async throws {
    let isLines = kind == "ndjson", count = 20_000
    let rows = (0..<count).map { number in
      let text = String(repeating: "x", count: number % 800)
      return isLines ? "{\"id\":\(number),\"t\":\"\(text)\"}" : "\(number),a\(text)"
    }
    let text = (isLines ? "" : "id,t\n") + rows.map { $0 + "\n" }.joined()
    let words = kind.split(separator: " ", maxSplits: 1)
    var found: [Substring] = []
    for part in 1...4 {
      let server = Server(text), console = Console { (request) throws(Problem) in server.respond(request) }
      let outcome = await console.run(
        "bb-export --from https://files.test/t.\(words[0]) \(words.dropFirst().joined()) --shard \(part)/4 "
          + "-f \(isLines ? "ndjson" : "csv") --columns id")
      #expect(outcome.status == 0, "\(outcome.err)")
      found += outcome.out.split(separator: "\n").dropFirst(isLines ? 0 : 1)
      let sent = server.sent.withLock { $0 }, size = text.utf8.count
      let own = kind != "csv" ? size / 4 : part < 3 ? size / 4 * part : size
      // The beginning, which has the types, and the end are read, too.
      #expect(sent <= own + 3 << 19, "\(part): \(sent) of \(size) bytes")
    }
    #expect(found.map(String.init) == (0..<count).map { isLines ? "{\"id\":\($0)}" : "\($0)" })
  }
}
