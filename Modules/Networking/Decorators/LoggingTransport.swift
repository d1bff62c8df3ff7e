public import Domain
public import Rows

/// Logs every request and its response, one line each, without secrets.
public struct LoggingTransport: HTTPTransport {
  private let inner: any HTTPTransport
  private let report: @Sendable (String) -> Void

  /// Tells `report` what `inner` is asked.
  public init(_ inner: any HTTPTransport, report: @escaping @Sendable (String) -> Void) {
    self.inner = inner
    self.report = report
  }

  /// Those of the transport within.
  public var readers: [any TaskExecutor] { inner.readers }

  /// Sends the request.
  public func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    let what = "\(request.method.rawValue) \(URLText.redacted(request.url))"
    do throws(Problem) {
      let response = try await inner.send(request)
      report("\(what): \(response.status)")
      return response
    } catch {
      report("\(what): \(error.message)")
      throw error
    }
  }
}
