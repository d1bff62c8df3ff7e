public import Rows

extension Setting {
  /// The proxy.
  public static let proxy = Setting("network.proxy")
  /// The certificates that are trusted.
  public static let certificates = Setting("network.certificates")
  /// Whether the network is not used.
  public static let offline = Setting("network.offline")
  /// The total time of requests.
  public static let deadline = Setting("network.deadline")
  /// The total size of responses.
  public static let maximumBytes = Setting("network.maximumBytes")
  /// The base URL of an API.
  public static let server = Setting("source.server")
  /// A variable of a source definition.
  public static let sourceVariable = Setting("source.variable")
}
