import Codecs
public import Domain
import Files
import Glibc
public import Rows
import Synchronization

/// A file of a server in the cache: complete, or the beginning of one that is still to come. One process at a time uses
/// it, and one task at a time fetches it; no other user can read it.
public final class CachedDownload: DownloadTarget {
  /// The facts about a download, for the next request.
  public struct State: Sendable, Hashable {
    /// The ETag, and the date of last change, as the server wrote them; nil if it did not.
    public var etag: String?, modified: String?
    /// The size of the complete file in bytes; nil if the server did not state it.
    var size: Int?
    /// When it was fetched or last found unchanged, in seconds since 1970.
    public var fetched: Int64

    /// Creates a state.
    init(etag: String?, modified: String?, size: Int? = nil, fetched: Int64) {
      (self.etag, self.modified, self.size, self.fetched) = (etag, modified, size, fetched)
    }

    /// The facts that a response states about the whole file.
    init(_ response: HTTPResponse, fetched: Int64) {
      let isPart = response.isEncoded || response.status == 206
      self.init(
        etag: response.header("ETag"), modified: response.header("Last-Modified"),
        size: isPart ? nil : response.header("Content-Length").flatMap { Int($0) }, fetched: fetched)
    }
  }

  /// The path of the complete file.
  public let path: String
  private let part: String
  private let lock: DownloadLock
  private let open = Mutex<Int32>(-1)

  /// Waits while another process uses the file, or another task of this one fetches it.
  /// - Parameters:
  ///   - url: the address, which names the file.
  ///   - cache: the directory of the cache.
  ///   - patience: how long to wait.
  /// - Throws: `busy` if the other process takes longer; `permission`, `io`.
  public init(_ url: String, in cache: String, patience: Duration = .seconds(60)) async throws(Problem) {
    let directory = "\(cache)/files"
    try DirectoryListing.make(directory)
    let name = "\(directory)/\(SHA256.hex(Array(url.utf8)).prefix(32))"
    (path, part) = (name + ".data", name + ".part")
    lock = try await DownloadLock.acquire(name + ".lock", patience)
  }

  deinit { suspend() }

  /// Ends the fetching: other tasks of this process may use the file as well.
  public func share() { lock.share() }

  /// The complete file; nil if there is none.
  public var complete: State? { (try? FileStamp.now(at: path)) != nil ? Self.state(path + ".json") : nil }

  /// The beginning of a file; nil if there is none that can be continued.
  public var beginning: DownloadBeginning? {
    guard let state = Self.state(part + ".json"), let count = try? FileByteSource(path: part).size, count > 0,
      let validator = (state.etag ?? state.modified).flatMap({ FileValidator($0) })
    else { return nil }
    return DownloadBeginning(validator, count: count, size: state.size)
  }

  /// Begins a file; what there was of it is removed.
  public func begin(_ response: HTTPResponse) throws(Problem) {
    discard()
    if !response.isEncoded, FileValidator(response) != nil {
      try Self.write(State(response, fetched: 0), to: part + ".json")
    }
    let descriptor = try RegularFile.open(part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, action: "create")
    open.withLock { $0 = descriptor }
  }

  /// Continues the beginning of a file.
  public func resume() throws(Problem) {
    suspend()
    let descriptor = try RegularFile.open(part, O_WRONLY | O_APPEND | O_NOFOLLOW)
    open.withLock { $0 = descriptor }
  }

  /// Appends bytes.
  public func append(_ bytes: [UInt8]) throws(Problem) {
    try writeAll(bytes, to: open.withLock { $0 }, place: part)
  }

  /// Makes the file complete.
  /// - Parameters:
  ///   - response: the last one, which may be a part.
  ///   - fetched: when, in seconds since 1970.
  public func finish(_ response: HTTPResponse, fetched: Int64) throws(Problem) {
    suspend()
    let begun = Self.state(part + ".json")
    var state = State(response, fetched: fetched)
    (state.size, state.modified) = (state.size ?? begun?.size, state.modified ?? begun?.modified)
    // Without its state the file is not used.
    _ = Temporaries.remove(path + ".json")
    guard Temporaries.move(part, to: path) else { throw Problem.posix(errno, "rename", part) }
    try note(state)
    _ = Temporaries.remove(part + ".json")
  }

  /// Replaces the state of the complete file.
  public func note(_ state: State) throws(Problem) { try Self.write(state, to: path + ".json") }

  /// Closes a file that is not complete; it stays.
  public func suspend() {
    let descriptor = open.withLock { open in
      defer { open = -1 }
      return open
    }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Removes a file that is not complete.
  public func discard() {
    suspend()
    for file in [part, part + ".json"] { _ = Temporaries.remove(file) }
  }

  private static func state(_ path: String) -> State? {
    guard let bytes = try? FileByteSource(path: path).bytes(limit: 1 << 16),
      let object = try? JSON.parse(bytes, name: path), let fetched = object["fetched"]?.countValue
    else { return nil }
    return State(
      etag: object["etag"]?.stringValue, modified: object["modified"]?.stringValue,
      size: object["size"]?.countValue, fetched: Int64(fetched))
  }

  private static func write(_ state: State, to path: String) throws(Problem) {
    let object = JSON.object([
      "etag": state.etag.map { .string($0) } ?? .null, "modified": state.modified.map { .string($0) } ?? .null,
      "size": state.size.map { .number(Int64($0)) } ?? .null, "fetched": .number(state.fetched),
    ])
    let sink = try FileSink(path: path, mode: 0o600)
    try sink.append(object.canonicalBytes)
    _ = try sink.flush()
    try sink.publish()
  }
}
