internal import CCurl
public import Domain
public import Rows
import Synchronization

/// HTTP over libcurl: HTTP/2 if available, persistent connections, decompression. The library is loaded with the first
/// request.
public final class CurlTransport: HTTPTransport {
  /// Redirects followed before giving up.
  private static let maximumRedirects = 5

  private let options: TransportOptions
  private let origins: PrivateOrigins
  /// The state of the last server, which in most cases receives the next request as well.
  private let lastServer = Mutex(Server())

  private struct Server {
    /// The beginning of its URLs, up to the path.
    var start = ""
    /// Empty for what is not a URL.
    var origin = ""
    /// The port of the proxy before it; nil for none.
    var proxyPort: Int?
  }
  /// The threads that were started.
  private let agents = Mutex<[CurlAgent]>([])
  private let handles = CurlHandlePool()
  /// The number of threads for many responses: sufficient to keep up with a server, which needs processor time as well
  /// if it is local.
  private static let mostAgents = 2

  /// Creates a transport; nothing is loaded or opened yet.
  /// - `origins`: what is known of the servers that the user named, shared with other transports of the
  ///   command.
  public init(_ options: TransportOptions = TransportOptions(), origins: PrivateOrigins = PrivateOrigins()) {
    self.options = options
    self.origins = origins
  }

  /// The threads that own the connections: requests of a task on one of them use its connections, so no response wakes
  /// another thread.
  ///
  /// Empty if they are unavailable; the error is thrown by a request.
  public var readers: [any TaskExecutor] {
    do throws(Problem) { return try agents(min(Self.mostAgents, options.connectionsPerHost)) } catch { return [] }
  }

  /// Sends a request, follows redirects of GET and HEAD, and returns as soon as the response headers have arrived.
  ///
  /// A redirect to another origin drops all caller-supplied headers; a redirect from https to http, or from a public to
  /// a private address, is refused. A URL from data may lead to a private address only if its origin is known to be
  /// private.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let deadline = ContinuousClock.now + request.timeout
    var request = request
    try CurlLibrary.load()
    let server = server(of: request.url)
    let isPrivate = origins.isPrivate(server.origin)
    var reach = PrivateReach(
      isUnbounded: options.allowsPrivate || (isPrivate ?? !request.comesFromData), proxyPort: server.proxyPort)
    if request.comesFromData { try reach.check(request.url) }
    var isFirst = true
    for _ in 0...Self.maximumRedirects {
      request.timeout = ContinuousClock.now.duration(to: deadline)
      let (head, body) = try await exchange(request, reach)
      let isFromPrivate = body.isFromPrivateNetwork
      if isFirst, isPrivate == nil, !request.comesFromData, let isFromPrivate {
        origins.note(server.origin, isPrivate: isFromPrivate)
      }
      isFirst = false
      var response = HTTPResponse(status: head.status, headers: head.headers, url: request.url, body: body)
      response.isDelimited = head.isDelimited
      guard request.method == .get || request.method == .head, !request.isSigned,
        [301, 302, 303, 307, 308].contains(head.status),
        let location = response.header("Location")
      else {
        return response
      }
      // Only a server in a private network may lead into one. Behind a proxy its name has to tell.
      reach.isUnbounded =
        options.allowsPrivate
        || reach.isUnbounded
          && (isFromPrivate ?? CurlURL.host(request.url).map(PrivateNetwork.contains(host:)) ?? false)
      try redirect(&request, to: location)
      try reach.check(request.url)
    }
    throw Problem(
      .badData, "too many redirects (more than \(Self.maximumRedirects))", at: URLText.redacted(request.url))
  }

  private func redirect(_ request: inout HTTPRequest, to location: String) throws(Problem) {
    let place = URLText.redacted(request.url)
    guard let target = CurlURL.joined(request.url, location), let scheme = CurlURL.scheme(target) else {
      throw Problem(.badData, "redirect to an invalid URL", at: place)
    }
    guard scheme == "http" || scheme == "https" else {
      throw Problem(.badData, "refusing a redirect to \(scheme)", at: place)
    }
    if scheme == "http", CurlURL.scheme(request.url) == "https" {
      throw Problem(.badData, "refusing a redirect from https to http", at: place)
    }
    if CurlURL.origin(target) != CurlURL.origin(request.url) { request.headers = [] }
    request.url = target
  }

  /// The server of a URL, as libcurl reads it.
  private func server(of url: String) -> Server {
    let bytes = url.utf8
    let scheme = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.startIndex
    let authority = bytes[scheme...].dropFirst().drop { $0 == UInt8(ascii: "/") }
    let end = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let start = url[..<(end ?? bytes.endIndex)]
    return lastServer.withLock { last in
      if last.start == start { return last }
      last = Server(start: String(start), origin: CurlURL.origin(String(start)) ?? "")
      last.proxyPort = PrivateReach.proxyPort(options, scheme: last.origin.hasPrefix("https:") ? "https" : "http")
      return last
    }
  }

  private func exchange(_ request: HTTPRequest, _ reach: PrivateReach) async throws(Problem) -> (
    Exchange.Head, CurlBody
  ) {
    let agent = try currentAgent()
    var handle = try CurlHandle(options: options, reuse: handles)
    let isPlain = unsafe request.url.utf8.withContiguousStorageIfAvailable {
      unsafe $0.allSatisfy { $0 > 32 && $0 != 127 }
    }
    guard isPlain == true else {
      throw Problem(.usage, "the URL contains white space or a control character", at: URLText.redacted(request.url))
    }
    guard CurlURL.isWeb(request.url) else {
      throw Problem(
        .usage, "unsupported URL scheme; only http and https are supported", at: URLText.redacted(request.url),
        hint: "use a complete URL, for example https://host/path")
    }
    try handle.set(url: request.url)
    try handle.set(headers: request.headers)
    handle.set(method: request.method, body: request.body)
    handle.set(CURLOPT_TIMEOUT_MS, Int(request.timeout.milliseconds))
    handle.set(CURLOPT_LOW_SPEED_TIME, Int(request.silence.components.seconds))
    // Keys of objects may contain “..”.
    handle.set(CURLOPT_PATH_AS_IS, request.isSigned ? 1 : 0)
    let exchange = Exchange(
      url: request.url, maximumBytes: request.maximumBytes, reach: reach)
    agent.start(Transfer(handle, exchange, timeout: request.timeout))
    let body = CurlBody(exchange, agent)
    let result = await withTaskCancellationHandler {
      do throws(Problem) { return Result<Exchange.Head, Problem>.success(try await exchange.head()) } catch {
        return .failure(error)
      }
    } onCancel: {
      agent.cancel(exchange)
    }
    return (try result.get(), body)
  }

  /// The agent whose thread this is; elsewhere the first.
  private func currentAgent() throws(Problem) -> CurlAgent {
    let agents = try agents(1)
    let here = unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor }
    return agents.first { unsafe $0.asUnownedTaskExecutor() == here } ?? agents[0]
  }

  private func agents(_ count: Int) throws(Problem) -> [CurlAgent] {
    try CurlLibrary.load()
    let limit = (options.connectionsPerHost + Self.mostAgents - 1) / Self.mostAgents
    return try agents.withLock { (agents) throws(Problem) in
      while agents.count < count { agents.append(try CurlAgent(connectionsPerHost: limit)) }
      return agents
    }
  }
}

/// The body of a response, as it arrives. A body without readers is cancelled.
struct CurlBody: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = Problem

  private let transfer: Owner

  init(_ exchange: Exchange, _ agent: CurlAgent) { transfer = Owner(exchange, agent) }

  /// Whether the server that answered is in a private network; nil behind a proxy.
  var isFromPrivateNetwork: Bool? { transfer.exchange.isPrivate }

  func makeAsyncIterator() -> Iterator { Iterator(transfer: transfer) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let transfer: Owner
    mutating func next() async throws(Problem) -> [UInt8]? {
      let exchange = transfer.exchange, agent = transfer.agent
      if exchange.isReady { return try await exchange.next { agent.resume(exchange) } }
      let result = await withTaskCancellationHandler {
        do throws(Problem) {
          return Result<[UInt8]?, Problem>.success(try await exchange.next { agent.resume(exchange) })
        } catch { return .failure(error) }
      } onCancel: {
        agent.cancel(exchange)
      }
      return try result.get()
    }
  }

  /// Cancels the transfer when the last reader is released.
  fileprivate final class Owner: Sendable {
    let exchange: Exchange
    let agent: CurlAgent
    init(_ exchange: Exchange, _ agent: CurlAgent) {
      self.exchange = exchange
      self.agent = agent
    }
    deinit { if !exchange.hasEnded { agent.cancel(exchange) } }
  }
}
