import CommandLineKit
import Domain
import Query
import Rows

/// Everything bb-notes reaches outside itself, as ports. Commands see only this.
struct Environment: Sendable {
  /// The variables of the process.
  var variables: [String: String]
  /// The settings of the environment and of the configuration file.
  var configuration: @Sendable () throws(Problem) -> Configuration
  /// Changes the configuration file; nil removes a key.
  var configure: @Sendable (_ key: ConfigurationKey, _ value: String?) async throws(Problem) -> Void
  /// The storage at a location.
  var store: @Sendable (_ location: String) throws(Problem) -> any RecordStore
  /// Whether there is anything at a location.
  var exists: @Sendable (_ location: String) throws(Problem) -> Bool
  /// Turns an existing directory into a store.
  var claim: @Sendable (_ location: String) async throws(Problem) -> Void
  /// Copies everything in a store to a new one; returns the tables with their record counts.
  var migrate:
    @Sendable (_ old: any RecordStore, _ location: String) async throws(Problem) -> [(table: String, records: Int)]
  /// The images of the store at a location.
  var pictures: @Sendable (_ location: String) throws(Problem) -> any PictureFolder
  /// The default store, and the origin of that setting.
  var defaultStorage: @Sendable () throws(Problem) -> (location: String, origin: String)
  /// Facts that are built in: episodes, characters, deaths.
  var builtIn: any RecordSource
  /// The episodes of the API, as new as `freshness` requires if it responds within two seconds, else those of its last
  /// response; nil if it never responded.
  var currentEpisodes: @Sendable (_ freshness: EpisodeChoices.Freshness) async throws(Problem) -> (any RowStream)?
  /// The formats, in the order of the help.
  var exporters: [any Exporter]
  /// The format called so.
  var exporter: @Sendable (_ name: String) throws(Problem) -> any Exporter
  /// The format of a path's suffix.
  var exporterForPath: @Sendable (_ path: String) -> (any Exporter)?
  /// Options by format, out of `[FORMAT.]KEY=VALUE`.
  var formatOptions:
    @Sendable (_ assignments: [String], _ exporters: [any Exporter]) throws(Problem) -> [String: ExportOptions]
  /// A file that is published when it is complete, or a device.
  var file: @Sendable (_ path: String, _ replaces: Bool) throws(Problem) -> any ByteSink
  /// Checks that a file can be written, and returns where it is, with every link followed.
  var checkFile: @Sendable (_ path: String, _ replaces: Bool) throws(Problem) -> String
  /// The rows of a file; `types` receives the column names and returns their types.
  var fileRows:
    @Sendable (
      _ path: String, _ format: String?, _ delimiter: String?,
      _ types: (_ columns: [String]) throws(Problem) -> ColumnTypes
    ) async throws(Problem) -> any RowStream
  /// Suffixes of documents of other programs.
  var documentSuffixes: [String]
  /// The records of such a document, and their dataset; a warning reports what was ignored.
  var document: @Sendable (_ path: String, _ suffix: String) throws(Problem) -> (Schema, [StoredRecord])
  /// Standard output; on a terminal through a pager.
  var standardOutput: @Sendable () throws(Problem) -> any ByteSink
  /// All of standard input.
  var standardInput: @Sendable () throws(Problem) -> [UInt8]
  /// The width of the terminal standard output is; nil when it is none.
  var terminalWidth: Int?
  /// Whether the user can be prompted.
  var isInteractive: Bool
  /// Questions to that person.
  var dialog: Dialog
  /// The user's editor.
  var editor: @Sendable () throws(Problem) -> any TextEditor
  /// Texts that are being written.
  var drafts: any DraftFolder
  /// The time.
  /// - Throws: `configuration` if the environment sets one that does not exist.
  var clock: @Sendable () throws(Problem) -> any WallClock
  /// A new identifier for a record.
  var identifier: @Sendable () -> String
  /// Temporary files.
  var scratch: any ScratchSpace
  /// Whether there is a desktop to open something on.
  var hasDesktop: Bool
  /// Keeps a page of HTML in a private file; its address.
  var page: @Sendable (_ html: [UInt8]) async throws(Problem) -> String
  /// Opens a URL on the desktop; false when there is none.
  var launch: @Sendable (_ url: String) -> Bool
  /// Directories by purpose.
  var folders: [(name: String, path: String)]
  /// Removes what must not outlive the process, then ends it.
  var cleanUp: @Sendable (_ end: () -> Void) -> Void
  /// Messages on standard error.
  var report: Report
}
