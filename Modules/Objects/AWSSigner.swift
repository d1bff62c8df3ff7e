import Codecs
import Domain

/// The keys that sign requests.
public struct AWSCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The identifier of the key.
  public let accessKey: String
  /// The key.
  public let secretKey: String
  /// The token of a session; nil for keys of a user.
  public let token: String?
  /// When they end, in seconds since 1970; nil for never.
  public let expiry: Int64?

  /// Creates credentials.
  public init(accessKey: String, secretKey: String, token: String? = nil, expiry: Int64? = nil) {
    (self.accessKey, self.secretKey, self.token, self.expiry) = (accessKey, secretKey, token, expiry)
  }

  /// A text without secrets.
  public var description: String { "AWS credentials" }
  /// Without members, so that no dump contains secrets.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Signs requests with AWS Signature Version 4, as S3 reads it: the path is encoded once and not normalized.
struct AWSSigner: Sendable {
  let credentials: AWSCredentials
  let region: String
  let service: String

  /// Header fields that proxies and libcurl may change.
  private static let unsigned: Set<String> = ["accept", "accept-encoding", "user-agent", "connection", "expect"]

  /// Adds the header fields of the signature.
  /// - Parameters:
  ///   - request: its URL is encoded, and its query is sorted, as `AWSQuery` writes it.
  ///   - timestamp: RFC 3339 in UTC.
  func sign(_ request: inout HTTPRequest, timestamp: String) {
    let time = timestamp.filter { $0 != "-" && $0 != ":" }, day = String(time.prefix(8))
    let digest =
      request.headers.first { $0.isCalled("x-amz-content-sha256") }?.value ?? SHA256.hex(request.body)
    request.headers.removeAll {
      $0.isCalled("authorization") || $0.isCalled("x-amz-date") || $0.isCalled("x-amz-security-token")
        || $0.isCalled("x-amz-content-sha256")
    }
    request.headers.append(HTTPHeader("x-amz-date", time))
    request.headers.append(HTTPHeader("x-amz-content-sha256", digest))
    if let token = credentials.token { request.headers.append(HTTPHeader("x-amz-security-token", token)) }
    let (host, path, query) = AWSQuery.parts(of: request.url)
    var fields = request.headers.map { ($0.name.lowercased(), Self.trimmed($0.value)) }
      .filter { !Self.unsigned.contains($0.0) }
    fields.append(("host", host))
    fields.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    let names = fields.map(\.0).joined(separator: ";")
    let canonical = [
      request.method.rawValue, path, query, fields.map { "\($0.0):\($0.1)\n" }.joined(), names, digest,
    ].joined(separator: "\n")
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hex(Array(canonical.utf8)))"
    var key = Array("AWS4\(credentials.secretKey)".utf8)
    for part in [day, region, service, "aws4_request"] { key = Self.hmac(key, Array(part.utf8)) }
    let signature = Self.hexadecimal(Self.hmac(key, Array(text.utf8)))
    request.headers.append(
      HTTPHeader(
        "Authorization",
        "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)"))
  }

  /// A value without white space at its ends, and with single spaces within.
  private static func trimmed(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }

  /// The keyed digest of RFC 2104 with SHA-256.
  static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var block = key
    if block.count > 64 {
      var hash = SHA256()
      hash.update(key)
      block = hash.digest()
    }
    block += [UInt8](repeating: 0, count: 64 - block.count)
    var inner = SHA256(), outer = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    outer.update(block.map { $0 ^ 0x5C })
    outer.update(inner.digest())
    return outer.digest()
  }

  /// Lower-case hexadecimal digits.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Paths and queries of URLs as signatures need them.
enum AWSQuery {
  /// Percent-encodes every byte but the unreserved ones, once.
  static func encoded(_ text: String, keepsSlashes: Bool = false) -> String {
    PercentCoding.encoded(text, keeping: keepsSlashes ? "/" : "")
  }

  /// A query: encoded, and sorted by name and value. A parameter without a value is `name=`.
  static func text(_ parameters: [(String, String)]) -> String {
    parameters.map { (encoded($0.0), encoded($0.1)) }
      .sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  static func parts(of url: String) -> (host: String, path: String, query: String) {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let rest = url[start...]
    let host = rest.prefix { $0 != "/" && $0 != "?" }
    let target = rest[host.endIndex...], path = target.prefix { $0 != "?" }
    return (String(host), path.isEmpty ? "/" : String(path), String(target[path.endIndex...].dropFirst()))
  }
}
