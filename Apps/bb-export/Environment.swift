import CommandLineKit
import Domain
import Query
import Rows

/// Everything bb-export reaches outside itself, as ports. Commands see only this.
struct Environment: Sendable {
  /// The variables of the process.
  var variables: [String: String]
  /// The formats, in the order of the help.
  var exporters: [any Exporter]
  /// The format called so.
  var exporter: @Sendable (_ name: String) throws(Problem) -> any Exporter
  /// The format of a path's suffix; nil when there is none.
  var exporterForPath: @Sendable (_ path: String) throws(Problem) -> (any Exporter)?
  /// Options by format, out of `[FORMAT.]KEY=VALUE`.
  var formatOptions:
    @Sendable (_ assignments: [String], _ exporters: [any Exporter]) throws(Problem) -> [String: ExportOptions]
  /// The exporter of metadata for some files.
  var metadata: @Sendable (_ form: MetadataForm, _ files: [DescribedFile]) -> any Exporter
  /// The available sources: name, summary, server.
  var sources: [(name: String, summary: String, server: String)]
  /// The source that a file describes.
  var checkSource: @Sendable (_ path: String) throws(Problem) -> SourceDescription
  /// A source as the text of a file that describes it.
  var sourceText: @Sendable (_ source: SourceDescription) -> [UInt8]
  /// The JSON Schema of such files.
  var sourceSchema: @Sendable () -> [UInt8]
  /// Where records come from.
  var source: @Sendable (_ choice: SourceChoice) async throws(Problem) -> any RecordSource
  /// An API that takes new records.
  var submitter: @Sendable (_ name: String, _ live: LiveChoice) throws(Problem) -> any RecordSubmitter
  /// Image services.
  var images: ImagePort
  /// The storage at a location.
  var store: @Sendable (_ location: String) throws(Problem) -> any RecordStore
  /// The default store, and the origin of that setting.
  var defaultStorage: @Sendable () throws(Problem) -> (location: String, origin: String)
  /// The settings of the environment and of the configuration file.
  var configuration: @Sendable () throws(Problem) -> Configuration
  /// Changes the configuration file; nil removes a key.
  var configure: @Sendable (_ key: ConfigurationKey, _ value: String?) async throws(Problem) -> Void
  /// Copies everything in a store to a new one; returns the tables with their record counts.
  var migrate:
    @Sendable (_ old: any RecordStore, _ location: String) async throws(Problem) -> [(table: String, records: Int)]
  /// Whether there is anything at a location.
  var exists: @Sendable (_ location: String) throws(Problem) -> Bool
  /// The time now, RFC 3339 in UTC.
  var now: @Sendable () -> String
  /// The external exporters that are installed.
  var plugins: PluginPort
  /// Singer tap services.
  var tap: TapPort
  /// A file that is published when it is complete, or a device.
  var file: @Sendable (_ path: String, _ replaces: Bool) throws(Problem) -> any ByteSink
  /// Checks whether such a file can be created, and returns its identity, whatever its name.
  var checkFile: @Sendable (_ path: String, _ replaces: Bool) throws(Problem) -> String
  /// Standard output; buffered until it is complete if the rows may have to be read again.
  var standardOutput: @Sendable (_ isHeldBack: Bool) throws(Problem) -> any ByteSink
  /// The width of the terminal standard output is; nil when it is none.
  var terminalWidth: Int?
  /// Cores to use.
  var cores: Int
  /// Temporary files.
  var scratch: any ScratchSpace
  /// A digest of what goes through a sink, in hexadecimal digits.
  var digesting: @Sendable (_ sink: any ByteSink) -> any DigestingSink
  /// Opens a URL on the desktop; false when there is none.
  var launch: @Sendable (_ url: String) -> Bool
  /// Directories by purpose.
  var folders: [(name: String, path: String)]
  /// Removes what must not outlive the process, then ends it.
  var cleanUp: @Sendable (_ end: () -> Void) -> Void
  /// Whether an output would take the place of a file.
  var replacesFile: @Sendable (_ path: String) -> Bool
  /// Where the rows come from.
  let provenance: Provenance
  /// When the command started.
  var started = ContinuousClock.now
  /// Messages on standard error.
  var report: Report
}

/// The forms of column metadata.
enum MetadataForm: Sendable {
  /// W3C CSV on the Web, a file for each CSV file.
  case csvw
  /// Frictionless Data Package, a file for all.
  case dataPackage
}

/// An output with metadata.
struct DescribedFile: Sendable {
  /// Its name within its directory.
  var name: String
  var format: ExporterDescriptor
  var options: ExportOptions
}

/// Plug-in services.
struct PluginPort: Sendable {
  /// All of them; why each is refused, empty when it is not.
  var all: @Sendable () throws(Problem) -> [(name: String, path: String, refusal: String)]
  /// What one says of itself, as pairs.
  var describe: @Sendable (_ name: String) throws(Problem) -> [[String]]
  /// The results of the tests of a plug-in.
  var test: @Sendable (_ name: String) async throws(Problem) -> [(what: String, fault: String?)]
}

/// Image services.
struct ImagePort: Sendable {
  /// The transport for images, with the given connection options.
  var transport: @Sendable (_ live: LiveChoice, _ parallel: Int) -> any HTTPTransport
  /// The archive in a directory, for the images of one dataset.
  var folder: @Sendable (_ path: String, _ dataset: String) async throws(Problem) -> any ImageArchive
}

/// The files that a Singer runner passes to a tap, by path, and the output of the tap.
struct TapPort: Sendable {
  /// Where records come from, and which datasets; all when there are none.
  var settings: @Sendable (_ path: String) throws(Problem) -> (SourceChoice, [String])
  /// The streams that a catalogue chooses, and the columns it does without.
  var chosen: @Sendable (_ path: String) throws(Problem) -> [(stream: String, without: [String])]
  /// Whether a file holds a state.
  var checkState: @Sendable (_ path: String) throws(Problem) -> Void
  /// The catalogue of these tables.
  var catalog: @Sendable (_ tables: [Schema]) -> [UInt8]
  /// The exporter of messages after those of earlier streams.
  var exporter: @Sendable (_ earlier: [(stream: String, records: Int)]) -> any Exporter
}

/// Where records should come from.
enum SourceChoice: Sendable, Hashable {
  /// A file, with its options.
  case file(path: String, FileChoice)
  /// A store; nil for the default one.
  case storage(String?)
  /// A live API.
  case live(name: String, LiveChoice)
  /// The built-in data.
  case snapshot
}

/// The options for a file.
struct FileChoice: Sendable, Hashable {
  var format: String?
  var delimiter: String?
  var name: String?
  var types: ColumnTypes = [:]
  var records: String?
  var emptyIsText = false
  /// Whether a quote inside an unquoted field of CSV is refused.
  var isStrict = false
  /// An unquoted field of CSV that means null, in addition to the empty one; nil for none.
  var nullText: String?
  var replacesBadEncoding = false
  /// The most bytes a field may have, of SQLite a row; nil for the usual 16 MiB.
  var maximumField: Int?
  /// Seconds that a view of a database may run without a row; nil for 30.
  var timeout: Int?
}

extension Environment {
  /// Fails if a store that was given does not exist.
  func require(_ storage: String) throws(Problem) {
    if try exists(storage) { return }
    throw Problem(.noInput, "store not found", at: storage, hint: "create it with bb-export sync")
  }
}

/// The options for an API.
struct LiveChoice: Sendable, Hashable {
  var server: String?
  var maxAge: Int?
  var refresh = false
  var offline = false
  /// Whether the built-in data may answer if neither the API nor its cache does.
  var fallback = Fallback.allowed

  /// What may answer in place of an API.
  enum Fallback: Hashable {
    /// The built-in data, with a warning.
    case allowed
    /// Nothing; the hint says how to get the built-in data, where there is some.
    case refused(hint: String)
    /// Nothing.
    case none
  }
  /// The most bytes of all responses together; nil for the default.
  var maximumBytes: Int?
  var proxy: String?
  var caFile: String?
  /// Whether data and redirects may lead to private addresses.
  var allowsPrivate = false
  /// The storage that the records go to, whose further columns stay where the API has none any more.
  var target: String?
  /// Whether values are wanted as the API writes them, the odd ones too.
  var asWritten = false
  /// Whether to show the progress of many requests.
  var showsProgress = false
}

/// A sink that knows the digest of what it took.
protocol DigestingSink: ByteSink {
  /// SHA-256 in hexadecimal digits, of everything written.
  var digest: String { get }
  /// Bytes it took.
  var count: Int { get }
}
