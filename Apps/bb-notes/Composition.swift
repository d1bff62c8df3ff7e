import AppShell
import Codecs
import CommandLineKit
import Domain
import Glibc
import LiveServices
import Networking
import Persistence
import Query
import Rows
import Snapshot

extension Environment {
  /// The one place where adapters are named.
  static func live(_ report: Report) -> Environment {
    let live = LiveServices(report, hasPager: true, ownsPages: true), directories = live.directories
    let stores = live.registry, identifiers = RecordIdentifiers()
    var services = live.services
    let variables = services.variables, scratch = services.scratch
    services.workers = globalConcurrentExecutor
    services.directories.append(("drafts", directories.state + "/drafts"))
    return Environment(
      services: services,
      claim: { (location) async throws(Problem) in try await stores.claim(try stores.location(location)) },
      pictures: { (location) throws(Problem) in StoredImages(try stores.location(location)) },
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
      fileRows: { (path, format, delimiter, types) async throws(Problem) in
        var reading = FileSource.Reading()
        if let format { reading.format = try FileFormat(named: format) }
        reading.delimiter = delimiter
        let source = try FileSource(path: path, reading, scratch: scratch) { report.warning($0) }
        let table = try await source.tables().first?.name ?? ""
        return try await source.typed(table, types).rows(of: table, RowRequest())
      },
      documentSuffixes: PlaceDocumentReader.suffixes,
      document: { (path, suffix) throws(Problem) in
        let bytes = try (path == "-" ? FileByteSource() : FileByteSource(input: path)).bytes(limit: 32 << 20)
        let document = try PlaceDocumentReader(bytes, suffix: suffix, name: path)
        if let what = document.leftOut { report.warning("\(path): ignored \(what)") }
        return (document.schema, document.records)
      },
      standardInput: { () throws(Problem) in try FileByteSource().bytes(limit: 64 << 20) },
      dialog: Dialog(),
      editor: { () throws(Problem) in TerminalEditor(variables, preferred: try directories.settings()[.editor]?.value)
      },
      drafts: PrivateDrafts(folder: directories.state + "/drafts"),
      identifier: {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<10).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        // The machine's clock, whatever time is written: records are listed in the order in which they were added.
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return identifiers.next(
          milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000, random: random)
      },
      hasDesktop: ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0] != nil },
      page: { (html) async throws(Problem) in
        "file://" + (try await StoredImages.keep(page: html, in: directories.state))
      })
  }
}

/// The episodes of the API, asked now and then.
private func dailyEpisodes(_ directories: Directories) throws(Problem) -> DailySource {
  let settings = try directories.settings()
  let options = TransportOptions(
    proxy: settings[.proxy]?.value, caFile: settings[.cacert]?.value, userAgent: "bb-notes/\(BBNotes.version)")
  return DailySource(
    APIDescription.usual(for: Catalog.episodes.name), server: settings[.api]?.value,
    transport: CurlTransport(options), folder: directories.cache, date: SystemClock())
}
