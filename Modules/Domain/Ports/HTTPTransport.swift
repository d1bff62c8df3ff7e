public import Codecs
public import Rows

/// One HTTP exchange. Decorators (retry, cache, record, replay) are transports that wrap a transport.
///
/// Any status is a response, not an error. Errors are incomplete exchanges: `unavailable` (no connection, timeout,
/// truncated), `badData` (not HTTP, too large, invalid encoding), `usage` (a URL that is not http or https),
/// `cancelled`.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns as soon as the response headers have arrived.
  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse
  /// Executors for tasks that read many responses concurrently, to be used evenly; empty for the default executor.
  var readers: [any TaskExecutor] { get }
}

extension HTTPTransport {
  /// The usual threads.
  public var readers: [any TaskExecutor] { [] }
}

/// A request.
public struct HTTPRequest: Sendable, Hashable {
  /// The methods bb uses.
  public enum Method: String, Sendable {
    /// Safe methods, which may be tried again.
    case get = "GET", head = "HEAD"
    /// Sends `body`, or removes; may be tried again.
    case put = "PUT", delete = "DELETE"
    /// Sends `body`; tried again only if the request is repeatable.
    case post = "POST"
  }
  /// The method.
  public var method: Method
  /// An absolute http or https URL.
  public var url: String
  /// Headers to send; dropped on a redirect to another origin.
  public var headers: [HTTPHeader]
  /// The body of a POST or PUT request.
  public var body: [UInt8]
  /// For the whole exchange, from connecting to the last byte, tries and waits between them included.
  public var timeout: Duration
  /// Whether a POST request only reads, so that it may be tried again and cached.
  public var isRepeatable = false
  /// Whether a response that asks to wait is returned, because the caller has another key.
  public var endsWhenThrottled = false
  /// Whether the request is sent at once and by itself, also to a host that fails or throttles others: it removes what
  /// an earlier one left, while the process ends.
  public var isUrgent = false
  /// Header fields of the response, in addition to the usual ones, that a cache must keep.
  public var keptHeaders: [String] = []
  /// The most decoded bytes of body to accept; more is `badData`.
  public var maximumBytes: Int
  /// Whether the response may be cached. False if it differs each time.
  public var isStorable = true
  /// Whether a cached response may be used only if the server says that it is unchanged.
  public var mustBeCurrent = false
  /// Whether status 404 or 410 is a valid response, that the record does not exist.
  public var mayBeAbsent = false
  /// Whether the request has a signature: its path is sent as it is, and a redirect is returned, because another URL
  /// needs another signature.
  public var isSigned = false
  /// The time without data after which the exchange has failed.
  public var silence = Duration.seconds(20)
  /// Whether the URL comes from data and not from the user: then it may not lead to a private address.
  public var comesFromData = false
  /// The collection that the response belongs to, if many small responses are requested one by one: a cache stores a
  /// collection in one file.
  public var shelf: String?
  /// So many requests at a time to one host keep up with what it gives; more make no difference.
  public static let usualAtATime = 32

  /// A request for `url`.
  public init(
    _ method: Method = .get, _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = [],
    timeout: Duration = .seconds(30), maximumBytes: Int = 256 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumBytes = maximumBytes
  }
}

/// A response.
public struct HTTPResponse: Sendable {
  /// 100 to 599.
  public var status: Int
  /// Fields in the order they came.
  public var headers: HTTPFields
  /// The URL that answered, after redirects.
  public var url: String
  /// Decoded chunks as they arrive; not reading pauses the transfer. Read at most once.
  public var body: any AsyncSequence<[UInt8], Problem> & Sendable
  /// Whether it states where its body ends. A body that ends with the connection may be truncated without notice.
  public var isDelimited = true
  /// When the server sent it or last said that it is unchanged, in seconds since 1970; nil for just now.
  public var fetchedAt: Int64?
  /// Confirms that the body is valid. A cache stores the response only when this is called.
  public var commitToCache: @Sendable () -> Void = {}

  /// Creates a response.
  public init(
    status: Int, headers: HTTPFields, url: String, body: any AsyncSequence<[UInt8], Problem> & Sendable
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
  }

  /// The value of the first field with this name, ignoring case.
  public func header(_ name: String) -> String? { headers.value(of: name) }

  /// The whole body. The transport's own limit (`maximumBytes`) bounds it.
  public func bytes() async throws(Problem) -> [UInt8] {
    // Joined once at the end: an array that grows would hold twice as much while a flood comes in.
    var chunks: [[UInt8]] = [], count = 0
    for try await chunk in body {
      chunks.append(chunk)
      count += chunk.count
    }
    if chunks.count == 1 { return chunks[0] }
    var all: [UInt8] = []
    all.reserveCapacity(count)
    for chunk in chunks { all += chunk }
    return all
  }
}

/// The date. (Waiting is Swift's own `Clock`.)
public protocol WallClock: Sendable {
  func now() -> Instant
}
