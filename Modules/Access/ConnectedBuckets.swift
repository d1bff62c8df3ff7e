package import AppShell
import CommandLineKit
import Domain
import Files
import Glibc
import Networking
import Objects
import Persistence
import Rows
import Synchronization

/// The user's choices for the network, and the buckets that were opened with them.
package final class Connection: Sendable {
  let options: APIOptions
  private let opened = Mutex<S3Objects?>(nil)
  private let files = Mutex(Files())

  private struct Files {
    var known: [String: KnownFile] = [:]
    var listed: [String: StoredObject] = [:]
    var web: (any HTTPTransport)?
  }

  /// What this command has found of a file on a server.
  enum KnownFile: Sendable {
    /// Its ranges are requested.
    case ranges(RemoteObject)
    /// The copy in the cache was current, in seconds since 1970.
    case cached(Int64)
  }

  /// The facts known about the file at an address.
  subscript(_ url: String) -> KnownFile? {
    get { files.withLock { $0.known[url] } }
    set { files.withLock { $0.known[url] = newValue } }
  }

  /// The object at a place, if a list had it.
  func listed(_ place: String) -> StoredObject? { files.withLock { $0.listed[place] } }
  /// Notes the objects of a list, by their places.
  func note(_ objects: [(place: String, object: StoredObject)]) {
    files.withLock { for (place, object) in objects { $0.listed[place] = object } }
  }

  /// The transport for files of web servers, made once.
  func web(_ make: () -> any HTTPTransport) -> any HTTPTransport {
    files.withLock { files in
      let web = files.web ?? make()
      files.web = web
      return web
    }
  }

  package init(_ options: APIOptions) { self.options = options }

  /// The buckets, opened once.
  func objects(_ make: () -> S3Objects) -> S3Objects {
    opened.withLock { opened in
      let objects = opened ?? make()
      opened = objects
      return objects
    }
  }
}

extension ConnectedSources {
  /// Refuses what needs the network in offline mode.
  /// - Throws: `unavailable`.
  func requireNetwork(at place: String) throws(Problem) {
    guard connection.options.offline else { return }
    throw Problem(.unavailable, "offline mode is set", at: place, hint: .omit(.offline))
  }

  func storage(_ location: S3Location) throws(Problem) -> S3Storage {
    try requireNetwork(at: location.text)
    return try objects().storage(location.bucket)
  }

  func objects() -> S3Objects {
    connection.objects {
      let options = connection.options
      var choice = S3Objects.Choice()
      (choice.endpoint, choice.region) = (options.objects.endpoint, options.objects.region)
      choice.isAnonymous = options.objects.isAnonymous
      var environment = AWSEnvironment(
        variables: variables, clock: SystemClock(),
        file: { (path) throws(Problem) in
          do throws(Problem) { return try FileByteSource(path: path).bytes(limit: 1 << 20) } catch {
            if error.kind == .noInput { return nil }
            throw error
          }
        },
        files: { directory in ((try? FilePattern.files(below: directory)) ?? []) },
        output: { (command) throws(Problem) in
          Array(
            try ChildProcess.output(["/bin/sh", "-c", command], as: "credential process", limit: 1 << 20).utf8)
        })
      environment.secrets = report.secrets
      return S3Objects(
        environment, choice,
        transport: { [network, origins, userAgent, report] usesProxy in
          let curl = network.transport(
            TransportOptions(
              proxy: usesProxy ? options.proxy : "none", caFile: options.caFile,
              connectTimeout: usesProxy ? .seconds(10) : .seconds(1), allowsPrivate: options.allowsPrivate,
              userAgent: userAgent), origins)
          return report.hasDetails ? LoggingTransport(curl) { report.detail($0) } : curl
        },
        repeating: { [network] inner, readAhead in
          network.retrying(inner, Self.policy(options, readAhead: readAhead))
        },
        allow: { [origins] in origins.add(server: $0) })
    }
  }

  /// The files of a Delta table in a bucket.
  func table(_ place: S3Location) throws(Problem) -> any TableStorage {
    S3DeltaTable(try storage(place), place) { (file, size) async throws(Problem) in
      do throws(Problem) {
        let remote = try remote(file), isRanged = file.key.hasSuffix(".parquet")
        if let size { connection.note([(remote.place, StoredObject(key: file.key, size: size))]) }
        return try await bytes(of: try await opened(remote, isRanged: isRanged, showsProgress: false), remote)
      } catch {
        if error.kind == .noInput { return nil }
        throw error
      }
    }
  }
}

/// A file in the cache, which no other process changes.
final class DownloadedFile: RandomAccessSource {
  var name: String { file.name }
  var length: Int { file.length }
  private let file: FileByteSource
  private let download: CachedDownload

  init(_ file: FileByteSource, _ download: CachedDownload) { (self.file, self.download) = (file, download) }

  func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    try file.read(at: offset, count: count, into: &text)
  }
}
