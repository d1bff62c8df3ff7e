import Conformance
import Domain
import Glibc
import Networking
import Rows
import Testing

@Suite("URLs that come from data") struct PrivateReachTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer { _ in .json("[]") } }

  private static func transport(_ origins: PrivateOrigins = PrivateOrigins(), allowsPrivate: Bool = false)
    -> CurlTransport
  {
    CurlTransport(TransportOptions(proxy: "none", allowsPrivate: allowsPrivate), origins: origins)
  }

  private func request(_ url: String) -> HTTPRequest {
    var request = HTTPRequest(.get, url)
    request.comesFromData = true
    return request
  }

  private func expectRefusal(_ transport: CurlTransport, _ url: String) async {
    do throws(Problem) {
      _ = try await transport.send(request(url))
      Issue.record("\(url) was fetched")
    } catch {
      #expect(error.kind == .badData && PrivateAddress.isRefusal(error), "\(url): \(error)")
    }
  }

  @Test(
    "a private host is refused, however it is written",
    arguments: [
      "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0", "0.0.0.0", "0177.0.0.1", "10.1.2.3", "169.254.169.254",
      "[fe80::1]", "[fd00::1]", "100.64.0.1", "224.0.0.1", "[ff02::1]", "user:pass@127.0.0.1", "127.0.0.1.",
    ])
  func spellings(host: String) async {
    await expectRefusal(Self.transport(), "http://\(host):\(server.port)/")
    #expect(server.requests.isEmpty)
  }

  @Test("a name that resolves to a private address is refused before a connection is opened") func names() async throws
  {
    // Names of this computer, as its hosts file has them.
    guard let file = unsafe fopen("/etc/hosts", "r") else { return }
    defer { unsafe fclose(file) }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&block, 1, block.count, file)
    let text = String(decoding: block[..<count], as: UTF8.self)
    let names = text.split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
      .filter { $0.first == "127.0.0.1" }.flatMap { $0.dropFirst() }.filter { !$0.hasSuffix("localhost") }
    for name in names { await expectRefusal(Self.transport(), "http://\(name):\(server.port)/") }
    #expect(server.requests.isEmpty)
  }

  @Test("a private server that the user named may refer to itself, and to no other") func ownOrigin() async throws {
    let transport = Self.transport(), other = try LoopbackServer { _ in .json("[]") }
    _ = try await transport.send(HTTPRequest(.get, server.url)).bytes()
    _ = try await transport.send(request(server.url + "/image")).bytes()
    #expect(server.requests.count == 2)
    await expectRefusal(transport, other.url)
    #expect(other.requests.isEmpty)
  }

  @Test("a server that answered from the cache may refer to itself if its address is private in numbers")
  func namedServer() async throws {
    let origins = PrivateOrigins()
    origins.add(server: server.url + "/api")
    _ = try await Self.transport(origins).send(request("http://0x7f.1:\(server.port)/image")).bytes()
    #expect(server.requests.count == 1)
  }

  @Test("a name that led outside and now leads inside is refused") func rebinding() async throws {
    let origins = PrivateOrigins()
    origins.note("http://localhost:\(server.port)", isPrivate: false)
    do throws(Problem) {
      _ = try await Self.transport(origins).send(HTTPRequest(.get, "http://localhost:\(server.port)/next"))
      Issue.record("it was fetched")
    } catch {
      #expect(PrivateAddress.isRefusal(error), "\(error)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test("a connection that is kept is not used for what may not open one") func keptConnection() async throws {
    let origins = PrivateOrigins(), transport = Self.transport(origins)
    _ = try await transport.send(HTTPRequest(.get, "http://localhost:\(server.port)/")).bytes()
    // The same connection by a name whose origin is not known.
    await expectRefusal(transport, "http://127.0.0.1:\(server.port)/")
    await expectRefusal(transport, "http://LOCALHOST.:\(server.port)/")
    #expect(server.requests.count == 1)
  }

  @Test("--allow-private permits it") func allowed() async throws {
    _ = try await Self.transport(allowsPrivate: true).send(request(server.url)).bytes()
    #expect(server.requests.count == 1)
  }

  @Test("a redirect from data to a private address is refused, to the own server it is followed") func redirects()
    async throws
  {
    let port = server.port
    let front = try LoopbackServer { request in
      let target = request.path == "/out" ? "http://127.0.0.1:\(port)/" : "/there"
      return request.path == "/there" ? .json("[]") : .whole(302, [HTTPHeader("Location", target)], [])
    }
    let transport = Self.transport()
    _ = try await transport.send(HTTPRequest(.get, front.url + "/own")).bytes()
    _ = try await transport.send(request(front.url + "/own")).bytes()
    #expect(front.requests.count == 4)
  }

  @Test("through a private proxy a public server is reached, and a private address is refused") func proxy()
    async throws
  {
    let transport = CurlTransport(TransportOptions(proxy: server.url))
    _ = try await transport.send(request("http://images.example/a.png")).bytes()
    #expect(server.requests.count == 1)
    await expectRefusal(transport, "http://169.254.169.254/latest/meta-data")
    await expectRefusal(transport, "http://localhost/x")
    #expect(server.requests.count == 1)
  }
}
