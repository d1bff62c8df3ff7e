import Codecs
import Domain

/// One request of a source, without its authorization.
struct RESTCall: Sendable {
  var url = ""
  var body: JSON?
  private let method: SourceRequest.Method
  private let encoding: SourceRequest.Encoding
  var headers: [SourceParameter]
  var format: SourceResponseFormat
  /// Whether the response may be cached.
  var isStorable = true
  /// Whether the request may be sent again, as it only reads.
  var isRepeatable = true
  /// Header fields that differ from page to page.
  var changedHeaders: [SourceParameter] = []
  /// Whether a cached response may be used only if the server says that it is unchanged.
  var mustBeCurrent = false
  /// The collection of the response, for the cache.
  var shelf: String?
  /// Header fields of the response that the cache must keep.
  var keptHeaders: [String] = []
  /// Statuses that mean that the record does not exist.
  var absent: Set<Int> = []

  /// A request as a dataset describes it; the URL is still missing.
  init(_ request: SourceRequest, _ format: SourceResponseFormat) {
    (method, encoding) = (request.method, request.encoding)
    headers = request.headers
    self.format = format
  }

  func request(_ url: String, _ headers: [HTTPHeader]) -> HTTPRequest {
    var request = HTTPRequest(method == .post ? .post : .get, url, headers: headers, maximumBytes: 32 << 20)
    request.isStorable = isStorable
    request.mustBeCurrent = mustBeCurrent
    request.shelf = shelf
    request.keptHeaders = keptHeaders
    request.isRepeatable = isRepeatable
    guard method == .post else { return request }
    let type =
      switch encoding {
      case .json: "application/json"
      case .form: "application/x-www-form-urlencoded"
      case .text: "text/plain; charset=utf-8"
      }
    request.headers.append(HTTPHeader("Content-Type", type))
    guard let body else { return request }
    switch encoding {
    case .json: request.body = body.canonicalBytes
    case .text: request.body = Array((body.parameterText ?? "").utf8)
    case .form:
      let pairs = (body.objectMembers ?? []).map {
        SourceParameter($0.name, $0.value.parameterText ?? RESTText.shown($0.value))
      }
      request.body = Array(RESTQuery.form(pairs).utf8)
    }
    return request
  }

  /// The header fields that tell how a response is to be read, and how many requests are left.
  private static let tellingHeaders = [
    "Content-Type", "Link", "X-RateLimit-Limit", "RateLimit-Limit", "X-Rate-Limit-Limit", "X-RateLimit-Remaining",
    "RateLimit-Remaining", "X-Rate-Limit-Remaining", "RateLimit", "Retry-After",
  ]

  /// The request without secrets.
  func exchange(_ secret: Secrets) -> SourceExchange {
    let request = request(url, [])
    return SourceExchange(
      method: request.method.rawValue, url: secret.removed(from: url),
      sent: secret.removed(
        from: changedHeaders.map { "\($0.name): \($0.value)\n" }.joined()
          + String(decoding: request.body, as: UTF8.self)))
  }

  /// The request and its response without secrets.
  func exchange(_ secret: Secrets, _ response: HTTPResponse, _ body: [UInt8]) -> SourceExchange {
    var exchange = exchange(secret)
    exchange.status = response.status
    for name in Self.tellingHeaders + keptHeaders {
      for value in response.headers.values(of: name)
      where !exchange.headers.contains(where: { $0.isCalled(name) && $0.value == value }) {
        exchange.headers.append(HTTPHeader(name, secret.removed(from: value)))
      }
    }
    let text = String(validating: body, as: UTF8.self)
    exchange.body = text.map { Array(secret.removed(from: $0).utf8) } ?? body
    return exchange
  }
}
