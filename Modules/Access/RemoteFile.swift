import AppShell
import CommandLineKit
import Dialects
import Domain
import Objects
import Persistence
import Query
import Rows

/// A table of a file on a server. The file is in the cache, which other processes do not change while it is open.
struct RemoteSource: RecordSource, SampledFile {
  let name: String
  private let inner: FileSource
  private let download: CachedDownload

  init(_ inner: FileSource, _ download: CachedDownload) {
    (self.inner, self.download, name) = (inner, download, inner.name)
  }

  var formatName: String { inner.formatName }
  var usesSelection: Bool { inner.usesSelection }
  func part(_ shard: Shard, of table: String, _ request: RowRequest) async throws(Problem) -> (any RowStream)? {
    try await inner.part(shard, of: table, request)
  }
  func columnDetails() throws(Problem) -> (
    names: [(name: String, type: ColumnType)], values: [String: [Value]]
  )? { try inner.columnDetails() }
  func sample(_ count: Int) throws(Problem) -> FileSample? { try inner.sample(count) }
  func tables() async throws(Problem) -> [Schema] { try await inner.tables() }
  func mainTable() async throws(Problem) -> String? { try await inner.mainTable() }
  func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    try await inner.rows(of: table, request)
  }
}

/// Fetches a file into the cache: continues what an earlier attempt has left, and fetches nothing if it is unchanged.
struct RemoteFile {
  let url: String
  let place: String
  /// Whether it is an object of a bucket, for which a range requires a condition of its own.
  let isObject: Bool
  let options: APIOptions
  let transport: any HTTPTransport
  let download: CachedDownload
  let report: Report
  /// Nil while others are fetched.
  let progress: Progress?
  /// Seconds since 1970.
  let now: Int64

  /// The most attempts in a row that receive nothing, and the most of all.
  private static let attempts = 5, allAttempts = 100

  /// Makes the complete file available.
  /// - Parameter received: the response to the first request, if that was sent.
  /// - Returns: when the server sent it or last said that it is unchanged, in seconds since 1970.
  func fetch(_ received: HTTPResponse? = nil) async throws(Problem) -> Int64 {
    let known = options.refresh ? nil : download.complete
    if options.offline {
      guard let known else {
        throw Problem(.unavailable, "not in the cache, and offline mode is set", at: place, hint: .omit(.offline))
      }
      return known.fetched
    }
    if let known, let age = options.maxAge, now - known.fetched < Int64(age) { return known.fetched }
    if options.refresh { download.discard() }
    progress?.begin(place, "bytes")
    defer { progress?.finish() }
    var received = received
    var last = Problem(.unavailable, "changed during the download", at: place)
    var failures = 0
    for _ in 0..<Self.allAttempts where failures < Self.attempts {
      failures += 1
      let response: HTTPResponse
      let part = download.partial
      do throws(Problem) {
        if let first = received { response = first } else { response = try await transport.send(request(part, known)) }
        received = nil
      } catch {
        guard error.kind == .unavailable, let known else { throw error }
        report.warning("\(place): \(error.message); using the copy in the cache")
        return known.fetched
      }
      if response.status == 304, part == nil, var known {
        known.fetched = now
        try download.note(known)
        return now
      }
      var begun = 0, state = response.state(at: now)
      switch response.status {
      case 206:
        guard let part, let size = response.size(continuing: part) else {
          download.discard()
          continue
        }
        begun = part.count
        (state.size, state.modified) = (size ?? part.state.size, state.modified ?? part.state.modified)
        try download.resume()
      case 200: try download.begin(response.isEncoded || ImageValidator(response) == nil ? nil : state)
      case 412 where part != nil, 416 where part != nil:
        download.discard()
        continue
      default: throw isObject ? await S3Failure.problem(response, at: place) : Self.refusal(response.status, place)
      }
      do throws(Problem) {
        try await receive(response, after: begun, of: state.size)
        try download.finish(state)
        if !response.isDelimited {
          report.warning("\(place): the server does not state the size of the file, which may be incomplete")
        }
        return now
      } catch {
        download.suspend()
        guard error.isTransient else { throw error }
        last = error.located(at: place)
        if let left = download.partial, left.count > begun, begun > 0 || part == nil { failures = 0 }
      }
    }
    throw last
  }

  private func request(
    _ part: (state: CachedDownload.State, count: Int)?, _ known: CachedDownload.State?
  ) -> HTTPRequest {
    var headers = [HTTPHeader("Accept", "*/*"), HTTPHeader("Accept-Encoding", "identity")]
    if let part, let validator = part.state.etag ?? (isObject ? nil : part.state.modified) {
      headers += [
        HTTPHeader("Range", "bytes=\(part.count)-"), HTTPHeader(isObject ? "If-Match" : "If-Range", validator),
      ]
    } else if let known {
      if let tag = known.etag { headers.append(HTTPHeader("If-None-Match", tag)) }
      if let date = known.modified { headers.append(HTTPHeader("If-Modified-Since", date)) }
    }
    return HTTPRequest(
      .get, url, headers: headers, timeout: .seconds(options.deadline ?? 86_400),
      maximumBytes: options.maximumBytes ?? 1 << 50)
  }

  /// - Parameter size: the size of the complete file; nil if not known.
  private func receive(_ response: HTTPResponse, after begun: Int, of size: Int?) async throws(Problem) {
    var count = begun
    for try await chunk in response.body {
      try download.append(chunk)
      count += chunk.count
      progress?.update { [count] step in (step.bytes, step.allBytes) = (count, size) }
    }
    guard let size, size != count else { return }
    // Bytes beyond the end of the file are of another version.
    if count > size { download.discard() }
    var problem = Problem(.unavailable, "the response was truncated", at: place)
    problem.isTransient = true
    throw problem
  }

  /// The problem of a web server's status.
  static func refusal(_ status: Int, _ place: String) -> Problem {
    let kind: Problem.Kind =
      [404, 410].contains(status) ? .noInput : [401, 403].contains(status) ? .permission : .unavailable
    return Problem(kind, "HTTP status \(status)", at: place)
  }
}

extension HTTPResponse {
  fileprivate var isEncoded: Bool { header("Content-Encoding").map { $0.lowercased() != "identity" } ?? false }

  /// The facts for the next request.
  fileprivate func state(at now: Int64) -> CachedDownload.State {
    CachedDownload.State(
      etag: header("ETag"), modified: header("Last-Modified"),
      size: isEncoded || status == 206 ? nil : header("Content-Length").flatMap { Int($0) }, fetched: now)
  }

  /// The size of the file of which this partial response is the rest, nil if not stated; nil if it is not the rest of
  /// that file: servers may ignore the condition of a request.
  fileprivate func size(continuing part: (state: CachedDownload.State, count: Int)) -> Int?? {
    if let tag = part.state.etag {
      guard header("ETag") == tag else { return .none }
    } else if let date = header("Last-Modified"), date != part.state.modified {
      return .none
    }
    guard !isEncoded, let range = header("Content-Range"), range.hasPrefix("bytes \(part.count)-") else {
      return .none
    }
    let size = range.split(separator: "/").last.flatMap { Int($0) }
    if let size, size < part.count || part.state.size.map({ $0 != size }) ?? false { return .none }
    return .some(size)
  }
}
