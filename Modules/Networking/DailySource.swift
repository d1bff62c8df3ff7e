import Codecs
public import Domain
import Glibc
public import Query
public import Rows

/// A source that is requested at most once a day, with a short timeout; otherwise, and if it does not respond, its last
/// response is used.
///
/// On days with an earlier request, no library is loaded and no socket is opened.
public struct DailySource: Sendable {
  private let name: String
  private let open: Open
  private let transport: any HTTPTransport
  private let directory: String
  private let date: any WallClock
  private let patience: Duration

  /// Makes the source, which asks with a transport.
  public typealias Open = @Sendable (any HTTPTransport) throws(Problem) -> any RecordSource

  /// - Parameters:
  ///   - name: the name of the source, for the file that says when it was asked.
  ///   - transport: sends the requests.
  ///   - directory: the cache.
  ///   - date: the clock that decides what today is.
  ///   - patience: the time limit of a response.
  ///   - open: makes the source.
  public init(
    _ name: String, transport: any HTTPTransport, directory: String, date: any WallClock,
    patience: Duration = .seconds(2), open: @escaping Open
  ) {
    self.name = name
    self.open = open
    self.transport = transport
    self.directory = directory
    self.date = date
    self.patience = patience
  }

  /// A day, in seconds.
  public static let day: Int64 = 86_400

  /// The rows of a dataset; nil if the API never responded.
  /// - Parameters:
  ///   - table: the name of the dataset.
  ///   - maximumAge: seconds since the last request after which another is sent, from 0; `Int64.max` for none at all.
  ///   - report: called with the reason if the API did not respond, now or to the last request.
  public func rows(
    of table: String, maximumAge: Int64 = day, report: @Sendable (String) -> Void
  ) async throws(Problem) -> (any RowStream)? {
    if maximumAge < .max, let last, 0..<maximumAge ~= last.age {
      if let failure = last.failure { report(failure) }
    } else if maximumAge < .max {
      remember("")
      do throws(Problem) {
        let hurried = TimeoutTransport(inner: transport, patience: patience)
        return try await source(hurried, CachingTransport.Policy(refresh: maximumAge == 0)).rows(
          of: table, RowRequest())
      } catch {
        if error.kind == .cancelled { throw error }
        remember("\(error)")
        report("\(error)")
      }
    }
    do throws(Problem) {
      return try await source(transport, CachingTransport.Policy(maximumAge: .max, offline: true)).rows(
        of: table, RowRequest())
    } catch {
      if error.kind == .cancelled { throw error }
      return nil
    }
  }

  private func source(_ transport: any HTTPTransport, _ policy: CachingTransport.Policy) throws(Problem)
    -> any RecordSource
  {
    try open(CachingTransport(transport, directory: directory, policy: policy, date: date) { _ in })
  }

  /// A file that is written when a request is sent: why it failed, or nothing.
  private var stamp: String { "\(directory)/asked-\(name)" }

  /// The seconds since the last request was sent, and why it failed, if it did; nil if none was sent.
  private var last: (age: Int64, failure: String?)? {
    guard let (text, seconds) = PrivateFile.read(stamp) else { return nil }
    return (date.now().seconds - seconds, text.isEmpty ? nil : String(decoding: text, as: UTF8.self))
  }

  /// Notes that a request is sent, or why it failed. Without a place for the stamp, one is sent each time.
  private func remember(_ failure: String) {
    PrivateFile.makeDirectory(of: stamp)
    let descriptor = unsafe Glibc.open(stamp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = PrivateFile.write(Array(failure.utf8), [], to: descriptor)
    let now = timespec(tv_sec: Int(date.now().seconds), tv_nsec: 0), times = [now, now]
    unsafe futimens(descriptor, times)
  }
}

/// Gives every exchange the same short time.
private struct TimeoutTransport: HTTPTransport {
  let inner: any HTTPTransport
  let patience: Duration

  func send(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
    var request = request
    request.timeout = min(request.timeout, patience)
    return try await inner.send(request)
  }
}
