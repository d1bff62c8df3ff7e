public import Codecs
public import Rows

/// One HTTP exchange. Decorators (retry, cache, record, replay) are transports that hold a transport.
///
/// Any status is an answer, not an error; errors are exchanges that did not end: `unavailable` (no connection, timeout, cut short), `badData`
/// (not HTTP, larger than allowed, a broken encoding), `usage` (a URL that is not http or https), `cancelled`.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns when the headers of the answer are there.
  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse
  /// Where tasks run best that read many answers side by side, some on each; none for the usual threads.
  var readers: [any TaskExecutor] { get }
}

extension HTTPTransport {
  /// The usual threads.
  public var readers: [any TaskExecutor] { [] }
}

/// What is asked.
public struct HTTPRequest: Sendable, Hashable {
  /// The methods bb uses.
  public enum Method: String, Sendable {
    /// Safe methods, which may be tried again.
    case get = "GET", head = "HEAD"
    /// Sends `body`; never tried again.
    case post = "POST"
  }
  /// The method.
  public var method: Method
  /// An absolute http or https URL.
  public var url: String
  /// Headers to send; dropped on a redirect to another origin.
  public var headers: [HTTPHeader]
  /// What is sent with POST.
  public var body: [UInt8]
  /// For the whole exchange, from connecting to the last byte, tries and waits between them included.
  public var timeout: Duration
  /// The most decoded bytes of body to accept; more is `badData`.
  public var maximumBytes: Int
  /// Whether the answer may be cached; not when it differs each time.
  public var isStorable = true
  /// Whether the URL comes from data and not from the user: then it may not lead to a private address.
  public var comesFromData = false
  /// What the answer is one of many of, where many small ones are asked for one by one: a cache keeps those together.
  public var shelf: String?

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

/// What was answered.
public struct HTTPResponse: Sendable {
  /// 100 to 599.
  public var status: Int
  /// Fields in the order they came.
  public var headers: HTTPFields
  /// The URL that answered, after redirects.
  public var url: String
  /// Decoded chunks as they arrive; not reading pauses the transfer. Read at most once.
  public var body: any AsyncSequence<[UInt8], Problem> & Sendable
  /// When the server sent it or last said that it is unchanged, in seconds since 1970; nil for just now.
  public var fetchedAt: Int64?
  /// To be called once the body turned out to be what was asked for; a cache keeps the answer then, and not before.
  public var believe: @Sendable () -> Void = {}

  /// An answer.
  public init(
    status: Int, headers: HTTPFields, url: String, body: any AsyncSequence<[UInt8], Problem> & Sendable
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
  }

  /// The value of the first field called `name`, without regard to case.
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
  /// The time now.
  func now() -> Instant
}
