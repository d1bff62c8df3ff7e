import Codecs
package import CommandLineKit
package import Dialects
package import Domain
import Query
package import Rows

/// The services that commands of both programs use. The defaults do nothing or fail, so that a test names only the ones
/// that it needs.
package struct AppServices: Sendable {
  package var variables: [String: String] = [:]
  package var exporters: any ExporterCatalogue = NoExporters()
  package var files: any OutputFiles = NoFiles()
  /// The stores, and the configuration that names the default one.
  package var stores: any StoreOpening = NoStores()
  package var terminal: any TerminalPort = NoTerminal()
  package var sources: any SourceServices = NoSources()
  package var documents: any DocumentReading = NoDocuments()
  package var images: any ImageServices = NoImages()
  package var plugins: any PluginHost = NoPlugins()
  /// The files of a Singer runner.
  package var tap: any TapServices = NoTap()
  package var desktop: any DesktopPort = NoDesktop()
  /// Texts that are being written.
  package var drafts: any DraftDirectory = NoDrafts()
  package var identifiers: any IdentifierSource = SequentialIdentifiers()
  /// Reads the settings of the environment and of the configuration file.
  package var configuration: @Sendable () throws(Problem) -> Configuration = { () throws(Problem) in Configuration() }
  /// Changes the configuration file; a value of nil removes the key.
  package var configure: @Sendable (_ key: ConfigurationKey, _ value: String?) async throws(Problem) -> Void = {
    (_, _) throws(Problem) in throw Problem(.bug, "no configuration file")
  }
  package var clock: any WallClock = FixedClock(Instant(seconds: 0))
  package var scratch: any ScratchSpace = NoScratch()
  package var cores = 1
  /// The memory for sorting and groups without `--memory`, in bytes.
  package var memory: @Sendable () -> Int = { 256 << 20 }
  /// The executor of work that uses several threads; nil for the executor of the command.
  package var workers: (any TaskExecutor)?
  /// The directories that the program uses, by purpose.
  package var directories: [(name: String, path: String)] = []
  /// The records of input files that were changed or dropped.
  package var rejects = RejectLog(scratch: NoScratch())
  /// The source of the rows of the command.
  package let provenance = Provenance()
  package let exitCode = ExitCode()
  let started = ContinuousClock.now
  package var locations = LocationKinds([])
  /// Gives the services what the user said about the network; they cannot reach anything before.
  package var connect: @Sendable (_ services: inout AppServices, _ options: APIOptions) -> Void = { (_, _) in }
  /// Removes what must not outlive the process, then ends it.
  package var cleanUp: @Sendable (_ end: () -> Void) -> Void = { $0() }
  /// Errors, warnings and results, on standard error.
  package var report: Report
  /// The progress of the work, on standard error.
  package let progress: Progress

  /// The clock, or the time that `BB_NOW` sets, for tests and scripts.
  /// - Throws: `configuration` if `BB_NOW` is not a number of seconds within the years 0000 to 9999.
  package func writtenTime() throws(Problem) -> any WallClock {
    guard let text = variables["BB_NOW"], !text.isEmpty else { return clock }
    guard let seconds = Int64(text), (-62_167_219_200...253_402_300_799).contains(seconds) else {
      throw Problem(
        .configuration, "invalid value “\(text)” of BB_NOW", hint: "set it to seconds since 1970, or unset it")
    }
    return FixedClock(Instant(seconds: seconds))
  }

  /// The current date where the user is: `2024-05-17`.
  /// - Throws: as `writtenTime()`.
  package func today() throws(Problem) -> String { LocalTime.date(of: try writtenTime().now().seconds) }

  /// A location in messages: that of a server without secrets.
  package func shown(_ location: String) -> String {
    URLText.scheme(of: location) == nil ? location : (try? stores.open(location).name) ?? URLText.redacted(location)
  }

  /// Registers the secrets of the settings and of the environment, and those that options assign.
  func registerSecrets(of invocation: Invocation) {
    for key in ConfigurationKey.all {
      if let set = invocation.configuration[key] { report.secrets.add(in: set.value) }
    }
    for text in variables.values where URLText.isURL(text) { report.secrets.add(in: text) }
    for text in invocation.all(APIOptions.setOption) + invocation.all(OutputOptions.formatOption) {
      for secret in URLText.assigned(in: text) { report.secrets.add(secret) }
    }
  }

  /// Checks that a store exists.
  package func require(_ location: String) throws(Problem) {
    if try stores.exists(location) { return }
    let name = shown(location)
    throw Problem(.noInput, "store not found", at: name, hint: .run(.sync(into: name), "create it"))
  }

  /// Creates services that do nothing, except that they report.
  package init(_ report: Report) {
    self.report = report
    progress = Progress(report)
  }
}
