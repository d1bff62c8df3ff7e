import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Everything that bb-export reaches outside of itself.
struct Environment: AppEnvironment {
  /// What both programs have.
  var services: AppServices
  /// The built-in sources: name, description and server.
  var sources: [(name: String, summary: String, server: String)]
  /// Reads a source definition file.
  var checkSource: @Sendable (_ path: String) throws(Problem) -> APIDescription
  /// A source definition as the text of a file.
  var sourceText: @Sendable (_ source: APIDescription) -> [UInt8]
  /// The JSON Schema of source definition files.
  var sourceSchema: @Sendable () -> [UInt8]
  /// Opens the source of records.
  var source: @Sendable (_ choice: SourceChoice) async throws(Problem) -> any RecordSource
  /// Opens an API that takes new records.
  var submitter: @Sendable (_ name: String, _ live: LiveChoice) throws(Problem) -> any RecordSubmitter
  /// Downloads and directories of images.
  var images: ImagePort
  /// The external exporters that are installed.
  var plugins: PluginPort
  /// The input of a Singer runner, and the output of a tap.
  var tap: TapPort
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
  /// A store, nil for the default one; of the options, the limits apply.
  case storage(String?, FileChoice = FileChoice())
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
    if try services.stores.exists(storage) { return }
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
  /// Seconds for all requests together; nil for the default.
  var deadline: Int?
  /// Whether a list that is shorter than the API says is an error.
  var isComplete = false
  /// Whether values are wanted as the API writes them, the odd ones too.
  var asWritten = false
  /// Whether to show the progress of many requests.
  var showsProgress = false
}
