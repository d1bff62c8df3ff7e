import AppShell
import CommandLineKit
import Dialects
import Domain
import Objects
import Persistence
import Query
import Rows
import Synchronization

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

/// A text file on a server of which parts are read: from the beginning, or those that are announced.
final class RemoteText: ByteSource, PlannedSource {
  var name: String { bytes.name }
  var size: Int? { bytes.length }
  var length: Int { bytes.length }
  private let bytes: any RandomAccessSource
  private let position = Mutex(0)
  /// More than the beginning, which shows the types of columns, means everything.
  private static let beginning = 2 << 20

  init(_ bytes: any RandomAccessSource) { self.bytes = bytes }

  func willRead(_ parts: [[Range<Int>]], mayEnd: Bool) {
    (bytes as? any PlannedSource)?.willRead(parts, mayEnd: mayEnd)
  }

  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    let place = position.withLock { $0 }
    if place >= Self.beginning, (bytes as? RemoteRanges)?.isPlanned == false {
      willRead([[0..<length]], mayEnd: false)
    }
    let count = try bytes.read(at: place, count: limit, into: &text)
    position.withLock { $0 += count }
    return count
  }

  func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    try bytes.read(at: offset, count: count, into: &text)
  }

  func reopened() -> (any ByteSource)? { RemoteText(bytes) }
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
    let request = HTTPRequest(
      .get, url, headers: [HTTPHeader("Accept", "*/*"), HTTPHeader("Accept-Encoding", "identity")],
      timeout: .seconds(options.deadline ?? 86_400), maximumBytes: options.maximumBytes ?? 1 << 50)
    let resumable = ResumableDownload(
      request, at: place, isObject: isObject, over: transport, attempts: 5, allAttempts: 100)
    let outcome = try await resumable.run(
      into: download, known: known.map { ($0.etag, $0.modified) }, first: received
    ) { _, count, size in progress?.update { (step) in (step.bytes, step.allBytes) = (count, size) } }
    switch outcome {
    case .received(let response):
      try download.finish(response, fetched: now)
      if !response.isDelimited {
        report.warning("\(place): the server does not state the size of the file, which may be incomplete")
      }
    case .unchanged:
      guard var known else { break }
      known.fetched = now
      try download.note(known)
    case .unreachable(let problem):
      guard problem.kind == .unavailable, let known else { throw problem }
      report.warning("\(place): \(problem.message); using the copy in the cache")
      return known.fetched
    case .refused(let response):
      throw isObject ? await S3Failure.problem(response, at: place) : Self.refusal(response.status, place)
    case .incomplete(let problem): throw problem.isTransient ? problem.located(at: place) : problem
    }
    return now
  }

  /// The problem of a web server's status.
  static func refusal(_ status: Int, _ place: String) -> Problem {
    let kind: Problem.Kind =
      [404, 410].contains(status) ? .noInput : [401, 403].contains(status) ? .permission : .unavailable
    return Problem(kind, "HTTP status \(status)", at: place)
  }
}
