import Access
import AppShell
import CommandLineKit
import Dialects
import Documents
import Domain
import Exporters
import Files
import Networking
import Persistence
import Plugins
import Query
import Rows
import Sources

struct ImportedFiles: DocumentReading {
  let report: Report
  let scratch: any ScratchSpace
  let rejects: RejectLog

  func rows(
    _ path: String, _ options: FileInputOptions, types: ([String]) throws(Problem) -> ColumnTypes
  ) async throws(Problem) -> any RowStream {
    let source = try FileSource(path: path, options, scratch: scratch, rejects: rejects) { report.warning($0) }
    var table = try await source.mainTable() ?? ""
    if table.isEmpty { table = try await source.tables().first?.name ?? "" }
    return try await source.typed(table, types).rows(of: table, RowRequest())
  }
  func files(_ path: String) throws(Problem) -> any NamedFiles {
    if FilePattern.isDirectory(path) { return try DirectoryFiles(path) }
    let file = try path == "-" ? FileByteSource() : FileByteSource(input: path)
    let start = try file.bytes(at: 0, count: min(4, file.length)) ?? []
    return start.starts(with: [0x50, 0x4B, 3, 4]) || start.starts(with: [0x50, 0x4B, 5, 6])
      ? ArchiveFiles(name: path, zip: try ZipFiles(file)) : try OneFile(path, file)
  }
  func sink(_ path: String) throws(Problem) -> any ByteSink { try FileSink(path: path) }
  func isDirectory(_ path: String) -> Bool { FilePattern.isDirectory(path) }
  func isStore(_ path: String) -> Bool { FilePattern.isStore(path) }
  var extensions: [String] { PlaceDocumentReader.suffixes }
  func records(_ path: String, extension suffix: String) async throws(Problem) -> ImportedRecords {
    let bytes = try (path == "-" ? FileByteSource() : FileByteSource(input: path)).bytes(limit: 32 << 20)
    let document = try PlaceDocumentReader(bytes, suffix: suffix, name: path)
    return (document.schema, document.records, document.omitted)
  }
}

struct Images: ImageServices {
  let sources: ConnectedSources

  func transport(_ options: APIOptions, parallel: Int) -> any HTTPTransport {
    let transport = sources.transport(options, connections: min(parallel, HTTPRequest.usualAtATime))
    // Only the archive, which keeps the bytes, can continue an interrupted body.
    var policy = Network.RetryPolicy()
    policy.readAhead = 0
    return sources.network.retrying(transport, policy)
  }
  func archive(_ path: String, dataset: String, isOfStore: Bool) async throws(Problem) -> any ImageArchive {
    try await ImageArchiveDirectory.open(path, dataset: dataset, isOfStore: isOfStore)
  }
  func stored(_ location: String) throws(Problem) -> any ImageDirectory {
    sources.registry.images(of: try sources.registry.location(location))
  }
}

struct InstalledPlugins: PluginHost {
  let registry: PluginRegistry

  func all() throws(Problem) -> [(name: String, path: String, refusal: String)] {
    try registry.findings().map { ($0.plugin.name, $0.plugin.path, $0.refusal ?? "") }
  }
  func describe(_ name: String) throws(Problem) -> [[String]] {
    let plugin = try installed(name), description = try registry.description(of: plugin)
    return [
      ["format", description.name], ["what", description.summary], ["version", description.version],
      ["vendor", description.vendor],
      ["suffixes", description.fileExtensions.map { ".\($0)" }.joined(separator: " ")],
      ["media type", description.mediaType],
      ["options", description.options.map { "\($0.key)=\($0.values)" }.joined(separator: "; ")],
      ["path", plugin.path],
    ]
  }
  func test(_ name: String) async throws(Problem) -> [(what: String, fault: String?)] {
    await PluginTest(try registry.exporter(try installed(name))).run().map { ($0.what, $0.fault) }
  }
  private func installed(_ name: String) throws(Problem) -> Plugin {
    if let plugin = try registry.plugin(named: name) { return plugin }
    let names = try registry.all().map(\.name)
    let hint: Remedy =
      names.isEmpty ? "no plug-ins are installed" : .choose(name, from: names, "available plug-ins")
    throw Problem(.absent, "plug-in not found: “\(name)”", hint: hint)
  }
}

struct TapFiles: TapServices {
  func settings(_ path: String) throws(Problem) -> (SourceChoice, [String]) {
    let settings = try SingerSettings(try smallFile(path), name: path)
    var options = APIOptions()
    options.server = settings.server
    options.maxAge = settings.maximumAge
    options.offline = settings.isOffline
    if let storage = settings.storage { return (.storage(storage), settings.datasets) }
    if settings.source == "snapshot" { return (.snapshot, settings.datasets) }
    let usual = APIDescription.usual(for: settings.datasets.first ?? "").name
    return (.live(name: settings.source ?? usual, options), settings.datasets)
  }
  func selected(_ path: String) throws(Problem) -> [(stream: String, without: [String])] {
    try SingerCatalog.read(try smallFile(path), name: path).map { ($0.stream, $0.without) }
  }
  func checkState(_ path: String) throws(Problem) {
    try SingerCatalog.checkState(try smallFile(path), name: path)
  }
  func catalog(_ tables: [Schema]) -> [UInt8] { SingerCatalog.text(of: tables) }
  func exporter(_ earlier: [(stream: String, records: Int)]) -> any Exporter { SingerExporter(after: earlier) }
}
