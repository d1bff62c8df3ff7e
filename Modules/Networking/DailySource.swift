import Codecs
public import Domain
import Glibc
import Query
public import Rows

/// An API that is requested at most once a day, with a short timeout; otherwise, and if it does not respond, its last
/// response is used.
///
/// On days with an earlier request, no library is loaded and no socket is opened.
public struct DailySource: Sendable {
  private let description: APIDescription
  private let server: String?
  private let transport: any HTTPTransport
  private let directory: String
  private let date: any WallClock
  private let patience: Duration

  /// - Parameters:
  ///   - description: the API.
  ///   - server: a server that speaks it, instead of the description's base URL.
  ///   - transport: asks it.
  ///   - directory: the cache.
  ///   - date: the clock that decides what today is.
  ///   - patience: the time limit of a response.
  public init(
    _ description: APIDescription, server: String?, transport: any HTTPTransport, directory: String,
    date: any WallClock, patience: Duration = .seconds(2)
  ) {
    self.description = description
    self.server = server
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
  ///   - report: called with the reason if the API did not respond.
  public func rows(
    of table: String, maximumAge: Int64 = day, report: @Sendable (String) -> Void
  ) async throws(Problem) -> (any RowStream)? {
    if maximumAge < .max, isDue(after: maximumAge) {
      remember()
      do throws(Problem) {
        let hurried = TimeoutTransport(inner: transport, patience: patience)
        return try await source(hurried, CachingTransport.Policy(refresh: maximumAge == 0)).rows(
          of: table, RowRequest())
      } catch {
        if error.kind == .cancelled { throw error }
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

  private func source(_ transport: any HTTPTransport, _ policy: CachingTransport.Policy) throws(Problem) -> RESTSource {
    // Problems of the data are reported by the program that lists them.
    let caching = CachingTransport(transport, directory: directory, policy: policy, date: date) { _ in }
    return try RESTSource(description, server: server, transport: caching) { _ in }
  }

  /// A file that is touched when the API is asked.
  private var stamp: String { "\(directory)/asked-\(description.name)" }

  private func isDue(after maximumAge: Int64) -> Bool {
    var status = stat()
    guard unsafe stat(stamp, &status) == 0 else { return true }
    let age = date.now().seconds - Int64(status.st_mtim.tv_sec)
    return age < 0 || age >= maximumAge
  }

  /// Without a place for the stamp, it is asked each time.
  private func remember() {
    var path = ""
    for part in directory.split(separator: "/") {
      path += "/" + part
      _ = unsafe mkdir(path, 0o700)
    }
    let descriptor = unsafe open(stamp, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let now = timespec(tv_sec: Int(date.now().seconds), tv_nsec: 0)
    unsafe withUnsafePointer(to: (now, now)) { times in
      _ = unsafe times.withMemoryRebound(to: timespec.self, capacity: 2) { unsafe futimens(descriptor, $0) }
    }
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
