internal import CCurl
internal import Domain

/// One transfer's handle, its options as typed methods. Owned by one transfer, used on the agent's thread once it is added.
@safe struct CurlHandle: ~Copyable {
  /// libcurl's handle.
  let pointer: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?

  /// A handle with the options every transfer has: what libcurl may do, and what it may not.
  init(options: TransportOptions) throws(Problem) {
    guard let pointer = unsafe bb_curl_easy_init() else { throw Problem(.bug, "libcurl gives no handle") }
    unsafe self.pointer = pointer
    unsafe headers = nil
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
    set(CURLOPT_PIPEWAIT, 1)
    // Else what a proxy says before the connection would be taken for the answer's head.
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_ACCEPT_ENCODING, "")
    set(CURLOPT_USERAGENT, options.userAgent)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(options.connectTimeout.milliseconds))
    set(CURLOPT_LOW_SPEED_LIMIT, 100)
    set(CURLOPT_LOW_SPEED_TIME, 20)
    if let proxy = options.proxy { set(CURLOPT_PROXY, proxy == "none" ? "" : proxy) }
    if let file = options.caFile { set(CURLOPT_CAINFO, file) }
  }

  deinit {
    unsafe bb_curl_easy_cleanup(pointer)
    unsafe bb_curl_list_free(headers)
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

  /// The URL; refused unless it is http or https, free of control characters and of anything that only looks like a host.
  func set(url: String) throws(Problem) {
    guard unsafe bb_curl_set_string(pointer, CURLOPT_URL, url) == CURLE_OK else {
      throw Problem(.usage, "is not a URL that can be asked", at: URLText.redacted(url))
    }
  }

  /// The header fields; libcurl's own `Expect` is left out.
  mutating func set(headers fields: [HTTPHeader]) throws(Problem) {
    for field in fields {
      guard (field.name + field.value).utf8.allSatisfy({ $0 >= 32 || $0 == 9 }), !field.name.contains(":") else {
        throw Problem(.usage, "a header field has a control character", hint: "check the value of “\(field.name)”")
      }
      unsafe headers = bb_curl_list_append(headers, "\(field.name): \(field.value)")
    }
    unsafe headers = bb_curl_list_append(headers, "Expect:")
    _ = unsafe bb_curl_set_list(pointer, CURLOPT_HTTPHEADER, headers)
  }

  /// The method, and the body that goes with it.
  func set(method: HTTPRequest.Method, body: [UInt8]) {
    switch method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .post:
      set(CURLOPT_POST, 1)
      _ = unsafe bb_curl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      unsafe body.withUnsafeBytes { bytes in
        _ = unsafe bb_curl_set_pointer(
          pointer, CURLOPT_COPYPOSTFIELDS,
          UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(pointer)))
      }
    }
  }
}

extension Duration {
  /// Whole milliseconds, at least 1.
  var milliseconds: Int64 { max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000) }
}
