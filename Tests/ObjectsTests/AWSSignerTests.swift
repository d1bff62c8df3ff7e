import Domain
import Testing

@testable import Objects

/// The examples that AWS publishes for signatures of S3 requests.
@Suite("AWS signatures") struct AWSSignerTests {
  private static let signer = AWSSigner(
    credentials: AWSCredentials(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", service: "s3")
  private static let host = "https://examplebucket.s3.amazonaws.com"

  private func authorization(_ request: HTTPRequest) -> String {
    var request = request
    Self.signer.sign(&request, timestamp: "2013-05-24T00:00:00Z")
    return request.headers.first { $0.name == "Authorization" }?.value ?? ""
  }

  @Test("an object, a range of it") func get() {
    let request = HTTPRequest(.get, "\(Self.host)/test.txt", headers: [HTTPHeader("Range", "bytes=0-9")])
    #expect(
      authorization(request)
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test("an object that is written, with a special character in its key") func put() {
    let request = HTTPRequest(
      .put, "\(Self.host)/\(AWSQuery.encoded("test$file.text", keepsSlashes: true))",
      headers: [
        HTTPHeader("Date", "Fri, 24 May 2013 00:00:00 GMT"), HTTPHeader("x-amz-storage-class", "REDUCED_REDUNDANCY"),
      ], body: Array("Welcome to Amazon S3.".utf8))
    #expect(
      authorization(request).hasSuffix(
        "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
  }

  @Test(
    "queries, also without a value",
    arguments: [
      ([("lifecycle", "")], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
      ([("prefix", "J"), ("max-keys", "2")], "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
  func query(parameters: [(String, String)], signature: String) {
    let request = HTTPRequest(.get, "\(Self.host)/?\(AWSQuery.text(parameters))")
    #expect(authorization(request).hasSuffix("Signature=\(signature)"))
  }

  @Test("HMAC-SHA256 as in RFC 4231, with keys shorter and longer than a block") func hmac() {
    let short = AWSSigner.hmac([UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8))
    #expect(AWSSigner.hexadecimal(short) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    let long = AWSSigner.hmac(
      [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
    #expect(AWSSigner.hexadecimal(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test(
    "every byte but the unreserved ones is encoded, once",
    arguments: [
      ("show=Breaking Bad/part-0.csv", "show%3DBreaking%20Bad/part-0.csv"), ("a%20b+c", "a%2520b%2Bc"),
      ("ü~(1)*!'", "%C3%BC~%281%29%2A%21%27"), ("a//../b?c#d&e", "a//../b%3Fc%23d%26e"),
      ("line\nbreak", "line%0Abreak"),
    ])
  func encoding(key: String, path: String) { #expect(AWSQuery.encoded(key, keepsSlashes: true) == path) }

  @Test("a signature covers the token of a session, and replaces an earlier signature") func again() {
    let signer = AWSSigner(
      credentials: AWSCredentials(accessKey: "A", secretKey: "S", token: "T"), region: "eu-west-1", service: "s3")
    var request = HTTPRequest(.get, "http://127.0.0.1:8333/b/k")
    signer.sign(&request, timestamp: "2024-01-01T00:00:00Z")
    let first = request.headers
    signer.sign(&request, timestamp: "2024-01-01T00:00:00Z")
    #expect(request.headers == first && first.count == 4)
    #expect(first.last?.value.contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token") == true)
  }

  @Test("credentials are not part of texts") func description() {
    let keys = AWSCredentials(accessKey: "AKID", secretKey: "SECRET", token: "TOKEN")
    var dumped = ""
    dump(keys, to: &dumped)
    for text in ["\(keys)", String(reflecting: keys), dumped] {
      #expect(!text.contains("SECRET") && !text.contains("TOKEN"))
    }
  }
}
