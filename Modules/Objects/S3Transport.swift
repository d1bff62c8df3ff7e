import Codecs
public import Domain
public import Rows

/// Signs each request at the moment at which it is sent, for the region of the bucket.
public struct S3Transport: HTTPTransport {
  private let inner: any HTTPTransport
  private let endpoint: S3Endpoint
  private let credentials: AWSCredentialChain?
  private let clock: any WallClock

  /// - Parameters:
  ///   - inner: the network.
  ///   - endpoint: the server of the bucket.
  ///   - credentials: nil for requests without a signature.
  ///   - clock: dates the signatures.
  public init(
    _ inner: any HTTPTransport, _ endpoint: S3Endpoint, _ credentials: AWSCredentialChain?, clock: any WallClock
  ) {
    (self.inner, self.endpoint, self.credentials, self.clock) = (inner, endpoint, credentials, clock)
  }

  /// Those of the inner transport.
  public var readers: [any TaskExecutor] { inner.readers }

  /// Sends a request. A response that names another region, or calls the credentials expired, is answered by the same
  /// request with another signature, once each. Redirects to other hosts are not followed.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    var mayMove = true, mayRenew = true
    while true {
      var signed = request
      signed.url = endpoint.current(request.url)
      (signed.isSigned, signed.isStorable) = (true, false)
      let keys = try await credentials?.credentials()
      if let keys {
        AWSSigner(credentials: keys, region: endpoint.region, service: "s3")
          .sign(&signed, timestamp: clock.now().timestamp)
      }
      var response = try await inner.send(signed)
      guard [301, 307, 400, 403].contains(response.status) else { return response }
      let body = request.method == .head ? [] : try await response.bytes(), document = S3Document(body)
      response.body = SingleChunkBody(body)
      let region = response.header("x-amz-bucket-region") ?? document["Region"]
      if mayMove, response.status != 403, let region, endpoint.move(to: region) {
        mayMove = false
      } else if mayRenew, let keys, keys.expiry != nil, document["Code"] == "ExpiredToken" {
        credentials?.forget(keys)
        mayRenew = false
      } else {
        return response
      }
    }
  }
}
