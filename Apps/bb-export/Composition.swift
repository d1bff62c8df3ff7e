import AppShell
import CommandLineKit
import Domain
import Exporters
import LiveServices
import Networking
import Persistence
import Query
import Rows
import Snapshot

extension Environment {
  /// The one place where adapters are named.
  static func live(_ report: Report) -> Environment {
    let live = LiveServices(report), services = live.services, variables = services.variables
    let directories = live.directories, stores = live.registry, scratch = services.scratch
    let provenance = services.provenance, origins = PrivateOrigins()
    return Environment(
      services: services,
      sources: APIDescription.builtIn.map { ($0.name, $0.summary, $0.baseURL) },
      checkSource: { (path) throws(Problem) in try sourceFile(path) },
      sourceText: { SourceFile.text(of: $0) },
      sourceSchema: { SourceFile.schema },
      source: { (choice) throws(Problem) in
        switch choice {
        case .snapshot:
          provenance.open("snapshot")
          return SnapshotSource()
        case .storage(let text?, let limits):
          let store = try StoreRegistry(
            scratch: scratch, known: Catalog.all, maximumField: limits.maximumField, timeout: limits.timeout
          ).open(text)
          provenance.open(store.name)
          return store
        case .storage(nil, _):
          let store = DefaultStorage(try stores.open(try directories.defaultStorage().location))
          provenance.open(store.name)
          return store
        case .live(let name, let live):
          let location = try live.target.map { (text) throws(Problem) in try stores.location(text) }
          let stored = try location.flatMap { (location) throws(Problem) in
            try stores.isThere(location) ? try stores.open(live.target ?? "") : nil
          }
          let source = try liveSource(
            named: name, live, directories, variables, stored: stored, origins, provenance, report)
          provenance.open(source.name)
          // The snapshot does not replace other APIs.
          if live.fallback == .none || isSourceFile(name) { return source }
          var hint: String?
          if case .refused(let text) = live.fallback { hint = text }
          return FallbackSource(source, else: SnapshotSource(), refusing: hint) {
            provenance.fallBack()
            report.notice($0)
          }
        case .file(let path, let file):
          var reading = FileSource.Reading()
          if let format = file.format { reading.format = try FileFormat(named: format) }
          reading.delimiter = file.delimiter
          reading.table = file.name
          reading.types = file.types
          reading.records = file.records
          reading.emptyIsText = file.emptyIsText
          reading.isStrict = file.isStrict
          reading.nullText = file.nullText
          reading.replacesBadEncoding = file.replacesBadEncoding
          reading.maximumField = file.maximumField
          reading.timeout = file.timeout
          provenance.open(path)
          return try FileSource(path: path, reading, scratch: scratch) { report.warning($0) }
        }
      },
      submitter: { (name, live) throws(Problem) in
        try liveSource(named: name, live, directories, variables, origins, provenance, report)
      },
      images: imagePort(origins),
      plugins: pluginPort(live.plugins),
      tap: tapPort)
  }
}

/// A live API: asked over libcurl, tried again when that may help, remembered in the cache.
private func liveSource(
  named name: String, _ live: LiveChoice, _ directories: Directories, _ variables: [String: String],
  stored: (any RecordSource)? = nil, _ origins: PrivateOrigins, _ provenance: Provenance,
  _ report: Report
) throws(Problem) -> RESTSource {
  let description = isSourceFile(name) ? try sourceFile(name) : try APIDescription.named(name)
  let date = SystemClock()
  if let file = live.caFile { _ = try FileByteSource(input: file) }
  let curl = CurlTransport(
    TransportOptions(
      proxy: live.proxy, caFile: live.caFile, allowsPrivate: live.allowsPrivate,
      userAgent: "bb-export/\(BBExport.version)"), origins: origins)
  let telling: any HTTPTransport = report.hasDetails ? LoggingTransport(curl) { report.detail($0) } : curl
  var retry = RetryingTransport<ContinuousClock>.Policy()
  if let seconds = live.deadline { retry.deadline = .seconds(seconds) }
  let retrying = RetryingTransport(telling, policy: retry, clock: ContinuousClock(), date: date)
  let policy = CachingTransport.Policy(
    maximumAge: Int64(live.maxAge ?? 0), refresh: live.refresh, offline: live.offline)
  let caching = CachingTransport(retrying, folder: directories.cache, policy: policy, date: date) { report.warning($0) }
  // A file names its own server: its key must not go where a variable meant for the built-in APIs points.
  let usual = isSourceFile(name) ? nil : try directories.settings()[.api]?.value
  let server = live.server ?? usual
  origins.add(server: server ?? description.baseURL)
  var told: (@Sendable (Int, Int) -> Void)?
  if live.showsProgress {
    let progress = Progress(report)
    told = { progress.update(answers: $0, of: $1) }
  }
  return try RESTSource(
    description, server: server, transport: caching, environment: variables, asWritten: live.asWritten,
    complete: live.isComplete, definition: isSourceFile(name) ? name : nil, stored: stored,
    maximumBytes: live.maximumBytes ?? RESTSource.defaultMaximumBytes, progress: told,
    members: { provenance.note($0) }, fetched: { provenance.fetch(at: $0) }
  ) { report.warning($0) }
}

private func imagePort(_ origins: PrivateOrigins) -> ImagePort {
  ImagePort(
    transport: { live, parallel in
      let curl = CurlTransport(
        TransportOptions(
          proxy: live.proxy, caFile: live.caFile, connectionsPerHost: min(parallel, TransportOptions.usualConnections),
          allowsPrivate: live.allowsPrivate, userAgent: "bb-export/\(BBExport.version)"), origins: origins)
      // A body that breaks off is asked for from there on, which only who keeps it can do.
      var policy = RetryingTransport<ContinuousClock>.Policy()
      policy.readAhead = 0
      return RetryingTransport(curl, policy: policy, clock: ContinuousClock(), date: SystemClock())
    },
    folder: { (path, dataset) async throws(Problem) in try await ImageFolder.open(path, dataset: dataset) })
}

/// Whether a source is named by the path of a file that describes it.
private func isSourceFile(_ name: String) -> Bool { name.contains("/") || name.hasSuffix(".json") }

/// A source described in a file of the user's.
private func sourceFile(_ path: String) throws(Problem) -> APIDescription {
  try SourceFile.read(try smallFile(path), name: path)
}

/// The bytes of a file that people write by hand.
/// - Throws: `badData` for one above 1 MiB.
private func smallFile(_ path: String) throws(Problem) -> [UInt8] {
  try FileByteSource(input: path).bytes(limit: 1 << 20)
}

private func pluginPort(_ plugins: PluginRegistry) -> PluginPort {
  @Sendable func installed(_ name: String) throws(Problem) -> Plugin {
    if let plugin = try plugins.plugin(named: name) { return plugin }
    let names = try plugins.all().map(\.name)
    let hint =
      SpellingSuggestion.word(to: name, among: names).map { "did you mean \($0)?" }
      ?? (names.isEmpty ? "no plug-ins are installed" : "available plug-ins: \(names.joined(separator: ", "))")
    throw Problem(.absent, "plug-in not found: “\(name)”", hint: hint)
  }
  return PluginPort(
    all: { () throws(Problem) in try plugins.findings().map { ($0.plugin.name, $0.plugin.path, $0.refusal ?? "") } },
    describe: { (name) throws(Problem) in
      let plugin = try installed(name)
      let said = try plugins.description(of: plugin)
      return [
        ["format", said.name], ["what", said.summary], ["version", said.version], ["vendor", said.vendor],
        ["suffixes", said.fileExtensions.map { ".\($0)" }.joined(separator: " ")], ["media type", said.mediaType],
        ["options", said.options.map { "\($0.key)=\($0.values)" }.joined(separator: "; ")], ["path", plugin.path],
      ]
    },
    test: { (name) async throws(Problem) in
      await PluginTrial(try plugins.exporter(try installed(name))).run().map { ($0.what, $0.fault) }
    })
}

private let tapPort = TapPort(
  settings: { (path) throws(Problem) in
    let settings = try SingerSettings(try smallFile(path), name: path)
    var live = LiveChoice()
    live.server = settings.server
    live.maxAge = settings.maximumAge
    live.offline = settings.isOffline
    if let storage = settings.storage { return (.storage(storage), settings.datasets) }
    if settings.source == "snapshot" { return (.snapshot, settings.datasets) }
    let usual = APIDescription.usual(for: settings.datasets.first ?? "").name
    return (.live(name: settings.source ?? usual, live), settings.datasets)
  },
  chosen: { (path) throws(Problem) in
    try SingerCatalog.read(try smallFile(path), name: path).map { ($0.stream, $0.without) }
  },
  checkState: { (path) throws(Problem) in try SingerCatalog.checkState(try smallFile(path), name: path) },
  catalog: { SingerCatalog.text(of: $0) },
  exporter: { SingerExporter(after: $0) })
