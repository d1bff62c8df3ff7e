public import AppShell
public import CommandLineKit
import Domain
import Exporters
import Glibc
public import Persistence
import Query
import Rows

/// The services of both programs on a real machine, and the adapters that each program needs for services of its own.
public struct LiveServices: Sendable {
  /// The services.
  public var services: AppServices
  /// The directories of the user.
  public let directories: Directories
  /// The stores.
  public let registry: StoreRegistry
  /// The external exporters.
  public let plugins: PluginRegistry

  /// Connects the services of this process.
  /// - Parameters:
  ///   - report: receives warnings of the adapters.
  ///   - hasPager: whether output on a terminal can go through a pager.
  ///   - ownsPages: whether the program makes HTML pages that the desktop may open.
  public init(_ report: Report, hasPager: Bool = false, ownsPages: Bool = false) {
    let variables = ProcessVariables.all(), directories = Directories(variables)
    let exporters = ExporterRegistry(adding: SQLiteExporter(temporaryFolder: directories.temporary), before: "sql")
    let plugins = PluginRegistry(
      PluginFolders(
        PluginFolders.usual(variables, data: directories.data), reserved: exporters.exporters.map(\.descriptor.name)),
      stream: SingerExporter(), variables: variables, temporary: directories.temporary)
    let scratch = TemporaryScratch(folder: directories.temporary)
    let registry = StoreRegistry(scratch: scratch, known: Catalog.all)
    var services = AppServices(report)
    services.variables = variables
    services.exporters = InstalledExporters(builtIn: exporters, plugins: plugins, report: report)
    services.files = FileSystem()
    services.stores = Stores(registry: registry, directories: directories)
    services.terminal = StandardStreams(
      scratch: scratch, report: report, variables: variables, directories: hasPager ? directories : nil)
    services.openURL = {
      Desktop.open($0, variables: variables, ownFiles: ownsPages ? directories.state : nil)
    }
    services.configuration = { () throws(Problem) in try directories.settings() }
    services.configure = { (key, value) async throws(Problem) in
      try await ConfigurationFile.set(key, to: value, in: directories.configurationFile)
    }
    services.clock = SystemClock()
    services.scratch = scratch
    services.cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    services.directories = [
      ("data", directories.data), ("configuration", directories.configuration), ("cache", directories.cache),
      ("temporary files", directories.temporary),
    ]
    services.cleanUp = { end in
      ChildPrograms.endAll()
      Temporaries.removeAll(ending: end)
    }
    (self.services, self.directories, self.registry, self.plugins) = (services, directories, registry, plugins)
  }
}

private struct InstalledExporters: ExporterCatalogue {
  let builtIn: ExporterRegistry
  let plugins: PluginRegistry
  let report: Report

  var all: [any Exporter] { builtIn.exporters }
  func named(_ name: String) throws(Problem) -> any Exporter {
    if name.hasPrefix("singer:") { return try plugins.target(String(name.dropFirst("singer:".count))) }
    let isBuiltIn = all.contains { $0.descriptor.name == name }
    guard !isBuiltIn, let plugin = try plugins.plugin(named: name) else { return try builtIn.exporter(named: name) }
    return try plugins.exporter(plugin)
  }
  func forPath(_ path: String) throws(Problem) -> (any Exporter)? {
    if let exporter = builtIn.exporter(forPath: path) { return exporter }
    return try plugins.exporter(forPath: path) { report.warning("\($0)") }
  }
  func options(_ assignments: [String], for chosen: [any Exporter]) throws(Problem) -> [String: ExportOptions] {
    try builtIn.options(assignments, for: chosen)
  }
  func metadata(_ form: MetadataForm, of files: [DescribedFile]) -> any Exporter {
    let files = files.map { MetadataExporter.File(name: $0.name, format: $0.format, options: $0.options) }
    return form == .csvw ? MetadataExporter.csvw(files[0]) : MetadataExporter.dataPackage(files)
  }
}

private struct FileSystem: OutputFiles {
  func sink(_ path: String, replaces: Bool) throws(Problem) -> any ByteSink {
    try OutputFile.sink(path, replaces: replaces)
  }
  func check(_ path: String, replaces: Bool) throws(Problem) -> String {
    if DescriptorSink.isDevice(path) { return path }
    // Created and removed again.
    _ = try OutputFile.sink(path, replaces: replaces)
    return try OutputFile.place(path)
  }
  func isFile(_ path: String) -> Bool { unsafe !DescriptorSink.isDevice(path) && access(path, F_OK) == 0 }
}

private struct Stores: StoreOpening {
  let registry: StoreRegistry
  let directories: Directories

  func open(_ location: String) throws(Problem) -> any RecordStore { try registry.open(location) }
  func exists(_ location: String) throws(Problem) -> Bool { try registry.isThere(try registry.location(location)) }
  func defaultLocation() throws(Problem) -> (location: String, origin: String) { try directories.defaultStorage() }
  func migrate(_ old: any RecordStore, to location: String) async throws(Problem) -> [(table: String, records: Int)] {
    let place = try registry.location(location), source = try registry.location(old.name)
    return try await registry.make(place, withPicturesOf: source) { (new) async throws(Problem) in
      try await Migration.copy(old, to: new)
    }
  }
}

private struct StandardStreams: TerminalPort {
  let width = Terminal.width(1)
  let isInteractive = Terminal.isInteractive
  let scratch: TemporaryScratch
  let report: Report
  let variables: [String: String]
  /// Where the setting of the pager is; nil for no pager.
  let directories: Directories?

  func output(isHeldBack: Bool, isPaged: Bool) throws(Problem) -> any ByteSink {
    var output: any ByteSink = DescriptorSink.standardOutput
    if Terminal.isTerminal(1) {
      if isPaged, isInteractive, let directories,
        let pager = PagerSink(variables, preferred: try directories.settings()[.pager]?.value)
      {
        output = pager
      }
      output = VisibleSink(output) { [report] in report.warning($0) }
    }
    return isHeldBack ? try SpooledSink(output, scratch: scratch) : output
  }
  func write(_ text: String) throws(Problem) { try Terminal.write(text, to: 1) }
}
