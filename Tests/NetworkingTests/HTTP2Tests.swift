import Domain
import Glibc
import Networking
import Rows
import TestSupport
import Testing

/// nginx with TLS and HTTP/2 on loopback, and a certificate of its own; its responses name the protocol.
private final class SecureServer: Sendable {
  let port: UInt16
  let directory = TemporaryDirectory().path
  var url: String { "https://127.0.0.1:\(port)" }

  static let isInstalled =
    unsafe system("PATH=$PATH:/usr/sbin; command -v nginx >/dev/null && command -v openssl >/dev/null") == 0

  /// - Throws: nothing listens, or there is no certificate.
  init() throws {
    port = try Self.start(in: directory)
  }

  /// Starts nginx on a port that is free.
  private static func start(in directory: String) throws -> UInt16 {
    let certificate = """
      mkdir \(directory)/www && cd \(directory) && head -c 3000000 /dev/zero > www/big && printf hello > www/small && \
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bb -addext subjectAltName=IP:127.0.0.1 \
        -keyout key.pem -out cert.pem 2>/dev/null
      """
    try #require(unsafe system(certificate) == 0)
    for _ in 0..<20 {
      let port = UInt16.random(in: 20_000...29_000)
      let configuration = """
        \(getuid() == 0 ? "user root;" : "") pid \(directory)/pid; error_log \(directory)/log; events {}
        http { send_timeout 1h; keepalive_timeout 1h; access_log off; root \(directory)/www; client_body_temp_path \(directory)/t1; proxy_temp_path \(directory)/t2; fastcgi_temp_path \(directory)/t3;
          uwsgi_temp_path \(directory)/t4; scgi_temp_path \(directory)/t5;
          server { listen 127.0.0.1:\(port) ssl http2; ssl_certificate \(directory)/cert.pem; ssl_certificate_key \(directory)/key.pem;
            add_header X-Protocol $server_protocol; add_header X-Connection $connection;
            location /plain { return 302 http://127.0.0.1:1/; } location /twice { return 302 /big; } } }
        """
      guard let file = unsafe fopen(directory + "/nginx.conf", "w") else {
        throw Problem(.io, "nginx.conf cannot be written")
      }
      unsafe fputs(configuration, file)
      unsafe fclose(file)
      // It returns when it listens; a port in use makes it fail.
      let begin = "PATH=$PATH:/usr/sbin nginx -c \(directory)/nginx.conf -e \(directory)/log 2>/dev/null"
      if unsafe system(begin) == 0 { return port }
    }
    throw Problem(.unavailable, "nginx does not start")
  }
  deinit { unsafe system("kill $(cat \(directory)/pid) 2>/dev/null") }

  func transport(trusted: Bool = true) -> CurlTransport {
    CurlTransport(TransportOptions(proxy: "none", caFile: trusted ? directory + "/cert.pem" : nil))
  }
}

/// A request that may wait for its turn while other tests have the threads.
private func request(_ url: String) -> HTTPRequest { HTTPRequest(.get, url, timeout: .seconds(600)) }

@Suite("HTTP/2 and TLS", .enabled(if: SecureServer.isInstalled, "nginx and openssl are not installed"))
struct HTTP2Tests {
  @Test("responses come over HTTP/2, many at once over one connection") func multiplexed() async throws {
    let server = try SecureServer(), transport = server.transport()
    let first = try await transport.send(request(server.url + "/small"))
    #expect(first.status == 200 && first.header("x-protocol") == "HTTP/2.0")
    #expect(try await first.bytes() == Array("hello".utf8))
    let connections = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<40 {
        group.addTask {
          let response = try await transport.send(request(server.url + (number % 8 == 0 ? "/big" : "/small")))
          #expect(try await response.bytes().count == (number % 8 == 0 ? 3_000_000 : 5))
          return response.header("x-connection") ?? ""
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(connections.count == 1)
  }

  @Test("a body that is not read holds up no other on the same connection") func pausing() async throws {
    let server = try SecureServer(), transport = server.transport()
    let slow = try await transport.send(request(server.url + "/big"))
    for _ in 0..<3 {
      let quick = try await transport.send(request(server.url + "/small"))
      #expect(try await quick.bytes().count == 5)
    }
    #expect(try await slow.bytes().count == 3_000_000)
  }

  @Test("a redirect is followed within https, and never to http") func redirects() async throws {
    let server = try SecureServer(), transport = server.transport()
    #expect(try await transport.send(request(server.url + "/twice")).bytes().count == 3_000_000)
    await #expect(throws: Problem.self) { _ = try await transport.send(request(server.url + "/plain")) }
  }

  @Test("an untrusted certificate is refused with a reason") func untrusted() async throws {
    let server = try SecureServer(), transport = server.transport(trusted: false)
    do {
      _ = try await transport.send(request(server.url + "/small"))
      Issue.record("it was trusted")
    } catch {
      #expect(error.kind == .unavailable && error.message == "the server's certificate is not trusted")
      #expect(error.hint.description.contains("network.certificates"))
    }
  }
}
