public import Domain
public import Rows

/// Reports the beginning of requests, and the bytes of their responses as they arrive.
public struct MeteringTransport: HTTPTransport {
  /// An event of an exchange.
  public enum Event: Sendable, Hashable {
    case request(host: String)
    /// A response has begun.
    /// - length: the number of its bytes; nil if the server does not say, or compresses it.
    case response(length: Int?)
    /// Bytes of a body.
    case received(Int)
  }

  private let inner: any HTTPTransport
  private let report: @Sendable (Event) -> Void

  /// Creates a transport around `inner`.
  /// - `report`: called from any task.
  public init(_ inner: any HTTPTransport, report: @escaping @Sendable (Event) -> Void) {
    self.inner = inner
    self.report = report
  }

  /// Those of the inner transport.
  public var readers: [any TaskExecutor] { inner.readers }

  /// The host of a URL, without credentials.
  private static func host(of url: String) -> String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let authority = url[start...].prefix { !"/?#".contains($0) }
    return String(authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
  }

  /// Sends a request.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    report(.request(host: Self.host(of: request.url)))
    var response = try await inner.send(request)
    let isPlain = response.header("content-encoding") == nil
    report(.response(length: isPlain ? response.header("content-length").flatMap { Int($0) } : nil))
    response.body = MeteredBody(inner: response.body, report: report)
    return response
  }
}

/// A body whose bytes are counted.
private struct MeteredBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Problem

  let inner: any AsyncSequence<[UInt8], Problem> & Sendable
  let report: @Sendable (MeteringTransport.Event) -> Void

  func makeAsyncIterator() -> Iterator { Iterator(inner: inner.makeAsyncIterator(), report: report) }

  struct Iterator: AsyncIteratorProtocol {
    var inner: any AsyncIteratorProtocol<[UInt8], Problem>
    let report: @Sendable (MeteringTransport.Event) -> Void

    mutating func next() async throws(Problem) -> [UInt8]? {
      let chunk = try await inner.next(isolation: #isolation)
      if let chunk { report(.received(chunk.count)) }
      return chunk
    }
  }
}
