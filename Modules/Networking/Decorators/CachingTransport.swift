import Codecs
public import Domain
public import Rows

/// Caches responses and revalidates them.
///
/// A cached response is revalidated with its ETag or date. It is used without a request if it is recent enough or the
/// program is offline, and in place of a server that does not respond, or refuses the request with any status but 401
/// (then its age is reported). Damaged entries are ignored. A response is stored only when its reader confirms that it
/// is valid, so an invalid response never replaces a valid one.
public struct CachingTransport: HTTPTransport {
  /// The rules for using cached responses.
  public struct Policy: Sendable, Hashable {
    /// The age in seconds up to which a response is used without revalidation.
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

  /// Creates a cache in `directory` around `inner`; `report` receives a message when an old response is used.
  public init(
    _ inner: any HTTPTransport, directory: String, policy: Policy, date: any WallClock,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.inner = inner
    store = CacheStore(directory: directory)
    self.policy = policy
    self.date = date
    self.report = report
  }

  /// The readers of the inner transport; none offline.
  public var readers: [any TaskExecutor] { policy.offline ? [] : inner.readers }

  /// Answers from the cache where it may, else asks.
  /// - Throws: `unavailable` when offline and nothing is cached.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    guard request.method == .get || request.isRepeatable else {
      if policy.offline { throw offline(request, "internal error: this request cannot be cached") }
      return try await inner.send(request)
    }
    return try await cached(request)
  }

  /// Answers a request that may be cached. Apart from `send`, whose short way out would free the locals of this one in
  /// the wrong order in debug builds.
  private func cached(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let place = store.place(of: request.identity, on: request.shelf)
    var entry = request.isStorable ? place.entry : nil
    entry?.extra = request.keptHeaders
    let now = date.now().seconds
    if policy.offline {
      guard let entry else { throw offline(request, "not in the cache") }
      if entry.age(at: now) > policy.maximumAge {
        report("using a cached response, \(Self.age(entry.age(at: now))) old")
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
          throw Problem(
            .badData, "the server replied 304 Not Modified to an unconditional request",
            at: URLText.redacted(request.url))
        }
        guard let renewed = entry.renewed(by: response.headers, at: now) else {
          place.noteUnchanged(at: now)
          var answer = entry.response(request.url)
          answer.fetchedAt = now
          return answer
        }
        place.keep(renewed)
        return renewed.response(request.url)
      }
      guard response.status == 200, request.isStorable else { return try stale(response, entry, now, request) }
      let body = try await response.bytes()
      var kept = CacheEntry(seconds: now, status: 200, headers: response.headers, body: body)
      kept.extra = request.keptHeaders
      let fresh = kept
      var answer = HTTPResponse(status: 200, headers: response.headers, url: response.url, body: SingleChunkBody(body))
      answer.fetchedAt = now
      answer.commitToCache = { place.keep(fresh) }
      return answer
    } catch {
      guard error.kind == .unavailable, !policy.refresh, !request.mustBeCurrent, let entry else { throw error }
      report("\(error.place): \(error.message); using a cached response, \(Self.age(entry.age(at: now))) old")
      return entry.response(request.url)
    }
  }

  /// A response without the data counts as no response if there is a cached one.
  private func stale(
    _ response: HTTPResponse, _ entry: CacheEntry?, _ now: Int64, _ request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    let isAbsence = request.mayBeAbsent && [404, 410].contains(response.status)
    // With wrong credentials, no user gets the response to the right ones.
    guard ![200, 401].contains(response.status), !isAbsence, !policy.refresh, !request.mustBeCurrent, let entry else {
      return response
    }
    report(
      "\(URLText.redacted(request.url)): HTTP status \(response.status); using a cached response, "
        + "\(Self.age(entry.age(at: now))) old"
    )
    return entry.response(request.url)
  }

  private func offline(_ request: HTTPRequest, _ why: String) -> Problem {
    Problem(
      .unavailable, "\(why), and offline mode is set", at: URLText.redacted(request.url),
      hint: .omit(.offline))
  }

  private static func age(_ seconds: Int64) -> String {
    for (size, unit) in [(86_400, "day"), (3600, "hour"), (60, "minute")] as [(Int64, String)] where seconds >= size {
      return "\(seconds / size) \(unit)\(seconds / size == 1 ? "" : "s")"
    }
    return "\(seconds) second\(seconds == 1 ? "" : "s")"
  }
}

extension HTTPRequest {
  /// The text that tells requests apart: the URL, and the body of one that has a body.
  var identity: String {
    method == .post ? "\(method.rawValue) \(url)\n\(String(decoding: body, as: UTF8.self))" : url
  }
}
