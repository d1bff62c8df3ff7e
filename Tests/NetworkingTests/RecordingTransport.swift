import Codecs
import Domain
@testable import Networking
import Rows

/// Forwards requests and stores every response in a directory, whatever its status, for `ReplayingTransport`.
///
/// The last response to a method and URL is kept. Request headers, and thus API keys, are not stored.
struct RecordingTransport: HTTPTransport {
  private let inner: any HTTPTransport
  private let store: CacheStore
  private let date: any WallClock

  /// Records the responses of `inner` in `directory`, which is created if necessary.
  init(_ inner: any HTTPTransport, directory: String, date: any WallClock) {
    self.inner = inner
    store = CacheStore(directory: directory)
    self.date = date
  }

  /// Those of the transport within.
  var readers: [any TaskExecutor] { inner.readers }

  /// Sends the request, reads the whole body, stores it, and returns the response.
  /// - Throws: errors of `inner`; `io` if the response cannot be stored.
  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let response = try await inner.send(request)
    var entry = CacheEntry(
      seconds: date.now().seconds, status: response.status, headers: response.headers, body: try await response.bytes())
    entry.extra = request.keptHeaders
    guard store.place(of: request.recordingKey).keep(entry) else {
      throw Problem(
        .io, "cannot record the response", at: URLText.redacted(request.url), hint: "check the recordings directory")
    }
    return HTTPResponse(
      status: response.status, headers: response.headers, url: response.url, body: SingleChunkBody(entry.body))
  }
}

/// Responses from a directory that `RecordingTransport` filled; never opens a connection.
struct ReplayingTransport: HTTPTransport {
  private let store: CacheStore

  /// Answers what `directory` holds.
  init(directory: String) { store = CacheStore(directory: directory) }

  /// The recorded response, with its header fields `ETag`, `Last-Modified` and `Content-Type`.
  /// - Throws: `unavailable` if the request was never recorded, or its file is damaged; `badData` if the body is larger
  ///   than allowed.
  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    guard let entry = store.place(of: request.recordingKey).entry else {
      throw Problem(
        .unavailable, "no recording of this request", at: URLText.redacted(request.url), hint: "record it first")
    }
    guard entry.body.count <= request.maximumBytes else {
      throw Problem(.badData, "the response is larger than allowed", at: URLText.redacted(request.url))
    }
    return entry.response(request.url)
  }
}

extension HTTPRequest {
  /// What tells recorded requests apart.
  fileprivate var recordingKey: String { method == .post ? identity : "\(method.rawValue) \(url)" }
}
