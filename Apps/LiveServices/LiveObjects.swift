import AppShell
import CommandLineKit
import Domain
import Glibc
import Lake
import Networking
import Objects
import Persistence
import Rows
import Synchronization

/// The buckets of a command, opened once.
final class OpenBuckets: Sendable {
  private let state = Mutex<(options: APIOptions, objects: S3Objects?)>((APIOptions(), nil))

  /// The options of outputs and of lists.
  var options: APIOptions { state.withLock { $0.options } }

  /// Sets the options.
  func connect(_ options: APIOptions) { state.withLock { $0 = (options, nil) } }

  /// The buckets with these options.
  func objects(_ options: APIOptions, make: () -> S3Objects) -> S3Objects {
    state.withLock { state in
      if state.options == options, let known = state.objects { return known }
      let made = make()
      state = (options, made)
      return made
    }
  }
}

extension LiveSources {
  /// The buckets of the options of the command.
  /// - Throws: `unavailable` in offline mode.
  func objects(at place: String) throws(Problem) -> S3Objects {
    let options = buckets.options
    if options.offline {
      throw Problem(.unavailable, "offline mode is set", at: place, hint: .omit(.offline))
    }
    return objects(options)
  }

  /// The objects of the bucket of a location.
  func storage(_ location: S3Location) throws(Problem) -> S3Storage {
    try objects(at: location.text).storage(location.bucket)
  }

  func objects(_ options: APIOptions) -> S3Objects {
    buckets.objects(options) {
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

  /// The files of a Delta table.
  /// - Throws: `usage` for a place that is neither a directory nor a prefix of a bucket.
  func table(_ location: DeltaLocation) throws(Problem) -> any DeltaStorage {
    guard S3Location.isLocation(location.place) else {
      guard !location.place.contains("://") else {
        throw Problem(
          .usage, "Delta tables are supported only in directories and in S3",
          at: "delta:\(URLText.redacted(location.place))")
      }
      return DeltaDirectory(location.place)
    }
    let place = try S3Location(location.place)
    return S3DeltaTable(try storage(place), place) { (file) async throws(Problem) in
      do throws(Problem) {
        let download = try await fetch(file, buckets.options).0
        return DownloadedFile(try FileByteSource(path: download.path, of: file.text), download)
      } catch {
        if error.kind == .noInput { return nil }
        throw error
      }
    }
  }
}

/// A file in the cache, which no other process changes.
private final class DownloadedFile: RandomAccessSource {
  var name: String { file.name }
  var length: Int { file.length }
  private let file: FileByteSource
  private let download: CachedDownload

  init(_ file: FileByteSource, _ download: CachedDownload) { (self.file, self.download) = (file, download) }

  func read(at offset: Int, count: Int, into text: inout ArenaBuilder) throws(Problem) -> Int {
    try file.read(at: offset, count: count, into: &text)
  }
}
