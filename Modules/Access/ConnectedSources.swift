package import AppShell
import Codecs
package import CommandLineKit
package import Dialects
public import Domain
import Files
public import Networking
import Objects
package import Persistence
package import Query
package import Rows
import Snapshot
package import Sources
import Synchronization

/// The connection of the services to the network.
public struct Network: Sendable {
  /// Makes a transport with options of the user.
  var transport: @Sendable (_ options: TransportOptions, _ origins: PrivateOrigins) -> any HTTPTransport
  /// Repeats requests of a transport.
  public var retrying: @Sendable (_ inner: any HTTPTransport, _ policy: RetryPolicy) -> any HTTPTransport
  /// The limits of repetitions.
  public typealias RetryPolicy = RetryingTransport<ContinuousClock>.Policy

  /// Creates a network.
  public init(
    transport: @escaping @Sendable (_ options: TransportOptions, _ origins: PrivateOrigins) -> any HTTPTransport,
    retrying: @escaping @Sendable (_ inner: any HTTPTransport, _ policy: RetryPolicy) -> any HTTPTransport
  ) {
    self.transport = transport
    self.retrying = retrying
  }

  /// The network over libcurl.
  public static let curl = Network(
    transport: { CurlTransport($0, origins: $1) },
    retrying: { RetryingTransport($0, policy: $1, clock: ContinuousClock(), date: SystemClock()) })
}

/// The sources of records, over one connection: files, servers, stores and APIs.
package struct ConnectedSources: SourceServices {
  let report: Report
  let progress: Progress
  let provenance: Provenance
  package var registry: StoreRegistry
  let directories: Directories
  let variables: [String: String]
  let scratch: any ScratchSpace
  let rejects: RejectLog
  let userAgent: String
  package let network: Network
  let origins = PrivateOrigins()
  package var connection = Connection(APIOptions())

  package init(
    report: Report, progress: Progress, provenance: Provenance, registry: StoreRegistry, directories: Directories,
    variables: [String: String], scratch: any ScratchSpace, rejects: RejectLog, userAgent: String, network: Network
  ) {
    (self.progress, self.rejects) = (progress, rejects)
    (self.report, self.provenance, self.registry, self.directories) = (report, provenance, registry, directories)
    (self.variables, self.scratch, self.userAgent, self.network) = (variables, scratch, userAgent, network)
  }

  package var snapshot: any RecordSource { SnapshotSource() }

  package func open(_ choice: SourceChoice) async throws(Problem) -> any RecordSource {
    switch choice {
    case .snapshot: return recorded(SnapshotSource(), as: "snapshot")
    case .storage(let text?, let limits):
      var limited = StoreRegistry(
        scratch: scratch, known: Catalog.all, maximumField: limits.maximumField, timeout: limits.timeout)
      limited.isOffline = connection.options.offline
      return recorded(try limited.open(text))
    case .storage(nil, _): return recorded(DefaultStorage(try registry.open(try directories.defaultStorage().location)))
    case .live(let name, let options): return try live(name, options)
    case .file(let location, let options): return try await location.place.source(options, isPartitioned: true)
    case .written(let location, let options): return try await location.place.source(options, isPartitioned: false)
    }
  }

  /// A file, with the columns of its path.
  func file(
    _ path: String, _ options: FileInputOptions, _ values: [PartitionValue]
  ) throws(Problem) -> any RecordSource {
    provenance.open(path)
    let own = PartitionedSource.options(options, without: values)
    let source = try FileSource(
      path: path, own, scratch: scratch, rejects: rejects,
      onRead: { [progress] position, size in
        progress.update { step in (step.bytes, step.allBytes) = (position, size) }
      }
    ) { report.warning($0) }
    return values.isEmpty ? source : PartitionedSource(source, values, types: options.types)
  }

  /// The limits of repetitions for files.
  /// - Parameter readAhead: 0 for bodies that the receiver keeps, and continues after an interruption.
  static func policy(_ choice: APIOptions, readAhead: Int) -> Network.RetryPolicy {
    var policy = Network.RetryPolicy()
    policy.readAhead = readAhead
    policy.deadline = .seconds(choice.deadline ?? 86_400)
    return policy
  }

  func recorded(_ source: any RecordSource, as name: String? = nil) -> any RecordSource {
    provenance.open(name ?? source.name)
    return source
  }

  /// An API, whose place the built-in data takes if the options allow it.
  private func live(_ name: String, _ options: APIOptions) throws(Problem) -> any RecordSource {
    let location = try options.target.map { (text) throws(Problem) in try registry.location(text) }
    let stored = try location.flatMap { (location) throws(Problem) in
      try registry.exists(location) ? try registry.open(options.target ?? "") : nil
    }
    let source = try api(name, options, stored: stored)
    provenance.open(source.name)
    // The snapshot does not replace other APIs.
    if options.fallback == .none || isDefinition(name) { return source }
    var hint: Remedy?
    if case .refused(let text) = options.fallback { hint = text }
    return FallbackSource(source, else: SnapshotSource(), refusing: hint) {
      provenance.fallBack()
      report.notice($0)
    }
  }

  package func query(_ sql: String, over sources: [any RecordSource], cores: Int) async throws(Problem) -> any RowStream
  {
    try await SQLQuery(sql, over: sources).rows(named: "result", cores: cores, scratch: scratch)
  }
  package func following(
    _ path: String, _ format: FileFormat?, _ options: FileInputOptions
  ) async throws(Problem) -> (rows: any RowStream, format: String) {
    let rows = try await FollowedRows(path, format, options)
    if rows.lacksHeader { rejects.note(hasHeader: false) }
    return (rows, rows.format.name)
  }
  package func bytes(of path: String) throws(Problem) -> [UInt8] {
    try FileByteSource(input: path).bytes(limit: 16 << 20)
  }
  package func submitter(_ name: String, _ options: APIOptions) throws(Problem) -> any RecordSubmitter {
    try api(name, options, stored: nil)
  }

  /// An API over the network, whose requests are repeated if that may help, and whose responses are cached.
  private func api(
    _ name: String, _ options: APIOptions, stored: (any RecordSource)?
  ) throws(Problem) -> RESTSource {
    try api(
      isDefinition(name) ? try definition(name) : try APIDescription.named(name), named: name, options, stored: stored)
  }

  package func television(_ lookup: ShowLookup, _ options: APIOptions) throws(Problem) -> any RecordSource {
    let description = APIDescription.television(lookup)
    return try api(description, named: description.name, options, stored: nil)
  }

  private func api(
    _ description: APIDescription, named name: String, _ options: APIOptions, stored: (any RecordSource)?
  ) throws(Problem) -> RESTSource {
    if let file = options.caFile { _ = try FileByteSource(input: file) }
    let policy = CachingTransport.Policy(
      maximumAge: Int64(options.maxAge ?? 0), refresh: options.refresh, offline: options.offline)
    let counts = RequestCounts()
    var retry = retry(description, options)
    retry.waiting = { [progress] in progress.wait($0 + counts.text) }
    let caching = CachingTransport(
      network.retrying(logged(options), retry), directory: directories.cache, policy: policy,
      date: SystemClock()
    ) { report.warning($0) }
    // A file names its own server: its key must not go where a variable meant for the built-in APIs points.
    let usual = isDefinition(name) ? nil : try directories.settings()[.api]?.value
    let server = options.server ?? usual
    origins.add(server: server ?? description.baseURL)
    let progressed: @Sendable (Int, Int) -> Void = { [progress] done, all in
      counts.note(done, all)
      progress.update { step in (step.items, step.allItems, step.noun) = (done, all, "requests") }
    }
    var services = services(for: name, options)
    let memory = SourceMemory(directory: directories.data + "/members"), origin = server ?? description.baseURL
    services.newMembers = { dataset, pointers in
      do throws(Problem) {
        return try memory.new(
          pointers, of: "\(description.name).\(dataset)", from: origin, isKept: options.remembersMembers)
      } catch {
        report.warning("cannot remember the members of \(dataset): \(error.message)")
        return []
      }
    }
    return try RESTSource(
      description, server: server, transport: caching, environment: variables, asWritten: options.asWritten,
      complete: options.isComplete, definition: isDefinition(name) ? name : nil, stored: stored,
      maximumBytes: options.maximumBytes ?? RESTSource.defaultMaximumBytes, services: services, progress: progressed,
      members: { provenance.note($0) }, fetched: { provenance.fetch(at: $0) }
    ) { report.warning($0) }
  }

  /// The transport with the options of the user, which reports each request if details are wanted.
  func logged(_ options: APIOptions) -> any HTTPTransport {
    let curl = transport(options)
    return report.hasDetails ? LoggingTransport(curl) { report.detail($0) } : curl
  }

  /// The limits of repetitions for a source.
  func retry(_ description: APIDescription, _ options: APIOptions) -> Network.RetryPolicy {
    var retry = Network.RetryPolicy()
    retry.remainingField = description.remainingField
    retry.resetField = description.resetField
    if let seconds = options.deadline { retry.deadline = .seconds(seconds) }
    return retry
  }

  /// The temporary files, variables and secrets for a source.
  func services(for name: String, _ options: APIOptions) -> RESTSource.Services {
    var services = RESTSource.Services()
    services.scratch = scratch
    services.variables = options.variables
    services.today = String(SystemClock().timestamp.prefix(10))
    services.errorLimit = options.errorLimit ?? services.errorLimit
    services.acceptsDrift = options.acceptsDrift
    services.deadline = .seconds(options.deadline ?? 900)
    services.waiting = { [progress] in progress.wait($0) }
    services.failsOnPartial = options.failsOnPartial
    services.failed = { provenance.note($0) }
    let directory = name.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    services.lines = { (path) throws(Problem) in
      // Relative to the file that names it.
      let place = path.hasPrefix("/") || directory.isEmpty ? path : "\(directory)/\(path)"
      let text = String(decoding: try FileByteSource(input: place).bytes(limit: 64 << 20), as: UTF8.self)
      return text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.isEmpty }
    }
    services.secret = { (path) throws(Problem) in String(decoding: try smallFile(path), as: UTF8.self) }
    let tokens = SourceMemory(directory: directories.data + "/tokens")
    services.secrets = report.secrets
    services.refreshToken = { (source, origin) throws(Problem) in try tokens.text(of: source, from: origin) }
    services.keepRefreshToken = { (token, source, origin) async throws(Problem) in
      try tokens.keep(token, of: source, from: origin)
    }
    return services
  }

  /// The transport with the options of the user.
  package func transport(
    _ options: APIOptions, connections: Int = HTTPRequest.usualAtATime
  ) -> any HTTPTransport {
    metered(
      network.transport(
        TransportOptions(
          proxy: options.proxy, caFile: options.caFile, connectionsPerHost: connections,
          allowsPrivate: options.allowsPrivate, userAgent: userAgent), origins))
  }

  /// A transport whose exchanges are shown as progress.
  private func metered(_ inner: any HTTPTransport) -> any HTTPTransport {
    MeteringTransport(inner) { [progress] event in
      progress.update { step in
        switch event {
        case .request(let host): if step.bytes == 0, step.items == 0 { step.phase = "connecting to \(host)" }
        case .response(let length):
          step.phase = ""
          // The size of the only response so far; the sum of several is useless.
          step.allBytes = step.bytes == 0 && step.items == 0 ? length : nil
        case .received(let count): step.bytes += count
        }
      }
    }
  }

  package func currentEpisodes(
    _ freshness: EpisodeChoices.Freshness, _ options: APIOptions
  ) async throws(Problem) -> (any RowStream)? {
    let freshness = options.offline ? .stored : freshness
    // A list of notes looks here each time.
    guard freshness != .stored || FilePattern.isDirectory(directories.cache) else { return nil }
    let maximumAge: Int64
    let description = APIDescription.usual(for: Catalog.episodes.name)
    let server = try directories.settings()[.api]?.value
    let updates = DailySource(
      description.name,
      transport: metered(
        network.transport(
          TransportOptions(proxy: options.proxy, caFile: options.caFile, userAgent: userAgent), PrivateOrigins())),
      directory: directories.cache, date: SystemClock()
    ) { transport throws(Problem) in
      // Problems of the data are reported by the program that lists them.
      try RESTSource(description, server: server, transport: transport) { _ in }
    }
    switch freshness {
    case .daily: maximumAge = DailySource.day
    case .minute: maximumAge = 60
    case .now: maximumAge = 0
    case .stored: maximumAge = .max
    }
    progress.begin(Catalog.episodes.name)
    defer { progress.finish() }
    return try await updates.rows(of: Catalog.episodes.name, maximumAge: maximumAge) {
      // Lists, which look once a day, show the known episodes.
      if freshness != .daily { report.warning("cannot look for new episodes: \($0)") }
    }
  }

  package func definition(_ path: String) throws(Problem) -> APIDescription {
    try SourceFile.read(try smallFile(path), name: path)
  }
  package func draft(
    _ request: SourceDraftRequest, _ options: APIOptions
  ) async throws(Problem) -> DraftOutcome {
    var document: OpenAPIDocument?
    if !URLText.isWeb(request.url) {
      let file = try request.url == "-" ? FileByteSource() : FileByteSource(input: request.url)
      let bytes = try file.bytes(limit: 256 << 20)
      document = try OpenAPIDocument(bytes, at: request.url)
      guard let document else { return DraftOutcome(draft: try await SourceDraft(request, bytes, headers: []).untried) }
      origins.add(server: options.server ?? document.server ?? "")
    } else {
      origins.add(server: request.url)
    }
    // Attempts are not repeated.
    return try await SourceDraft.made(
      request, of: document, server: options.server, variables: options.variables, by: logged(options),
      first: network.retrying(logged(options), Network.RetryPolicy()), environment: variables, secrets: report.secrets)
  }
  package func text(of source: APIDescription) -> [UInt8] { SourceFile.text(of: source) }
  package func schema(grammar: Int) -> [UInt8] { SourceFile.schema(grammar: grammar) }
}

/// The requests for one record each that are done, and all of them.
private final class RequestCounts: Sendable {
  private let counts = Mutex((done: 0, all: 0))
  func note(_ done: Int, _ all: Int) { counts.withLock { $0 = (done, all) } }
  var text: String { counts.withLock { $0.all > 0 ? "; \($0.done) of \($0.all) done" : "" } }
}

/// Whether a source is named by the path of a definition file.
private func isDefinition(_ name: String) -> Bool { name.contains("/") || name.hasSuffix(".json") }

/// The bytes of a file that users write by hand.
/// - Throws: `badData` above 1 MiB.
package func smallFile(_ path: String) throws(Problem) -> [UInt8] {
  try (path == "-" ? FileByteSource() : FileByteSource(input: path)).bytes(limit: 1 << 20)
}
