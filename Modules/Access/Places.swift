package import AppShell
import Codecs
import CommandLineKit
package import Domain
import Exporters
import Files
import Glibc
import Lake
import Objects
import Persistence
import Query
import Rows

extension ConnectedSources {
  package var kinds: LocationKinds {
    LocationKinds([
      LocationKind { FilePlace(shown: $0, sources: self) },
      LocationKind("file:///") { FilePlace(shown: PercentCoding.decoded($0.dropFirst(7)) ?? $0, sources: self) },
      LocationKind("http://", "https://") { WebPlace(url: $0, sources: self) },
      LocationKind("s3://") { (text) throws(Problem) in ObjectPlace(location: try S3Location(text), sources: self) },
      LocationKind("postgres:", "postgresql:") { (text) throws(Problem) in
        PostgresPlace(location: try PostgresLocation(text), sources: self)
      },
      LocationKind("delta:") { (text) throws(Problem) in
        let location = try DeltaLocation(text)
        return DeltaPlace(
          location: location, text: text, inner: try self.kinds.location(location.place).place, sources: self)
      },
    ])
  }
}

/// A file, a directory, or a pattern of files.
struct FilePlace: Place {
  let shown: String
  let sources: ConnectedSources
  let isRemote = false
  var path: String? { shown }

  func source(_ options: FileInputOptions, isPartitioned: Bool) throws(Problem) -> any RecordSource {
    try refuseStore()
    return try sources.file(shown, options, isPartitioned ? PathPattern.hiveValues(of: shown) : [])
  }
  /// A store is not a file whose name begins with its kind.
  /// - Parameter option: what precedes the name of a file.
  private func refuseStore(_ option: String = "") throws(Problem) {
    guard let kind = ["sqlite:", "csv:", "json:"].first(where: shown.lowercased().hasPrefix), !isFile else { return }
    throw Problem(.usage, "names a store, not a file", at: shown, hint: "use \(option)\(shown.dropFirst(kind.count))")
  }
  func members() throws(Problem) -> [String]? {
    var path = shown
    while path.count > 1, path.last == "/" { path.removeLast() }
    if FilePattern.isDirectory(path) {
      return FilePattern.isStore(path) ? nil : try FilePattern.files(below: path)
    }
    return isFile || !path.contains { "*?[".contains($0) } ? nil : try FilePattern.matches(path)
  }
  func size() throws(Problem) -> Int { try FileByteSource(input: shown).size ?? 0 }
  func sink(replaces: Bool, follows: Bool) throws(Problem) -> any ByteSink {
    try OutputFile.sink(shown, replaces: replaces, follows: follows)
  }
  func appendingSink() throws(Problem) -> (any ByteSink)? { try OutputFile.appendingSink(shown) }
  func appendingRight() async throws(Problem) -> (any Sendable)? { try await OutputFile.appendingRight(shown) }
  func check(replaces: Bool) throws(Problem) -> String {
    if DescriptorSink.isDevice(shown) { return shown }
    try refuseStore("-o ")
    // Created and removed again, but not through a link, which is not followed from every place.
    if RegularFile.status(shown, follows: false).map({ $0.st_mode & S_IFMT == S_IFLNK }) != true {
      _ = try sink(replaces: replaces)
    } else if FilePattern.isDirectory(shown) {
      throw Problem(.cannotCreate, "is a directory", at: shown)
    }
    return try OutputFile.place(shown)
  }
  var isFile: Bool { unsafe !DescriptorSink.isDevice(shown) && access(shown, F_OK) == 0 }
  func files(existing: ExistingFiles) throws(Problem) -> any OutputFileSet {
    guard let pattern = try PathPattern(shown) else { throw Problem(.bug, "internal error: no placeholder", at: shown) }
    return try StagedFiles(pattern, existing: existing)
  }
  func makeDirectory() throws(Problem) -> Bool { try OutputFile.makeDirectory(shown) }
  func removeDirectory() { OutputFile.removeDirectory(shown) }
  func tableFiles() -> any TableStorage { DeltaDirectory(shown) }
}

struct WebPlace: Place {
  let url: String
  let sources: ConnectedSources
  var shown: String { URLText.shown(url) }
  var title: String {
    let last = shown.prefix { $0 != "?" }.split(separator: "/").last.map(String.init)
    return last == "…" ? "input" : last ?? "input"
  }

  func source(_ options: FileInputOptions, isPartitioned: Bool) async throws(Problem) -> any RecordSource {
    try await sources.source(sources.remote(url, (shown, title)), options, [])
  }
}

struct ObjectPlace: Place {
  let location: S3Location
  let sources: ConnectedSources
  var shown: String { location.text }

  private var storage: S3Storage { get throws(Problem) { try sources.storage(location) } }

  func source(_ options: FileInputOptions, isPartitioned: Bool) async throws(Problem) -> any RecordSource {
    try location.requireObject()
    return try await sources.source(
      try sources.remote(location), options, isPartitioned ? PathPattern.hiveValues(of: location.key) : [])
  }
  func members() async throws(Problem) -> [String]? {
    let key = location.key, isPrefix = key.isEmpty || key.hasSuffix("/")
    guard isPrefix || key.contains(where: { "*?[".contains($0) }) else { return nil }
    let objects = try storage
    let found = try await (isPrefix ? objects.objects(below: key) : objects.objects(matching: key)).map {
      (place: objects.place(of: $0.key), object: $0)
    }
    sources.connection.note(found)
    return found.map(\.place)
  }
  func size() async throws(Problem) -> Int {
    if let object = sources.connection.listed(shown) { return object.size }
    return try await storage.object(location.key)?.size ?? 0
  }
  func sink(replaces: Bool, follows: Bool) throws(Problem) -> any ByteSink {
    try location.requireObject()
    return try storage.sink(location.key, replaces: replaces)
  }
  func check(replaces: Bool) throws(Problem) -> String {
    try location.requireObject()
    _ = try storage
    return shown
  }
  func exists() async throws(Problem) -> Bool {
    try location.requireObject()
    return try await storage.object(location.key) != nil
  }
  func files(existing: ExistingFiles) throws(Problem) -> any OutputFileSet {
    guard let pattern = try PathPattern(shown) else { throw Problem(.bug, "internal error: no placeholder", at: shown) }
    return try S3FileSet(try storage, pattern, existing: existing)
  }
  /// A bucket has no directories: the names of its objects begin with the path.
  func makeDirectory() throws(Problem) -> Bool {
    _ = try storage
    return false
  }
  func bucket() throws(Problem) -> (bucket: any ObjectBucket, prefix: String) { (try storage, location.key) }
  func tableFiles() throws(Problem) -> any TableStorage { try sources.table(location) }
}

extension PlaceOptions {
  /// The tables of servers and directories.
  package static let tables = [
    PlaceOptions(
      "delta", "delta:DIR", "A Delta table; its data files have the options of parquet", DeltaExporter.options),
    PlaceOptions("postgres", "postgres://HOST/DATABASE", "A table of a PostgreSQL database", PostgresExporter.options),
  ]
}

/// A table of a PostgreSQL server.
struct PostgresPlace: Place {
  let location: PostgresLocation
  let sources: ConnectedSources
  var shown: String { location.name }
  let isTable = true

  func source(_ options: FileInputOptions, isPartitioned: Bool) throws(Problem) -> any RecordSource {
    if !location.isLocal { try sources.requireNetwork(at: shown) }
    return sources.recorded(PostgresSource(location, types: options.types))
  }
  func exporter() throws(Problem) -> (any Exporter)? {
    if !location.isLocal { try sources.requireNetwork(at: shown) }
    return PostgresExporter(location)
  }
}

/// A Delta table, or a directory of them.
struct DeltaPlace: Place {
  let location: DeltaLocation
  let text: String
  let inner: any Place
  let sources: ConnectedSources
  var shown: String { "delta:\(inner.shown)" }
  let isTable = true
  let takesRecords = true
  var isRemote: Bool { inner.isRemote }

  func source(_ options: FileInputOptions, isPartitioned: Bool) throws(Problem) -> any RecordSource {
    let report = sources.report, shown = self.shown
    return sources.recorded(
      try DeltaSource(location, in: try table(), options) { files, skipped in
        report.detail("\(shown): \(files) files, skipped: \(skipped)")
      })
  }
  func exporter() throws(Problem) -> (any Exporter)? {
    DeltaExporter(
      location, in: try table(), format: ParquetExporter(), threads: WorkThread.cores,
      now: SystemClock.milliseconds)
  }
  func member(_ table: String) throws(Problem) -> String? {
    DeltaLocation.isDirectory(text) ? try DeltaLocation.text(of: table, in: text) : nil
  }
  func table() throws(Problem) -> any TableStorage { try inner.tableFiles() }
}

extension S3Location {
  /// Refuses the location of a bucket or a prefix.
  /// - Throws: `usage`.
  func requireObject() throws(Problem) {
    guard key.isEmpty || key.hasSuffix("/") else { return }
    throw Problem(.usage, "the URL names no object", at: text, hint: "use s3://BUCKET/KEY")
  }
}
