import AppShell
import Codecs
import CommandLineKit
package import Domain
import Files
import Networking
import Objects
import Persistence
package import Query
package import Rows

/// A file on a server, and how it is requested.
struct RemoteAddress: Sendable {
  let url: String
  /// The name in messages, and the text whose end is the name of the file.
  let place: String, title: String
  /// Whether it is an object of a bucket.
  let isObject: Bool
  /// For a body that is kept as it arrives, and for one of at most 8 MiB.
  let streaming: any HTTPTransport, whole: any HTTPTransport
}

extension ConnectedSources {
  /// The bytes of a file on a server.
  enum OpenedFile: Sendable {
    case ranges(RemoteObject)
    case cached(CachedDownload, fetched: Int64)
  }

  /// A file of a web server.
  func remote(_ url: String, _ name: (place: String, title: String)) -> RemoteAddress {
    origins.add(server: url)
    let transport = connection.web { logged(connection.options) }
    return RemoteAddress(
      url: url, place: name.place, title: name.title, isObject: false,
      streaming: network.retrying(transport, Self.policy(connection.options, readAhead: 0)),
      whole: network.retrying(transport, Self.policy(connection.options, readAhead: 8 << 20)))
  }

  /// An object of a bucket.
  func remote(_ location: S3Location) throws(Problem) -> RemoteAddress {
    let open = objects()
    return RemoteAddress(
      url: try open.url(of: location), place: location.text, title: location.key, isObject: true,
      streaming: try open.transport(for: location.bucket),
      whole: try open.transport(for: location.bucket, readAhead: 8 << 20))
  }

  /// The source of a file on a server: its ranges, or a copy in the cache.
  func source(
    _ remote: RemoteAddress, _ options: FileInputOptions, _ values: [PartitionValue]
  ) async throws(Problem) -> any RecordSource {
    let opened = try await opened(remote, isRanged: Self.isRanged(remote.title, options))
    provenance.open(remote.place)
    let own = PartitionedSource.options(options, without: values), source: any RecordSource
    switch opened {
    case .ranges:
      provenance.fetch(at: SystemClock().now().seconds)
      let bytes = try await bytes(of: opened, remote)
      let isParquet = Self.isParquet(remote.title, options)
      source = try FileSource(
        of: isParquet ? bytes : RemoteText(bytes), title: remote.title, own, scratch: scratch, rejects: rejects
      ) { report.warning($0) }
    case .cached(let download, let fetched):
      provenance.fetch(at: fetched)
      source = RemoteSource(
        try FileSource(
          path: download.path, of: (remote.place, remote.title), own, scratch: scratch, rejects: rejects
        ) { report.warning($0) }, download)
    }
    return values.isEmpty ? source : PartitionedSource(source, values, types: options.types)
  }

  /// Opens files on servers that may have rows that are needed, several at a time, each of which is opened again.
  /// - Returns: the positions of the files that may.
  package func prepare(
    _ files: [Location], _ options: FileInputOptions, for selection: Selection
  ) async throws(Problem) -> [Int] {
    let needed = try await needed(files, options, selection)
    var remotes: [RemoteAddress] = []
    for file in needed.map({ files[$0] }) {
      if let place = file.place as? ObjectPlace {
        try place.location.requireObject()
        remotes.append(try remote(place.location))
      } else if let place = file.place as? WebPlace {
        remotes.append(remote(place.url, (place.shown, place.title)))
      }
    }
    guard remotes.count > 1 else { return needed }
    _ = try await remotes.mapInParallel(most: 16, on: remotes[0].streaming.readers) { (remote) throws(Problem) in
      _ = try await opened(remote, isRanged: Self.isRanged(remote.title, options), showsProgress: false)
    }
    return needed
  }

  /// The positions of files that the values of their paths do not exclude; one if they exclude all.
  private func needed(
    _ files: [Location], _ options: FileInputOptions, _ selection: Selection
  ) async throws(Problem) -> [Int] {
    let all = Array(files.indices), values = files.map { PathPattern.hiveValues(of: $0.place.path ?? $0.place.shown) }
    guard var own = RowRequest(selection: selection).selection else { return all }
    own.removeConditions { name in !values.allSatisfy { $0.contains { $0.column == name } } }
    var needed: [Int] = []
    for (position, file) in files.enumerated() {
      if try PartitionedSource.mayMatch(values[position], options.types, at: file.shown, own) {
        needed.append(position)
      }
    }
    guard needed.count < files.count else { return all }
    let first = needed.first ?? 0
    let choice = SourceChoice.written(files[first], PartitionedSource.options(options, without: values[first]))
    let source = try await open(choice)
    guard let table = try await source.mainTable() else { return all }
    // Columns of the files come before those of their paths.
    let columns = try await source.rows(of: table, RowRequest()).schema
    if own.filteredColumns.contains(where: { columns.position(of: $0) != nil }) { return all }
    return needed.isEmpty ? [first] : needed
  }

  /// Whether only some ranges of a file may be needed.
  private static func isRanged(_ title: String, _ options: FileInputOptions) -> Bool {
    if isParquet(title, options) { return true }
    let lines: [FileFormat] = [.csv, .tsv, .ndjson]
    guard options.isPart else { return false }
    return options.format.map(lines.contains) ?? lines.flatMap(\.extensions).contains { hasExtension(title, $0) }
  }

  private static func isParquet(_ title: String, _ options: FileInputOptions) -> Bool {
    options.format.map { $0 == .parquet } ?? hasExtension(title, "parquet")
  }

  private static func hasExtension(_ title: String, _ name: String) -> Bool { title.lowercased().hasSuffix(".\(name)") }

  /// Opens a file on a server; once in a command, it is requested.
  func opened(
    _ remote: RemoteAddress, isRanged: Bool, showsProgress: Bool = true
  ) async throws(Problem) -> OpenedFile {
    let options = connection.options
    if isRanged, case .ranges(let object) = connection[remote.url] { return .ranges(object) }
    if let file = options.caFile { _ = try FileByteSource(input: file) }
    let download = try await CachedDownload(remote.url, in: directories.cache)
    defer { download.share() }
    let known = options.refresh ? nil : download.complete
    if let known {
      if case .cached(let time) = connection[remote.url] { return .cached(download, fetched: time) }
      if !options.offline, let tag = known.etag, connection.listed(remote.place)?.tag == tag {
        return .cached(download, fetched: SystemClock().now().seconds)
      }
    }
    let isKnown = options.offline || known != nil && options.maxAge != nil || download.beginning != nil
    var first: HTTPResponse?
    if isRanged, !isKnown, connection.listed(remote.place)?.size ?? .max >= RemoteObject.leastSize {
      let request = RemoteObject.tailRequest(remote.url, unless: known?.etag)
      do throws(Problem) { first = try await remote.whole.send(request) } catch {
        guard known != nil, error.kind == .unavailable else { throw error.located(at: remote.place) }
      }
      if let response = first, response.status == 206 || response.status == 416 {
        let object = try await RemoteObject(
          remote.url, remote.place, isObject: remote.isObject, remote.whole, end: response)
        first = nil
        if let object, object.length >= RemoteObject.leastSize {
          connection[remote.url] = .ranges(object.trimmed)
          return .ranges(object)
        }
        if let object, object.tail.count == object.length {
          first = response
          first?.status = 200
          first?.body = SingleChunkBody(object.tail)
        }
      }
    }
    let file = RemoteFile(
      url: remote.url, place: remote.place, isObject: remote.isObject, options: options, transport: remote.streaming,
      download: download, report: report, progress: showsProgress ? progress : nil, now: SystemClock().now().seconds)
    let fetched = try await file.fetch(first)
    connection[remote.url] = .cached(fetched)
    return .cached(download, fetched: fetched)
  }

  /// The bytes of a file that was opened.
  func bytes(of opened: OpenedFile, _ remote: RemoteAddress) async throws(Problem) -> any RandomAccessSource {
    switch opened {
    case .cached(let download, _):
      return DownloadedFile(try FileByteSource(path: download.path, of: remote.place), download)
    case .ranges(let object):
      return RemoteRanges(object) { () async throws(Problem) in
        let copy = try await self.opened(remote, isRanged: false)
        guard case .cached(let download, _) = copy, let state = download.complete,
          [state.etag, state.modified].contains(object.validator.text)
        else { throw object.changed }
        return try await bytes(of: copy, remote)
      }
    }
  }
}
