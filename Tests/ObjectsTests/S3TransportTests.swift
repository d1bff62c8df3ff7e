import Codecs
import Conformance
import Domain
import Rows
import Synchronization
import Testing

@testable import Networking
@testable import Objects

@Suite("S3 requests") struct S3TransportTests {
  private final class Server: HTTPTransport {
    let requests = Mutex<[HTTPRequest]>([])
    let respond: @Sendable (HTTPRequest, Int) -> HTTPResponse
    init(_ respond: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse) { self.respond = respond }
    func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
      let number = requests.withLock {
        $0.append(request)
        return $0.count
      }
      return respond(request, number)
    }
    var urls: [String] { requests.withLock { $0.map(\.url) } }
    func authorization(_ number: Int) -> String {
      requests.withLock { $0[number].headers.first { $0.name == "Authorization" }?.value ?? "" }
    }
  }

  private func environment(_ clock: any WallClock = StillDate()) -> AWSEnvironment {
    AWSEnvironment(
      variables: ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"], clock: clock,
      file: { (_) throws(Problem) in nil }, output: { (_) throws(Problem) in [] })
  }

  private func transport(_ server: Server, _ endpoint: S3Endpoint, _ clock: any WallClock = StillDate()) -> S3Transport
  {
    let chain = AWSCredentialChain(environment(clock), region: "us-east-1", transport: server, metadata: server)
    return S3Transport(server, endpoint, chain, clock: clock)
  }

  private static func ok() -> HTTPResponse { MemoryS3.xml("<R/>") }

  @Test("a bucket in another region: once more, signed for it, and so are later requests", arguments: [301, 400, 307])
  func region(status: Int) async throws {
    let server = Server { request, number in
      guard number == 1 else { return Self.ok() }
      var response = MemoryS3.error(status, "PermanentRedirect")
      response.headers = [
        HTTPHeader("x-amz-bucket-region", "eu-west-1"), HTTPHeader("Location", "https://evil.example/"),
      ]
      return response
    }
    let endpoint = try S3Endpoint(bucket: "bucket", server: nil, region: "us-east-1")
    let transport = transport(server, endpoint), url = endpoint.url("a b/c=d")
    for _ in 1...2 { #expect(try await transport.send(HTTPRequest(.get, url)).status == 200) }
    #expect(
      server.urls == [
        "https://bucket.s3.us-east-1.amazonaws.com/a%20b/c%3Dd",
        "https://bucket.s3.eu-west-1.amazonaws.com/a%20b/c%3Dd",
        "https://bucket.s3.eu-west-1.amazonaws.com/a%20b/c%3Dd",
      ])
    #expect(server.authorization(0).contains("/us-east-1/s3/") && server.authorization(2).contains("/eu-west-1/s3/"))
    #expect(server.requests.withLock { $0.allSatisfy(\.isSigned) })
  }

  @Test("a server that names a region over and over is followed once") func endlessRegions() async throws {
    let server = Server { _, number in
      var response = MemoryS3.error(301, "PermanentRedirect")
      response.headers = [HTTPHeader("x-amz-bucket-region", "eu-west-\(number)")]
      return response
    }
    let endpoint = try S3Endpoint(bucket: "bucket", server: nil, region: "us-east-1")
    #expect(try await transport(server, endpoint).send(HTTPRequest(.get, endpoint.url("k"))).status == 301)
    #expect(server.urls.count == 2)
  }

  @Test("each attempt is signed at its own time") func signedAgain() async throws {
    final class Ticking: WallClock {
      let seconds = Mutex<Int64>(1_700_000_000)
      func now() -> Instant {
        Instant(
          seconds: seconds.withLock {
            $0 += 60; return $0
          })
      }
    }
    let server = Server { _, number in number < 3 ? MemoryS3.error(500, "InternalError") : Self.ok() }
    let endpoint = try S3Endpoint(bucket: "bucket", server: "http://127.0.0.1:9000/", region: "us-east-1")
    let clock = CountingClock()
    let retrying = RetryingTransport(transport(server, endpoint, Ticking()), clock: clock, date: StillDate()) { $0 }
    #expect(try await retrying.send(HTTPRequest(.put, endpoint.url("k"), body: [1])).status == 200)
    let signatures = Set((0..<3).map { server.authorization($0) })
    #expect(signatures.count == 3 && server.urls.allSatisfy { $0 == "http://127.0.0.1:9000/bucket/k" })
  }

  @Test(
    "addresses",
    arguments: [
      ("bucket", nil, "https://bucket.s3.us-east-1.amazonaws.com/k"),
      ("my.bucket", nil, "https://s3.us-east-1.amazonaws.com/my.bucket/k"),
      ("bucket", "https://minio.test:443/", "https://minio.test/bucket/k"),
      ("bucket", "http://minio.test:9000", "http://minio.test:9000/bucket/k"),
    ] as [(String, String?, String)])
  func addresses(bucket: String, server: String?, url: String) throws {
    #expect(try S3Endpoint(bucket: bucket, server: server, region: "us-east-1").url("k") == url)
  }

  @Test("invalid servers", arguments: ["", "minio", "ftp://x", "http://", "http://user:SECRET@host"])
  func invalid(server: String) {
    #expect {
      try S3Endpoint(bucket: "bucket", server: server, region: "r")
    } throws: { error in (error as? Problem)?.kind == .configuration && !"\(error)".contains("SECRET") }
  }

  @Test("anonymous requests have no signature") func anonymous() async throws {
    let server = Server { _, _ in Self.ok() }
    let endpoint = try S3Endpoint(bucket: "bucket", server: nil, region: "us-east-1")
    _ = try await S3Transport(server, endpoint, nil, clock: StillDate()).send(HTTPRequest(.get, endpoint.url("k")))
    #expect(server.authorization(0).isEmpty)
  }
}
