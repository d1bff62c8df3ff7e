import Domain
public import Rows

/// The location of objects: `s3://BUCKET/KEY`. The key is literal: nothing in it is decoded.
public struct S3Location: Sendable, Hashable {
  /// The name of the bucket.
  public let bucket: String
  /// The key of an object, or the beginning of the keys of several; empty for the whole bucket.
  public var key: String

  private static let scheme = "s3://"

  /// Creates a location.
  public init(bucket: String, key: String) { (self.bucket, self.key) = (bucket, key) }

  /// Parses a location.
  /// - Throws: `usage` for an invalid bucket, without repeating what might be a secret.
  public init(_ text: String) throws(Problem) {
    let rest = text.dropFirst(Self.scheme.count)
    let bucket = rest.prefix { $0 != "/" }
    guard !bucket.contains("@") else {
      throw Problem(
        .usage, "credentials cannot be part of an S3 URL",
        hint: "use s3://BUCKET/KEY, and set AWS_PROFILE or AWS_ACCESS_KEY_ID")
    }
    let isName = bucket.utf8.allSatisfy { byte in
      byte &- 48 < 10 || (97...122).contains(byte | 32) || "._-".utf8.contains(byte)
    }
    guard isName, (3...255).contains(bucket.utf8.count), !bucket.hasPrefix("."), !bucket.hasSuffix("."),
      !bucket.contains("..")
    else {
      throw Problem(.usage, "invalid S3 bucket “\(bucket)”", hint: "use s3://BUCKET/KEY")
    }
    self.bucket = String(bucket)
    key = String(rest.dropFirst(bucket.count + 1))
    guard key.utf8.count <= 1024 else {
      throw Problem(.usage, "the key is longer than 1024 bytes", at: URLText.redacted("s3://\(bucket)"))
    }
  }

  /// The URL.
  public var text: String { "\(Self.scheme)\(bucket)/\(key)" }
}
