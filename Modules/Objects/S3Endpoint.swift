import Domain
public import Rows
import Synchronization

/// The server of a bucket, and the region that requests are signed for.
public final class S3Endpoint: Sendable {
  let bucket: String
  /// The server that the user named; nil for that of AWS.
  private let server: String?
  private let current: Mutex<String>
  /// The region at first, which the addresses of requests name.
  private let first: String

  /// - `server`: the URL of the server without the bucket; nil for that of AWS.
  /// - `region`: the region until the server names another.
  /// - Throws: `configuration` for a server that is not an http or https URL.
  public init(bucket: String, server: String?, region: String) throws(Problem) {
    self.bucket = bucket
    first = region
    current = Mutex(region)
    guard var server else {
      self.server = nil
      return
    }
    while server.hasSuffix("/") { server.removeLast() }
    guard URLText.isWeb(server), !server.contains("?"), !server.contains("@"),
      let start = server.firstRange(of: "://")?.upperBound, !AWSQuery.parts(of: server).host.isEmpty
    else {
      throw Problem(
        .configuration, "invalid S3 endpoint", at: URLText.redacted(server),
        hint: "use http://HOST:PORT or https://HOST")
    }
    // libcurl does not send the usual port, so it may not be signed either.
    let usual = server.hasPrefix("http:") ? ":80" : ":443", host = server[start...].prefix { $0 != "/" }
    if host.hasSuffix(usual) {
      server.removeSubrange(server.index(host.endIndex, offsetBy: -usual.count)..<host.endIndex)
    }
    self.server = server
  }

  var region: String { current.withLock { $0 } }

  /// The address of an object, or of the bucket if the key is empty.
  public func url(_ key: String = "", _ parameters: [(String, String)] = []) -> String {
    let query = parameters.isEmpty ? "" : "?" + AWSQuery.text(parameters)
    return base(first) + "/" + AWSQuery.encoded(key, keepsSlashes: true) + query
  }

  /// The address of the bucket, without a slash.
  private func base(_ region: String) -> String {
    if let server { return "\(server)/\(bucket)" }
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let host = "s3.\(region).\(domain)"
    // Names with dots, or with what host names do not have, do not fit the certificate.
    let isHost = bucket.utf8.allSatisfy { $0 &- 48 < 10 || (97...122).contains($0) || $0 == UInt8(ascii: "-") }
    return isHost ? "https://\(bucket).\(host)" : "https://\(host)/\(bucket)"
  }

  /// An address as `url` wrote it, at the server of the current region.
  func current(_ url: String) -> String {
    let old = base(first)
    return url.hasPrefix(old) ? base(region) + url.dropFirst(old.count) : url
  }

  /// Takes the region that the server names.
  /// - Returns: false if it is the current one, or no region.
  func move(to region: String) -> Bool {
    let isName = region.utf8.allSatisfy { $0 &- 48 < 10 || (97...122).contains($0) || $0 == UInt8(ascii: "-") }
    guard isName, !region.isEmpty, region.utf8.count < 64 else { return false }
    return current.withLock { current in
      defer { current = region }
      return current != region
    }
  }
}
