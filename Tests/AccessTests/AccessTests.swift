import AppShell
import CommandLineKit
import Dialects
import Domain
import Files
import Persistence
import Query
import Rows
import Synchronization
import TestSupport
import Testing

@testable import Access

@Suite("access to locations") struct AccessTests {
  /// A server with one file, which sends its body in two pieces and may stop between them.
  private final class Server: HTTPTransport {
    private struct State {
      var requests: [String] = []
      var stops = 0
    }
    private let state = Mutex(State())

    init(stops: Int = 0) { state.withLock { $0.stops = stops } }

    /// The `Range` fields of the requests so far, empty without one.
    var requests: [String] { state.withLock { $0.requests } }

    func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
      let whole = Array("k,v\n1,a\n2,b\n".utf8)
      let range = request.headers.first { $0.name == "Range" }?.value ?? ""
      let stopsHere = state.withLock { state in
        state.requests.append(range)
        guard state.stops > 0 else { return false }
        state.stops -= 1
        return true
      }
      let start = Int(range.drop { $0 != "=" }.dropFirst().prefix { $0 != "-" }) ?? 0
      var fields = [
        HTTPHeader("ETag", "\"1\""), HTTPHeader("Content-Length", String(whole.count - start)),
      ]
      if start > 0 { fields.append(HTTPHeader("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)")) }
      return HTTPResponse(
        status: start > 0 ? 206 : 200, headers: HTTPFields(fields), url: request.url,
        body: Pieces(pieces: [Array(whole[start..<max(start, 6)]), Array(whole[max(start, 6)...])], isCut: stopsHere))
    }
  }

  private struct Pieces: AsyncSequence, Sendable {
    let pieces: [[UInt8]]
    let isCut: Bool
    struct Iterator: AsyncIteratorProtocol {
      var rest: ArraySlice<[UInt8]>
      let isCut: Bool
      mutating func next() async throws(Problem) -> [UInt8]? {
        if isCut, rest.count == 1 {
          var problem = Problem(.unavailable, "cut")
          problem.isTransient = true
          throw problem
        }
        return rest.popFirst()
      }
    }
    func makeAsyncIterator() -> Iterator { Iterator(rest: pieces[...], isCut: isCut) }
  }

  private static func sources(_ server: Server, offline: Bool = false, in home: String) -> ConnectedSources {
    let report = Report(program: "test") { _ in }, services = AppServices(report)
    let directories = Directories(["HOME": home, "TMPDIR": home]), scratch = TemporaryScratch(directory: home)
    var sources = ConnectedSources(
      report: report, progress: services.progress, provenance: services.provenance,
      registry: StoreRegistry(scratch: scratch, known: []), directories: directories,
      variables: ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-1"], scratch: scratch,
      rejects: RejectLog(scratch: scratch), userAgent: "test",
      network: Network(transport: { (_, _) in server }, retrying: { inner, _ in inner }))
    var options = APIOptions()
    options.offline = offline
    sources.connection = Connection(options)
    return sources
  }

  private static func count(_ text: String, _ sources: ConnectedSources) async throws -> Int {
    let source = try await sources.kinds.location(text).place.source(FileInputOptions(), isPartitioned: false)
    let rows = try await source.rows(of: try await source.tables()[0].name, RowRequest())
    return try await rows.collect().reduce(0) { $0 + $1.count }
  }

  @Test("a file is fetched once, and read again without the network") func cached() async throws {
    let home = TemporaryDirectory().path, server = Server()
    #expect(try await Self.count("https://host.test/a.csv", Self.sources(server, in: home)) == 2)
    #expect(try await Self.count("https://host.test/a.csv", Self.sources(Server(), offline: true, in: home)) == 2)
    #expect(server.requests == [""])
  }

  @Test("an interrupted download continues where it stopped") func resumed() async throws {
    let server = Server(stops: 1)
    #expect(try await Self.count("https://host.test/a.csv", Self.sources(server, in: TemporaryDirectory().path)) == 2)
    #expect(server.requests == ["", "bytes=6-"])
  }

  @Test(
    "offline, no place on a server is reached",
    arguments: [
      "https://host.test/a.csv", "s3://bucket/a.csv", "delta:s3://bucket/t", "postgres://host.test/d?table=t",
      "postgres:host=host.test table=t",
    ])
  func offline(text: String) async throws {
    let server = Server(), sources = Self.sources(server, offline: true, in: TemporaryDirectory().path)
    await #expect {
      _ = try await Self.count(text, sources)
    } throws: {
      ($0 as? Problem)?.kind == .unavailable
    }
    #expect(server.requests.isEmpty)
  }

  @Test("what is shown has no secret", arguments: ["https", "HTTP", "postgres", "POSTGRESQL", "delta:s3"])
  func shown(scheme: String) throws {
    let sources = Self.sources(Server(), in: TemporaryDirectory().path), secret = "S3cr3tS3cr3t"
    let isDelta = scheme == "delta:s3"
    for text in [
      "\(scheme)://u:\(secret)@h/a.csv", "\(scheme)://h/a.csv?x=\(secret)", "\(scheme)://h/\(secret)/a.csv?x=\(secret)",
    ] where !(isDelta || scheme.lowercased().hasPrefix("p") && text.contains("/\(secret)/")) {
      let shown = try? sources.kinds.location(text).shown
      #expect(shown?.contains(secret) != true, "\(text): \(shown ?? "")")
    }
  }
}
