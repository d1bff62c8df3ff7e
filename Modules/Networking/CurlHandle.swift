internal import CCurl
import Domain
import Rows
import Synchronization

/// One transfer's handle, its options as typed methods. Owned by one transfer, used on the agent's thread once it is
/// added.
@safe struct CurlHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer
  /// The header fields it sends: mostly the same as the time before.
  private var headers: CurlHeaders
  /// The pool that receives the handle after the transfer; only for GET, which every request sets again.
  private var pool: CurlHandlePool?

  /// A handle with the options every transfer has: what libcurl may do, and what it may not.
  init(options: TransportOptions, reuse pool: CurlHandlePool) throws(Problem) {
    self.pool = pool
    if let used = unsafe pool.take() {
      unsafe (pointer, headers) = used
      return
    }
    guard let pointer = unsafe bb_curl_easy_init() else { throw Problem(.bug, "libcurl: cannot create a handle") }
    unsafe self.pointer = pointer
    headers = CurlHeaders()
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP09_ALLOWED, 0)
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_UNRESTRICTED_AUTH, 0)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Otherwise the response of a proxy to CONNECT would be taken for the response headers.
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_USERAGENT, options.userAgent)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(options.connectTimeout.milliseconds))
    set(CURLOPT_LOW_SPEED_LIMIT, 100)
    if let proxy = options.proxy { set(CURLOPT_PROXY, proxy == "none" ? "" : proxy) }
    if let file = options.caFile { set(CURLOPT_CAINFO, file) }
  }

  deinit {
    if let pool { unsafe pool.give(pointer, headers) } else { unsafe bb_curl_easy_cleanup(pointer) }
  }

  func set(_ option: CURLoption, _ value: Int) { _ = unsafe bb_curl_set_long(pointer, option, value) }
  func set(_ option: CURLoption, _ value: String) { _ = unsafe bb_curl_set_string(pointer, option, value) }
  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    _ = unsafe bb_curl_set_pointer(pointer, option, value)
  }
  func set(_ option: CURLoption, _ callback: bb_curl_callback) {
    _ = unsafe bb_curl_set_callback(pointer, option, callback)
  }
  /// Asks `callback` before a request is sent.
  func set(prerequest callback: bb_curl_prerequest, _ context: UnsafeMutableRawPointer) {
    _ = unsafe bb_curl_set_prerequest(pointer, callback, context)
  }

  /// Asks `permission` before a connection is opened.
  func set(permission: bb_curl_permission, _ context: UnsafeMutableRawPointer) {
    _ = unsafe bb_curl_set_permission(pointer, permission, context)
  }

  /// The URL; refused unless it is http or https, free of control characters and of anything that only looks like a
  /// host.
  func set(url: String) throws(Problem) {
    // HTTP/2 is agreed on within TLS: waiting for a connection that may be shared is worth it there, and would only
    // delay plain HTTP.
    set(CURLOPT_PIPEWAIT, url.utf8.prefix(6).elementsEqual("https:".utf8) { $0 | 32 == $1 } ? 1 : 0)
    guard unsafe bb_curl_set_string(pointer, CURLOPT_URL, url) == CURLE_OK else {
      throw Problem(.usage, "invalid URL", at: URLText.redacted(url))
    }
  }

  mutating func set(headers fields: [HTTPHeader]) throws(Problem) {
    guard headers.fields != fields else { return }
    // Received data is decompressed immediately, with a factor of a thousand at worst, and waits in libcurl until the
    // reader takes it: the receive buffer is small unless the response is uncompressed.
    let isPlain = fields.contains(HTTPHeader("Accept-Encoding", "identity"))
    set(CURLOPT_HTTP_CONTENT_DECODING, isPlain ? 0 : 1)
    if !isPlain { set(CURLOPT_ACCEPT_ENCODING, "") }
    set(CURLOPT_BUFFERSIZE, isPlain ? 64 << 10 : 16 << 10)
    let fresh = try CurlHeaders(fields)
    _ = unsafe bb_curl_set_list(pointer, CURLOPT_HTTPHEADER, fresh.list)
    headers = fresh
  }

  mutating func set(method: HTTPRequest.Method, body: [UInt8]) {
    if method != .get { pool = nil }
    switch method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .delete: set(CURLOPT_CUSTOMREQUEST, method.rawValue)
    case .post, .put:
      set(CURLOPT_POST, 1)
      _ = unsafe bb_curl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      unsafe body.withUnsafeBytes { bytes in
        _ = unsafe bb_curl_set_pointer(
          pointer, CURLOPT_COPYPOSTFIELDS,
          UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(pointer)))
      }
      if method == .put { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
    }
  }
}

/// Handles of transfers that are over, ready for others with the same options.
@safe final class CurlHandlePool: Sendable {
  @safe private struct Handles: @unchecked Sendable { var free: [(UnsafeMutableRawPointer, CurlHeaders)] = unsafe [] }
  private let handles = Mutex(Handles())

  /// A handle that is free, with the header fields it sends; nil when there is none.
  func take() -> (UnsafeMutableRawPointer, CurlHeaders)? { unsafe handles.withLock { unsafe $0.free.popLast() } }
  /// Takes a handle that belongs to no transfer any more.
  func give(_ handle: UnsafeMutableRawPointer, _ headers: CurlHeaders) {
    let isKept = handles.withLock { handles in
      guard unsafe handles.free.count < 64 else { return false }
      unsafe handles.free.append((handle, headers))
      return true
    }
    if !isKept { unsafe bb_curl_easy_cleanup(handle) }
  }

  deinit {
    while let (handle, _) = unsafe take() { unsafe bb_curl_easy_cleanup(handle) }
  }
}

/// Header fields in libcurl's form, which must exist as long as a handle sends them. libcurl's own `Expect` is omitted.
@safe final class CurlHeaders: @unchecked Sendable {
  /// The fields; nil for those of a new handle.
  let fields: [HTTPHeader]?
  let list: UnsafeMutablePointer<curl_slist>?

  /// The fields that a new handle sends.
  init() {
    fields = nil
    unsafe list = nil
  }

  /// - Throws: `usage` for a field that would not be one line.
  init(_ fields: [HTTPHeader]) throws(Problem) {
    for field in fields {
      guard (field.name + field.value).utf8.allSatisfy({ $0 >= 32 || $0 == 9 }), !field.name.contains(":") else {
        throw Problem(
          .usage, "a request header contains a control character", hint: "check the value of the “\(field.name)” header"
        )
      }
    }
    self.fields = fields
    unsafe list = fields.reduce(bb_curl_list_append(nil, "Expect:")) { list, field in
      unsafe bb_curl_list_append(list, "\(field.name): \(field.value)")
    }
  }

  deinit { unsafe bb_curl_list_free(list) }
}

extension Duration {
  /// Whole milliseconds, at least 1.
  var milliseconds: Int64 { max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) }
}
