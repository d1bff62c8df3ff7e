public import Domain

/// User options for connections.
public struct TransportOptions: Sendable, Hashable {
  /// A proxy's URL, or `none`; nil leaves it to the environment (`http_proxy` and its kin).
  public var proxy: String?
  /// A file of certificates to trust instead of the system's.
  public var caFile: String?
  /// For the connection alone.
  public var connectTimeout: Duration
  /// Connections to one host at a time.
  public var connectionsPerHost: Int
  /// Whether data and redirects of a public server may lead to private addresses.
  public var allowsPrivate: Bool
  /// The user agent of the program.
  public var userAgent: String

  /// The usual options.
  public init(
    proxy: String? = nil, caFile: String? = nil, connectTimeout: Duration = .seconds(10),
    connectionsPerHost: Int = HTTPRequest.usualAtATime, allowsPrivate: Bool = false,
    userAgent: String = "bb"
  ) {
    self.proxy = proxy
    self.caFile = caFile
    self.connectTimeout = connectTimeout
    self.connectionsPerHost = connectionsPerHost
    self.allowsPrivate = allowsPrivate
    self.userAgent = userAgent
  }
}
