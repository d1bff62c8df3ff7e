import Domain
import Glibc
import Rows
import Synchronization

/// The servers that the user named, and whether they are in a private network.
///
/// Those that are may refer to themselves; no other may lead there.
public final class PrivateOrigins: Sendable {
  private struct State {
    var known: [String: Bool] = [:]
    /// Servers that may answer from the cache, before any connection to them is made.
    var named: [String] = []
  }
  private let state = Mutex(State())

  /// Creates an empty list.
  public init() {}

  /// Adds a server that the user named; it counts as private if its host is a private address in numbers.
  public func add(server: String) { state.withLock { $0.named.append(server) } }

  /// Notes whether the first connection to an origin was private. Later ones must agree: a name may be made to lead
  /// elsewhere.
  package func note(_ origin: String, isPrivate: Bool) {
    state.withLock { state in if state.known[origin] == nil { state.known[origin] = isPrivate } }
  }

  /// Whether an origin is private; nil if it is not known. libcurl must be loaded.
  func isPrivate(_ origin: String) -> Bool? {
    state.withLock { state in
      for server in state.named {
        if let host = CurlURL.host(server), let named = CurlURL.origin(server), state.known[named] == nil,
          PrivateNetwork.contains(host: host)
        {
          state.known[named] = true
        }
      }
      state.named = []
      return state.known[origin]
    }
  }
}

/// The addresses that one transfer may reach.
struct PrivateReach: Sendable {
  var isUnbounded: Bool
  /// The port of the proxy that may be used; nil for none. Its address is not that of the server.
  let proxyPort: Int?

  func isProxy(_ port: Int) -> Bool { port == proxyPort }

  /// Whether a connection to an address is refused.
  func refuses(_ address: String, _ port: Int) -> Bool {
    !isUnbounded && !isProxy(port) && PrivateNetwork.contains(address)
  }

  /// Refuses a URL whose host is private in itself, proxy or not.
  func check(_ url: String) throws(Problem) {
    guard !isUnbounded, let host = CurlURL.host(url), PrivateNetwork.contains(host: host) else { return }
    throw PrivateAddress.refusal(of: host, at: URLText.redacted(url))
  }

  /// The port of the proxy that libcurl uses for a scheme; nil for none.
  static func proxyPort(_ options: TransportOptions, scheme: String) -> Int? {
    let proxy: String
    if let named = options.proxy {
      proxy = named
    } else {
      // libcurl does not read HTTP_PROXY, which a web server may set.
      let names = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
      let values = (names + ["all_proxy", "ALL_PROXY"]).compactMap { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
      }
      proxy = values.first { !$0.isEmpty } ?? "none"
    }
    guard proxy != "none", !proxy.isEmpty else { return nil }
    let url = proxy.contains("://") ? proxy : "http://" + proxy
    let authority = url[(url.firstRange(of: "://")?.upperBound ?? url.startIndex)...].prefix { $0 != "/" }
    let port = authority.lastIndex(of: ":").flatMap { Int(authority[authority.index(after: $0)...]) }
    return port ?? (url.hasPrefix("https://") ? 443 : 1080)
  }
}
