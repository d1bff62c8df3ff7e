internal import CCurl
import Rows
import Synchronization

/// libcurl, loaded on the first request.
enum CurlLibrary {
  private static let failure = Mutex<String??>(nil)

  /// Loads the library, once.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  static func load() throws(Problem) {
    let why = failure.withLock { failure in
      if let known = failure { return known }
      let reason = unsafe bb_curl_load().map { unsafe String(cString: $0) }
      failure = .some(reason)
      return reason
    }
    if let why {
      throw Problem(.unavailable, "cannot load libcurl (\(why))", hint: "install the package libcurl4")
    }
  }

  /// Takes over text that libcurl allocated.
  static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe bb_curl_free(text) }
    return unsafe String(cString: text)
  }
}

/// URLs, as libcurl reads them; the library must be loaded.
enum CurlURL {
  /// `reference` resolved against `base`; nil if it is not a URL.
  static func joined(_ base: String, _ reference: String) -> String? {
    unsafe CurlLibrary.taken(bb_curl_url_joined(base, reference))
  }
  /// The scheme, lower case.
  static func scheme(_ url: String) -> String? {
    unsafe CurlLibrary.taken(bb_curl_url_part(url, CURLUPART_SCHEME))?.lowercased()
  }
  /// Whether it is an http or https URL.
  static func isWeb(_ url: String) -> Bool {
    // Mostly one sees.
    url.hasPrefix("https://") || url.hasPrefix("http://") || ["http", "https"].contains(scheme(url))
  }
  /// The host, with numbers in their usual form (`0x7f.1` is `127.0.0.1`) and an IPv6 address in brackets.
  static func host(_ url: String) -> String? {
    unsafe CurlLibrary.taken(bb_curl_url_part(url, CURLUPART_HOST))
  }
  /// Scheme, host and port: what must be the same for credentials to be sent on.
  static func origin(_ url: String) -> String? {
    guard let scheme = scheme(url), let host = host(url),
      let port = unsafe CurlLibrary.taken(bb_curl_url_part(url, CURLUPART_PORT))
    else { return nil }
    return "\(scheme)://\(host.lowercased()):\(port)"
  }
}
