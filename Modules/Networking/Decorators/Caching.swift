import Codecs
public import Domain
public import Rows

/// Keeps answers and asks again only when they may have changed.
///
/// A cached answer is revalidated with its ETag or date; it answers by itself when it is young enough, when the program is offline, or when the
/// server does not answer (and then the user is told how old it is). A damaged entry is as good as none. An answer is kept when its reader says
/// that it believes it, so that a bad one never takes the place of a good one.
public struct Caching: HTTPTransport {
  /// When a cached answer may be used.
  public struct Policy: Sendable, Hashable {
    /// Seconds in which an answer is used without asking.
    public var maximumAge: Int64 = 0
    /// Whether to ask again whatever is cached, and never to use that.
    public var refresh = false
    /// Whether never to ask.
    public var offline = false
    /// The usual policy: ask whether it changed.
    public init(maximumAge: Int64 = 0, refresh: Bool = false, offline: Bool = false) {
      self.maximumAge = maximumAge
      self.refresh = refresh
      self.offline = offline
    }
  }

  private let inner: any HTTPTransport
  private let store: CacheStore
  private let policy: Policy
  private let date: any WallClock
  private let report: @Sendable (String) -> Void

  /// A cache in `folder` around `inner`; `report` is told when an old answer has to do.
  public init(
    _ inner: any HTTPTransport, folder: String, policy: Policy, date: any WallClock,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.inner = inner
    store = CacheStore(folder: folder)
    self.policy = policy
    self.date = date
    self.report = report
  }

  /// Those of the transport within; who asks nobody needs none.
  public var readers: [any TaskExecutor] { policy.offline ? [] : inner.readers }

  /// Answers from the cache where it may, else asks.
  /// - Throws: `unavailable` when offline and nothing is cached.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    guard request.method == .get else {
      if policy.offline { throw offline(request, "this is no question a cache could answer") }
      return try await inner.send(request)
    }
    let place = store.place(of: request.url, on: request.shelf)
    let entry = request.isStorable ? store.entry(at: place) : nil
    let now = date.now().seconds
    if policy.offline {
      guard let entry else { throw offline(request, "nothing is cached") }
      if entry.age(at: now) > policy.maximumAge {
        report("answering from the cache: \(Self.age(entry.age(at: now))) old")
      }
      return entry.response(request.url)
    }
    if let entry, !policy.refresh, entry.age(at: now) < policy.maximumAge { return entry.response(request.url) }
    var asked = request
    if let entry, !policy.refresh {
      if let tag = entry.header("ETag") { asked.headers.append(HTTPHeader("If-None-Match", tag)) }
      if let changed = entry.header("Last-Modified") { asked.headers.append(HTTPHeader("If-Modified-Since", changed)) }
    }
    do throws(Problem) {
      let response = try await inner.send(asked)
      if response.status == 304 {
        guard let entry, asked.headers != request.headers else {
          throw Problem(.badData, "says nothing changed, but nothing was asked", at: URLText.redacted(request.url))
        }
        guard let renewed = entry.renewed(by: response.headers, at: now) else {
          store.noteUnchanged(place, at: now)
          var answer = entry.response(request.url)
          answer.fetchedAt = now
          return answer
        }
        store.keep(renewed, at: place)
        return renewed.response(request.url)
      }
      guard response.status == 200, request.isStorable else { return try stale(response, entry, now, request) }
      let body = try await response.bytes()
      let fresh = CacheEntry(seconds: now, status: 200, headers: response.headers, body: body)
      var answer = HTTPResponse(status: 200, headers: response.headers, url: response.url, body: OneChunk(body))
      answer.fetchedAt = now
      answer.believe = { store.keep(fresh, at: place) }
      return answer
    } catch {
      guard error.kind == .unavailable, !policy.refresh, let entry else { throw error }
      report("\(error.place): \(error.message); answering from the cache: \(Self.age(entry.age(at: now))) old")
      return entry.response(request.url)
    }
  }

  /// A server that says it is broken is as good as none, when there is an old answer.
  private func stale(
    _ response: HTTPResponse, _ entry: CacheEntry?, _ now: Int64, _ request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    guard response.status >= 500 || [408, 425, 429].contains(response.status), !policy.refresh, let entry else {
      return response
    }
    report(
      "\(URLText.redacted(request.url)): answers \(response.status); answering from the cache: \(Self.age(entry.age(at: now))) old"
    )
    return entry.response(request.url)
  }

  private func offline(_ request: HTTPRequest, _ why: String) -> Problem {
    Problem(
      .unavailable, "\(why), and --offline asks nobody", at: URLText.redacted(request.url),
      hint: "run once without --offline")
  }

  private static func age(_ seconds: Int64) -> String {
    for (size, unit) in [(86_400, "day"), (3600, "hour"), (60, "minute")] as [(Int64, String)] where seconds >= size {
      return "\(seconds / size) \(unit)\(seconds / size == 1 ? "" : "s")"
    }
    return "\(seconds) second\(seconds == 1 ? "" : "s")"
  }
}

/// A body that is there already.
struct OneChunk: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Problem
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.isEmpty ? nil : bytes) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var bytes: [UInt8]?
    mutating func next() async throws(Problem) -> [UInt8]? {
      defer { bytes = nil }
      return bytes
    }
  }
}
