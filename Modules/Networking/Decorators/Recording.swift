import Codecs
public import Domain
public import Rows

/// Passes requests on and keeps every answer in a folder, whatever its status, for `Replaying` to give again.
///
/// The last answer to a method and URL is the one that stays. Request headers, and so keys, are not kept.
public struct Recording: HTTPTransport {
  private let inner: any HTTPTransport
  private let store: CacheStore
  private let date: any WallClock

  /// Records what `inner` answers into `folder`, which is made when it is missing.
  public init(_ inner: any HTTPTransport, folder: String, date: any WallClock) {
    self.inner = inner
    store = CacheStore(folder: folder)
    self.date = date
  }

  /// Those of the transport within.
  public var readers: [any TaskExecutor] { inner.readers }

  /// Sends, reads the whole body, keeps it, answers.
  /// - Throws: what `inner` throws; `io` when the answer cannot be kept.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let response = try await inner.send(request)
    let entry = CacheEntry(
      seconds: date.now().seconds, status: response.status, headers: response.headers, body: try await response.bytes())
    guard store.keep(entry, at: store.place(of: request.recordingKey)) else {
      throw Problem(
        .io, "the answer cannot be recorded", at: URLText.redacted(request.url), hint: "check the folder of recordings")
    }
    return HTTPResponse(
      status: response.status, headers: response.headers, url: response.url, body: OneChunk(entry.body))
  }
}

/// Answers from a folder that `Recording` filled; never opens a connection.
public struct Replaying: HTTPTransport {
  private let store: CacheStore

  /// Answers what `folder` holds.
  public init(folder: String) { store = CacheStore(folder: folder) }

  /// The recorded answer. Of its header fields `ETag`, `Last-Modified` and `Content-Type` are given again.
  /// - Throws: `unavailable` when the request was never recorded, or its file is damaged; `badData` when the body is larger than allowed.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    guard let entry = store.entry(at: store.place(of: request.recordingKey)) else {
      throw Problem(.unavailable, "was not recorded", at: URLText.redacted(request.url), hint: "record it first")
    }
    guard entry.body.count <= request.maximumBytes else {
      throw Problem(.badData, "the answer is larger than allowed", at: URLText.redacted(request.url))
    }
    return entry.response(request.url)
  }
}

extension HTTPRequest {
  /// What tells recorded requests apart.
  fileprivate var recordingKey: String { "\(method.rawValue) \(url)" }
}
