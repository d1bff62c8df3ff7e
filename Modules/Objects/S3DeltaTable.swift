public import Domain
public import Rows
import Synchronization

/// A Delta table below a prefix of a bucket.
public struct S3DeltaTable: TableStorage {
  /// Opens a data file for reading; nil if it does not exist.
  /// - Parameter size: that in the log, if it is known.
  public typealias Opening =
    @Sendable (_ location: S3Location, _ size: Int?) async throws(Problem) -> (any RandomAccessSource)?

  /// The table in messages.
  public var name: String { "delta:\(location.text)" }
  /// The prefix as a URL.
  public var root: String { "s3:/\(location.bucket)\(location.key.isEmpty ? "" : "/" + location.key)" }
  private let storage: S3Storage
  private let location: S3Location
  private let opening: Opening
  private let log = Log()

  /// The largest file of the log that is read into memory, and the largest one that is read early.
  private static let largestEntry = 64 << 20, largestEarly = 1 << 20

  /// The sizes of listed files of the log, and files that were read early.
  private final class Log: Sendable {
    let sizes = Mutex<[String: Int]>([:]), early = Mutex<[String: [UInt8]]>([:])
  }

  /// The table at `location`, which need not exist.
  public init(_ storage: S3Storage, _ location: S3Location, open: @escaping Opening) {
    (self.storage, self.location, opening) = (storage, location, open)
  }

  private func key(_ path: String) -> String { location.key.isEmpty ? path : "\(location.key)/\(path)" }

  /// The names in the log.
  public func logFiles(from first: String) async throws(Problem) -> [String]? {
    let directory = key("_delta_log/")
    let found = try await storage.objects(withPrefix: directory, from: directory + first)
    let names = found.map { String($0.key.dropFirst(directory.count)) }.filter { !$0.isEmpty && !$0.contains("/") }
    log.sizes.withLock { for object in found { $0[object.key] = object.size } }
    return names.isEmpty ? nil : names
  }

  /// Opens a file: files of the log in memory, data files and very large checkpoints as `open` does, which only one
  /// process at a time may read.
  public func open(_ path: String) async throws(Problem) -> (any RandomAccessSource)? {
    let place = S3Location(bucket: location.bucket, key: key(path))
    guard path.hasPrefix("_delta_log/") else { return try await opening(place, nil) }
    if let bytes = log.early.withLock({ $0.removeValue(forKey: key(path)) }) {
      return MemoryByteSource(bytes, name: place.text)
    }
    guard log.sizes.withLock({ $0[key(path)] }) ?? 0 <= Self.largestEntry else {
      if path.hasSuffix(".parquet") { return try await opening(place, nil) }
      throw Problem(.badData, "the entry of the log is larger than 64 MiB", at: place.text)
    }
    return try await storage.bytes(of: key(path), atMost: Self.largestEntry).map { bytes in
      MemoryByteSource(bytes, name: place.text)
    }
  }

  /// Requests files that are opened next, several at a time.
  public func prepare(_ files: [(path: String, size: Int?)]) async throws(Problem) {
    let storage = storage, log = log, opening = opening
    let keys = files.map { (isEntry: $0.path.hasPrefix("_delta_log/"), key: key($0.path), size: $0.size) }
    _ = try await keys.mapInParallel(most: 16, on: storage.readers) { (file) throws(Problem) in
      if !file.isEntry {
        _ = try await opening(S3Location(bucket: storage.bucket, key: file.key), file.size)
      } else if log.sizes.withLock({ $0[file.key] }) ?? .max <= Self.largestEarly,
        let bytes = try await storage.bytes(of: file.key, atMost: Self.largestEntry)
      {
        log.early.withLock { $0[file.key] = bytes }
      }
    }
  }

  /// Creates an object, of several processes by one.
  public func create(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try await storage.put(bytes, at: key(path), replaces: false)
  }

  /// Creates an object, or replaces one.
  public func replace(_ path: String, _ bytes: [UInt8]) async throws(Problem) {
    _ = try await storage.put(bytes, at: key(path), replaces: true)
  }

  /// The objects below the prefix.
  public func dataFiles() async throws(Problem) -> [StoredObject] {
    let prefix = key("")
    return try await storage.objects(below: prefix).map {
      StoredObject(
        key: String(decoding: $0.key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self), size: $0.size,
        modified: $0.modified)
    }
  }

  /// Removes an object.
  public func remove(_ path: String) async throws(Problem) { try await storage.remove(key(path)) }

  /// Begins to write data files.
  public func newFiles() -> any TableDataFiles { S3DeltaFiles(storage, key("")) }
}

/// New data files below a prefix. Each has a name of its own, so that it may appear before the log names it.
private final class S3DeltaFiles: TableDataFiles {
  private let storage: S3Storage
  private let prefix: String
  private let sinks = Mutex<[(key: String, sink: any ByteSink)]>([])

  init(_ storage: S3Storage, _ prefix: String) { (self.storage, self.prefix) = (storage, prefix) }

  func sink(_ path: String) -> any ByteSink {
    let key = prefix + path, sink = storage.sink(key, replaces: true)
    sinks.withLock { $0.append((key, sink)) }
    return sink
  }

  /// Nothing: a sink that is committed is durable.
  func flush() {}
  func keep() {}

  func abandon() async {
    let all = sinks.withLock { sinks in
      defer { sinks = [] }
      return sinks
    }
    for (key, sink) in all {
      await sink.abandon()
      try? await storage.remove(key)
    }
  }
}
