import Codecs
import CommandLineKit
import Domain
import Exporters
import Glibc
import Networking
import Persistence
import Query
import Rows
import Snapshot

extension Environment {
  /// The one place where adapters are named.
  static func live(_ report: Report) -> Environment {
    let variables = ProcessVariables.all()
    let directories = Directories(variables)
    let exporters = ExporterRegistry(adding: SQLiteExporter(temporaryFolder: directories.temporary), before: "sql")
    let scratch = TemporaryScratch(folder: directories.temporary)
    let stores = StoreRegistry(scratch: scratch)
    let width = Terminal.width(1), identifiers = RecordIdentifiers()
    return Environment(
      variables: variables,
      configuration: { () throws(Problem) in try directories.settings() },
      configure: { (key, value) async throws(Problem) in
        try await ConfigurationFile.set(key, to: value, in: directories.configurationFile)
      },
      store: { (location) throws(Problem) in try stores.open(location) },
      exists: { (location) throws(Problem) in try stores.isThere(try stores.location(location)) },
      claim: { (location) async throws(Problem) in try await stores.claim(try stores.location(location)) },
      migrate: { (old, location) async throws(Problem) in
        let place = try stores.location(location), source = try stores.location(old.name)
        return try await stores.make(place, withPicturesOf: source) { (new) async throws(Problem) in
          try await Migration.copy(old, to: new)
        }
      },
      pictures: { (location) throws(Problem) in StoredPictures(try stores.location(location)) },
      defaultStorage: { () throws(Problem) in try directories.defaultStorage() },
      builtIn: SnapshotSource(),
      currentEpisodes: { (freshness) async throws(Problem) in
        let updates = try dailyEpisodes(directories), maximumAge: Int64
        switch freshness {
        case .daily: maximumAge = DailySource.day
        case .minute: maximumAge = 60
        case .now: maximumAge = 0
        }
        return try await updates.rows(of: Catalog.episodes.name, maximumAge: maximumAge) {
          if freshness == .now { report.warning($0) }
        }
      },
      exporters: exporters.exporters,
      exporter: { (name) throws(Problem) in try exporters.exporter(named: name) },
      exporterForPath: { exporters.exporter(forPath: $0) },
      formatOptions: { (assignments, chosen) throws(Problem) in try exporters.options(assignments, for: chosen) },
      file: { (path, replaces) throws(Problem) in try OutputFile.sink(path, replaces: replaces) },
      checkFile: { (path, replaces) throws(Problem) in
        if DescriptorSink.isDevice(path) { return path }
        _ = try OutputFile.sink(path, replaces: replaces)
        return try OutputFile.place(path)
      },
      fileRows: { (path, format, delimiter, types) async throws(Problem) in
        var reading = FileSource.Reading()
        if let format { reading.format = try FileFormat(named: format) }
        reading.delimiter = delimiter
        let source = try FileSource(path: path, reading, scratch: scratch) { report.warning($0) }
        let table = try await source.tables().first?.name ?? ""
        return try await source.typed(table, types).rows(of: table, RowRequest())
      },
      documentSuffixes: RecordDocument.suffixes,
      document: { (path, suffix) throws(Problem) in
        let bytes = try (path == "-" ? FileByteSource() : FileByteSource(input: path)).bytes(limit: 32 << 20)
        let document = try RecordDocument(bytes, suffix: suffix, name: path)
        if let what = document.leftOut { report.warning("\(path): ignored \(what)") }
        return (document.schema, document.records)
      },
      standardOutput: { () throws(Problem) in
        guard Terminal.isTerminal(1) else { return DescriptorSink.standardOutput }
        let pager =
          Terminal.isInteractive ? PagerSink(variables, preferred: try directories.settings()[.pager]?.value) : nil
        return VisibleSink(pager ?? DescriptorSink.standardOutput) { report.warning($0) }
      },
      standardInput: { () throws(Problem) in try FileByteSource().bytes(limit: 64 << 20) },
      terminalWidth: width,
      isInteractive: Terminal.isInteractive,
      dialog: Dialog(),
      editor: { () throws(Problem) in TerminalEditor(variables, preferred: try directories.settings()[.editor]?.value)
      },
      drafts: PrivateDrafts(folder: directories.state + "/drafts"),
      clock: { () throws(Problem) in try writtenTime(variables) },
      identifier: {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<10).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        // The machine's clock, whatever time is written: records are listed in the order in which they were added.
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return identifiers.next(
          milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000, random: random)
      },
      scratch: scratch,
      hasDesktop: ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0] != nil },
      page: { (html) async throws(Problem) in
        "file://" + (try await StoredPictures.keep(page: html, in: directories.state))
      },
      launch: { Desktop.open($0, variables: variables, ownFiles: directories.state) },
      folders: [
        ("data", directories.data), ("configuration", directories.configuration),
        ("drafts", directories.state + "/drafts"),
        ("cache", directories.cache), ("temporary files", directories.temporary),
      ],
      cleanUp: { end in Temporaries.removeAll(ending: end) },
      report: report)
  }
}

/// The episodes of the API, asked now and then.
private func dailyEpisodes(_ directories: Directories) throws(Problem) -> DailySource {
  let settings = try directories.settings()
  let options = TransportOptions(
    proxy: settings[.proxy]?.value, caFile: settings[.cacert]?.value, userAgent: "bb-notes/\(BBNotes.version)")
  return DailySource(
    SourceDescription.usual(for: Catalog.episodes.name), server: settings[.api]?.value,
    transport: CurlTransport(options), folder: directories.cache, date: SystemClock())
}

/// The machine's clock, or the time that `BB_NOW` says, for tests and scripts.
private func writtenTime(_ variables: [String: String]) throws(Problem) -> any WallClock {
  guard let text = variables["BB_NOW"], !text.isEmpty else { return SystemClock() }
  // The years 0000 to 9999.
  guard let seconds = Int64(text), (-62_167_219_200...253_402_300_799).contains(seconds) else {
    throw Problem(
      .configuration, "invalid value “\(text)” of BB_NOW", hint: "set it to seconds since 1970, or unset it")
  }
  return FixedClock(instant: Instant(seconds: seconds))
}

private struct FixedClock: WallClock {
  let instant: Instant
  func now() -> Instant { instant }
}
