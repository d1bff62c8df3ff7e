import Domain
import Rows
import Synchronization

/// Sends the requests of a draft, each of them once, up to a limit, and none after one that was refused.
final class DraftTransport: HTTPTransport {
  private struct Known: Sendable {
    var status: Int, headers: HTTPFields, url: String, body: [UInt8]
    /// Whether the request was not sent, as its response should be that of another one.
    var isAssumed = false
  }
  private struct State {
    var known: [String: Known] = [:]
    var sent = 0, most = 1
    var refusal: Int?
  }
  private let inner: any HTTPTransport, first: any HTTPTransport
  private let state = Mutex(State())

  /// - Parameter first: sends the first request.
  init(_ inner: any HTTPTransport, first: any HTTPTransport) { (self.inner, self.first) = (inner, first) }

  /// The number of requests that were sent.
  var sent: Int { state.withLock { $0.sent } }

  /// The status with which the server refused further requests; nil if it did not.
  var refusal: Int? { state.withLock { $0.refusal } }

  /// Whether no further request is sent.
  var isClosed: Bool { state.withLock { $0.refusal != nil || $0.sent >= $0.most } }

  /// Permits further requests.
  func permit(_ further: Int) { state.withLock { $0.most = $0.sent + further } }

  /// Assumes that a request has the response of another one.
  func assume(_ request: HTTPRequest, like other: HTTPRequest) {
    state.withLock { state in
      guard state.known[Self.key(request)] == nil, var known = state.known[Self.key(other)] else { return }
      known.isAssumed = true
      state.known[Self.key(request)] = known
    }
  }

  /// Forgets what was assumed.
  func forgetAssumed() { state.withLock { $0.known = $0.known.filter { !$0.value.isAssumed } } }

  private static func key(_ request: HTTPRequest) -> String {
    "\(request.method.rawValue) \(request.url)\n\(String(decoding: request.body, as: UTF8.self))"
  }

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let key = Self.key(request)
    if let known = state.withLock({ $0.known[key] }) { return Self.response(known) }
    let refusal: String? = state.withLock { state in
      if let status = state.refusal { return "not sent after status \(status)" }
      guard state.sent < state.most else { return "not sent: there were \(state.most) requests" }
      state.sent += 1
      return nil
    }
    if let refusal { throw Problem(.unavailable, refusal, at: URLText.redacted(request.url)) }
    var response = try await (sent == 1 ? first : inner).send(request)
    if response.status == 429 {
      // Waits as the server says.
      state.withLock { $0.sent += 1 }
      response = try await first.send(request)
    }
    let body = try await response.bytes()
    let known = Known(status: response.status, headers: response.headers, url: response.url, body: body)
    state.withLock { state in
      state.known[key] = known
      if [401, 403, 429].contains(known.status) { state.refusal = known.status }
    }
    return Self.response(known)
  }

  private static func response(_ known: Known) -> HTTPResponse {
    HTTPResponse(status: known.status, headers: known.headers, url: known.url, body: SingleChunkBody(known.body))
  }
}
