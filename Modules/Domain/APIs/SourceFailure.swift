/// A request that failed while the rest of a dataset was read.
public struct SourceFailure: Sendable, Hashable {
  /// The URL, without secrets.
  public var url: String
  /// The status of the response; nil if there was none.
  public var status: Int?
  /// The key of the record that the request was for.
  public var key: String
  /// The reason.
  public var reason: String
  /// A failed request.
  public init(url: String, status: Int?, key: String, reason: String) {
    self.url = url
    self.status = status
    self.key = key
    self.reason = reason
  }
}
