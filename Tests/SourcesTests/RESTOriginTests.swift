import Testing

@testable import Sources

@Suite("Origins") struct RESTOriginTests {
  @Test(
    "a secret is sent only encrypted or to this machine",
    arguments: [
      ("https://example.org/token", true), ("HTTPS://example.org/token", true), ("http://localhost:8080/token", true),
      ("http://LOCALHOST", true), ("http://127.0.0.1/token", true), ("http://127.4.5.6:80", true),
      ("http://[::1]:1/t", true),
      ("http://127.0.0.1.example.org/t", false), ("http://127.evil.example/t", false),
      ("http://localhost:x@evil.example/t", false), ("http://localhost.evil.example", false),
      ("http://[::1]evil.example", false), ("http://[::1].evil.example", false), ("http://[::1:2]", false),
      ("http://localhost\\@evil.example", false), ("http://evil.example/?http://localhost", false),
      ("http://evil.example#@localhost", false), ("ftp://localhost", false), ("http://1270.0.0.1", false), ("", false),
    ])
  func keeps(url: String, isKept: Bool) { #expect(RESTOrigin(url).keepsSecrets == isKept) }
}
