package import Access
package import AppShell
package import CommandLineKit
import Dialects
import Domain
import Exporters
import Files
import Glibc
import Objects
import Persistence
import Plugins
import Rows

/// The services of both programs on a real machine.
package enum LiveServices {
  /// The services of bb-export.
  /// - Parameters:
  ///   - report: receives warnings.
  ///   - version: the version of the program.
  ///   - variables: the environment.
  ///   - network: the network.
  package static func export(
    _ report: Report, version: String, variables: [String: String] = ProcessVariables.all(),
    network: Network = .curl
  ) -> AppServices {
    make(report, "bb-export/\(version)", variables, network)
  }

  /// The services of bb-notes, which shows lists in a pager and makes pages that the desktop opens.
  package static func notes(
    _ report: Report, version: String, variables: [String: String] = ProcessVariables.all(),
    network: Network = .curl
  ) -> AppServices {
    var services = make(report, "bb-notes/\(version)", variables, network)
    let directories = Directories(variables)
    services.terminal = StandardStreams(
      scratch: services.scratch, report: report, variables: variables, directories: directories)
    services.desktop = UserDesktop(variables: variables, directories: directories, ownsPages: true)
    services.workers = globalConcurrentExecutor
    services.directories.insert(("drafts", directories.state + "/drafts"), at: 2)
    return services
  }

  /// What `--option` can set, for help, man page and completion.
  package static let assignments: @Sendable () -> [Program.Assignment] = {
    PlaceOptions.assignments(of: formats(temporary: "").exporters, PlaceOptions.shared + PlaceOptions.tables)
  }

  private static func formats(temporary: String) -> ExporterRegistry {
    ExporterRegistry(adding: SQLiteExporter(temporaryDirectory: temporary), before: "sql")
  }

  private static func make(
    _ report: Report, _ userAgent: String, _ variables: [String: String], _ network: Network
  ) -> AppServices {
    let directories = Directories(variables), temporary = directories.temporary
    let exporters = formats(temporary: temporary)
    let plugins = PluginRegistry(
      PluginDirectories(
        PluginDirectories.usual(variables, data: directories.data), reserved: exporters.exporters.map(\.descriptor.name)
      ),
      stream: SingerExporter(), variables: variables, temporary: temporary)
    let scratch = TemporaryScratch(directory: temporary)
    let registry = StoreRegistry(
      scratch: scratch, known: Catalog.all, serverImages: directories.data + "/servers")
    var services = AppServices(report)
    services.rejects = RejectLog(scratch: scratch)
    let sources = ConnectedSources(
      report: report, progress: services.progress, provenance: services.provenance, registry: registry,
      directories: directories,
      variables: variables, scratch: scratch, rejects: services.rejects, userAgent: userAgent, network: network)
    services.variables = variables
    services.exporters = InstalledExporters(builtIn: exporters, plugins: plugins, report: report)
    services.files = FileSystem()
    services.sources = sources
    services.documents = ImportedFiles(report: report, scratch: scratch, rejects: services.rejects)
    services.connect = { services, options in
      var connected = sources
      connected.connection = Connection(options)
      connected.registry.isOffline = options.offline
      (services.sources, services.locations) = (connected, connected.kinds)
      services.stores = Stores(registry: connected.registry, directories: directories)
      services.images = Images(sources: connected)
    }
    services.plugins = InstalledPlugins(registry: plugins)
    services.tap = TapFiles()
    services.terminal = StandardStreams(
      scratch: scratch, report: report, variables: variables, directories: directories)
    services.desktop = UserDesktop(variables: variables, directories: directories, ownsPages: false)
    services.drafts = PrivateDrafts(directory: directories.state + "/drafts")
    services.identifiers = MachineIdentifiers()
    services.configuration = { () throws(Problem) in try directories.settings() }
    services.configure = { (key, value) async throws(Problem) in
      try await ConfigurationFile.set(key, to: value, in: directories.configurationFile)
    }
    services.clock = SystemClock()
    services.scratch = scratch
    services.cores = WorkThread.cores
    services.memory = { AvailableMemory.share }
    services.directories = [
      ("data", directories.data), ("configuration", directories.configuration), ("cache", directories.cache),
      ("temporary files", temporary),
    ]
    services.cleanUp = { [progress = services.progress] end in
      progress.finish()
      PostgresServers.cancelAll()
      S3Uploads.abortAll()
      ChildPrograms.endAll()
      Temporaries.removeAll(ending: end)
    }
    return services
  }
}
